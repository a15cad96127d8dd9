import { isRecord } from '../../guards';
import type { LogEntry } from '../../server';

/** How the plugin's lines begin: with its name since v0.26, without it before. */
const LINE = /^\[Plugin(?: \/ Node-RED)?\] node-red-stash (\{.*\})$/;

/** Something that the plugin in Stash has emitted: foreign text, of which nothing is checked yet. */
export type PluginEvent = Readonly<Record<string, unknown>>;

/** Returns what the plugin has emitted in a batch of the server's log, in its order: that of the lines is not exact. */
export function eventsIn(lines: readonly LogEntry[]): PluginEvent[] {
  return lines
    .flatMap(({ time, level, message }) => {
      const event = level === 'Trace' ? eventIn(message) : undefined;
      return event ? [{ time: Date.parse(time), event }] : [];
    })
    .sort((one, other) => one.time - other.time)
    .map(({ event }) => event);
}

function eventIn(message: string): PluginEvent | undefined {
  const [, json] = LINE.exec(message) ?? [];
  if (json === undefined) return undefined;
  try {
    const event: unknown = JSON.parse(json);
    return isRecord(event) ? event : undefined;
  } catch {
    // Anybody who may use Stash can have the plugin write anything.
    return undefined;
  }
}
