// Texts for the status under a node, each at most 20 characters long.
import type { NodeAPI } from 'node-red';
import type { Delay } from '../../call';
import { formatBytes, roughDuration } from '../../contract/units';
import type { DownloadProgress, JobProgress, JobRecord } from '../../records';
import type { Reachability } from '../../server';
import { sharedText } from './catalogue';
import { errorLabel } from './errors';

/** The longest text under a node, in UTF-16 units. */
const LONGEST_STATUS = 20;

/** Returns the text for whether the server is reachable. */
export function textOfReachability(RED: NodeAPI, reach: Reachability): string {
  return reach.reachable ? RED._('node-red:common.status.connected') : errorLabel(RED, 'UNREACHABLE');
}

/**
 * Returns the text for how many messages of a node wait.
 * @param queue `waiting`: in the queue for an external site. `refused`: while that site refuses requests. `queued`: their
 * jobs wait in the server's own queue. `paused`: no job may start.
 */
export function textOfQueue(
  RED: NodeAPI,
  queue: 'waiting' | 'refused' | 'queued' | 'paused',
  count: number,
): string {
  return sharedText(RED, `queue.${queue}`, { count });
}

/** Returns the text for why messages have not been sent yet; undefined if none is delayed. What is sent next comes first. */
export function textOfDelays(RED: NodeAPI, delays: readonly Delay[]): string | undefined {
  const now = performance.now();
  // All of them are sent together. What is due is being sent.
  const dues = delays.flatMap((one) => ('due' in one && one.due > now ? [one.due] : []));
  if (dues[0] !== undefined) {
    const text = sharedText(RED, 'queue.held', { count: dues.length });
    const whole = `${text} · ${roughDuration(Math.ceil((dues[0] - now) / 1000))}`;
    return whole.length > LONGEST_STATUS ? text : whole;
  }
  const paused = delays.filter((one) => 'paused' in one).length;
  if (paused > 0) return textOfQueue(RED, 'paused', paused);
  const files = delays.find((one) => 'files' in one);
  if (!files) return undefined;
  const text = sharedText(RED, 'queue.files', { count: files.files });
  return text.length > LONGEST_STATUS ? textOfQueue(RED, 'waiting', files.files) : text;
}

/**
 * Returns the text for the progress of a job or a download.
 * @param others how many further messages are running.
 * @param job the job that makes the progress; undefined for a download.
 */
export function textOfProgress(
  RED: NodeAPI,
  progress: JobProgress | DownloadProgress,
  others = 0,
  job?: JobRecord,
): string {
  if (!('bytes' in progress)) return andOthers(textOfJob(RED, progress, job?.status), others);
  return andOthers(textOfDownload(RED, progress, others === 0), others);
}

/** Returns the text for the number of pages that have left. */
export function textOfPages(RED: NodeAPI, count: number): string {
  return sharedText(RED, 'progress.page', { page: count });
}

/** Returns the text for a job without known progress. @param others how many further messages are running. */
export function textOfStatus(RED: NodeAPI, { status }: JobRecord, others = 0): string {
  const isStopping = status === 'STOPPING' || status === 'CANCELLED';
  const isRunning = status === 'RUNNING';
  const which = isStopping ? 'stopping' : isRunning ? 'running' : 'finishing';
  return andOthers(sharedText(RED, `progress.${which}`), others);
}

/** Adds the number of other messages if there is room for it. */
function andOthers(text: string, others: number): string {
  const whole = `${text} (+${others})`;
  return others === 0 || whole.length > LONGEST_STATUS ? text : whole;
}

function textOfJob(
  RED: NodeAPI,
  { percent, secondsLeft, stalled }: JobProgress,
  status: JobRecord['status'] = 'RUNNING',
): string {
  if (status === 'STOPPING') return sharedText(RED, 'progress.stopping');
  const parts = [
    ...(stalled ? [sharedText(RED, 'progress.stalled')] : []),
    ...(percent === null ? [] : [sharedText(RED, 'progress.percent', { percent })]),
    ...(secondsLeft === null || stalled ? [] : [roughDuration(secondsLeft)]),
  ];
  return parts.length > 0 ? parts.join(' · ') : sharedText(RED, 'progress.running');
}

/** @param hasRoom whether there is room for the rate. */
function textOfDownload(RED: NodeAPI, progress: DownloadProgress, hasRoom: boolean): string {
  const { percent, bytes, bytesPerSecond } = progress;
  if (percent === 100) return sharedText(RED, 'progress.checking');
  if (hasRoom && bytesPerSecond === 0) return sharedText(RED, 'progress.noData');
  const rate = ` · ${formatBytes(bytesPerSecond)}/s`;
  if (percent !== null) return sharedText(RED, 'progress.percent', { percent }) + (hasRoom ? rate : '');
  const far = formatBytes(bytes);
  // As in "1013 KiB · 1005 KiB/s".
  return hasRoom && far.length + rate.length <= LONGEST_STATUS ? far + rate : far;
}
