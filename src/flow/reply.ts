import type { NodeAPI } from 'node-red';
import { StashError } from '../errors';
import type { Server } from '../server';
import type { LastEnd } from './action-status';
import type { Outgoing, StashMessage } from './delivery';
import { factsOf } from './server-node';
import { namedValues, summaryOf, type Values, type Wording } from './words';

/** The content of one message of a reply. */
export interface Content {
  /** `msg.payload`. */
  payload: unknown;
  /** Further properties of `msg.stash`. */
  stash?: Record<string, unknown>;
}

/** What all messages of a reply share. */
interface About extends Wording {
  /** The output that the message leaves on, counted from 0. Default 0. */
  output?: number;
  /** The root field that was sent, for `msg.stash.operation`; undefined if nothing was sent. */
  operation?: string | undefined;
  /** The result is neither an error nor a success. */
  isBad?: boolean;
  /** The reply is for a job that has only started. */
  isStart?: boolean;
  /** The same reply is for several messages, each of which gets a copy of the content. */
  isShared?: boolean;
  /** The words for the status, `status.<status>`. Default: the outcome. */
  status?: string;
  /** Selected fields that the server cannot give, for `msg.stash.missing`, which is absent without any. */
  missing?: readonly string[];
  /** The place of this result among those of its message, counted from 0. The last one has the number of all. */
  part?: { index: number; count?: number };
}

/** One message, or a sequence of messages that a join node can put together again. */
export type Reply = About & (Content | { sequence: readonly Content[] });

export interface ReplyWords {
  /** The values for the status. */
  values: Values;
  summary: string;
}

/** Returns the words of a reply in the runtime's language. */
export function wordsOf(RED: NodeAPI, server: Server, reply: Reply): ReplyWords {
  const values = namedValues(RED, reply, server.name);
  return { values, summary: summaryOf(RED, reply.outcome, values) };
}

/**
 * Writes a reply on its message.
 * @throws {StashError} BAD_INPUT for a sequence of a message that Node-RED cannot copy.
 */
export function renderReply(
  RED: NodeAPI,
  {
    msg,
    server,
    reply,
    words,
    sequence = '',
  }: { msg: StashMessage; server: Server; reply: Reply; words: ReplyWords; sequence?: string },
): { outgoing: Outgoing; shown: LastEnd } {
  const {
    output = 0,
    isBad = false,
    isStart = false,
    isShared = false,
    operation,
    outcome,
    status = outcome,
    missing = [],
    part,
  } = reply;
  const { values, summary } = words;
  const write = (one: StashMessage, { payload: given, stash: further }: Content) => {
    const [payload, stash] = isShared ? structuredClone([given, further] as const) : [given, further];
    if (part) one.parts = partsOf(one, { id: sequence, ...part });
    one.payload = payload;
    one.stash = {
      server: factsOf(server),
      ...(operation !== undefined && { operation }),
      summary,
      ...(missing.length > 0 && { missing: [...missing] }),
      ...stash,
    };
    return one;
  };
  const messages = 'sequence' in reply ? sequenceOf(RED, msg, reply.sequence, write) : write(msg, reply);
  return {
    outgoing: [...new Array<null>(output).fill(null), messages],
    shown: { type: 'sent', isGood: output === 0 && !isBad, isStart, status, values },
  };
}

/** Returns the `parts` for a message of a sequence, as the core split node writes them. Those of the message stay in them. */
export function partsOf(msg: StashMessage, place: { id: string; index: number; count?: number }) {
  return { ...('parts' in msg && { parts: msg.parts }), ...place, type: 'array', len: 1 };
}

/** Copies the message for each content, with the `parts` that the core split node would give it. */
function sequenceOf(
  RED: NodeAPI,
  msg: StashMessage,
  contents: readonly Content[],
  write: (one: StashMessage, content: Content) => StashMessage,
): StashMessage[] {
  const id = RED.util.generateId();
  const count = contents.length;
  return contents.map((content, index) => {
    const one = copyForReply(RED, msg);
    one.parts = partsOf(one, { id, index, count });
    return write(one, content);
  });
}

/**
 * Copies a message without the properties that the reply replaces: a large payload would be copied for each content.
 * @throws {StashError} BAD_INPUT if Node-RED cannot copy it.
 */
export function copyForReply(RED: NodeAPI, msg: StashMessage): StashMessage {
  try {
    const others = { ...msg };
    delete others.payload;
    delete others.stash;
    return RED.util.cloneMessage(others);
  } catch {
    throw new StashError('BAD_INPUT.notCopied');
  }
}
