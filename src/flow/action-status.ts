import type { NodeAPI, NodeStatus } from 'node-red';
import { type ErrorCase, StashError } from '../errors';
import { type JobRecord, openStatuses } from '../records';
import type { Reachability, Server } from '../server';
import type { Handover } from './handover';
import type { MessageCall } from './message-call';
import {
  RUNNING,
  type ShownStatus,
  statusOfError,
  statusOfReachability,
  SUCCESS,
  WAITING,
  WARNING,
} from './node-status';
import {
  endOf,
  wordsKey,
  textOfDelays,
  textOfPages,
  textOfProgress,
  textOfQueue,
  textOfStatus,
  type Values,
} from './words';
import { reportOf } from './words/errors';

/** The part of a running call that the status depends on. */
export type CallState = Readonly<
  Pick<MessageCall, 'job' | 'progress' | 'queueState' | 'isWaiting' | 'delay' | 'messagesSent' | 'isPaused'>
>;

/** How the last message ended. */
export type LastEnd =
  /**
   * Sent on. `isStart`: with a job that has only started. `status` are words as `wordsKey` finds them, `status.<status>`, and
   * `values` are for its placeholders.
   */
  | { type: 'sent'; isGood: boolean; isStart?: boolean; status: string; values: Values }
  /** With an error. `case` is undefined for a bug in this package. */
  | { type: 'failed'; case: ErrorCase | undefined }
  /** Dropped by a message with `reset`. */
  | { type: 'reset' };

/** The last message to end, and its call. */
export interface Last {
  end: LastEnd;
  call?: CallState;
}

/** The status under an action node. A message's result shows until the server becomes unreachable or reachable again. */
export class ActionStatus {
  readonly #RED: NodeAPI;
  readonly #handover: Handover;
  /** The running calls, oldest first. */
  readonly #calls: ReadonlySet<CallState>;
  #reachability: Reachability | undefined;
  #last: Last | undefined;
  /** The state that the status follows; undefined before it has changed. */
  #followed: Last | undefined;

  constructor(RED: NodeAPI, handover: Handover, calls: ReadonlySet<CallState>) {
    this.#RED = RED;
    this.#handover = handover;
    this.#calls = calls;
  }

  /** Begins in a node that Node-RED has made. */
  begin(): void {
    this.#reachability = undefined;
  }

