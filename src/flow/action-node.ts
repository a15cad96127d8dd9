import type { Node, NodeAPI, NodeDef } from 'node-red';
import type { Call } from '../call';
import { isString } from '../guards';
import type { Server } from '../server';
import { ActionStatus } from './action-status';
import { Delivery, type StashMessage } from './delivery';
import { closedOf, type MessageEnd, failed, stashOf } from './message-end';
import { Handover, type Lasting } from './handover';
import { checkFixed, type Config, evaluator, type FixedProperty, type Properties, readInput } from './inputs';
import { type CallListener, MessageCall, type Progress } from './message-call';
import { positionIn, Sequence, sequenceId } from './sequence';
import { RecentErrors } from './recent-errors';
import { copyForReply, renderReply, type Reply, type ReplyWords, wordsOf } from './reply';
import { connectionOf, editorIdOf, serverNode } from './server-node';
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
   * Follows a state that the status depends on while no message is under way. Calls `show` with the words, `status.<status>`, that are
   * true now, whatever the last message has done. Calls `clear` with those of a reply that are not true any more.
   * @returns a function that ends this.
   */
  follow?: (
    server: Server,
    status: { show: (status: string) => void; clear: (status: string) => void },
  ) => () => void;
  /** Prepares the node when it is deployed. A StashError shows in the status, any other error is logged. */
  onStart?: (read: <Part>(properties: Properties<Part>) => Promise<Part>) => Promise<void>;
}

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
    const node = Handover.of(RED, this, { ...definition }, (handover) => {
      const ownAction = typeof action === 'function' ? action() : action;
      return new ActionNode(RED, ownAction as Action<Input, Result>, handover);
    });
    this.on('input', (msg, send, done) => node.receive(new Delivery(RED, this, msg, send, done)));
  };
  // The compiler cannot resolve the conditional type here.
  return create as unknown as ReplyFitting<Words, Answer, typeof create>;
}

/**
 * The life of one action node and of its messages. Each message goes on as the node was when it came, and ends exactly once: it is
 * sent on, reported as an error to Catch nodes, or dropped by a reset. Methods throw nothing.
 */
class ActionNode<Input, Result> implements CallListener, Lasting {
  readonly #RED: NodeAPI;
  readonly #action: Action<Input, Result>;
  readonly handover: Handover;
  #config: Config = {};
  #server: Server | undefined;
  /** The messages that have not ended, oldest first. */
  readonly #calls = new Set<MessageCall>();
  /** Those that the node will receive once more, by message. */
  #undelivered = new Map<StashMessage, MessageCall[]>();
  /** The sequences of results that are being sent, by their ID. */
  readonly #sequences = new Map<string, Sequence>();
  /** The last reply, if it is for several messages. */
  #shared: { result: Result; reply: Reply; words: ReplyWords } | undefined;
  #isPaced = false;
  readonly #status: ActionStatus;

  constructor(RED: NodeAPI, action: Action<Input, Result>, handover: Handover) {
    this.#RED = RED;
    this.#action = action;
    this.handover = handover;
    this.#status = new ActionStatus(RED, handover, this.#calls);
  }

