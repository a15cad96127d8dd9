import { redact } from '../../redact';

/** The catalogue of stash-server has the words that all nodes share. Node-RED picks the language by its `lang` setting. */
export const CATALOGUE = '@stash-flows/node-red-stash/server:';

/** What words name in their placeholders. */
export type Values = Readonly<Record<string, string | number>>;

/** Makes values that may come from outside fit for a log, a status or a notification. */
export function redactedValues(values: Values): Record<string, string | number> {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [
      name,
      typeof value === 'string' ? redacted(value) : value,
    ]),
  );
}

/** Keeps the blanks around a text that is otherwise fit: a part of a sentence may begin with one. */
function redacted(text: string): string {
  const fit = redact(text);
  return fit === text.trim() ? text : fit;
}
