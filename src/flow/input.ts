import path from 'node:path';
import type { Node, NodeAPI, NodeMessage } from 'node-red';
import { StashError } from '../errors';
import { isRecord } from '../guards';

/** What a dialog saved. Flow files are edited by hand too, so anything may be missing or wrong. */
export type Config = Readonly<Record<string, unknown>>;

/** Evaluates a typed input for the message at hand. */
export type Evaluate = (value: string, type: string) => Promise<unknown>;

/** The types that the dialogs offer for a text; a list or an object may be written down as JSON, too. */
const TYPES = ['msg', 'flow', 'global', 'str', 'env', 'jsonata'];

/** Anything but what nobody sees, which a text that was copied from a page may hold. */
const VISIBLE = /[^\s\p{Default_Ignorable_Code_Point}]/u;

/** The same for every message, so a mistake shows as soon as the flow is deployed. */
export interface FixedProperty<T> {
  fixed: true;
  read: (config: Config) => T;
}

/** What an error about a typed input names. */
type Details = Readonly<Record<'property' | 'source', string>>;

/** How properties of a dialog become one value of an operation's input. All throw BAD_INPUT. */
export type Property<T> =
  FixedProperty<T> | { fixed: false; read: (config: Config, evaluate: Evaluate) => Promise<T> };

export type Properties<Input> = { readonly [K in keyof Input]: Property<Input[K]> };

/** A checkbox, not ticked unless the dialog says so. */
export function checkbox(name: string): Property<boolean> {
  return { fixed: true, read: (config) => config[name] === true };
}

/** Checkboxes of their own, named as the choices are: those that are ticked, if any. */
export function ticked<T extends string>(names: readonly T[]): Property<readonly T[]> {
  return { fixed: true, read: (config) => names.filter((name) => config[name] === true) };
}

/** Likewise, but at least one must be ticked; those of `preset` are where the flow file does not say. */
export function checkboxes<T extends string>(
  names: readonly T[],
  preset: readonly T[] = [],
): FixedProperty<readonly T[]> {
  return {
    fixed: true,
    read: (config) => atLeastOne(names.filter((name) => (config[name] ?? preset.includes(name)) === true)),
  };
}

/** One of `choices`, the first where the flow file has none. */
export function choice<const T extends string>(name: string, choices: readonly [T, ...T[]]): Property<T> {
  return {
    fixed: true,
    read: (config) => {
      const wanted = config[name] ?? choices[0];
      const chosen = choices.find((one) => one === wanted);
      if (chosen === undefined) throw unknownChoice(JSON.stringify(wanted));
      return chosen;
    },
  };
}

/** One property that lists what is chosen; at least one of `choices`, `preset` where the flow file has none. */
export function selection<T extends string>(
  name: string,
  choices: readonly T[],
  preset: readonly T[] = choices,
): Property<readonly T[]> {
  return {
    fixed: true,
    read: (config) => {
      const chosen = config[name] ?? preset;
      if (!Array.isArray(chosen)) throw new StashError('BAD_INPUT.notChosen');
      const unknown: unknown = chosen.find((choice) => !choices.includes(choice as T));
      if (unknown !== undefined) throw unknownChoice(JSON.stringify(unknown));
      // In the order of the choices, each once.
      return atLeastOne(choices.filter((choice) => chosen.includes(choice)));
    },
  };
}

/** A number from 0 on that the dialog itself holds, which saves it as text. */
export function number(name: string, preset: number): Property<number> {
  return { fixed: true, read: (config) => savedNumber(config, name, preset) };
}

/** Likewise a whole number. */
export function count(name: string, preset: number): FixedProperty<number> {
  return {
    fixed: true,
    read: (config) => {
      const value = savedNumber(config, name, preset);
      if (Number.isInteger(value)) return value;
      throw new StashError('BAD_INPUT.notWhole', { details: { property: name } });
    },
  };
}

/** Likewise a number of minutes, as milliseconds; 0 stands for no limit, which is Infinity. */
export function minutes(name: string, preset: number): Property<number> {
  return { fixed: true, read: (config) => savedNumber(config, name, preset) * 60_000 || Infinity };
}

