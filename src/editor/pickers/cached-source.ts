import type { Capabilities } from '../../contract/capabilities';
import { isRefusal, type Refusal } from '../../contract/refusal';
import { isVariable } from '../../contract/values';
import { type CapabilitiesState, reasonOf, type SelectedServer } from '../server';
import { words } from '../words';
import { type Entry, type EntrySource, textOfEntry } from './entries';

/** The most entries that a list shows at a time. */
const MOST_SHOWN = 200;

interface CachedSourceOptions {
  /** Returns all entries among what a server can do. */
  list: (capabilities: Capabilities) => readonly Entry[] | Refusal;
  /** Entries that need no server. They come first. */
  always?: readonly Entry[];
  /** Says what to do while the others are unknown; empty for nothing. */
  hint?: string;
  /** Says what to do if the server has none. */
  none?: string;
  textOf?: (value: string) => string;
  /** Returns the value for a text that names no entry; undefined if it is none. */
  fromText?: (text: string) => string | undefined;
}

/** Returns entries that are known as a whole, so that a text only filters them. */
export function cachedSource(
  server: SelectedServer,
  { list, always = [], hint = '', none, textOf = (value) => value, fromText }: CachedSourceOptions,
): EntrySource {
  const without = (reason: string) => ({ reason: `${reason} ${hint}`.trim() });
  const listed = (knowledge: CapabilitiesState): readonly Entry[] | { reason: string } => {
    switch (knowledge.state) {
      case 'none':
        return without(words('server:invalid.server'));
      case 'requesting':
        return { reason: words('server:picker.loading') };
      case 'unknown':
        return without(knowledge.reason);
      case 'known': {
        const entries = list(knowledge.capabilities);
        return isRefusal(entries) ? without(reasonOf(entries)) : entries;
      }
    }
  };
  const all = () => {
    const entries = listed(server.knowledge);
    return [...always, ...('reason' in entries ? [] : entries)];
  };

  /** Returns the value of the only entry that a text names, or the value of which it is. */
  const named = (text: string): string | undefined => {
    const isSame = (other: string) => other.toLowerCase() === text.toLowerCase();
    const entries = all();
    const byValue = entries.filter(({ value }) => textOf(value) === text);
    const byText = entries.filter((entry) =>
      [textOf(entry.value), entry.label, textOfEntry(entry)].some(isSame),
    );
    const [only, ...others] = byValue.length > 0 ? byValue : byText;
    return others.length === 0 ? only?.value : undefined;
  };

  return {
    prepare() {
      // It may be back.
      if (server.knowledge.state === 'unknown') server.request();
    },
    find(text) {
      const known = listed(server.knowledge);
      const found = fitting(all(), text);
      return Promise.resolve({
        entries: found.slice(0, MOST_SHOWN),
        more: Math.max(0, found.length - MOST_SHOWN),
        ...(!('reason' in known) && known.length === 0 && none !== undefined && { reason: none }),
        ...('reason' in known && { reason: known.reason }),
        isPending: server.knowledge.state === 'requesting',
      });
    },
    describe(values) {
      const known = always.filter(({ value }) => values.includes(value));
      // Only Node-RED knows the value of a variable.
      const variables = values.filter(isVariable).map((value) => ({ value, label: value }));
      const described = [...known, ...variables];
      if (described.length === values.length) return Promise.resolve(described);
      const entries = listed(server.knowledge);
      if ('reason' in entries) return Promise.resolve(undefined);
      return Promise.resolve([...described, ...entries.filter(({ value }) => values.includes(value))]);
    },
    textOf,
    ...(fromText && { fromText: (text) => (text === '' ? undefined : named(text)) ?? fromText(text) }),
  };
}

/** Returns the entries that contain each word of the text; those that begin with it come first, unless there are groups. */
export function fitting(entries: readonly Entry[], text: string): Entry[] {
  const wanted = withoutAccents(text);
  const words = wanted.split(/\s+/);
  const found = entries.filter(({ value, label, detail = '', group = '' }) => {
    const all = withoutAccents(`${group} ${label} ${detail} ${value}`);
    return words.every((word) => all.includes(word));
  });
  if (wanted === '' || found.some(({ group }) => group !== undefined)) return found;
  const begins = ({ label }: Entry) => withoutAccents(label).startsWith(wanted);
  return [...found.filter(begins), ...found.filter((entry) => !begins(entry))];
}

/** Returns a text without case and accents. */
function withoutAccents(text: string): string {
  return text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase().trim();
}
