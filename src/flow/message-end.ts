import type { Node, NodeAPI } from 'node-red';
import { StashError } from '../errors';
import type { LastEnd } from './action-status';
import type { Outgoing } from './delivery';
import type { MessageCall } from './message-call';
import { partsOf } from './reply';
import { factsOf } from './server-node';
import { reportOf } from './words/errors';

/** The end of a message; after a reset without `outgoing` and `error`. */
export interface MessageEnd {
  outgoing?: Outgoing;
  /** The error to report, and its cause. Takes precedence over `outgoing`. */
  error?: Error;
  cause?: unknown;
  /** `msg.stash` of a message with an error. */
  stash?: Record<string, unknown>;
  shown: LastEnd;
}

/** Returns the end of a message with an error, and writes that on the message: only `msg.stash` changes. */
export function failed(RED: NodeAPI, node: Node, call: MessageCall, thrown: unknown): MessageEnd {
  try {
    if (!(thrown instanceof StashError)) return unforeseen(thrown);
    // The server does not know what was sent.
    const reason = thrown.case === 'CLOSED.closed' ? closedOf(call) : thrown;
    const { msg, messagesSent, sequence, server, update } = call;
    const { error, facts } = reportOf(RED, reason, { node, server, update });
    if (messagesSent > 0) msg.parts = partsOf(msg, { id: sequence, index: messagesSent });
    const stash = stashOf(call, facts);
    msg.stash = stash;
    return { error, cause: thrown, stash, shown: { type: 'failed', case: thrown.case } };
  } catch (bug) {
    // A function node may have made a property that cannot be set.
    return unforeseen(bug);
  }
}

/** Returns the error for a message that no node can go on with. */
export function closedOf({ hasSent, delay }: MessageCall): StashError {
  if (!hasSent) return new StashError('CLOSED.unsent');
  return new StashError(delay && 'paused' in delay ? 'CLOSED.interrupted' : 'CLOSED.closed');
}

/** Returns `msg.stash` for a message without a result; `server` is absent if the message found no usable one. */
export function stashOf({ server, operation, job, update }: MessageCall, facts: Record<string, unknown>) {
  return {
    ...(server && { server: factsOf(server) }),
    ...(operation !== undefined && { operation }),
    ...facts,
    ...(job && { job: structuredClone(job) }),
    ...(update && { update }),
  };
}

/** Returns the end for a bug in this package, whose error Catch nodes receive unchanged. */
function unforeseen(error: unknown): MessageEnd {
  return {
    error: error instanceof Error ? error : new Error('A value was thrown that is no error.'),
    shown: { type: 'failed', case: undefined },
  };
}
