import type { Node, NodeAPI, NodeDef, NodeStatus } from 'node-red';
import { untilAborted } from '../async';
import type { Call } from '../call';
import { StashError } from '../errors';
import type { Reachability, Server } from '../server';
import { Delivery, type Outgoing } from './delivery';
import { checkFixed, type Config, evaluator, type Properties, readInput } from './inputs';
import { MessageCall, type Progress, type StashMessage } from './message-call';
import { redRing, statusOfReachability, ThrottledStatus } from './node-status';
import { reportOf } from './reporting';
import { connectionOf } from './server-node';
import {
  describeError,
  type Detail,
  redactedValues,
  TextCache,
  textOfProgress,
  textOfQueue,
  textOfStatus,
} from './words';

/** What is particular to one node. */
export interface Action<Input, Result> {
  /** How the dialog's properties become the operation's input. */
  inputs: Properties<Input>;
  /** The operation. */
  ask: (server: Server, input: NoInfer<Input>, call: Call) => Promise<Result>;
  /** What of the result goes where on the message. */
  reply: (result: Result, input: Input) => Reply;
  /** What is to be done before the first message, with what of the dialog is known then. */
  onStart?: (read: Read) => Promise<void>;
}

/** Reads some properties as the dialog has them, without a message. @throws {StashError} BAD_INPUT. */
export type Read = <Part>(properties: Properties<Part>) => Promise<Part>;

/** What differs between the messages that a reply sends on. */
export interface Content {
  payload: unknown;
  /** What else goes into `msg.stash`. */
  stash?: Record<string, unknown>;
}

interface About {
  /** The output that the message leaves on, counted from 0; the first unless said. */
  output?: number;
  /** The root field that was asked, for `msg.stash.operation`. */
  operation: string;
  /** It is no success, though no error either. */
  isBad?: boolean;
  /** Chooses the words in the node's catalogue: `summary.<outcome>` and `status.<outcome>`. */
  outcome: string;
  /** Another status than that of the outcome: `status.<status>`. */
  status?: string;
  /** What these words name; `server` is always there. */
  values?: Record<string, string | number>;
  /** Joined by commas, they are the value `details`. */
  details?: readonly Detail[];
  /** Selected fields that the server cannot give, for `msg.stash.missing`, which is absent where there are none. */
  missing?: readonly string[];
}

/** One message, or a sequence: one for each, which a join node can put together again. */
export type Reply = About & (Content | { sequence: readonly Content[] });

/** How a message ended: sent on, or with an error, or (after a reset) with neither. */
interface End {
  sent?: Outgoing;
  error?: Error;
  status: () => NodeStatus;
}

/** Why a call ended that waited, for its turn or for its job, when a message with `reset` came. */
const RESET = Symbol('reset');

/**
 * The life of an action node and of its messages: each message ends exactly once, sent on or with an error that a
 * Catch node receives, and nothing is thrown at Node-RED.
 * @returns the constructor to register for the node's type.
 */
