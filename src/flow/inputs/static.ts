import { numberIn } from '../../contract/values';
import { StashError } from '../../errors';
import { fixed, type FixedProperty, saved, unknownChoice } from './define';

/** A checkbox, not ticked by default. */
export function checkbox(name: string): FixedProperty<boolean> {
  return fixed((config) => config[name] === true);
}

/** Several checkboxes, each a property with the name of its choice. Reads the names that are ticked, perhaps none. */
export function ticked<T extends string>(names: readonly T[]): FixedProperty<readonly T[]> {
  return fixed((config) => names.filter((name) => config[name] === true));
}

/** Like `ticked`, but at least one must be ticked. A checkbox missing from the flow file is ticked if `preset` names it. */
export function checkboxes<T extends string>(
  names: readonly T[],
  preset: readonly T[] = [],
): FixedProperty<readonly T[]> {
  return fixed((config) =>
    atLeastOne(names.filter((name) => (config[name] ?? preset.includes(name)) === true)),
  );
}

/** One of `choices`, by default the first. */
export function choice<const T extends string>(
  name: string,
  choices: readonly [T, ...T[]],
): FixedProperty<T> {
  return fixed((config) => {
    const wanted = config[name] ?? choices[0];
    const chosen = choices.find((one) => one === wanted);
    if (chosen === undefined) throw unknownChoice(JSON.stringify(wanted));
    return chosen;
  });
}

/** A list of at least one of `choices`, by default `preset`. */
export function selection<T extends string>(
  name: string,
  choices: readonly T[],
  preset: readonly T[] = choices,
): FixedProperty<readonly T[]> {
  return fixed((config) => {
    const chosen = config[name] ?? preset;
    if (!Array.isArray(chosen)) throw new StashError('BAD_INPUT.notChosen');
    const unknown: unknown = chosen.find((choice) => !choices.includes(choice as T));
    if (unknown !== undefined) throw unknownChoice(JSON.stringify(unknown));
    // Each once, in the order of the choices.
    return atLeastOne(choices.filter((choice) => chosen.includes(choice)));
  });
}

/** A number of `least` or more, which the dialog saves as text. */
export function number(name: string, preset: number, least = 0): FixedProperty<number> {
  return fixed((config) => {
    const value = numberIn(config[name] ?? preset);
    if (Number.isFinite(value) && value >= least) return value;
    throw new StashError('BAD_INPUT.notNumber', { details: { property: name, least } });
  });
}

/** A whole number, 0 or more. */
export function count(name: string, preset: number): FixedProperty<number> {
  const given = number(name, preset);
  return fixed((config) => {
    const value = given.read(config);
    if (Number.isInteger(value)) return value;
    throw new StashError('BAD_INPUT.notWhole', { details: { property: name } });
  });
}

/** A time of `least` or more in seconds, read as milliseconds. */
export function seconds(name: string, preset: number, least = 0): FixedProperty<number> {
  const given = number(name, preset, least);
  return fixed((config) => given.read(config) * 1000);
}

/** A time limit in minutes, read as milliseconds. 0 means no limit, read as Infinity. */
export function minutes(name: string, preset: number): FixedProperty<number> {
  const given = number(name, preset);
  return fixed((config) => given.read(config) * 60_000 || Infinity);
}

/** A time limit in hours, read as `minutes`. */
export function hours(name: string, preset: number): FixedProperty<number> {
  const given = minutes(name, preset);
  return fixed((config) => given.read(config) * 60);
}

/** A text without leading and trailing white space. */
export function plainText(name: string, preset = ''): FixedProperty<string> {
  return fixed((config) => saved(config, name, preset).trim());
}

function atLeastOne<T>(chosen: readonly T[]): readonly T[] {
  if (chosen.length === 0) throw new StashError('BAD_INPUT.notChosen');
  return chosen;
}

/** The properties of every node that starts a job: when to send the message, and how long the job may take. */
export const jobInputs = {
  reply: choice('reply', ['started', 'finished']),
  sendFailed: checkbox('sendFailed'),
  waitLimit: minutes('waitLimit', 0),
  stalledAfter: minutes('stalledAfter', 10),
};
