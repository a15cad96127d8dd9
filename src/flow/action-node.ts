import type { Node, NodeAPI, NodeDef } from 'node-red';
import type { Call } from '../call';
import { StashError } from '../errors';
import { isRecord, isString } from '../guards';
import type { Reachability, Server } from '../server';
import { type LastEnd, statusOf } from './action-status';
import { Delivery, type Outgoing } from './delivery';
import { checkFixed, type Config, evaluator, type FixedProperty, type Properties, readInput } from './inputs';
import { MessageCall, type Progress, type StashMessage } from './message-call';
import { statusOfError, ThrottledStatus } from './node-status';
import { RecentErrors } from './recent-errors';
import { copyForReply, partsOf, renderReply, type Reply, type ReplyWords, wordsOf } from './reply';
import { connectionOf, editorIdOf, factsOf, serverNode } from './server-node';
import { type FindText, type NodeRED, type ReplyFitting, textOfProgress, withCachedTexts } from './words';
import { reportOf } from './words/errors';

/** The definition of an action node whose catalogue has the words `Words`. */
export interface Action<Input, Result, Answer extends Reply = Reply, Words = unknown> {
  /** Reads the operation's input from the properties of the dialog. */
  inputs: Properties<Input>;
  /**
   * The operation: sends what the message needs to the server. Several results leave one after the other, each before the next
   * one is requested.
   */
  run: (server: Server, input: NoInfer<Input>, call: Call) => Promise<Result> | AsyncIterable<Result, void>;
  /** Returns the content of the message for the result, and its output. `text` finds the node's words. */
  reply: (result: Result, input: Input, text: FindText<Words>) => Answer;
  /** Whether the next of several results is requested when the message with the last one comes back. Default: never. */
  isPaced?: FixedProperty<boolean>;
  /** Prepares the node when it is deployed. A StashError shows in the status, any other error is logged. */
  onStart?: (read: <Part>(properties: Properties<Part>) => Promise<Part>) => Promise<void>;
}

/** The end of a message; after a reset without `outgoing` and `error`. */
interface End {
  /** The messages to send. */
  outgoing?: Outgoing;
  /** The error to report, and its cause. Takes precedence over `outgoing`. */
  error?: Error;
  cause?: unknown;
  /** `msg.stash` of a message with an error. */
  stash?: Record<string, unknown>;
  /** The status to show. */
  shown: LastEnd;
}

/** How many split nodes may be around a part that comes back. */
const MOST_LEVELS = 20;

/** The abort reason of calls that a message with `reset` ends. */
const RESET = Symbol('reset');

/**
 * Returns the constructor to register for the type of an action node.
 * @param action the definition; a function returns that of one node, which may keep state between messages.
 */
export function actionNode<Words, Input, Result, const Answer extends Reply>(
  own: NodeRED<Words>,
  action: Action<Input, Result, Answer, Words> | (() => Action<Input, Result, Answer, Words>),
): ReplyFitting<Words, Answer, (this: Node, definition: NodeDef) => void> {
  const create = function (this: Node, definition: NodeDef): void {
    const RED = withCachedTexts(own as NodeAPI);
    RED.nodes.createNode(this, definition);
    const ownAction = typeof action === 'function' ? action() : action;
    const node = new ActionNode(RED, this, ownAction as Action<Input, Result>, { ...definition });
    this.on('input', (msg, send, done) => {
      node.receive(new Delivery(RED, this, msg, send, done));
    });
    this.on('close', (closed: () => void) => {
      void node.close().then(closed);
    });
    node.start();
  };
  // The compiler cannot resolve the conditional type here.
  return create as unknown as ReplyFitting<Words, Answer, typeof create>;
}

/**
 * The life cycle of one action node and of its messages. Each message ends exactly once: it is sent on, reported as an error
 * to Catch nodes, or dropped by a reset. Methods throw nothing.
 */
class ActionNode<Input, Result> {
  readonly #RED: NodeAPI;
  readonly #node: Node;
  readonly #action: Action<Input, Result>;
  readonly #config: Config;
  readonly #status: ThrottledStatus;
  /** The messages that have not ended, oldest first. */
  readonly #calls = new Map<MessageCall, Delivery>();
  /** For how many messages work is done, which may clean up after its message has ended. */
  #running = 0;
  /** Called when the last work is done. */
  #onIdle: (() => void) | undefined;
  /** The last reply, if it is for several messages. */
  #shared: { result: Result; reply: Reply; words: ReplyWords } | undefined;
  #reachability: Reachability | undefined;
  #lastEnd: LastEnd | undefined;
  #unwatch: (() => void) | undefined;
  #isClosed = false;
  /** The sequences of parts that this node sends have ids that begin with this. */
  readonly #sequencePrefix: string;
  readonly #origin: string;
  #isPaced = false;

