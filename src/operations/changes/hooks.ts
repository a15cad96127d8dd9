import { allKinds, formerNames, type Kind, kindOfType, kinds } from '../../contract/kinds';
import { arrayOf, isRecord, isString } from '../../guards';
import type { LogEntry } from '../../server';
import { type PluginEvent, eventsIn } from '../plugin';

/** What happens to items, by the word for it in Stash's hooks. A merge of tags changes the one that stays. */
const TYPES = { Create: 'created', Update: 'changed', Merge: 'changed', Destroy: 'removed' } as const;

export type ChangeType = (typeof TYPES)[keyof typeof TYPES];

/** One call of a hook, for one item. */
export interface HookCall {
  /** Such as `Scene.Update.Post`. */
  hook: string;
  type: ChangeType;
  kind: Kind;
  id: string;
  /** The fields of the input, as Stash names them; none where a hook does not tell. */
  fields: readonly string[];
}

/** The longest ID, in digits, and the longest name of a field. */
const ID = /^[1-9]\d{0,14}$/;
const FIELD = /^\w{1,60}$/;
const HOOK = /^(\w+)\.(Create|Update|Merge|Destroy)\.Post$/;

/** Returns the calls of hooks in a batch of the server's log, in their order. */
export function hookCallsIn(lines: readonly LogEntry[]): HookCall[] {
  return eventsIn(lines).flatMap(callsIn);
}

/** Reads a call; none unless it is whole. Of a merge, those that are gone come first. */
function callsIn({ change }: PluginEvent): HookCall[] {
  if (!isRecord(change)) return [];
  const { hook, id: given, fields, sources = [] } = change;
  // Anything else may not even become a text.
  if (!isString(hook) || !(isString(given) || typeof given === 'number')) return [];
  const id = String(given);
  const [, type = '', word] = HOOK.exec(hook) ?? [];
  const kind = kindOfType(type);
  if (!kind || !ID.test(id) || !areTexts(fields, FIELD) || !areTexts(sources, ID)) return [];
  const about = { hook, kind };
  const gone = sources.map((source) => ({ ...about, type: 'removed', id: source, fields: [] }) as const);
  return [...gone, { ...about, type: TYPES[word as keyof typeof TYPES], id, fields }];
}

const isList = arrayOf(isString);

function areTexts(value: unknown, pattern: RegExp): value is string[] {
  return isList(value) && value.every((text) => pattern.test(text));
}

/** A mutation that changes items: the hooks that it calls for each of them, and what it does. */
export interface ItemMutation {
  hooks: readonly string[];
  word: keyof typeof TYPES;
}

const MUTATION = /^(?:bulk)?(\w+?)(Create|Update|Merge|Destroy)$/;

/** Returns what a root field does to items, by the rule by which Stash names mutations and hooks; undefined if it does nothing. */
export function itemMutation(rootField: string): ItemMutation | undefined {
  const [, given = '', word] = MUTATION.exec(rootField) ?? [];
  const name = given.toLowerCase();
  const of = allKinds
    .flatMap((kind) => [kinds[kind], formerNames[kind] ?? []].flat().map((names) => ({ kind, ...names })))
    .find(({ type, list }) => [type.toLowerCase(), list.replaceAll('_', '')].includes(name));
  if (!of || !word) return undefined;
  // Since v0.27, a change of a group calls the hooks of movies as well.
  const types = [kinds[of.kind].type, formerNames[of.kind]?.type ?? []].flat();
  return { hooks: types.map((type) => `${type}.${word}.Post`), word: word as keyof typeof TYPES };
}
