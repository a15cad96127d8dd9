import { isDeepStrictEqual } from 'node:util';
import type { Node, NodeAPI, NodeDef } from 'node-red';
import type { Call } from '../call';
import { StashError } from '../errors';
import { isRecord, isString } from '../guards';
import type { Reachability, Server } from '../server';
import { hasOpenJob, type Last, type LastEnd, statusOf } from './action-status';
import { Delivery, type Outgoing, type StashMessage } from './delivery';
import { hasArrived, leave, onFlowsStarted, take, untilFlowsRun } from './deploys';
import { checkFixed, type Config, evaluator, type FixedProperty, type Properties, readInput } from './inputs';
import { type CallListener, MessageCall, type Progress } from './message-call';
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
  /**
   * Follows a state that the status shows while no message is under way, whatever the last one has done. Calls `show` with the words,
   * `status.<status>`, when it changes. @returns a function that ends this.
   */
  follow?: (server: Server, show: (status: string) => void) => () => void;
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
/** The abort reason of calls that begin again, because a deploy has changed the node. */
const AGAIN = Symbol('again');

/** The properties of a node in the flow file that do not change what it does. */
const APPEARANCE = ['name', 'wires', 'x', 'y', 'z', 'g', 'l', 'info'];

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
    const left = take(RED, this) as ActionNode<Input, Result> | undefined;
    const node = left ?? new ActionNode(RED, ownAction as Action<Input, Result>);
    this.on('input', (msg, send, done) => {
      node.receive(new Delivery(RED, this, msg, send, done));
    });
    this.on('close', () => {
      node.close();
      leave(RED, this, node, () => {
        node.end();
      });
    });
    node.start(this, { ...definition });
  };
  // The compiler cannot resolve the conditional type here.
  return create as unknown as ReplyFitting<Words, Answer, typeof create>;
}

/**
 * The life cycle of one action node and of its messages, also across deploys. Each message ends exactly once: it is sent on,
 * reported as an error to Catch nodes, or dropped by a reset. Methods throw nothing.
 */
class ActionNode<Input, Result> implements CallListener {
  readonly #RED: NodeAPI;
  readonly #action: Action<Input, Result>;
  /** The last one that Node-RED has made. */
  #node!: Node;
  #config: Config = {};
  #server: Server | undefined;
  /** Both from before a deploy, until its messages go on. */
  #before: { server: Server | undefined; config: Config } | undefined;
  #status!: ThrottledStatus;
  /** The messages that have not ended, oldest first. */
  readonly #calls = new Set<MessageCall>();
  /** Those that the next node will receive, by message. */
  readonly #undelivered = new Map<StashMessage, MessageCall[]>();
  /** Those that begin again soon. */
  readonly #again = new Set<MessageCall>();
  /** The last reply, if it is for several messages. */
  #shared: { result: Result; reply: Reply; words: ReplyWords } | undefined;
  #reachability: Reachability | undefined;
  #last: Last | undefined;
  /** The state that the status follows; undefined before it has changed. */
  #followed: Last | undefined;
  #unwatch: (() => void) | undefined;
  #unfollow: (() => void) | undefined;
  /** What happened since the node was closed, which goes on in the next one. */
  #held: (() => void)[] | undefined;
  /** Whether the node is closed, and the next one has not taken its place. */
  #isClosed = true;
  /** Whether there is no next one: what happens since is told in the log. */
  #isGone = false;
  /** The sequences of parts that this node sends have ids that begin with this. */
  #sequencePrefix = '';
  #origin = '';
  #isPaced = false;

  constructor(RED: NodeAPI, action: Action<Input, Result>) {
    this.#RED = RED;
    this.#action = action;
  }

  /**
   * Begins, or goes on in the node that a deploy has made. Watches whether the server can be reached, and shows mistakes that would
   * end every message.
   */
  start(node: Node, config: Config): void {
    this.#node = node;
    this.#config = config;
    this.#server = this.#reachability = undefined;
    this.#status = new ThrottledStatus(node);
    this.#sequencePrefix = `${node.id}:`;
    this.#origin = editorIdOf(node);
    this.#isClosed = false;
    const { inputs, onStart, follow } = this.#action;
    try {
      this.#server = connectionOf(this.#RED, config['server']);
      checkFixed(inputs, config);
      this.#isPaced = this.#action.isPaced?.read(config) ?? false;
      this.#unwatch = this.#server.reachability.subscribe((reachability) => {
        this.#onReachability(reachability);
      });
      const evaluate = evaluator(this.#RED, node, {});
      onStart?.((properties) => readInput(properties, config, evaluate)).catch((error: unknown) => {
        // A slow share may answer only after the next deploy.
        if (this.#node === node) this.#showMistake(error);
      });
    } catch (error) {
      this.#showMistake(error);
    }
    if (this.#server !== this.#before?.server) this.#last = this.#followed = undefined;
    this.#unfollow =
      this.#server &&
      follow?.(this.#server, (status) => {
        this.#last = undefined;
        this.#followed = { end: { type: 'sent', isGood: true, status, values: {} } };
        this.#show();
      });
    if (this.#calls.size > 0 || this.#last) this.#show();
    onFlowsStarted(this.#RED, node, () => {
      this.#resume();
    });
  }

