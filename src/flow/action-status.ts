import type { NodeAPI, NodeStatus } from 'node-red';
import type { Code } from '../errors';
import type { Reachability } from '../server';
import type { MessageCall } from './message-call';
import { RUNNING, statusOfError, statusOfReachability, SUCCESS, WAITING, WARNING } from './node-status';
import { textOfProgress, textOfQueue, textOfStatus, type Values } from './words';

/** What the status depends on of a message that is under way. */
export type CallState = Readonly<Pick<MessageCall, 'job' | 'progress' | 'queueState' | 'isWaiting'>>;

/** How the last message ended. */
export type LastEnd =
  /** Sent on. `status` is a key of the node's catalogue: `status.<status>`. */
  | { type: 'answered'; isGood: boolean; status: string; values: Values }
  /** With an error. One without a code is a fault of ours. */
  | { type: 'failed'; code: Code | undefined }
  /** With neither, by a message with `reset`. */
  | { type: 'reset' };

/**
 * Returns what an action node shows: the messages that are under way, or else how the last one ended, or else whether the
 * server can be reached.
 * @param calls Oldest first.
 * @param lastEnd Undefined where none has ended since the server went away or came back.
 */
export function statusOf(
  RED: NodeAPI,
  calls: readonly CallState[],
  reachability: Reachability | undefined,
  lastEnd: LastEnd | undefined,
): NodeStatus {
  if (calls.length > 0) return statusOfCalls(RED, calls, reachability);
  if (lastEnd) return statusOfEnd(RED, lastEnd);
  return reachability ? statusOfReachability(RED, reachability) : {};
}

/** Shows the job or download that is furthest, then the queues, then that the node is busy. */
function statusOfCalls(
  RED: NodeAPI,
  calls: readonly CallState[],
  reachability: Reachability | undefined,
): NodeStatus {
  const others = calls.length - 1;
  const hasJob = calls.some(({ job }) => job);
  // Nothing is known of the jobs of a server that cannot be reached.
  if (hasJob && reachability?.reachable === false) return statusOfReachability(RED, reachability);

  const advancing = calls.find(({ progress }) => progress);
  if (advancing?.progress) {
    const { job, progress } = advancing;
    const isStalled = 'stalled' in progress && progress.stalled;
    return { ...(isStalled ? WARNING : RUNNING), text: textOfProgress(RED, progress, others, job) };
  }

  const waiting = calls.filter(({ isWaiting }) => isWaiting).length;
  if (calls.some(({ queueState }) => queueState === 'refused')) {
    return { ...WARNING, text: textOfQueue(RED, 'refused', waiting) };
  }

  const begun = calls.find(({ job }) => job && job.status !== 'READY')?.job;
  if (begun) return { ...RUNNING, text: textOfStatus(RED, begun, others) };
  const queued = calls.filter(({ job }) => job?.status === 'READY').length;
  if (queued > 0) return { ...WAITING, text: textOfQueue(RED, 'queued', queued + waiting) };
  if (waiting > 0) return { ...WAITING, text: textOfQueue(RED, 'waiting', waiting) };
  return { ...RUNNING, text: RED._('status.busy') };
}

function statusOfEnd(RED: NodeAPI, end: LastEnd): NodeStatus {
  switch (end.type) {
    case 'answered':
      return { ...(end.isGood ? SUCCESS : WARNING), text: RED._(`status.${end.status}`, end.values) };
    case 'failed':
      return statusOfError(RED, end.code);
    case 'reset':
      return {};
  }
}
