import { type Capabilities, isRefusal, reasonOf, type Refusal } from './capabilities';
import type { Entry, EntrySource } from './combobox';
import type { Knowledge, SelectedServer } from './selected-server';
import { isVariable } from './values';
import { words } from './words';

/** The most entries that a list shows at a time. */
const MOST_SHOWN = 200;

interface Options {
  /** Returns all entries among what a server can do. */
  list: (capabilities: Capabilities) => readonly Entry[] | Refusal;
  /** Entries that need no server. They come first. */
  always?: readonly Entry[];
  /** Says what to do while the others are unknown; empty for nothing. */
  hint?: string;
  textOf?: (value: string) => string;
  fromText?: (text: string) => string | undefined;
}

/** Returns entries that are known as a whole, so that a text only filters them. */
export function knownSource(
  server: SelectedServer,
  { list, always = [], hint = '', textOf, fromText }: Options,
): EntrySource {
  const listed = (knowledge: Knowledge): readonly Entry[] | { reason: string } => {
    switch (knowledge.state) {
      case 'none':
      case 'asking':
        return { reason: words('server:invalid.server') };
      case 'unknown':
        return knowledge;
      case 'known': {
        const entries = list(knowledge.capabilities);
        return isRefusal(entries) ? { reason: reasonOf(entries) } : entries;
      }
    }
  };
  return {
    async find(text) {
      // It may be back.
      if (server.knowledge.state === 'unknown') server.ask();
      const all = listed(await server.settled());
      const isKnown = !('reason' in all);
      const fitting = filtered([...always, ...(isKnown ? all : [])], text);
      return {
        entries: fitting.slice(0, MOST_SHOWN),
        more: Math.max(0, fitting.length - MOST_SHOWN),
        ...(!isKnown && { reason: [all.reason, hint].join(' ').trim() }),
      };
    },
    describe(values) {
      const known = always.filter(({ value }) => values.includes(value));
      // Nobody but Node-RED knows what a variable holds.
      const variables = values.filter(isVariable).map((value) => ({ value, label: value }));
      const told = [...known, ...variables];
      if (told.length === values.length) return Promise.resolve(told);
      const all = listed(server.knowledge);
      if ('reason' in all) return Promise.resolve(undefined);
      return Promise.resolve([...told, ...all.filter(({ value }) => values.includes(value))]);
    },
    textOf: textOf ?? ((value) => value),
    ...(fromText && { fromText }),
  };
}

/** Returns the entries that contain each word of the text; those that begin with it come first, unless there are groups. */
function filtered(entries: readonly Entry[], text: string): Entry[] {
  const wanted = plain(text);
  const words = wanted.split(/\s+/);
  const fitting = entries.filter(({ value, label, detail = '', group = '' }) => {
    const all = plain(`${group} ${label} ${detail} ${value}`);
    return words.every((word) => all.includes(word));
  });
  if (wanted === '' || fitting.some(({ group }) => group !== undefined)) return fitting;
  const begins = ({ label }: Entry) => plain(label).startsWith(wanted);
  return [...fitting.filter(begins), ...fitting.filter((entry) => !begins(entry))];
}

/** Returns a text without case and accents. */
function plain(text: string): string {
  return text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase().trim();
}