  /** Starts the call of a message. A message with the property `reset` ends the calls that wait instead. */
  receive(delivery: Delivery): void {
    const [known, ...others] = this.#undelivered.get(delivery.received) ?? [];
    if (known) {
      if (others.length > 0) this.#undelivered.set(delivery.received, others);
      else this.#undelivered.delete(delivery.received);
      known.delivery = delivery;
      return;
    }
    if ('reset' in delivery.msg) {
      for (const call of this.#calls) {
        if (this.#again.delete(call))
          this.#end(call, call.delivery ?? delivery, { shown: { type: 'reset' } });
        else call.stopWaiting(RESET);
      }
      // What a pause has stopped waits, too, although its message has left.
      this.#server?.jobs.giveUpOf(this.#node.id);
      delivery.drop();
      return;
    }
    if (this.#isPaced && this.#comesBack(delivery.msg)) {
      delivery.drop();
      return;
    }
    const call = new MessageCall(delivery, { origin: this.#origin, node: this.#node.id }, this);
    this.#calls.add(call);
    // Node-RED delivers messages until the node has been closed.
    if (this.#isClosed) call.delivery = undefined;
    void this.#process(call);
  }

  /** Lets no message leave until the next node has taken the place of this one. What was begun goes on. */
  close(): void {
    this.#isClosed = true;
    this.#held ??= [];
    this.#before ??= { server: this.#server, config: this.#config };
    for (const call of this.#calls) call.delivery = undefined;
    this.#unwatch?.();
    this.#unfollow?.();
    this.#status.close();
  }

  /** Ends all messages with CLOSED, in the log, because there is no next node. */
  end(): void {
    for (const call of this.#calls) {
      const closed = closedOf(call);
      call.end(closed);
      this.#node.error(reportOf(this.#RED, closed).error);
    }
    this.#calls.clear();
    this.#isGone = true;
    const held = this.#held ?? [];
    this.#held = undefined;
    for (const act of held) act();
  }

  /** Goes on with the messages from before a deploy, which the node receives once more, so that they can leave through it. */
  #resume(): void {
    const held = this.#held ?? [];
    this.#held = undefined;
    this.#resumeCalls();
    for (const act of held) act();
  }

  #resumeCalls(): void {
    if (!this.#before) return;
    const { server, config } = this.#before;
    this.#before = undefined;
    const isOtherServer = this.#server !== server;
    const isChanged = !isDeepStrictEqual(effectOf(this.#config), effectOf(config));
    const left = [...this.#calls].filter(({ delivery }) => !delivery);
    this.#undelivered.clear();
    for (const call of left) {
      const others = this.#undelivered.get(call.received) ?? [];
      this.#undelivered.set(call.received, [...others, call]);
      if (isOtherServer) call.end(closedOf(call));
      // Whoever had the last part may have been closed.
      else if (call.partsSent > 0) call.resume(call.partsSent - 1);
      else if (isChanged && !call.hasSent) call.end(AGAIN);
      this.#node.receive(call.received);
    }
  }

  /** Runs the operation, writes its result on the message, and ends it. After an error, only `msg.stash` changes. */
  async #process(call: MessageCall): Promise<void> {
    let end: End;
    // During a deploy there is no server to ask.
    if (!call.delivery) await call.delivered();
    try {
      const server = connectionOf(this.#RED, this.#config['server']);
      const evaluate = evaluator(this.#RED, this.#node, call.msg, call.signal);
      const input = await readInput(this.#action.inputs, this.#config, evaluate);
      Object.assign(call, { input, server });
      this.#show();
      const result = this.#action.run(server, input, call);
      end = await (Symbol.asyncIterator in result
        ? this.#sendParts(call, server, input, result)
        : this.#answered(call, server, input, result));
    } catch (error) {
      if (error === AGAIN) {
        this.#processAgain(call);
        return;
      }
      end = error === RESET ? { shown: { type: 'reset' } } : this.#failed(call, error);
    }
    this.#end(call, await call.delivered(), end);
  }

  /** Processes a message once more, after those before it that have to begin again, too. */
  #processAgain(call: MessageCall): void {
    if (this.#again.size === 0) {
      setImmediate(() => {
        const again = [...this.#calls].filter((one) => this.#again.has(one));
        this.#again.clear();
        for (const one of again) {
          one.restart();
          void this.#process(one);
        }
      });
    }
    this.#again.add(call);
  }

  async #answered(call: MessageCall, server: Server, input: Input, result: Promise<Result>): Promise<End> {
    const { reply, words } = this.#replyTo(await result, input, server);
    if (reply.operation !== undefined) call.report({ operation: reply.operation });
    return renderReply(this.#RED, { msg: call.msg, server, reply, words });
  }

  /** Sends all results, the last one on the message itself, the others on copies of it. */
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
      if (reply.operation !== undefined) call.report({ operation: reply.operation });
      const isLast = reply.part?.count !== undefined;
      const msg = isLast ? call.msg : copyForReply(this.#RED, call.msg);
      const { outgoing, shown } = renderReply(this.#RED, { server, reply, words, sequence, msg });
      if (!(await this.#sendPart(call, outgoing, isLast))) break;
      if (isLast) return { shown };
      this.#show();
    }
    return { shown: { type: 'reset' } };
  }

  /**
   * Sends a part, again if a deploy closes the next nodes before they have it. After a part that is not the last one, it waits until
   * that comes back, if the node is paced.
   * @returns false if the call has ended meanwhile. @throws the reason of `end` or `stopWaiting`.
   */
  async #sendPart(call: MessageCall, outgoing: Outgoing, isLast: boolean): Promise<boolean> {
    for (;;) {
      const delivery = await this.#readyToSend(call);
      // A deploy may have ended it meanwhile, or let it begin again.
      call.signal.throwIfAborted();
      if (!this.#calls.has(call)) return false;
      delivery.sendPart(outgoing, isLast);
      call.partsSent += 1;
      const comesBack = this.#isPaced && !isLast ? call.untilPartIsBack() : undefined;
      comesBack?.catch(() => {});
      if (await hasArrived(this.#RED, this.#node)) {
        if (comesBack) await comesBack;
        else if (!isLast) call.throwIfStopped();
        return true;
      }
      call.resume(call.partsSent - 1);
      call.partsSent -= 1;
    }
  }

  /** Resolves with the delivery of a message when no deploy is under way. */
  async #readyToSend(call: MessageCall): Promise<Delivery> {
    let delivery = await call.delivered();
    for (let running = untilFlowsRun(this.#RED); running; running = untilFlowsRun(this.#RED)) {
      await running;
      delivery = await call.delivered();
    }
    return delivery;
  }

  /** Whether a message is a part that this node sent. Asks for the next part if it was the last one. */
  #comesBack(msg: StashMessage): boolean {
    // A split node puts its own `parts` around those of the message.
    let { parts } = msg;
    for (let level = 0; isRecord(parts) && level < MOST_LEVELS; level++, parts = parts['parts']) {
      const { id, index } = parts;
      if (!isString(id) || !id.startsWith(this.#sequencePrefix)) continue;
      for (const call of this.#calls) if (call.sequence === id) call.resume(index);
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
      // The server does not know what was sent.
      const reason = thrown.case === 'CLOSED.closed' ? closedOf(call) : thrown;
      const { error, facts } = reportOf(this.#RED, reason, call.update);
      const { msg, partsSent, sequence } = call;
      if (partsSent > 0) msg.parts = partsOf(msg, { id: sequence, index: partsSent });
      const stash = this.#stashOf(call, facts);
      msg.stash = stash;
      return { error, cause: thrown, stash, shown: { type: 'failed', case: thrown.case } };
    } catch (bug) {
      // A function node may have made a property that cannot be set.
      return unforeseen(bug);
    }
  }

  /** Ends a message, unless it has ended already. */
  #end(call: MessageCall, delivery: Delivery, { outgoing, error, cause, stash, shown }: End): void {
    if (!this.#calls.delete(call)) return;
    if (error) {
      delivery.fail(error, stash);
      this.#recentErrors?.add(this.#node, cause);
    } else if (outgoing) delivery.sendOn(outgoing);
    else delivery.drop();
    this.#last = { end: shown, call };
    call.release();
    this.#show();
  }

  /** Shows that a call has changed, and sends its progress to the second output, unless its message has ended. */
  onChange(call: MessageCall, progress: Progress | null): void {
    const { delivery } = call;
    // Its job goes on after the reply.
    if (call === this.#last?.call) this.#show();
    if (!this.#calls.has(call) || !delivery) return;
    this.#show();
    // The copy of a large message takes time.
    if (!progress || !delivery.isWired(1)) return;
    const summary = textOfProgress(this.#RED, progress, 0, call.job);
    delivery.sendCopy(1, { payload: { ...progress }, stash: this.#stashOf(call, { summary }) });
  }

  onLater(call: MessageCall, later: Promise<unknown>): void {
    void later.then(
      (result) => {
        this.#whenOpen(() => {
          if (!this.#isGone) this.#sendFurther(call, result as Result);
        });
      },
      (thrown: unknown) => {
        this.#whenOpen(() => {
          const { error, stash, shown } = this.#failed(call, thrown);
          this.#recentErrors?.add(this.#node, thrown);
          if (this.#isGone) {
            // No Catch node follows it any more.
            this.#node.error(error);
            return;
          }
          this.#node.error(error, { stash });
          this.#last = { end: shown };
          this.#show();
        });
      },
    );
  }

  /** Sends a result for which no message waits, unless the node has another server now. */
  #sendFurther(call: MessageCall, result: Result): void {
    const { server } = call;
    if (!server || server !== this.#server) return;
    const { reply, words } = this.#replyTo(result, call.input as Input, server);
    const { outgoing, shown } = renderReply(this.#RED, { msg: {}, server, reply, words });
    this.#node.send(outgoing);
    this.#last = { end: shown };
    this.#show();
  }

  /** Calls `act` now; during a deploy, once all nodes are there. */
  #whenOpen(act: () => void): void {
    if (this.#held) this.#held.push(act);
    else act();
  }

  /** Returns `msg.stash` for a message without a result; `server` is absent if no usable server is chosen. */
  #stashOf({ operation, job, update }: MessageCall, facts: Record<string, unknown>): Record<string, unknown> {
    return {
      ...this.#serverFacts(),
      ...(operation !== undefined && { operation }),
      ...facts,
      ...(job && { job: structuredClone(job) }),
      ...(update && { update }),
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
    const isUnderWay = hasOpenJob(this.#last);
    // A message's result outranks "server can be reached" in the status, but not "server unreachable" or "server is back".
    if (!isUnderWay && (!reachability.reachable || reachability.back)) this.#last = undefined;
    const calls = [...this.#calls];
    if (calls.length > 0 ? calls.some(({ job }) => job) : isUnderWay || !this.#last) this.#show();
  }

  #show(): void {
    this.#status.show(() => {
      const isAway = this.#reachability?.reachable === false;
      const last = this.#last ?? (isAway ? undefined : this.#followed);
      return statusOf(this.#RED, [...this.#calls], this.#reachability, last);
    });
  }

  #showMistake(error: unknown): void {
    if (!(error instanceof StashError)) this.#node.error(error);
    else if (!mayBeSetLater(error)) {
      this.#status.show(() => statusOfError(this.#RED, error.case));
      // Only in the log: a flow would take what its Catch node sends on for the end of a message.
      this.#node.warn(reportOf(this.#RED, error).error);
    }
  }
}

/** Returns the error for a message that no node can go on with. */
function closedOf({ hasSent, delay }: MessageCall): StashError {
  if (!hasSent) return new StashError('CLOSED.unsent');
  return new StashError(delay && 'paused' in delay ? 'CLOSED.interrupted' : 'CLOSED.closed');
}

/** Returns the properties that change what a node does. */
function effectOf(config: Config): Config {
  return Object.fromEntries(Object.entries(config).filter(([name]) => !APPEARANCE.includes(name)));
}

/** Returns the end for a bug in this package, whose error Catch nodes receive unchanged. */
function unforeseen(error: unknown): End {
  return {
    error: error instanceof Error ? error : new Error('A value was thrown that is no error.'),
    shown: { type: 'failed', case: undefined },
  };
}

/** Whether an error is about an empty context variable, which the flow may still set. */
function mayBeSetLater({ case: which, details }: StashError): boolean {
  return which === 'BAD_INPUT.empty' && /^(?:flow|global)\./.test(String(details['source']));
}
