import { isDeepStrictEqual } from 'node:util';
import type { Node, NodeAPI, NodeDef, NodeStatus } from 'node-red';
import { StashError } from '../errors';
import type { Reachability, Server } from '../server';
import type { StashMessage } from './delivery';
import { Handover, type Lasting } from './handover';
import { type Config, type FixedProperties, readFixed } from './inputs';
import type { PersistedState } from '../value-store';
import { persistedState } from './persisted-state';
import { statusOfError, statusOfReachability } from './node-status';
import { RecentErrors } from './recent-errors';
import { connectionOf, factsOf } from './server-node';
import {
  type EventFitting,
  namedValues,
  type NodeRED,
  type StoredKey,
  summaryOf,
  type Values,
  type Wording,
} from './words';
import { reportOf } from './words/errors';

/** Reports that the node can learn nothing from the server until the next event of another type. */
export interface FailedEvent {
  type: 'failed';
  /** Why. Any other error than a `StashError` is a bug in this package, and is logged as it is. */
  error: unknown;
}

/** The message for an event, with the words of its summary. */
export interface EventMessage extends Wording {
  /** `msg.topic`. */
  topic: string;
  /** `msg.payload`. */
  payload: unknown;
  /** Further properties of `msg.stash`. */
  stash?: Readonly<Record<string, unknown>>;
  /** `msg.stash.operation`: the root field of the request for the payload, if there was one. */
  operation?: string;
  /** `msg.stash.missing`: fields of the payload that this server cannot give. Absent from the message without any. */
  missing?: readonly string[];
}

/** The status of a trigger node while the server is busy, or after an event that outlasts it. */
export interface ActivityStatus {
  fill: 'blue' | 'yellow' | 'green';
  /** The words in the node's catalogue: `status.<status>`. */
  status: string;
  /** The values for the placeholders of these words. */
  values: Values;
}

/** What a trigger node has beside the server. */
export interface TriggerContext<Input> {
  /** Returns the options, which a deploy may change. */
  input: () => Input;
  /** Keeps a value of the node, as `persistedState`. */
  keep: (key: StoredKey) => PersistedState;
  /**
   * Resolves when the next nodes have received what was sent before, after other work of the event loop had its turn. False if
   * they were closed before: Node-RED delivers a message in the next turn, and drops one to a closed node.
   */
  delivered: () => Promise<boolean>;
}

export interface Following {
  /** Called when a deploy has changed the options. */
  onChange?: () => void;
  end: () => void;
}

export interface Trigger<
  Input,
  Event extends { type: string },
  Activity,
  Message extends EventMessage = EventMessage,
  Status extends ActivityStatus = ActivityStatus,
> {
  /** Reads the node's options from the properties of the dialog. */
  inputs: FixedProperties<Input>;
  /** Calls `emit` for each event at the server, later than this call, until the end. */
  follow: (
    server: Server,
    emit: (event: Event | FailedEvent) => void,
    context: TriggerContext<Input>,
  ) => Following;
  /** Returns the message for an event; undefined if the options exclude the event. */
  message: (event: Event, input: Input) => Message | undefined;
  /** Returns the activity of the server after an event; undefined for none. */
  activityAfter: (event: Event, before: Activity | undefined) => Activity | undefined;
  /** Returns the status for an activity. */
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
    Handover.of(RED, this, { ...definition }, (handover) => new TriggerNode(RED, trigger, handover));
  };
  // The compiler cannot resolve the conditional type here.
  return create as unknown as EventFitting<Words, Message, Status, typeof create>;
}

/** The life of one trigger node. Methods throw nothing. */
class TriggerNode<Input, Event extends { type: string }, Activity> implements Lasting {
  readonly #RED: NodeAPI;
  readonly #trigger: Trigger<Input, Event, Activity>;
  readonly handover: Handover;
  /** What the node follows; undefined if it cannot. */
  #followed: { server: Server; following: Following } | undefined;
  #input!: Input;
  /** What is wrong with the dialog, until it is reported. */
  #mistake: unknown;
  #reachability: Reachability | undefined;
  #activity: Activity | undefined;
  #failure: StashError | undefined;
  #recentErrors: RecentErrors | undefined;

  constructor(RED: NodeAPI, trigger: Trigger<Input, Event, Activity>, handover: Handover) {
    this.#RED = RED;
    this.#trigger = trigger;
    this.handover = handover;
  }

