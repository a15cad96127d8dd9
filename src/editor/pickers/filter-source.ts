import { isRefusal } from '../../contract/refusal';
import { request } from '../request';
import { reasonOf, type SelectedServer } from '../server';
import { words } from '../words';
import type { Entry, EntrySource } from './entries';
import { fitting } from './cached-source';

/** Returns the filters that are saved on the selected server for a kind of items. Their names can be typed as well. */
export function filterSource(server: SelectedServer, kind: () => string): EntrySource {
  /** Requests all of them; a text says why there are none. */
  const all = async (signal: AbortSignal): Promise<readonly Entry[] | string> => {
    const { reference } = server;
    if (reference.id === '') return words('server:invalid.server');
    const answer = await request<{ filters: { name: string; label: string }[] }>(
      'filters',
      { ...reference, kind: kind() },
      signal,
    );
    if (!answer) return words('server:failed');
    if (isRefusal(answer)) return reasonOf(answer);
    return answer.filters.map(({ name, label }) => ({ value: name, label }));
  };
  return {
    async find(text, signal) {
      const found = await all(signal);
      if (typeof found !== 'string') {
        const none = words('server:picker.noFilters', { url: words('find:filter.url') });
        return { entries: fitting(found, text), more: 0, ...(found.length === 0 && { reason: none }) };
      }
      return { entries: [], more: 0, reason: `${found} ${words('server:picker.anyFilter')}` };
    },
    async describe(values, signal) {
      // Of a server that is down, there is no use in asking.
      if (server.knowledge.state !== 'known') return undefined;
      const found = await all(signal);
      return typeof found === 'string' ? undefined : found.filter(({ value }) => values.includes(value));
    },
    textOf: (value) => value,
    fromText: (text) => text.trim() || undefined,
  };
}
