import type { Listed } from './performer-list';
import { normalized } from './performer-names';

/**
 * Why somebody may be meant by a name: it is theirs, or one of their aliases; one of their names holds all words of it,
 * or it all words of one of theirs; it is similar to one of theirs; or only because the site lists them for it.
 */
export type Reason = 'name' | 'alias' | 'part' | 'similar' | 'listed';

/** Somebody in the site's list, as seen by who asked for a name. */
export interface Candidate extends Listed {
  /** How well the name fits, from 0 to 1. */
  score: number;
  reason: Reason;
}

const SCORE_OF_ALIAS = 0.95;
/** Of a name that is only like another one: less than an alias has. */
const HIGHEST_OTHER_SCORE = 0.9;
const SIMILAR = 0.5;
/** What is longer is no name, and to compare it with many keeps all of Node-RED waiting: it can only be the same. */
const LONGEST_NAME = 1000;

/** They come as one text. */
const BETWEEN_ALIASES = /[,;，；、\r\n]/;
const NO_LETTER = /[^\p{L}\p{N}]+/gu;
const BETWEEN_WORDS = /[^\p{L}\p{M}\p{N}]+/u;

/** How well `name` fits each of the list, in the order of the list. */
export function rate(name: string, listed: readonly Listed[]): Candidate[] {
  const wanted = normalized(name);
  return listed.map((one) => ({ ...one, ...judge(wanted, one) }));
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

function judge(wanted: string, { name, aliases = '' }: Listed): Pick<Candidate, 'score' | 'reason'> {
  const own = normalized(name);
  const others = aliases
    .split(BETWEEN_ALIASES)
    .map(normalized)
    .filter((alias) => alias !== '');
  if (own === wanted) return { score: 1, reason: 'name' };
  if (others.includes(wanted)) return { score: SCORE_OF_ALIAS, reason: 'alias' };
  const all = [own, ...others].filter((one) => Math.max(one.length, wanted.length) <= LONGEST_NAME);
  const likeness = all.reduce((most, one) => Math.max(most, likenessOf(wanted, one)), 0);
  const score = Math.round(HIGHEST_OTHER_SCORE * likeness * 100) / 100;
  if (all.some((one) => holds(one, wanted) || holds(wanted, one))) return { score, reason: 'part' };
  return { score, reason: likeness >= SIMILAR ? 'similar' : 'listed' };
}

/** Whether all words of `part` are words of `whole`. */
function holds(whole: string, part: string): boolean {
  const words = new Set(wordsOf(whole));
  const wanted = wordsOf(part);
  return wanted.length > 0 && wanted.every((word) => words.has(word));
}

function wordsOf(text: string): string[] {
  return text.split(BETWEEN_WORDS).filter((word) => word !== '');
}

/**
 * From 0 to 1, after Dice: the share of the pairs of neighbouring letters that two names have in common. Accents,
 * blanks and dots are passed over.
 */
function likenessOf(one: string, other: string): number {
  const [letters, others] = [lettersOf(one), lettersOf(other)];
  if (letters.length > 0 && letters.join('') === others.join('')) return 1;
  const [pairs, left] = [pairsOf(letters), pairsOf(others)];
  const total = pairs.length + left.length;
  const counts = new Map<string, number>();
  for (const pair of left) counts.set(pair, (counts.get(pair) ?? 0) + 1);
  const common = pairs.filter((pair) => {
    const count = counts.get(pair) ?? 0;
    counts.set(pair, count - 1);
    return count > 0;
  });
  return total === 0 ? 0 : (2 * common.length) / total;
}

function lettersOf(text: string): string[] {
  return Array.from(text.normalize('NFD').replace(NO_LETTER, ''));
}

function pairsOf(letters: readonly string[]): string[] {
  return letters.slice(1).map((letter, index) => `${letters[index] ?? ''}${letter}`);
}