  constructor(RED: NodeAPI, node: Node, action: Action<Input, Result>, config: Config) {
    this.#RED = RED;
    this.#node = node;
    this.#action = action;
    this.#config = config;
    this.#status = new ThrottledStatus(node);
    this.#sequencePrefix = `${node.id}:`;
    this.#origin = editorIdOf(node);
  }

  /** Watches whether the server can be reached, and shows mistakes that would end every message. */
  start(): void {
    const { inputs, onStart } = this.#action;
    try {
      const server = connectionOf(this.#RED, this.#config['server']);
      checkFixed(inputs, this.#config);
      this.#isPaced = this.#action.isPaced?.read(this.#config) ?? false;
      this.#unwatch = server.reachability.subscribe((reachability) => {
        this.#onReachability(reachability);
      });
      const evaluate = evaluator(this.#RED, this.#node, {});
      onStart?.((properties) => readInput(properties, this.#config, evaluate)).catch((error: unknown) => {
        this.#showMistake(error);
      });
    } catch (error) {
      this.#showMistake(error);
    }
  }

  /** Starts the call of a message. A message with the property `reset` ends the calls that wait instead. */
  receive(delivery: Delivery): void {
    if ('reset' in delivery.msg) {
      for (const call of this.#calls.keys()) call.stopWaiting(RESET);
      delivery.drop();
      return;
    }
    if (this.#isPaced && this.#comesBack(delivery.msg)) {
      delivery.drop();
      return;
    }
    const call = new MessageCall(delivery.msg, this.#origin, this.#onChange);
    this.#calls.set(call, delivery);
    // Node-RED delivers messages until the node has been closed, and nothing would end a call that begins now.
    if (this.#isClosed) {
      this.#endClosed(call);
      return;
    }
    void this.#process(call);
  }

  /** Ends all messages with CLOSED. Resolves when all calls have cleaned up. */
  async close(): Promise<void> {
    // Node-RED closes all nodes of a deploy in the same turn, so only errors reported at once still reach a Catch node.
    this.#isClosed = true;
    for (const call of this.#calls.keys()) this.#endClosed(call);
    this.#unwatch?.();
    this.#status.close();
    if (this.#running > 0) await new Promise<void>((resolve) => (this.#onIdle = resolve));
  }

  #endClosed(call: MessageCall): void {
    const closed = new StashError('CLOSED.closed');
    call.end(closed);
    this.#end(call, this.#failed(call, closed));
  }

  /** Runs the operation, writes its result on the message, and ends it. After an error, only `msg.stash` changes. */
  async #process(call: MessageCall): Promise<void> {
    this.#running += 1;
    let end: End;
    try {
      const server = connectionOf(this.#RED, this.#config['server']);
      const evaluate = evaluator(this.#RED, this.#node, call.msg, call.signal);
      const input = await readInput(this.#action.inputs, this.#config, evaluate);
      this.#show();
      const result = this.#action.run(server, input, call);
      end = await (Symbol.asyncIterator in result
        ? this.#sendParts(call, server, input, result)
        : this.#answered(call, server, input, result));
    } catch (error) {
      end = error === RESET ? { shown: { type: 'reset' } } : this.#failed(call, error);
    }
    this.#running -= 1;
    if (this.#running === 0) this.#onIdle?.();
    this.#end(call, end);
  }

  async #answered(call: MessageCall, server: Server, input: Input, result: Promise<Result>): Promise<End> {
    const { reply, words } = this.#replyTo(await result, input, server);
    call.report({ operation: reply.operation });
    return renderReply(this.#RED, { msg: call.msg, server, reply, words });
  }

  /** Sends all results but the last one, on copies of the message. @returns the end with the last one. */
  async #sendParts(
    call: MessageCall,
    server: Server,
    input: Input,
    results: AsyncIterable<Result, void>,
  ): Promise<End> {
    call.sequence = this.#sequencePrefix + this.#RED.util.generateId();
    const { sequence } = call;
    for await (const result of results) {
      // A reset ends what follows. What was requested before the first part left is sent all the same, as by any other node.
      if (call.partsSent > 0) call.throwIfStopped();
      const { reply, words } = this.#replyTo(result, input, server);
      call.report({ operation: reply.operation });
      const about = { server, reply, words, sequence };
      if (reply.part?.count !== undefined) return renderReply(this.#RED, { ...about, msg: call.msg });
      // Absent once the message has ended.
      const delivery = this.#calls.get(call);
      if (!delivery) break;
      const msg = copyForReply(this.#RED, call.msg);
      delivery.sendPart(renderReply(this.#RED, { ...about, msg }).outgoing);
      call.partsSent += 1;
      this.#show();
      await call.untilNextPart(this.#isPaced);
    }
    return { shown: { type: 'reset' } };
  }

  /** Whether a message is a part that this node sent. Asks for the next part if it was the last one. */
  #comesBack(msg: StashMessage): boolean {
    // A split node puts its own `parts` around those of the message.
    let { parts } = msg;
    for (let level = 0; isRecord(parts) && level < MOST_LEVELS; level++, parts = parts['parts']) {
      const { id, index } = parts;
      if (!isString(id) || !id.startsWith(this.#sequencePrefix)) continue;
      for (const call of this.#calls.keys()) if (call.sequence === id) call.resume(index);
      return true;
    }
    return false;
  }

  /** Returns the reply to a result with its words. The messages of a burst share both. */
  #replyTo(result: Result, input: Input, server: Server): { reply: Reply; words: ReplyWords } {
    if (this.#shared?.result === result) return this.#shared;
    const reply = this.#action.reply(result, input, (this.#RED as NodeRED<unknown>)._);
    const words = wordsOf(this.#RED, server, reply);
    this.#shared = reply.isShared ? { result, reply, words } : undefined;
    return { reply, words };
  }

  #failed(call: MessageCall, thrown: unknown): End {
    try {
      if (!(thrown instanceof StashError)) return unforeseen(thrown);
      const { error, facts } = reportOf(this.#RED, thrown);
      const { msg, partsSent, sequence } = call;
      if (partsSent > 0) msg.parts = partsOf(msg, { id: sequence, index: partsSent });
      const stash = this.#stashOf(call, facts);
      msg.stash = stash;
      return { error, cause: thrown, stash, shown: { type: 'failed', code: thrown.code } };
    } catch (bug) {
      // A function node may have made a property that cannot be set.
      return unforeseen(bug);
    }
  }

  /** Ends a message, unless it has ended already. */
  #end(call: MessageCall, { outgoing, error, cause, stash, shown }: End): void {
    const delivery = this.#calls.get(call);
    if (!delivery) return;
    this.#calls.delete(call);
    if (error) {
      delivery.fail(error, stash);
      this.#recentErrors?.add(this.#node, cause);
    } else if (outgoing) delivery.sendOn(outgoing);
    else delivery.drop();
    this.#lastEnd = shown;
    this.#show();
  }

  /** Shows that a call has changed, and sends its progress to the second output, unless its message has ended. */
  readonly #onChange = (call: MessageCall, progress: Progress | null): void => {
    const delivery = this.#calls.get(call);
    if (!delivery) return;
    this.#show();
    // The copy of a large message takes time.
    if (!progress || !delivery.isWired(1)) return;
    const summary = textOfProgress(this.#RED, progress, 0, call.job);
    delivery.sendCopy(1, { payload: { ...progress }, stash: this.#stashOf(call, { summary }) });
  };

  /** Returns `msg.stash` for a message without a result; `server` is absent if no usable server is chosen. */
  #stashOf({ operation, job }: MessageCall, facts: Record<string, unknown>): Record<string, unknown> {
    return {
      ...this.#serverFacts(),
      ...(operation !== undefined && { operation }),
      ...facts,
      ...(job && { job: structuredClone(job) }),
    };
  }

  #serverFacts() {
    try {
      return { server: factsOf(connectionOf(this.#RED, this.#config['server'])) };
    } catch {
      return {};
    }
  }

  /** The recent errors of the chosen server; undefined unless it is deployed. */
  get #recentErrors(): RecentErrors | undefined {
    const { server } = this.#config;
    return isString(server) && serverNode(this.#RED, server) ? RecentErrors.of(server) : undefined;
  }

  #onReachability(reachability: Reachability): void {
    this.#reachability = reachability;
    // A message's result outranks "server can be reached" in the status, but not "server unreachable" or "server is back".
    if (!reachability.reachable || reachability.back) this.#lastEnd = undefined;
    const calls = [...this.#calls.keys()];
    if (calls.length > 0 ? calls.some(({ job }) => job) : !this.#lastEnd) this.#show();
  }

  #show(): void {
    this.#status.show(() => statusOf(this.#RED, [...this.#calls.keys()], this.#reachability, this.#lastEnd));
  }

  #showMistake(error: unknown): void {
    if (!(error instanceof StashError)) this.#node.error(error);
    else if (!mayBeSetLater(error)) {
      this.#status.show(() => statusOfError(this.#RED, error.code));
      // Only in the log: a flow would take what its Catch node sends on for the end of a message.
      this.#node.warn(reportOf(this.#RED, error).error);
    }
  }
}

/** Returns the end for a bug in this package, whose error Catch nodes receive unchanged. */
function unforeseen(error: unknown): End {
  return {
    error: error instanceof Error ? error : new Error('A value was thrown that is no error.'),
    shown: { type: 'failed', code: undefined },
  };
}

/** Whether an error is about an empty context variable, which the flow may still set. */
function mayBeSetLater({ case: which, details }: StashError): boolean {
  return which === 'BAD_INPUT.empty' && /^(?:flow|global)\./.test(String(details['source']));
}