/** Likewise a number of MiB, as bytes. */
export function mebibytes(name: string, preset: number): Property<number> {
  return { fixed: true, read: (config) => savedNumber(config, name, preset) * 2 ** 20 };
}

/** Several properties as one object. */
export function together<Parts>(parts: {
  readonly [K in keyof Parts]: FixedProperty<Parts[K]>;
}): FixedProperty<Parts> {
  return {
    fixed: true,
    read: (config) => {
      const values: Partial<Parts> = {};
      for (const name in parts) values[name] = parts[name].read(config);
      return values as Parts;
    },
  };
}

/** A text that the dialog itself holds, empty unless said. */
export function plain(name: string): Property<string> {
  return { fixed: true, read: (config) => saved(config, name, '').trim() };
}

/** A typed input (`name` with its type in `nameType`) that must come out as text; blanks around it are dropped. */
export function text(
  name: string,
  preset: { value: string; type: string },
  types: readonly string[] = TYPES,
): Property<string> {
  return {
    fixed: false,
    read: async (config, evaluate) => {
      return typed(config, name, preset, types, evaluate, (result, details) => {
        if (typeof result !== 'string') throw new StashError('BAD_INPUT.notText', { details });
        return trimmed(result, details);
      });
    },
  };
}

/** An absolute path that no message can choose, or null where the type is `message`. */
export function folder(name: string): Property<string | null> {
  const given = text(name, { value: '', type: 'str' }, ['str', 'env', 'flow', 'global']);
  return {
    fixed: false,
    read: async (config, evaluate) => {
      if (saved(config, `${name}Type`, 'str') === 'message') return null;
      const folder = await given.read(config, evaluate);
      if (path.isAbsolute(folder)) return folder;
      throw new StashError('BAD_INPUT.notAbsolute', { details: { path: folder.slice(0, 100) } });
    },
  };
}

/** What a file shall be called: a template where the dialog itself holds it, or null where the type is `server`. */
export function fileName(name: string): Property<{ text: string; isTemplate: boolean } | null> {
  const given = text(name, { value: '', type: 'str' });
  return {
    fixed: false,
    read: async (config, evaluate) => {
      const type = saved(config, `${name}Type`, 'server');
      if (type === 'server') return null;
      return { text: await given.read(config, evaluate), isTemplate: type === 'str' };
    },
  };
}

/** What matters only where a checkbox is ticked; null where it is not. */
export function onlyIf<T>(checked: string, property: Property<T>): Property<T | null> {
  return {
    fixed: false,
    read: async (config, evaluate) => {
      if (config[checked] !== true) return null;
      return property.fixed ? property.read(config) : property.read(config, evaluate);
    },
  };
}

/** The ids of the node itself and of the config node that it uses. */
export const ownIds: FixedProperty<{ node: string; server: string }> = {
  fixed: true,
  read: (config) => ({ node: String(config['id']), server: String(config['server']) }),
};

/** Whom a message names: by a text, or as a candidate that a node gave, of which nothing else is taken. */
export type Named = string | { name: string; url?: string; score?: number };

/** A typed input that must come out as one name or candidate, or as a list of just one of them. */
export function performer(name: string, preset: { value: string; type: string }): Property<Named> {
  return {
    fixed: false,
    read: async (config, evaluate) => {
      return typed(config, name, preset, [...TYPES, 'json'], evaluate, (result, details) => {
        if (Array.isArray(result) && result.length > 1) {
          const count = result.length;
          throw new StashError('BAD_INPUT.tooMany', { details: { ...details, count } });
        }
        const value: unknown = Array.isArray(result) ? result[0] : result;
        if (value === undefined || value === null) throw new StashError('BAD_INPUT.empty', { details });
        if (typeof value === 'string') return trimmed(value, details);
        if (!isRecord(value)) throw new StashError('BAD_INPUT.notPerformer', { details });
        const { name, url, score } = value;
        if (typeof name !== 'string') throw new StashError('BAD_INPUT.notPerformer', { details });
        const address = typeof url === 'string' ? url.trim() : '';
        return {
          name: trimmed(name, details),
          ...(address !== '' && { url: address }),
          ...(typeof score === 'number' && { score }),
        };
      });
    },
  };
}

