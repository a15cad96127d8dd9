import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { formatted } from '../support/formatted';
import { root } from '../support/root';

/** What this version has: objects by name, sets of names, and anything else as it is. */
export type Found = Readonly<{ [name: string]: unknown }>;

/** What was frozen, as JSON has it: a list stands for a set. */
type Frozen = Readonly<Record<string, unknown>>;

/** The differences to what was frozen. */
interface Differences {
  broken: string[];
  added: string[];
}

/** How something is compared with what was frozen. */
export interface Contract {
  /** The rule that a difference breaks. */
  rule: string;
  /** Whether a value fits a frozen one. Default: both are equal. */
  fits?: (frozen: unknown, found: unknown) => boolean;
  /** The part of the file that is checked, as the names on the way to it. Default: all of it. */
  part?: readonly string[];
}

/** Returns the content of a file with JSON in this folder. */
export function readFrozen(file: string): unknown {
  return JSON.parse(readFileSync(placeOf(file), 'utf8'));
}

/**
 * Checks that everything frozen in a file is still there and the same, and that nothing else is there. Adds what is new to the
 * file instead if STASH_FREEZE is set, as `npm run freeze` does. Nothing here can remove or change what was frozen.
 */
export function checkFrozen(file: string, found: Found, contract: Contract): void {
  const { part = [] } = contract;
  const whole = readFrozen(file) as Frozen;
  const frozen = part.reduce<unknown>((outer, name) => (isObject(outer) ? outer[name] : undefined), whole);
  const { broken, added } = differences(frozen ?? {}, found, contract, [...part]);
  assert.deepEqual(broken, [], `${broken.join('\n')}\n${contract.rule}\n`);
  if (added.length > 0 && process.env['STASH_FREEZE']) {
    const all = [...part].reverse().reduce<unknown>((inner, name) => ({ [name]: inner }), found);
    const text = JSON.stringify(withAdditions(whole, all));
    writeFileSync(placeOf(file), formatted(`test/contract/${file}`, text));
    return;
  }
  const remedy = `test/contract/${file} lacks it. If it is meant to stay for ever, run "npm run freeze".`;
  assert.deepEqual(added, [], `${added.join('\n')}\n${remedy}\n`);
}

/** Compares what this version has with what was frozen. @param names the way to it. */
export function differences(
  frozen: unknown,
  found: unknown,
  contract: Contract,
  names: readonly string[] = [],
): Differences {
  const [subject = '', ...inside] = names;
  const say = (name: string, what: string) =>
    `${[subject, ...inside, name].filter(Boolean).join(' › ')} ${what}`;
  if (found instanceof Set) {
    const before = frozen as unknown[];
    return {
      broken: before.filter((one) => !found.has(one)).map((one) => say(String(one), 'is gone.')),
      added: [...found].filter((one) => !before.includes(one)).map((one) => say(String(one), 'is new.')),
    };
  }
  if (!isObject(frozen) || !isObject(found)) {
    const { fits = isDeepStrictEqual } = contract;
    const [was, is] = [frozen, found].map((value) => JSON.stringify(value));
    return { broken: fits(frozen, found) ? [] : [say('', `was ${was}, and is ${is} now.`)], added: [] };
  }
  const all = [...new Set([...Object.keys(frozen), ...Object.keys(found)])].map((name): Differences => {
    if (!(name in found)) return { broken: [say(name, 'is gone.')], added: [] };
    if (!(name in frozen)) return { broken: [], added: [say(name, 'is new.')] };
    return differences(frozen[name], found[name], contract, [...names, name]);
  });
  return { broken: all.flatMap(({ broken }) => broken), added: all.flatMap(({ added }) => added) };
}

/** Returns what was frozen, followed by what was not. */
export function withAdditions(frozen: unknown, found: unknown): unknown {
  if (found instanceof Set) return [...new Set([...((frozen ?? []) as unknown[]), ...found])];
  if (!isObject(found)) return frozen === undefined ? found : frozen;
  const before = isObject(frozen) ? frozen : {};
  const after = Object.entries(found).map(([name, value]) => [name, withAdditions(before[name], value)]);
  return { ...before, ...Object.fromEntries(after) } as unknown;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Set);
}

function placeOf(file: string): string {
  return path.join(root, 'test', 'contract', file);
}
