import type { ListedPerformer } from './performer-list';
import { LONGEST_NAME, normalized } from './performer-names';

/**
 * Why somebody may be meant by a name: it is theirs, or one of their aliases; one of their names holds all words of it,
 * or it all words of one of theirs; it is similar to one of theirs; or only because the site lists them for it.
 */
export type MatchReason = 'name' | 'alias' | 'part' | 'similar' | 'listed';

/** Somebody in the site's list, as seen by who asked for a name. */
export interface Candidate extends ListedPerformer {
  /** How well the name fits, from 0 to 1. */
  score: number;
  reason: MatchReason;
}

const SCORE_OF_ALIAS = 0.95;
/** Of a name that is only like another one: less than an alias has. */
const HIGHEST_OTHER_SCORE = 0.9;
const SIMILAR = 0.5;
/**
 * How much of a list is read, and how much of that is compared for likeness; what is not compared can only be the same.
 * Both are many times what a site lists, and keep Node-RED waiting for some hundredths of a second.
 */
const MOST_READ = 500_000;
const MOST_COMPARED = 100_000;
/** What a name counts beside its letters, since many short ones take longer than a few long ones. */
const COST_OF_NAME = 20;
/** Of the aliases of one, many times what a site gives, too. */
const LONGEST_ALIASES = 20_000;

/** They come as one text. */
const BETWEEN_ALIASES = /[,;，；、\r\n]/;
const NO_LETTER = /[^\p{L}\p{N}]+/gu;
const BETWEEN_WORDS = /[^\p{L}\p{M}\p{N}]+/u;

/** How well `name` fits each of the list, in the order of the list. */
export function rate(name: string, listed: readonly ListedPerformer[]): Candidate[] {
  const wanted = new WantedName(name);
  return listed.map((one) => ({ ...one, ...wanted.judge(one) }));
}

/** Who has exactly the name that was asked for; if nobody has, whose alias it is. */
export function fitting(candidates: readonly Candidate[]): Candidate[] {
  const named = candidates.filter(({ reason }) => reason === 'name');
  return named.length > 0 ? named : candidates.filter(({ reason }) => reason === 'alias');
}

/** Those with the same score in the order in which they came. */
export function bestFirst(candidates: readonly Candidate[]): Candidate[] {
  return [...candidates].sort((one, other) => other.score - one.score);
}

/** A name that was asked for, with all that is compared with the names of a list. */
class WantedName {
  readonly #name: string;
  readonly #words: readonly string[];
  readonly #wordSet: ReadonlySet<string>;
  readonly #letters: string;
  readonly #pairCount: number;
  /** How often each pair of neighbouring letters is in it. */
  readonly #pairs = new Map<string, number>();
  /** How much of the list has been read. */
  #read = 0;

  constructor(name: string) {
    this.#name = normalized(name);
    const isName = this.#name.length <= LONGEST_NAME;
    const letters = isName ? lettersOf(this.#name) : [];
    this.#words = isName ? wordsOf(this.#name) : [];
    this.#wordSet = new Set(this.#words);
    this.#letters = letters.join('');
    const pairs = pairsOf(letters);
    this.#pairCount = pairs.length;
    for (const pair of pairs) this.#pairs.set(pair, (this.#pairs.get(pair) ?? 0) + 1);
  }

  judge({ name, aliases = '' }: ListedPerformer): Pick<Candidate, 'score' | 'reason'> {
    const own = this.#normalized(name);
    if (own === this.#name) return { score: 1, reason: 'name' };
    const others = this.#aliases(aliases);
    if (others.includes(this.#name)) return { score: SCORE_OF_ALIAS, reason: 'alias' };
    const isCompared = this.#name.length <= LONGEST_NAME && this.#read <= MOST_COMPARED;
    const all = isCompared ? [own, ...others].filter((one) => one.length <= LONGEST_NAME) : [];
    const likeness = all.reduce((most, one) => Math.max(most, this.#likenessOf(one)), 0);
    const score = Math.round(HIGHEST_OTHER_SCORE * likeness * 100) / 100;
    if (all.some((one) => this.#sharesWords(one))) return { score, reason: 'part' };
    return { score, reason: likeness >= SIMILAR ? 'similar' : 'listed' };
  }

  /** Each once, as far as they are read. */
  #aliases(text: string): string[] {
    if (this.#read > MOST_READ) return [];
    const read = text.slice(0, LONGEST_ALIASES);
    this.#read += read.length;
    const all = read.split(BETWEEN_ALIASES);
    // Half a name may be another's.
    if (read !== text) all.pop();
    return [...new Set(all)].map((alias) => this.#normalized(alias)).filter((alias) => alias !== '');
  }

  #normalized(name: string): string {
    this.#read += Math.min(name.length, LONGEST_NAME) + COST_OF_NAME;
    return normalized(name);
  }

  /** Whether all words of one of the two are words of the other. */
  #sharesWords(other: string): boolean {
    const words = wordsOf(other);
    if (words.length === 0 || this.#words.length === 0) return false;
    if (words.every((word) => this.#wordSet.has(word))) return true;
    const wordSet = new Set(words);
    return this.#words.every((word) => wordSet.has(word));
  }

  /**
   * From 0 to 1, after Dice: the share of the pairs of neighbouring letters that two names have in common. Accents,
   * blanks and dots are passed over.
   */
  #likenessOf(other: string): number {
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

function wordsOf(text: string): string[] {
  return text.split(BETWEEN_WORDS).filter((word) => word !== '');
}

function lettersOf(text: string): string[] {
  return Array.from(text.normalize('NFD').replace(NO_LETTER, ''));
}

function pairsOf(letters: readonly string[]): string[] {
  return letters.slice(1).map((letter, index) => `${letters[index] ?? ''}${letter}`);
}