  /** Goes on after `begin`. @param isOther whether the node has another server than before. */
  goOn(isOther: boolean): void {
    if (isOther) this.#last = this.#followed = undefined;
    if (this.#calls.size > 0 || this.#last) this.show();
  }

  /** Shows a state that the node follows, whatever the last message has done. */
  follow(status: string): void {
    this.#last = undefined;
    this.#followed = { end: { type: 'sent', isGood: true, status, values: {} } };
    this.show();
  }

  /** Shows how the last message ended no longer, if in these words. */
  clear(status: string): void {
    const end = this.#last?.end;
    if (end?.type !== 'sent' || end.status !== status) return;
    this.#last = undefined;
    this.show();
  }

  end(last: Last): void {
    this.#last = last;
    this.show();
  }

  /** Whether the last message to end is that of this call, whose job goes on. */
  isOf(call: CallState): boolean {
    return call === this.#last?.call;
  }

  /** Follows whether the server can be reached, until the node is closed. */
  watch(server: Server): void {
    const onChange = (reachability: Reachability) => this.#onReachability(reachability);
    this.#handover.node.on('close', server.reachability.subscribe(onChange));
  }

  #onReachability(reachability: Reachability): void {
    this.#reachability = reachability;
    const isUnderWay = hasOpenJob(this.#last);
    // A message's result outranks "server can be reached" in the status, but not "server unreachable" or "server is back".
    if (!isUnderWay && (!reachability.reachable || reachability.back)) this.#last = undefined;
    const calls = [...this.#calls];
    if (calls.length > 0 ? calls.some(({ job }) => job) : isUnderWay || !this.#last) this.show();
  }

  show(): void {
    this.#handover.status.show(() => {
      const isUnreachable = this.#reachability?.reachable === false;
      const last = this.#last ?? (isUnreachable ? undefined : this.#followed);
      return statusOf(this.#RED, [...this.#calls], this.#reachability, last);
    });
  }

  /** Shows a mistake in the dialog that would end every message. */
  showMistake(error: unknown): void {
    const { node, status } = this.#handover;
    if (!(error instanceof StashError)) node.error(error);
    else if (!mayBeSetLater(error)) {
      status.show(() => statusOfError(this.#RED, error.case));
      // Only in the log: a flow would take what its Catch node sends on for the end of a message.
      node.warn(reportOf(this.#RED, error, { node }).error);
    }
  }
}

/**
 * Returns the status of an action node: its running calls, or else how the last message ended, or else whether the server
 * can be reached.
 * @param calls the running calls, oldest first.
 * @param reachability undefined while unknown.
 * @param last undefined if no message has ended since the server became unreachable or reachable.
 */
export function statusOf(
  RED: NodeAPI,
  calls: readonly CallState[],
  reachability: Reachability | undefined,
  last: Last | undefined,
): ShownStatus {
  if (calls.length > 0) return statusOfCalls(RED, calls, reachability);
  if (!last) return reachability ? statusOfReachability(RED, reachability) : {};
  if (last.call && hasOpenJob(last)) return statusOfCalls(RED, [last.call], reachability);
  const job = startedJob(last);
  if (!job) return statusOfEnd(RED, last.end);
  const { outcome, status = outcome, values, isBad } = { status: undefined, ...endOf(job, '') };
  return statusOfEnd(RED, { type: 'sent', isGood: !isBad, status, values });
}

/** Whether the job of a message that has left goes on, perhaps after a pause. */
function hasOpenJob(last: Last | undefined): boolean {
  const job = last && startedJob(last);
  const delay = last?.call?.delay ?? {};
  return 'paused' in delay || (job !== undefined && openStatuses.includes(job.status));
}

/** Returns the job of a message that left when it had started; undefined unless the server has shown it. */
function startedJob({ end, call }: Last): JobRecord | undefined {
  return end.type === 'sent' && end.isStart ? call?.job : undefined;
}

/** Shows the oldest job or download with progress, then a site that refuses, then jobs, then queues, then "busy". */
function statusOfCalls(
  RED: NodeAPI,
  calls: readonly CallState[],
  reachability: Reachability | undefined,
): ShownStatus {
  const others = calls.length - 1;
  const hasJob = calls.some(({ job }) => job);
  // The state of jobs on an unreachable server is unknown.
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
  const delay = textOfDelays(
    RED,
    calls.flatMap((one) => one.delay ?? []),
  );
  if (delay) return { ...WAITING, text: delay, changes: true };
  const queued = calls.filter(({ job }) => job?.status === 'READY').length;
  if (queued > 0) return { ...WAITING, text: textOfQueue(RED, 'queued', queued + waiting) };
  if (waiting > 0) return { ...WAITING, text: textOfQueue(RED, 'waiting', waiting) };
  const paging = calls.find(({ messagesSent }) => messagesSent > 0);
  if (paging)
    return { ...(paging.isPaused ? WAITING : RUNNING), text: textOfPages(RED, paging.messagesSent) };
  return { ...RUNNING, text: RED._('status.busy') };
}

function statusOfEnd(RED: NodeAPI, end: LastEnd): NodeStatus {
  switch (end.type) {
    case 'sent':
      return { ...(end.isGood ? SUCCESS : WARNING), text: RED._(wordsKey('status', end.status), end.values) };
    case 'failed':
      return statusOfError(RED, end.case);
    case 'reset':
      return {};
  }
}

/** Whether an error is about an empty context variable, which the flow may still set. */
function mayBeSetLater({ case: which, details }: StashError): boolean {
  return which === 'BAD_INPUT.empty' && /^(?:flow|global)\./.test(String(details['source']));
}
