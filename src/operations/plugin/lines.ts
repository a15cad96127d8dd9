import { isRecord } from '../../guards';
import type { LogEntry } from '../../server';

/** How the plugin's lines begin: with its name since v0.26, without it before. */
const LINE = /^\[Plugin(?: \/ Node-RED)?\] node-red-stash (\{.*\})$/;

/** Something that the plugin in Stash has told: foreign text, of which nothing is checked yet. */
export type Told = Readonly<Record<string, unknown>>;

/** Returns what the plugin has told in a batch of the server's log, in which lines are in no exact order. */
export function toldIn(lines: readonly LogEntry[]): Told[] {
  return lines.flatMap(({ level, message }) => {
    const told = level === 'Trace' ? toldBy(message) : undefined;
    return told ? [told] : [];
  });
}

function toldBy(message: string): Told | undefined {
  const [, json] = LINE.exec(message) ?? [];
  if (json === undefined) return undefined;
  try {
    const told: unknown = JSON.parse(json);
    return isRecord(told) ? told : undefined;
  } catch {
    // Anybody who may use Stash can have the plugin write anything.
    return undefined;
  }
}