  /** Follows the server, goes on with that in the node that a deploy has made, or shows the mistake in the dialog that prevents it. */
  start(config: Config): void {
    const { node, status } = this.handover;
    const before = this.#followed;
    this.#followed = this.#mistake = undefined;
    try {
      const server = connectionOf(this.#RED, config['server']);
      this.#recentErrors = RecentErrors.of(String(config['server']));
      const input = readFixed(this.#trigger.inputs, config);
      const isChanged = !isDeepStrictEqual(input, this.#input);
      this.#input = input;
      if (before && server === before.server) {
        this.#followed = before;
        // What has failed may succeed with the server as it is now.
        if (isChanged || this.#failure) before.following.onChange?.();
      } else {
        this.#reachability = this.#activity = this.#failure = undefined;
        this.#followed = { server, following: this.#follow(server) };
      }
      const unwatch = server.reachability.subscribe((reachability) => this.#onReachability(reachability));
      node.on('close', unwatch);
    } catch (error) {
      if (error instanceof StashError) status.show(() => statusOfError(this.#RED, error.case));
      this.#mistake = error;
    }
    if (before !== this.#followed) before?.following.end();
    if (this.#failure || this.#activity !== undefined) this.#show();
  }

  /** Reports the mistake: a Catch node is there now. */
  resume(): void {
    const mistake = this.#mistake;
    this.#mistake = undefined;
    if (mistake instanceof StashError) this.#report(mistake);
    else if (mistake !== undefined) this.handover.node.error(mistake);
  }

  /** Stops following the server. What waits for the end of the deploy is never sent. */
  end(): void {
    this.#followed?.following.end();
    this.#followed = undefined;
  }

  #follow(server: Server): Following {
    const emit = (event: Event | FailedEvent) => {
      this.handover.whenReady(() => {
        // What comes late from a server that is not followed any more says nothing about the one that is.
        if (this.#followed?.server !== server) return;
        try {
          this.#onEvent(event, server);
        } catch (error) {
          this.handover.node.error(error);
        }
      });
    };
    const keep = (key: StoredKey) => persistedState(this.#RED, () => this.handover.node, key);
    const delivered = async () =>
      await new Promise<boolean>((resolve) =>
        this.handover.whenReady(() => resolve(this.handover.hasArrived())),
      );
    return this.#trigger.follow(server, emit, { input: () => this.#input, keep, delivered });
  }

  #onEvent(event: Event | FailedEvent, server: Server): void {
    if (isFailed(event)) {
      if (!(event.error instanceof StashError)) throw event.error;
      // The event repeats with each failed attempt, but is reported only once.
      if (event.error.code !== this.#failure?.code) this.#report(event.error, server);
      this.#failure = event.error;
      this.#activity = undefined;
    } else {
      this.#failure = undefined;
      this.#activity = this.#trigger.activityAfter(event, this.#activity);
      const message = this.#trigger.message(event, this.#input);
      if (message) this.#send(message, server);
    }
    this.#show();
  }

  #send(message: EventMessage, server: Server): void {
    const { topic, payload, stash: further, outcome, operation, missing = [] } = message;
    const summary = summaryOf(this.#RED, outcome, namedValues(this.#RED, message, server.name));
    const stash = {
      server: factsOf(server),
      ...(operation !== undefined && { operation }),
      summary,
      ...(missing.length > 0 && { missing: [...missing] }),
      ...further,
    };
    const msg: StashMessage = { topic, payload, stash };
    this.handover.node.send(msg);
  }

  #report(thrown: StashError, server?: Server): void {
    const { node } = this.handover;
    const { error, facts } = reportOf(this.#RED, thrown, { node, server });
    const msg: StashMessage = { stash: { ...(server && { server: factsOf(server) }), ...facts } };
    node.error(error, msg);
    this.#recentErrors?.add(node, thrown);
  }

  #onReachability(reachability: Reachability): void {
    this.#reachability = reachability;
    // The activity of an unreachable server is unknown.
    if (!reachability.reachable) this.#activity = this.#failure = undefined;
    this.#show();
  }

  #show(): void {
    this.handover.status.show(() => this.#statusNow());
  }

  #statusNow(): NodeStatus {
    if (this.#failure) return statusOfError(this.#RED, this.#failure.case);
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
