import { inspect } from 'node:util';
import type { Node, NodeAPI, NodeMessage } from 'node-red';
import { untilAborted, yieldToEventLoop } from '../../async';
import { StashError } from '../../errors';
import { isRecord } from '../../guards';
import {
  type Config,
  type Evaluate,
  evaluated,
  type EvaluatedProperty,
  saved,
  unknownChoice,
} from './define';

/** The types that the dialogs offer for a text. */
export const TEXT_TYPES = ['msg', 'flow', 'global', 'str', 'env', 'jsonata'];

/** The same for the name of a performer. */
export const NAME_TYPES = [...TEXT_TYPES, 'performer'];

/** The types that the dialogs offer for a list or an object. */
export const JSON_TYPES = [...TEXT_TYPES, 'json'];

/** The types that the pickers of our dialogs add, with those as which Node-RED reads their values. */
const PICKED: Readonly<Record<string, string>> = {
  folders: 'json',
  scenes: 'json',
  chosen: 'json',
  performer: 'str',
};

/** Returns the type as which Node-RED reads what a picker of one or several items has stored: an ID, or JSON. */
export function pickedType(value: string): 'json' | 'str' {
  return /^[[{]/.test(value) ? 'json' : 'str';
}

/** A visible character. A text copied from a page may consist of invisible ones only. */
const VISIBLE = /[^\s\p{Default_Ignorable_Code_Point}]/u;

/** The value and the type of a typed input that is missing from the flow file. */
export interface Preset {
  value: string;
  type: string;
}

/** The details of an error about a typed input: its property, and the source of its value, such as `msg.payload`. */
export type InputDetails = Readonly<Record<'property' | 'source', string>>;

/**
 * A typed input: `name`, with its type in `nameType`.
 * @param types the types that the dialog offers.
 * @param read converts the result of the evaluation, which is neither undefined nor null. An error that it throws becomes
 * BAD_INPUT, because a value in a message may throw when it is read.
 */
export function typed<T>(
  name: string,
  preset: Preset,
  types: readonly string[],
  read: (result: unknown, details: InputDetails) => T,
): EvaluatedProperty<T> {
  return evaluated(async (config, evaluate) => {
    const value = saved(config, name, preset.value);
    const type = saved(config, `${name}Type`, preset.type);
    if (!types.includes(type)) throw unknownChoice(type);
    const details = { property: name, source: valueSource(value, type) };
    try {
      const result = await evaluate(value, PICKED[type] ?? type);
      if (result === undefined || result === null) throw new StashError('BAD_INPUT.empty', { details });
      return read(result, details);
    } catch (error) {
      // What is chosen or entered in the dialog has no other source to name.
      if (error instanceof StashError && error.case === 'BAD_INPUT.empty' && isEntered(type)) {
        throw new StashError('BAD_INPUT.notEntered', { details });
      }
      if (error instanceof StashError) throw error;
      const reason = thrownText(error).slice(0, 300);
      if (type === 'jsonata')
        throw new StashError('BAD_INPUT.expression', { details: { property: name, reason } });
      throw new StashError('BAD_INPUT.notEvaluated', { details: { ...details, reason } });
    }
  });
}

/** Reads null if the type of the typed input `name` is `none`, which needs no value, otherwise what `property` reads. */
export function unlessType<T>(
  none: string,
  { name, presetType }: { name: string; presetType: string },
  property: EvaluatedProperty<T>,
): EvaluatedProperty<T | null> {
  return evaluated(async (config, evaluate) => {
    if (saved(config, `${name}Type`, presetType) === none) return null;
    return await property.read(config, evaluate);
  });
}

/** A typed input for a visible text, without leading and trailing white space. */
export function text(
  name: string,
  preset: Preset,
  types: readonly string[] = TEXT_TYPES,
): EvaluatedProperty<string> {
  return typed(name, preset, types, (result, details) => {
    if (typeof result !== 'string') throw new StashError('BAD_INPUT.notText', { details });
    return trimmed(result, details);
  });
}

/** The types that the dialogs offer for an object. */
const OBJECT_TYPES = ['json', 'msg', 'flow', 'global', 'jsonata'];

/**
 * A typed input for an object, also as JSON.
 * @param presetType what the dialog does without one; it is none of `types`.
 * @param wrong the error for anything else.
 */
export function jsonObject(
  name: string,
  presetType: string,
  wrong: 'BAD_INPUT.notCriteria' | 'BAD_INPUT.notObject' | 'BAD_INPUT.notVariables',
  types: readonly string[] = OBJECT_TYPES,
): EvaluatedProperty<Readonly<Record<string, unknown>>> {
  return typed(name, { value: '', type: presetType }, types, (result, details) => {
    // Only JSON can be sent, and nothing else may change it until then.
    const value: unknown = JSON.parse(typeof result === 'string' ? result : JSON.stringify(result));
    if (!isRecord(value)) throw new StashError(wrong, { details });
    return value;
  });
}

/**
 * A typed input for a text that was entered in the dialog, perhaps an empty one, or that comes from elsewhere and is not empty. Missing,
 * it is empty.
 */
export function optionalText(name: string): EvaluatedProperty<string> {
  const given = text(name, { value: '', type: 'str' });
  const entered = (config: Config) =>
    saved(config, `${name}Type`, 'str') === 'str' ? saved(config, name, '').trim() : undefined;
  return evaluated(
    async (config, evaluate) => await (entered(config) ?? given.read(config, evaluate)),
    entered,
  );
}

/**
 * A typed input for one path or a list of them; null if its type is `everything`, the default. Each line of a text is a path, as
 * `find` prints them. An empty result is BAD_INPUT and never means everything.
 */
export function texts(name: string, everything: string): EvaluatedProperty<readonly string[] | null> {
  return list(
    name,
    everything,
    (value, details) => {
      if (typeof value !== 'string') throw new StashError('BAD_INPUT.notList', { details });
      return linesIn(value);
    },
    [...JSON_TYPES, 'folders'],
  );
}

/**
 * A typed input for one value or a list of them; null if its type is `everything`, the default.
 * @param read returns the items for one value of the list, perhaps none.
 * @param types the types that the dialog offers.
 */
export function list<Item>(
  name: string,
  everything: string,
  read: (value: unknown, details: InputDetails) => readonly Item[],
  types: readonly string[] = JSON_TYPES,
): EvaluatedProperty<readonly Item[] | null> {
  const preset = { value: '', type: everything };
  const given = typed(name, preset, types, (result, details): readonly Item[] => {
    // Makes holes in a list undefined: `flatMap` would skip them.
    const values: unknown[] = Array.isArray(result) ? Array.from<unknown>(result) : [result];
    const isBlank = (value: unknown) => typeof value === 'string' && value.trim() === '';
    if (values.length === 0 || values.some(isBlank)) throw new StashError('BAD_INPUT.empty', { details });
    return values.flatMap((value) => read(value, details));
  });
  return unlessType(everything, { name, presetType: everything }, given);
}

/** Returns the lines of a text without white space around them, except for blank ones; `find -print0` ends each with NUL. */
function linesIn(text: string): string[] {
  return text
    .split(/[\r\n\0]/)
    .map((line) => line.trim())
    .filter((line) => line !== '');
}

export function isVisible(text: string): boolean {
  return VISIBLE.test(text);
}

/** Removes leading and trailing white space. @throws {StashError} BAD_INPUT for a text without visible characters. */
export function trimmed(text: string, details: InputDetails): string {
  if (!isVisible(text)) throw new StashError('BAD_INPUT.empty', { details });
  return text.trim();
}

/** The types whose values may never come: an expression may wait for ever, and so may a context store. */
const SLOW_TYPES = ['jsonata', 'flow', 'global'];

/**
 * Returns a function that evaluates typed inputs as the core nodes do, for one message.
 * @param signal ends an evaluation that waits, with its reason.
 */
export function evaluator(RED: NodeAPI, node: Node, msg: NodeMessage, signal?: AbortSignal): Evaluate {
  return async (value, type, item) => {
    // One of many.
    if (item) await yieldToEventLoop();
    // JSONata and some context stores need the callback. Other types may throw at once.
    const evaluated = new Promise((resolve, reject) => {
      const callback = (error: Error | null, result: unknown) => {
        if (error) reject(error);
        // `resolve` would wait for the promise, perhaps for ever.
        else if (isPromise(result)) reject(new Error('a promise is no value'));
        else resolve(result);
      };
      if (item) evaluateForItem(RED, node, value, { msg, item }, callback);
      else RED.util.evaluateNodeProperty(value, type, node, msg, callback);
    });
    return await (signal && SLOW_TYPES.includes(type) ? untilAborted(evaluated, signal) : evaluated);
  };
}

/**
 * Evaluates a JSONata expression for one item. Node-RED evaluates an expression that contains the word `msg` on `{ msg }` alone:
 * `item` would be missing there, and `"of " & item.title` would be just `"of "`.
 */
function evaluateForItem(
  { util }: NodeAPI,
  node: Node,
  value: string,
  { msg, item }: { msg: NodeMessage; item: object },
  callback: (error: Error | null, result: unknown) => void,
): void {
  // The types of Node-RED lack `_legacyMode`.
  const expression = util.prepareJSONataExpression(value, node) as ReturnType<
    typeof util.prepareJSONataExpression
  > & { _legacyMode?: boolean };
  const input = expression._legacyMode ? { msg, item } : { ...msg, item };
  expression._legacyMode = false;
  util.evaluateJSONataExpression(expression, input, callback);
}

function isPromise(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function';
}

/** Returns the text of anything thrown: JSONata throws plain objects with a `message`. */
function thrownText(error: unknown): string {
  const thrown: unknown =
    typeof error === 'object' && error !== null && 'message' in error ? error.message : error;
  return typeof thrown === 'string' ? thrown : inspect(thrown);
}

/** The types whose values have a name elsewhere. */
const NAMED_TYPES = ['msg', 'flow', 'global', 'env'];

/** Returns the source of a value in the words of the editor: `msg.payload`, `flow.name`, … */
function valueSource(value: string, type: string): string {
  return NAMED_TYPES.includes(type) ? `${type}.${value}` : type;
}

function isEntered(type: string): boolean {
  return type !== 'jsonata' && !NAMED_TYPES.includes(type);
}
