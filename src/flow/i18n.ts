import type { NodeAPI } from 'node-red';
import { formatBytes } from '../bytes';
import type { Code, StashError } from '../errors';
import type { DownloadProgress, JobProgress, JobRecord } from '../records';
import { redact } from '../redact';
import type { Reachability } from '../server';
import type { Progress } from './message-call';

/** The words for errors stand once, with stash-server, and are found in the runtime's language (`lang` setting). */
const CATALOGUE = '@stash-flows/node-red-stash/server:';

/** What there is room for under a node, in characters. */
const LONGEST_STATUS = 20;

export interface ErrorDescription {
  /** What happened, then what to do. */
  message: string;
  remedy: string;
  /** At most 20 characters, for the status under a node. */
  label: string;
}

/** What the words name may come from anywhere, and the words go into the log: all of it is cleaned here. */
export function describeError(RED: NodeAPI, error: StashError): ErrorDescription {
  const { code } = error;
  const { property } = error.details;
  const details = {
    ...redactedValues(error.details),
    ...(typeof property === 'string' && { property: fieldOf(RED, property) }),
  };
  const words = `${CATALOGUE}errors.${error.case}`;
  const remedy = RED._(`${words}.remedy`, details);
  return {
    message: `${RED._(`${words}.text`, details)} ${remedy}`,
    remedy,
    label: labelOf(RED, code),
  };
}

/** What words name, with text from outside fit for a log, a status or a notification. */
export function redactedValues(
  values: Readonly<Record<string, string | number>>,
): Record<string, string | number> {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [
      name,
      typeof value === 'string' ? cleanedText(value) : value,
    ]),
  );
}

/** Blanks around a text that needs no cleaning stay: a part of a sentence may begin with one. */
function cleanedText(text: string): string {
  const cleaned = redact(text);
  return cleaned === text.trim() ? text : cleaned;
}

/** A property of the flow file, as the dialog labels it. */
function fieldOf(RED: NodeAPI, property: string): string {
  const labels = [RED._(`field.${property}`), RED._(`${CATALOGUE}field.${property}`)];
  // A key without words comes back.
  return labels.find((label) => !label.endsWith(`field.${property}`)) ?? property;
}

function labelOf(RED: NodeAPI, code: Code): string {
  return RED._(`${CATALOGUE}errors.${code}.label`);
}

/** Whether the server can be reached, for the status under a node: at most 20 characters. */
export function textOfReachability(RED: NodeAPI, reach: Reachability): string {
  if (!reach.reachable) return labelOf(RED, 'UNREACHABLE');
  const which = reach.back ? 'back' : 'there';
  const { release } = reach;
  return RED._(`${CATALOGUE}reach.${which}`, { release }).trim().slice(0, LONGEST_STATUS);
}

/**
 * How many messages of a node wait for their turn, for the status under it: at most 20 characters.
 * @param turn `refused` while an external site refuses to be asked, `queued` where the server has their jobs in its queue.
 */
export function textOfQueue(RED: NodeAPI, turn: 'waiting' | 'refused' | 'queued', count: number): string {
  return RED._(`${CATALOGUE}turn.${turn}`, { count });
}

/**
 * How far a job or a download is, for the status under a node: at most 20 characters.
 * @param others how many further messages wait for such.
 * @param job the one that it is about, if it is about one.
 */
export function textOfProgress(RED: NodeAPI, progress: Progress, others = 0, job?: JobRecord): string {
  if (!('bytes' in progress)) return andOthers(textOfJob(RED, progress, job?.status), others);
  return andOthers(textOfDownload(RED, progress, others === 0), others);
}

/** What a job is at of which no progress is known: at most 20 characters. */
export function textOfStatus(RED: NodeAPI, { status }: JobRecord, others = 0): string {
  const isStopping = status === 'STOPPING' || status === 'CANCELLED';
  const isRunning = status === 'RUNNING';
  const which = isStopping ? 'stopping' : isRunning ? 'running' : 'finishing';
  return andOthers(RED._(`${CATALOGUE}job.${which}`), others);
}

/** Of very many others there is no room to tell. */
function andOthers(text: string, others: number): string {
  const whole = `${text} (+${others})`;
  return others === 0 || whole.length > LONGEST_STATUS ? text : whole;
}

function textOfJob(
  RED: NodeAPI,
  { percent, secondsLeft, stalled }: JobProgress,
  status: JobRecord['status'] = 'RUNNING',
): string {
  if (status === 'STOPPING') return RED._(`${CATALOGUE}job.stopping`);
  const parts = [
    ...(stalled ? [RED._(`${CATALOGUE}job.stalled`)] : []),
    ...(percent === null ? [] : [RED._(`${CATALOGUE}job.percent`, { percent })]),
    ...(secondsLeft === null || stalled ? [] : [roughly(secondsLeft)]),
  ];
  return parts.length > 0 ? parts.join(' · ') : RED._(`${CATALOGUE}job.running`);
}

/** @param hasRoom for the rate, which is of this one only. */
function textOfDownload(RED: NodeAPI, progress: DownloadProgress, hasRoom: boolean): string {
  const { percent, bytes, bytesPerSecond } = progress;
  if (percent === 100) return RED._(`${CATALOGUE}job.checking`);
  if (hasRoom && bytesPerSecond === 0) return RED._(`${CATALOGUE}job.noData`);
  const rate = ` · ${formatBytes(bytesPerSecond)}/s`;
  if (percent !== null) return RED._(`${CATALOGUE}job.percent`, { percent }) + (hasRoom ? rate : '');
  const far = formatBytes(bytes);
  // As in "1013 KiB · 1005 KiB/s".
  return hasRoom && far.length + rate.length <= LONGEST_STATUS ? far + rate : far;
}

/** A time in its largest units, as in "3 min 12 s"; the units have the same signs in all languages. */
export function duration(seconds: number): string {
  const whole = Math.round(seconds);
  const parts = [
    [Math.floor(whole / 3600), 'h'],
    [Math.floor(whole / 60) % 60, 'min'],
    [whole % 60, 's'],
  ] as const;
  const first = parts.findIndex(([count]) => count > 0);
  if (first === -1) return `${Math.round(seconds * 10) / 10} s`;
  return parts
    .slice(first, first + 2)
    .filter(([count]) => count > 0)
    .map(([count, unit]) => `${count} ${unit}`)
    .join(' ');
}

function roughly(seconds: number): string {
  if (seconds < 90) return `${seconds} s`;
  if (seconds < 90 * 60) return `${Math.round(seconds / 60)} min`;
  return `${Math.round(seconds / 3600)} h`;
}

/** That a context store, where the pace of look-ups is kept, has failed. */
export function textOfStore(RED: NodeAPI, store: string, error: unknown): string {
  return RED._(`${CATALOGUE}paceStore.failed`, { store: redact(store), reason: redact(String(error)) });
}

/**
 * A node's words, as they were found last for each key. Looking a sentence up takes i18next about a
 * quarter of what a message costs under load, and who asks for the status each minute is told the same each time.
 */
export class TextCache {
  readonly #last = new Map<string, { values: string; words: string }>();

  /** What `find` gives, or gave for the same values. */
  get(key: string, values: Readonly<Record<string, string | number>>, find: () => string): string {
    const given = JSON.stringify(values);
    const last = this.#last.get(key);
    if (last?.values === given) return last.words;
    const words = find();
    this.#last.set(key, { values: given, words });
    return words;
  }
}
