import type { Job } from '../jobs';
import type { Client } from './client';

/** How a job ended, and what the server logged meanwhile. */
export interface Run extends Pick<Job, 'status' | 'progress' | 'error'> {
  /** The lines without Debug and Trace, oldest first; durations are replaced by "…". */
  lines: string[];
}

/** Starts a task, with or without a job id, and waits for its end. */
export async function run({ stash, value }: Client, mutation: string): Promise<Run> {
  const before = new Set(stash.serverLog.newest);
  const listening = new AbortController();
  const ended = new Promise<Job>((resolve) => {
    stash.jobs.updates.listen(({ type, job }) => {
      if (type === 'REMOVE') resolve(job);
    }, listening.signal);
  });
  await value(mutation);
  const { status, progress, error } = await ended;
  listening.abort();
  const news = stash.serverLog.newest.filter((line) => !before.has(line)).reverse();
  return {
    status,
    progress,
    error,
    lines: news.map(({ message }) => message.replace(/\d+\.\d+(ms|s)\b/, '…')),
  };
}
