import { type ItemChoice, type ItemChoices, MOST_CHOSEN } from '../../contract/items';
import type { ChoiceKind } from '../../contract/kinds';
import { picturePath } from '../../contract/pictures';
import { isRefusal } from '../../contract/refusal';
import { isFilled } from '../../contract/values';
import { request } from '../request';
import { reasonOf, type SelectedServer, type ServerReference } from '../server';
import { words } from '../words';
import type { Entry, EntrySource, FoundEntries } from './entries';
import { pictureAt } from './pictures';

/** The least time between two questions while people type, in milliseconds. */
const INTERVAL = 300;

const NOTHING: FoundEntries = { entries: [], more: 0 };

/** Returns the entry, but for its value, of a name that nothing in the library has; undefined while none can be chosen. */
export type NewNames = (name: string) => Omit<Entry, 'value'> | undefined;

/** Returns the value that stands for what has a name, whether or not the library has it by now: the JSON of the flow file. */
export function valueOfName(name: string): string {
  return JSON.stringify({ name });
}

/** Returns the name in a value; undefined if that is an ID, or nothing. */
export function nameInValue(value: string): string | undefined {
  if (!value.startsWith('{')) return undefined;
  try {
    const { name } = JSON.parse(value) as { name?: unknown };
    return isFilled(name) ? name : undefined;
  } catch {
    return undefined;
  }
}

interface ItemSourceOptions {
  /** Whether the value is the name of an item instead of its ID. */
  isByName?: boolean;
  newNames?: NewNames;
}

/** Returns the library's items of a kind on the selected server. They are not known as a whole: each text is a question to the server. */
export function itemSource(
  server: SelectedServer,
  kind: ChoiceKind,
  { isByName = false, newNames }: ItemSourceOptions = {},
): EntrySource {
  let next = 0;

  /** Returns the entry for an item; none for a name that is no value. */
  const entriesOf = (
    reference: ServerReference,
    { id, name, label, detail, picture }: ItemChoice,
  ): Entry[] => {
    const value = isByName ? name : id;
    if (value === undefined) return [];
    return [
      {
        value,
        label,
        detail,
        ...(picture && kind !== 'gallery' && { picture: pictureAt(reference, picturePath({ kind, id })) }),
      },
    ];
  };

  /** Waits for the turn of a question. @returns false if another text came first. */
  const wait = async (signal: AbortSignal): Promise<boolean> => {
    for (let left = next - performance.now(); left > 0; left = next - performance.now()) {
      await new Promise((resolve) => setTimeout(resolve, left));
    }
    if (signal.aborted) return false;
    next = performance.now() + INTERVAL;
    return true;
  };

  return {
    async find(text, signal): Promise<FoundEntries> {
      const { reference } = server;
      if (reference.id === '') return { ...NOTHING, reason: words('server:invalid.server') };
      if (!(await wait(signal))) return NOTHING;
      const answer = await request<ItemChoices>('items', { ...reference, kind, text }, signal);
      if (!answer) return { ...NOTHING, reason: words('server:failed') };
      if (isRefusal(answer)) return { ...NOTHING, reason: reasonOf(answer) };
      const { items, count } = answer;
      return {
        entries: items.flatMap((item) => entriesOf(reference, item)),
        more: count - items.length,
      };
    },

    async describe(values, signal) {
      const { reference } = server;
      // Of a server that is down, there is no use in asking.
      if (server.knowledge.state !== 'known') return undefined;
      const named = (value: string) => ({ value, label: nameInValue(value) });
      const entries = values.map(named).filter((entry): entry is Entry => entry.label !== undefined);
      const ids = values.filter((value) => nameInValue(value) === undefined);
      for (const question of isByName ? byName(values) : byId(ids)) {
        const answer = await request<ItemChoices>('items', { ...reference, kind, ...question }, signal);
        if (!answer || isRefusal(answer)) return undefined;
        entries.push(...[...answer.chosen, ...answer.items].flatMap((item) => entriesOf(reference, item)));
      }
      return entries.filter(({ value }) => values.includes(value));
    },

    // A site may know a name that the library does not have.
    takesOthers: isByName,
    textOf: (value) => nameInValue(value) ?? value,
    ...(newNames && {
      newEntry(name) {
        const entry = newNames(name);
        return entry && { ...entry, value: valueOfName(name) };
      },
    }),
  };
}

function byName(names: readonly string[]): object[] {
  return names.map((text) => ({ text }));
}

function byId(ids: readonly string[]): object[] {
  const questions: object[] = [];
  for (let start = 0; start < ids.length; start += MOST_CHOSEN) {
    questions.push({ ids: ids.slice(start, start + MOST_CHOSEN) });
  }
  return questions;
}