/**
 * A job that a message names: by its id, or as a record that a node gave, of which nothing is taken but what tells it from
 * other jobs.
 */
export interface NamedJob {
  /** Null of a job of a server that gives none. */
  id: string | null;
  added?: string;
  description?: string;
}

/** A typed input that must come out as one job, or null where its type is `everything`. */
export function job(
  name: string,
  preset: { value: string; type: string },
  everything: string,
): Property<NamedJob | null> {
  return {
    fixed: false,
    read: async (config, evaluate) => {
      if (saved(config, `${name}Type`, preset.type) === everything) return null;
      return typed(config, name, preset, [...TYPES, 'num', 'json'], evaluate, (result, details) => {
        const { id, added, description } = isRecord(result) ? result : { id: result };
        if (typeof id === 'string' && id.trim() === '') throw new StashError('BAD_INPUT.empty', { details });
        const isId = typeof id === 'string' || typeof id === 'number';
        if (isId ? !/^\d+$/.test(String(id).trim()) : id !== null) {
          throw new StashError('BAD_INPUT.notJob', { details });
        }
        return {
          id: isId ? String(id).trim() : null,
          ...(typeof added === 'string' && { added }),
          ...(typeof description === 'string' && { description }),
        };
      });
    },
  };
}

/**
 * A typed input that comes out as one text or a list of them, or null where its type is `everything`. What comes out
 * empty never means everything.
 */
export function texts(name: string, everything: string): Property<readonly string[] | null> {
  return list(name, everything, (value, details) => {
    if (typeof value !== 'string') throw new StashError('BAD_INPUT.notList', { details });
    return [value];
  });
}

/**
 * As `texts`, of ids of scenes: whole numbers as text or not, objects with such an id, the record of a scan that lists what is new,
 * or that list alone. Only where such a list is empty there may be none. The record of any other job has an id, too, which is
 * no scene's.
 */
export function ids(name: string, everything: string): Property<readonly string[] | null> {
  return list(name, everything, (value, details) => {
    const { new: found = value, status } = isRecord(value) ? value : {};
    const { scenes } = isRecord(found) ? found : {};
    const { first } = isRecord(scenes) ? scenes : {};
    const scene = status === undefined ? value : undefined;
    return (Array.isArray(first) ? Array.from<unknown>(first) : [scene]).map((one) => {
      const id = idOf(one);
      if (id === undefined) throw new StashError('BAD_INPUT.notIds', { details });
      return id;
    });
  });
}

/** A whole number as text, which fits into the server's. */
function idOf(value: unknown): string | undefined {
  const id = isRecord(value) ? value['id'] : value;
  const isScalar = typeof id === 'string' || typeof id === 'number';
  const text = isScalar ? String(id) : '';
  return text.length < 30 ? /^0*(\d{1,18})$/.exec(text)?.[1] : undefined;
}

/** @param read what one value of the list stands for. */
function list(
  name: string,
  everything: string,
  read: (value: unknown, details: Details) => readonly string[],
): Property<readonly string[] | null> {
  return {
    fixed: false,
    read: async (config, evaluate) => {
      const preset = { value: '', type: everything };
      if (saved(config, `${name}Type`, everything) === everything) return null;
      return typed(config, name, preset, [...TYPES, 'json'], evaluate, (result, details) => {
        // A list may have holes, which `map` would leave as they are.
        const values: unknown[] = Array.isArray(result) ? Array.from<unknown>(result) : [result];
        const isBlank = (value: unknown) => typeof value === 'string' && value.trim() === '';
        if (values.length === 0 || values.some(isBlank)) throw new StashError('BAD_INPUT.empty', { details });
        return values.flatMap((value) => read(value, details));
      });
    },
  };
}

/** A text without the blanks around it, which must be more than these. */
function trimmed(text: string, details: Details): string {
  if (!VISIBLE.test(text)) throw new StashError('BAD_INPUT.empty', { details });
  return text.trim();
}