export function actionNode<Input, Result>(RED: NodeAPI, action: Action<Input, Result>) {
  return function (this: Node, definition: NodeDef): void {
    RED.nodes.createNode(this, definition);
    const config: Config = { ...definition };
    const light = new ThrottledStatus(this);
    const summaries = new TextCache();
    const calls = new Map<MessageCall, (end: End) => void>();
    /** Also those that have ended, as long as they clear up. */
    const running = new Set<Promise<void>>();
    let answered = false;
    let unwatch: (() => void) | undefined;
    let reach: Reachability | undefined;

    const receive = (delivery: Delivery) => {
      const call = new MessageCall(delivery.msg, (progress) => {
        if (!calls.has(call)) return;
        try {
          showTurns();
          if (progress) delivery.sendCopy(1, contentOf(call, progress));
        } catch (error) {
          this.error(error);
        }
      });
      calls.set(call, (end) => {
        calls.delete(call);
        if (calls.size === 0) {
          light.show(leave(call, delivery, end));
          answered = true;
        } else {
          leave(call, delivery, end);
          showTurns();
        }
      });
      const answering = answer(call)
        .catch(unforeseen)
        .then((end) => {
          running.delete(answering);
          calls.get(call)?.(end);
        });
      running.add(answering);
    };

    /** Lets a message go its way. @returns what is to be shown of it. */
    const leave = (call: MessageCall, delivery: Delivery, end: End): (() => NodeStatus) => {
      const { sent, error, status } = end;
      if (error) delivery.fail(error);
      else if (!sent) delivery.drop();
      else {
        try {
          delivery.sendOn(sent);
        } catch {
          return leave(call, delivery, fail(call, new StashError('BAD_INPUT.notCopied')));
        }
      }
      return status;
    };

    /** Turns the message into the answer, or leaves it as it came but for the error in `msg.stash`. */
    const answer = async (call: MessageCall): Promise<End> => {
      const { msg, signal } = call;
      try {
        const server = connectionOf(RED, config['server']);
        const input = await untilAborted(readInput(action.inputs, config, evaluator(RED, this, msg)), signal);
        showTurns();
        const result = await action.ask(server, input, call);
        const replied = action.reply(result, input);
        call.onOperation(replied.operation);
        return reply(msg, server, replied);
      } catch (error) {
        return error === RESET ? { status: () => ({}) } : fail(call, error);
      }
    };

    /** What is told on the second output while the message waits. */
    const contentOf = ({ operation, job }: MessageCall, progress: Progress) => ({
      payload: { ...progress },
      stash: {
        ...serverOf(RED, config),
        ...(operation !== undefined && { operation }),
        summary: textOfProgress(RED, progress, 0, job),
        ...(job && { job: structuredClone(job) }),
      },
    });

    const reply = (msg: StashMessage, server: Server, reply: Reply): End => {
      const { output = 0, isBad = false, operation, outcome, status = outcome, missing = [] } = reply;
      const details = reply.details?.map(({ key, values = {} }) =>
        RED._(`detail.${key}`, redactedValues(values)),
      );
      const values = {
        ...redactedValues(reply.values ?? {}),
        server: server.name,
        ...(details && { details: details.join(', ') }),
      };
      const summary = summaries.get(outcome, values, () => RED._(`summary.${outcome}`, values));
      const put = (one: StashMessage, { payload, stash }: Content) => {
        one.payload = payload;
        one.stash = {
          server: about(server),
          operation,
          summary,
          ...(missing.length > 0 && { missing: [...missing] }),
          ...stash,
        };
        return one;
      };
      const messages = 'sequence' in reply ? sequenceOf(RED, msg, reply.sequence, put) : put(msg, reply);
      const color: NodeStatus =
        output === 0 && !isBad ? { fill: 'green', shape: 'dot' } : { fill: 'yellow', shape: 'ring' };
      const sent = [...new Array<null>(output).fill(null), messages];
      return { sent, status: () => ({ ...color, text: RED._(`status.${status}`, values) }) };
    };

    const fail = ({ msg, job, operation }: MessageCall, thrown: unknown): End => {
      if (!(thrown instanceof StashError)) return unforeseen(thrown);
      const { error, summary, label, facts } = reportOf(RED, thrown);
      msg.stash = {
        ...serverOf(RED, config),
        ...(operation !== undefined && { operation }),
        summary,
        error: facts,
        ...(job && { job: structuredClone(job) }),
      };
      return { error, status: () => redRing(label) };
    };

    /** What the node is at: its job, how many messages wait, and whether an external site lets them. */
    const showTurns = () => {
      if (calls.size === 0) return;
      light.show(() => {
        const turns = [...calls.keys()];
        const others = turns.length - 1;
        // Of jobs at a server that is away nothing is known.
        if (reach?.reachable === false && turns.some(({ job }) => job))
          return statusOfReachability(RED, reach);
        const running = turns.find(({ progress }) => progress);
        if (running?.progress) {
          const { job, progress } = running;
          const stalled = 'stalled' in progress && progress.stalled;
          const text = textOfProgress(RED, progress, others, job);
          return { fill: stalled ? 'yellow' : 'blue', shape: stalled ? 'ring' : 'dot', text };
        }
        const count = turns.filter(({ isWaiting }) => isWaiting).length;
        if (turns.some(({ turn }) => turn === 'refused')) {
          return { fill: 'yellow', shape: 'ring', text: textOfQueue(RED, 'refused', count) };
        }
        const queued = turns.filter(({ job }) => job?.status === 'READY').length;
        const begun = turns.find(({ job }) => job && job.status !== 'READY')?.job;
        if (begun) return { fill: 'blue', shape: 'dot', text: textOfStatus(RED, begun, others) };
        if (queued > 0) {
          return { fill: 'blue', shape: 'ring', text: textOfQueue(RED, 'queued', queued + count) };
        }
        const text = count > 0 ? textOfQueue(RED, 'waiting', count) : RED._('status.busy');
        return { fill: 'blue', shape: count > 0 ? 'ring' : 'dot', text };
      });
    };

    /** How a message ended tells more than that the server is there, but not more than that it is not. */
    const showReach = (now: Reachability) => {
      reach = now;
      if (calls.size > 0) {
        // Those that wait for a job may do so for long.
        if ([...calls.keys()].some(({ job }) => job)) showTurns();
      } else if (!now.reachable || now.back || !answered) light.show(() => statusOfReachability(RED, now));
    };

    /** What is wrong with the node before it has had a message, which would end with it. */
    const showMistake = (error: unknown) => {
      if (!(error instanceof StashError)) this.error(error);
      else if (!mayBeSetLater(error)) light.show(() => redRing(describeError(RED, error).label));
    };

    this.on('input', (msg, send, done) => {
      const delivery = new Delivery(RED, this, msg, send, done);
      if (!('reset' in delivery.msg)) {
        receive(delivery);
        return;
      }
      for (const call of calls.keys()) call.stopWaiting(RESET);
      delivery.drop();
    });

    this.on('close', (closed: () => void) => {
      // Node-RED closes all nodes of a deploy in one go, so only what is reported at once still finds its Catch node.
      for (const [call, end] of calls) {
        const closed = new StashError('CLOSED.closed');
        call.end(closed);
        end(fail(call, closed));
      }
      unwatch?.();
      light.close();
      // What they leave behind is removed before Node-RED ends.
      void Promise.allSettled(running).then(closed);
    });

    try {
      const server = connectionOf(RED, config['server']);
      checkFixed(action.inputs, config);
      unwatch = server.onReachability(showReach);
      action
        .onStart?.((properties) => readInput(properties, config, evaluator(RED, this, {})))
        .catch(showMistake);
    } catch (error) {
      showMistake(error);
    }
  };
}

