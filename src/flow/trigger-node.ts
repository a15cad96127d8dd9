import type { Node, NodeAPI, NodeDef, NodeStatus } from 'node-red';
import { StashError } from '../errors';
import type { Reachability, Server } from '../server';
import { type Config, type FixedProperties, readFixed } from './inputs';
import type { StashMessage } from './message-call';
import { statusOfError, statusOfReachability, ThrottledStatus } from './node-status';
import { reportOf } from './reporting';
import { connectionOf, factsOf } from './server-node';
import { type EventFitting, namedValues, type NodeRED, summaryOf, type Values, type Wording } from './words';

/** Reports that a trigger node can learn nothing, until its next other event. */
export interface FailedEvent {
  type: 'failed';
  error: StashError;
}

/** The message for an event. */
export interface EventMessage extends Wording {
  topic: string;
  payload: unknown;
}

/** What a trigger node shows while something goes on at the server. */
export interface ActivityStatus {
  fill: 'blue' | 'yellow';
  /** The words in the node's catalogue: `status.<status>`. */
  status: string;
  values: Values;
}

/** What is particular to one trigger node. */
export interface Trigger<
  Input,
  Event extends { type: string },
  Activity,
  Message extends EventMessage = EventMessage,
  Status extends ActivityStatus = ActivityStatus,
> {
  /** How the dialog's properties become the node's options. */
  inputs: FixedProperties<Input>;
  /** Calls `emit` for each event at the server until the returned function is called. */
  follow: (server: Server, emit: (event: Event | FailedEvent) => void) => () => void;
  /** Returns the message for an event, or undefined where the dialog asks for none. */
  message: (event: Event, input: Input) => Message | undefined;
  /** Returns what goes on at the server after an event, if anything. */
  activityAfter: (event: Event, before: Activity | undefined) => Activity | undefined;
  /** Decides what the node shows of it. */
  status: (activity: Activity) => Status;
}

/** Returns the constructor to register for the type of a trigger node, which has no input. */
export function triggerNode<
  Words,
  Input,
  Event extends { type: string },
  Activity,
  const Message extends EventMessage,
  const Status extends ActivityStatus,
>(
  own: NodeRED<Words>,
  trigger: Trigger<Input, Event, Activity, Message, Status>,
): EventFitting<Words, Message, Status, (this: Node, definition: NodeDef) => void> {
  const RED = own as NodeAPI;
  const create = function (this: Node, definition: NodeDef): void {
    RED.nodes.createNode(this, definition);
    const node = new TriggerNode(RED, this, trigger);
    this.on('close', () => {
      node.close();
    });
    node.start({ ...definition });
  };
  // The compiler does not see that this is one or the other.
  return create as unknown as EventFitting<Words, Message, Status, typeof create>;
}

/** The life of one trigger node. Nothing is thrown at Node-RED. */
class TriggerNode<Input, Event extends { type: string }, Activity> {
  readonly #RED: NodeAPI;
  readonly #node: Node;
  readonly #trigger: Trigger<Input, Event, Activity>;
  readonly #status: ThrottledStatus;
  readonly #unfollow: (() => void)[] = [];
  #reachability: Reachability | undefined;
  #activity: Activity | undefined;
  #failure: StashError | undefined;

  constructor(RED: NodeAPI, node: Node, trigger: Trigger<Input, Event, Activity>) {
    this.#RED = RED;
    this.#node = node;
    this.#trigger = trigger;
    this.#status = new ThrottledStatus(node);
  }

  /** Follows the server, or shows the mistake in the dialog for which it cannot. */
  start(config: Config): void {
    try {
      const server = connectionOf(this.#RED, config['server']);
      const input = readFixed(this.#trigger.inputs, config);
      this.#unfollow.push(
        server.onReachability((reachability) => {
          this.#onReachability(reachability);
        }),
        this.#trigger.follow(server, (event) => {
          try {
            this.#onEvent(event, server, input);
          } catch (error) {
            this.#node.error(error);
          }
        }),
      );
    } catch (error) {
      if (!(error instanceof StashError)) this.#node.error(error);
      else this.#status.show(() => statusOfError(this.#RED, error.code));
    }
  }

  close(): void {
    for (const unfollow of this.#unfollow) unfollow();
    this.#status.close();
  }

  #onEvent(event: Event | FailedEvent, server: Server, input: Input): void {
    if (isFailed(event)) {
      // It is emitted each time that the server was asked in vain.
      if (event.error.case !== this.#failure?.case) this.#report(event.error, server);
      this.#failure = event.error;
      this.#activity = undefined;
    } else {
      this.#failure = undefined;
      this.#activity = this.#trigger.activityAfter(event, this.#activity);
      const message = this.#trigger.message(event, input);
      if (message) this.#send(message, server);
    }
    this.#show();
  }

  #send(message: EventMessage, server: Server): void {
    const { topic, payload, outcome } = message;
    const summary = summaryOf(this.#RED, outcome, namedValues(this.#RED, message, server.name));
    const msg: StashMessage = { topic, payload, stash: { server: factsOf(server), summary } };
    this.#node.send(msg);
  }

  #report(thrown: StashError, server: Server): void {
    const { error, facts } = reportOf(this.#RED, thrown);
    const msg: StashMessage = { stash: { server: factsOf(server), ...facts } };
    this.#node.error(error, msg);
  }

  #onReachability(reachability: Reachability): void {
    this.#reachability = reachability;
    // Nothing is known of what goes on at a server that cannot be reached.
    if (!reachability.reachable) this.#activity = this.#failure = undefined;
    this.#show();
  }

  #show(): void {
    this.#status.show(() => this.#statusNow());
  }

  #statusNow(): NodeStatus {
    if (this.#failure) return statusOfError(this.#RED, this.#failure.code);
    if (this.#activity !== undefined) {
      const { fill, status, values } = this.#trigger.status(this.#activity);
      return { fill, shape: 'dot', text: this.#RED._(`status.${status}`, values) };
    }
    return this.#reachability ? statusOfReachability(this.#RED, this.#reachability) : {};
  }
}

function isFailed(event: { type: string }): event is FailedEvent {
  return event.type === 'failed';
}
