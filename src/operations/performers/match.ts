import type { ListedPerformer } from './list';
import { BETWEEN_ALIASES, LONGEST_NAME, normalized } from '../items';

/**
 * Why a performer matches a name. `name`: it is the performer's name. `alias`: it is an alias. `part`: all of its words are
 * in the name or an alias, or the other way round. `similar`: its spelling is similar. `listed`: the site lists the
 * performer for it, and nothing else.
 */
export type MatchReason = 'name' | 'alias' | 'part' | 'similar' | 'listed';

/** A performer in a site's list, with how well the performer matches a name. */
export interface Candidate extends ListedPerformer {
  /** From 0 to 1, with two decimals; 1 only for the performer's name. */
  score: number;
  reason: MatchReason;
}

export const SCORE_OF_ALIAS = 0.95;
/** The highest score of a name that is only similar: below that of an alias. */
const HIGHEST_OTHER_SCORE = 0.9;
/** The lowest similarity that counts as similar. */
const SIMILAR = 0.5;
/**
 * How much of a list is read, and how much of that is also compared for similarity, in UTF-16 units. Both are many times
 * what a site lists, and take some hundredths of a second of Node-RED's event loop.
 */
const MOST_READ = 500_000;
const MOST_COMPARED = 100_000;
/** The cost of a name in addition to its length, because many short names take longer than a few long ones. */
const COST_OF_NAME = 20;
/** How much of the aliases of one performer is read: also many times what a site gives. */
const LONGEST_ALIASES = 20_000;

const NO_LETTER = /[^\p{L}\p{N}]+/gu;
const BETWEEN_WORDS = /[^\p{L}\p{M}\p{N}]+/u;

/** Rates how well each performer of a list matches `name`, in the order of the list. */
export function rate(name: string, listed: readonly ListedPerformer[]): Candidate[] {
  const wanted = new WantedName(name);
  return listed.map((one) => ({ ...one, ...wanted.judge(one) }));
}

/** Returns the candidates with exactly this name, or else those with exactly this alias. */
export function fitting(candidates: readonly Candidate[]): Candidate[] {
  const named = candidates.filter(({ reason }) => reason === 'name');
  return named.length > 0 ? named : candidates.filter(({ reason }) => reason === 'alias');
}

/** Sorts candidates by score. The order of equal scores stays. */
export function bestFirst(candidates: readonly Candidate[]): Candidate[] {
  return [...candidates].sort((one, other) => other.score - one.score);
}

/** A name to look for, prepared for the comparison with the names of a list. */
class WantedName {
  readonly #name: string;
  readonly #words: readonly string[];
  readonly #wordSet: ReadonlySet<string>;
  readonly #letters: string;
  readonly #pairCount: number;
  /** The number of each pair of neighbouring letters. */
  readonly #pairs = new Map<string, number>();
  /** The cost of what was read of the list so far. */
  #read = 0;

  constructor(name: string) {
    this.#name = normalized(name);
    const isName = this.#name.length <= LONGEST_NAME;
    const letters = isName ? lettersOf(this.#name) : [];
    this.#words = isName ? wordsIn(this.#name) : [];
    this.#wordSet = new Set(this.#words);
    this.#letters = letters.join('');
    const pairs = pairsOf(letters);
    this.#pairCount = pairs.length;
    for (const pair of pairs) this.#pairs.set(pair, (this.#pairs.get(pair) ?? 0) + 1);
  }

  /** Returns how well one performer of the list matches. */
  judge({ name, aliases = '' }: ListedPerformer): Pick<Candidate, 'score' | 'reason'> {
    const own = this.#normalized(name);
    if (own === this.#name) return { score: 1, reason: 'name' };
    const others = this.#aliases(aliases);
    if (others.includes(this.#name)) return { score: SCORE_OF_ALIAS, reason: 'alias' };
    const isCompared = this.#name.length <= LONGEST_NAME && this.#read <= MOST_COMPARED;
    const all = isCompared ? [own, ...others].filter((one) => one.length <= LONGEST_NAME) : [];
    const similarity = all.reduce((most, one) => Math.max(most, this.#similarityOf(one)), 0);
    const score = Math.round(HIGHEST_OTHER_SCORE * similarity * 100) / 100;
    if (all.some((one) => this.#sharesWords(one))) return { score, reason: 'part' };
    return { score, reason: similarity >= SIMILAR ? 'similar' : 'listed' };
  }

  /** Splits aliases and normalizes each once, within the limits of what is read. */
  #aliases(text: string): string[] {
    if (this.#read > MOST_READ) return [];
    const read = text.slice(0, LONGEST_ALIASES);
    this.#read += read.length;
    const all = read.split(BETWEEN_ALIASES);
    // The last alias was cut, and half a name may be another performer's.
    if (read !== text) all.pop();
    return [...new Set(all)].map((alias) => this.#normalized(alias)).filter((alias) => alias !== '');
  }

  #normalized(name: string): string {
    this.#read += Math.min(name.length, LONGEST_NAME) + COST_OF_NAME;
    return normalized(name);
  }

  /** Whether one of the two names has all words of the other. */
  #sharesWords(other: string): boolean {
    const words = wordsIn(other);
    if (words.length === 0 || this.#words.length === 0) return false;
    if (words.every((word) => this.#wordSet.has(word))) return true;
    const wordSet = new Set(words);
    return this.#words.every((word) => wordSet.has(word));
  }

  /**
   * Returns the Dice coefficient of the pairs of neighbouring letters, from 0 to 1. Ignores accents and all characters
   * but letters and digits.
   */
  #similarityOf(other: string): number {
    const letters = lettersOf(other);
    if (letters.length > 0 && letters.join('') === this.#letters) return 1;
    const pairs = pairsOf(letters);
    const total = pairs.length + this.#pairCount;
    const used = new Map<string, number>();
    const common = pairs.filter((pair) => {
      const count = used.get(pair) ?? 0;
      used.set(pair, count + 1);
      return count < (this.#pairs.get(pair) ?? 0);
    });
    return total === 0 ? 0 : (2 * common.length) / total;
  }
}

function wordsIn(text: string): string[] {
  return text.split(BETWEEN_WORDS).filter((word) => word !== '');
}

function lettersOf(text: string): string[] {
  return Array.from(text.normalize('NFD').replace(NO_LETTER, ''));
}

function pairsOf(letters: readonly string[]): string[] {
  return letters.slice(1).map((letter, index) => `${letters[index] ?? ''}${letter}`);
}