/** A fault of ours: Catch nodes shall receive it as it is. */
function unforeseen(error: unknown): End {
  return {
    error: error instanceof Error ? error : new Error('A value was thrown that is no error.'),
    status: () => redRing(''),
  };
}

/** A copy of the message for each content, with the `parts` that the core split node would give it. */
function sequenceOf(
  RED: NodeAPI,
  msg: StashMessage,
  contents: readonly Content[],
  put: (one: StashMessage, content: Content) => StashMessage,
): StashMessage[] {
  const id = RED.util.generateId();
  const count = contents.length;
  return contents.map((content, index) => {
    const one = copyOf(RED, msg);
    one.parts = { ...('parts' in one && { parts: one.parts }), id, type: 'array', count, len: 1, index };
    return put(one, content);
  });
}

/** @throws {StashError} BAD_INPUT for a message that Node-RED cannot copy. */
function copyOf(RED: NodeAPI, msg: StashMessage): StashMessage {
  try {
    return RED.util.cloneMessage(msg);
  } catch {
    throw new StashError('BAD_INPUT.notCopied');
  }
}

function about({ name, url }: Server) {
  return { name, url };
}

/** The server for the `msg.stash` of an error, where there is a usable one. */
function serverOf(RED: NodeAPI, config: Config) {
  try {
    return { server: about(connectionOf(RED, config['server'])) };
  } catch {
    return {};
  }
}

/** Whether it is about a context, into which the flow may still put what is missing. */
function mayBeSetLater({ case: which, details }: StashError): boolean {
  return which === 'BAD_INPUT.empty' && /^(?:flow|global)\./.test(String(details['source']));
}