  /** Watches whether the server can be reached, and shows mistakes that would end every message. */
  start(config: Config): void {
    const { node } = this.handover;
    const { inputs, isPaced, onStart, follow } = this.#action;
    const before = this.#server;
    this.#config = config;
    this.#server = undefined;
    this.#status.begin();
    try {
      this.#server = connectionOf(this.#RED, config['server']);
      checkFixed(inputs, config);
      this.#isPaced = isPaced?.read(config) ?? false;
      this.#status.watch(this.#server);
      const evaluate = evaluator(this.#RED, node, {});
      onStart?.((properties) => readInput(properties, config, evaluate)).catch((error: unknown) => {
        // A slow share may answer only after the next deploy.
        if (this.handover.node === node) this.#status.showMistake(error);
      });
    } catch (error) {
      this.#status.showMistake(error);
    }
    const shown = {
      show: (status: string) => this.#status.follow(status),
      clear: (status: string) => this.#status.clear(status),
    };
    if (this.#server && follow) node.on('close', follow(this.#server, shown));
    this.#status.goOn(this.#server !== before);
  }

  /** Starts the call of a message. A message with the property `reset` ends the calls that wait instead. */
  receive(delivery: Delivery): void {
    const calls = this.#undelivered.get(delivery.received);
    const before = calls?.shift();
    if (calls?.length === 0) this.#undelivered.delete(delivery.received);
    if (before) {
      before.delivery = delivery;
      return;
    }
    const { node, isClosed } = this.handover;
    if ('reset' in delivery.msg) {
      for (const call of this.#calls) call.stopWaiting(RESET);
      // What a pause has stopped waits, too, although its message has left.
      this.#server?.jobs.giveUpOf(node.id);
      delivery.drop();
      return;
    }
    const position = positionIn(delivery.msg, node.id);
    const sequence = position && this.#sequences.get(position.id);
    sequence?.onReturn(position?.index);
    if (position && (sequence?.isPaced ?? this.#isPaced)) {
      delivery.drop();
      return;
    }
    const call = new MessageCall(delivery, { origin: editorIdOf(node), node: node.id }, this);
    this.#calls.add(call);
    // Node-RED delivers messages until the node has been closed.
    if (isClosed) call.delivery = undefined;
    void this.#process(call);
  }

  /** Keeps the messages for the next node. What was begun goes on. */
  pause(): void {
    for (const call of this.#calls) call.delivery = undefined;
  }

  /** Receives the messages from before a deploy once more, so that they can leave through the new node. */
  resume(): void {
    this.#undelivered = new Map();
    for (const call of this.#calls) {
      if (call.delivery) continue;
      const { received } = call;
      this.#undelivered.set(received, [...(this.#undelivered.get(received) ?? []), call]);
      if (call.server && call.server !== this.#server) call.end(closedOf(call));
      // Whoever had the last message may have been closed.
      this.#sequences.get(call.sequence)?.onReturn();
      this.handover.node.receive(received);
    }
  }

  /** Ends all messages with CLOSED, in the log. */
  end(): void {
    for (const call of this.#calls) {
      const closed = closedOf(call);
      call.end(closed);
      const { node } = this.handover;
      node.error(reportOf(this.#RED, closed, { node }).error);
    }
    this.#calls.clear();
  }

  /** Runs the operation, writes its result on the message, and ends it. After an error, only `msg.stash` changes. */
  async #process(call: MessageCall): Promise<void> {
    // While the node is closed, there may be no server.
    if (!call.delivery) await call.delivered();
    // As the node is now: a deploy changes it for later messages only.
    const [config, isPaced] = [this.#config, this.#isPaced];
    let end: MessageEnd;
    try {
      const server = connectionOf(this.#RED, config['server']);
      call.server = server;
      const evaluate = evaluator(this.#RED, this.handover.node, call.msg, call.signal);
      const input = await readInput(this.#action.inputs, config, evaluate);
      call.input = input;
      this.#status.show();
      const result = this.#action.run(server, input, call);
      end =
        Symbol.asyncIterator in result
          ? await this.#sendSequence(call, result, isPaced)
          : this.#answer(call, await result);
    } catch (error) {
      end =
        error === RESET ? { shown: { type: 'reset' } } : failed(this.#RED, this.handover.node, call, error);
    }
    this.#end(call, await call.delivered(), end);
  }

  async #sendSequence(
    call: MessageCall,
    results: AsyncIterable<Result>,
    isPaced: boolean,
  ): Promise<MessageEnd> {
    const sequence = new Sequence(call, this.handover, isPaced);
    call.sequence = sequenceId(call.node, this.#RED.util.generateId());
    this.#sequences.set(call.sequence, sequence);
    for await (const result of results) {
      // A reset ends what follows. What was requested before the first message left is sent all the same, as by any other node.
      if (call.messagesSent > 0) call.waiting.throwIfAborted();
      const { outgoing, shown, isLast } = this.#answer(call, result);
      await sequence.send(outgoing, isLast);
      if (isLast) return { shown };
      this.#status.show();
    }
    return { shown: { type: 'reset' } };
  }

  /** Writes a result on its message, on a copy if more of them follow, or on `later`, which belongs to no message. */
  #answer(call: MessageCall, result: Result, later?: StashMessage) {
    const { sequence } = call;
    const server = call.server as Server;
    const { reply, words } = this.#replyTo(result, call.input as Input, server);
    if (!later && reply.operation !== undefined) call.report({ operation: reply.operation });
    const isLast = !reply.part || reply.part.count !== undefined;
    const msg = later ?? (isLast ? call.msg : copyForReply(this.#RED, call.msg));
    return { ...renderReply(this.#RED, { msg, server, reply, words, sequence }), isLast };
  }

  /** Returns the reply to a result with its words. The messages of a burst share both. */
  #replyTo(result: Result, input: Input, server: Server): { reply: Reply; words: ReplyWords } {
    if (this.#shared?.result === result) return this.#shared;
    const reply = this.#action.reply(result, input, (this.#RED as NodeRED<unknown>)._);
    const words = wordsOf(this.#RED, server, reply);
    this.#shared = reply.isShared ? { result, reply, words } : undefined;
    return { reply, words };
  }

  /** Ends a message, unless it has ended already. */
  #end(call: MessageCall, delivery: Delivery, { outgoing, error, cause, stash, shown }: MessageEnd): void {
    if (!this.#calls.delete(call)) return;
    this.#sequences.delete(call.sequence);
    if (error) {
      delivery.fail(error, stash);
      this.#recentErrors?.add(this.handover.node, cause);
    } else if (outgoing) delivery.sendOn(outgoing);
    else delivery.drop();
    call.release();
    this.#status.end({ end: shown, call });
  }

  /** Shows that a call has changed, and sends its progress to the second output, unless its message has ended. */
  onChange(call: MessageCall, progress: Progress | null): void {
    const { delivery } = call;
    // Its job goes on after the reply.
    if (this.#status.isOf(call)) this.#status.show();
    if (!this.#calls.has(call) || !delivery) return;
    this.#status.show();
    // The copy of a large message takes time.
    if (!progress || !delivery.isWired(1)) return;
    const summary = textOfProgress(this.#RED, progress, 0, call.job);
    delivery.sendCopy(1, { payload: { ...progress }, stash: stashOf(call, { summary }) });
  }

  onLater(call: MessageCall, later: Promise<unknown>): void {
    void later
      .then((result): MessageEnd => this.#answer(call, result as Result, {}))
      .catch((thrown: unknown) => failed(this.#RED, this.handover.node, call, thrown))
      .then((end) => this.handover.whenReady(() => this.#endLater(call, end)));
  }

  /** Sends a result, or reports an error, for which no message waits. A result of another server than the node has now is dropped. */
  #endLater({ server }: MessageCall, { outgoing, error, cause, stash, shown }: MessageEnd): void {
    const { node, isGone } = this.handover;
    if (error) {
      // Without its node, no Catch node follows it: it is in the log.
      node.error(error, isGone ? undefined : { stash });
      this.#recentErrors?.add(node, cause);
    } else {
      if (isGone || server !== this.#server) return;
      node.send(outgoing);
    }
    this.#status.end({ end: shown });
  }

  /** The recent errors of the chosen server; undefined unless it is deployed. */
  get #recentErrors(): RecentErrors | undefined {
    const { server } = this.#config;
    return isString(server) && serverNode(this.#RED, server) ? RecentErrors.of(server) : undefined;
  }
}