/**
 * What `read` makes of what a typed input comes out as, which is neither undefined nor null. A message may hold anything, so
 * whatever it throws while it is read is its own mistake.
 */
async function typed<T>(
  config: Config,
  name: string,
  preset: { value: string; type: string },
  types: readonly string[],
  evaluate: Evaluate,
  read: (result: unknown, details: Details) => T,
): Promise<T> {
  const value = saved(config, name, preset.value);
  const type = saved(config, `${name}Type`, preset.type);
  if (!types.includes(type)) throw unknownChoice(type);
  const details = { property: name, source: sourceOf(value, type) };
  try {
    const result = await evaluate(value, type);
    if (result === undefined || result === null) throw new StashError('BAD_INPUT.empty', { details });
    return read(result, details);
  } catch (error) {
    if (isOwn(error)) throw error;
    const reason = reasonOf(error).slice(0, 300);
    throw new StashError('BAD_INPUT.notEvaluated', { details: { ...details, reason } });
  }
}

/** The operation's input for one message, from all that the dialog holds. */
export async function readInput<Input>(
  properties: Properties<Input>,
  config: Config,
  evaluate: Evaluate,
): Promise<Input> {
  const input: Partial<Input> = {};
  for (const name in properties) {
    const property = properties[name];
    input[name] = property.fixed ? property.read(config) : await property.read(config, evaluate);
  }
  return input as Input;
}

/** Reads what does not depend on a message, to find mistakes before the first one comes. */
export function checkFixed<Input>(properties: Properties<Input>, config: Config): void {
  for (const name in properties) {
    const property = properties[name];
    if (property.fixed) property.read(config);
  }
}

/** Evaluates typed inputs as Node-RED does everywhere. */
export function evaluator(RED: NodeAPI, node: Node, msg: NodeMessage): Evaluate {
  return (value, type) =>
    // With a callback, as JSONata and some context stores need one; other types throw at once all the same.
    new Promise((resolve, reject) => {
      RED.util.evaluateNodeProperty(value, type, node, msg, (error, result: unknown) => {
        if (error) reject(error);
        // To resolve with it would wait for it, perhaps for ever.
        else if (isPromise(result)) reject(new Error('a promise is no value'));
        else resolve(result);
      });
    });
}

function isPromise(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function';
}

/** What a message holds may throw even where it is asked what it is. */
function isOwn(error: unknown): error is StashError {
  try {
    return error instanceof StashError;
  } catch {
    return false;
  }
}

/** JSONata throws plain objects with a message; and a message may hold what throws anything. */
function reasonOf(error: unknown): string {
  try {
    const message = typeof error === 'object' && error !== null && 'message' in error ? error.message : error;
    return String(message);
  } catch {
    return '–';
  }
}

/** The text that a flow file holds, or the default where it holds nothing. */
function saved(config: Config, name: string, preset: string): string {
  const value = config[name] ?? preset;
  if (typeof value !== 'string')
    throw new StashError('BAD_INPUT.notText', { details: { property: name, source: name } });
  return value;
}

function savedNumber(config: Config, name: string, preset: number): number {
  const value = config[name] ?? preset;
  // An emptied field is no number, not zero.
  const isText = typeof value === 'string' && value.trim() !== '';
  const result = isText ? Number(value) : value;
  if (typeof result !== 'number' || !Number.isFinite(result) || result < 0) {
    throw new StashError('BAD_INPUT.notNumber', { details: { property: name } });
  }
  return result;
}

function unknownChoice(choice: string): StashError {
  return new StashError('BAD_INPUT.unknownChoice', { details: { choice: choice.slice(0, 40) } });
}

function atLeastOne<T>(chosen: readonly T[]): readonly T[] {
  if (chosen.length === 0) throw new StashError('BAD_INPUT.notChosen');
  return chosen;
}

/** How people know the source of a value: `msg.payload`, `flow.name`, … */
function sourceOf(value: string, type: string): string {
  return ['msg', 'flow', 'global', 'env'].includes(type) ? `${type}.${value}` : type;
}
