import type { Node, NodeInitializer, NodeMessage, NodeStatus } from 'node-red';
import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import type { SinonSpy } from 'sinon';
import type { ServerNode } from '../../src/flow/server-node';
import { stop as stopJobs } from '../../src/operations/tasks/stop';
import type { JobRecord } from '../../src/records';
import { FakeStash, type FakeStashOptions } from '../fake-stash/fake-stash';
import { nodeModules } from './nodes';
import { deploy, type DeployType, helper, nodeRedProgram } from './runtime';
import { until } from './waiting';

const core = createRequire(createRequire(nodeRedProgram).resolve('@node-red/nodes/package.json'));

const coreNodes: NodeInitializer[] = [
  core('./core/network/05-tls.js') as NodeInitializer,
  core('./core/network/06-httpproxy.js') as NodeInitializer,
];

/** The keys that the nodes asked the catalogues for, with the values of their placeholders. Tests get keys instead of texts. */
export const askedWords: { key: string; values: Readonly<Record<string, unknown>> }[] = [];

/** A message after a node of this package. */
export interface Message extends NodeMessage {
  stash?: {
    server?: { name: string; url: string };
    operation?: string;
    summary?: string;
    reason?: string;
    missing?: string[];
    version?: string;
    error?: { code: string; status: number | null; remedy: string; retry: boolean };
    job?: JobRecord;
    [property: string]: unknown;
  };
  error?: { message: string; code?: string; source: { id: string } };
  [property: string]: unknown;
}

/** The ends of a message: at outputs, at the Catch node and at the Complete node. */
export interface Ends {
  /** The earlier progress messages on the second output. */
  progress: Message[];
  outputs: { output: number; msg: Message }[];
  errors: Message[];
  completed: Message[];
}

export interface FlowOptions {
  /** The type of the tested node. */
  type: string;
  /** The properties that its dialog saves. */
  properties?: object;
  /** The properties that the dialog of stash-server saves; null if no server is chosen. */
  server?: object | null;
  credentials?: Readonly<Record<string, string>>;
  /** Whether the node is disabled, or not in the flow any more. */
  without?: 'disabled' | 'deleted';
  /** The ids of the nodes that the first output is wired to; by default the helper node of the test. */
  wires?: readonly string[];
  /** The name of the helper node at the first output. */
  receiver?: string;
  /** Whether the flow has no Complete node. */
  withoutComplete?: true;
  withoutCatch?: true;
  /** Whether no wire begins at the second output. */
  withoutProgress?: true;
  /** The type of another node that uses the same server but receives no message. */
  idle?: string;
  /** More config nodes, each with its credentials. */
  configs?: { id: string; type: string; credentials?: Record<string, string>; [property: string]: unknown }[];
}

let lastMessage = 0;

/** Runs one node of this package in Node-RED, with real Catch, Complete and Status nodes around it. */
export class Flow {
  readonly statuses: NodeStatus[] = [];
  /** The statuses of the idle node. */
  readonly idleStatuses: NodeStatus[] = [];
  /** The status of the node right after the deploy. */
  firstStatus: NodeStatus | undefined;
  /** The sent messages, in order. */
  readonly sent: Message[] = [];
  /** The messages at the Catch node that no test message caused. */
  readonly ownErrors: Message[] = [];
  readonly #ends = new Map<string, Ends>();
  readonly #heard = new WeakSet<Node>();

  static async start(options: FlowOptions): Promise<Flow> {
    const flow = new Flow();
    await load(definition(options), credentialsOf(options));
    const tested = helper.getNode('tested') as unknown as { status: SinonSpy<[NodeStatus]> };
    flow.firstStatus = tested.status.args.at(-1)?.[0];
    flow.#listen();
    return flow;
  }

  /** Deploys changed options, as the editor's Deploy button does. */
  async redeploy(options: FlowOptions, type: DeployType = 'nodes'): Promise<void> {
    await deploy(definition(options), type, credentialsOf(options));
    this.#listen();
  }

  /** Sends a message to the node and returns its id, without waiting for its end. */
  send(msg: object = {}): string {
    const id = `message${++lastMessage}`;
    this.#endsOf(id);
    helper.getNode('tested').receive({ ...msg, _msgid: id });
    return id;
  }

  /** Sends the message that `make` returns for an id, because function nodes can create any message. */
  deliver(make: (id: string) => object): string {
    const id = `message${++lastMessage}`;
    this.#endsOf(id);
    helper.getNode('tested').receive(make(id) as Message);
    return id;
  }

  /** Sends a message and waits for its end. Checks that it ends only once. */
  async ask(msg: object = {}): Promise<{ output?: number; msg: Message }> {
    const id = this.send(msg);
    await this.until(() => this.hasEnded(id));
    return this.endOf(id);
  }

  /** Returns the end of a message: sent and completed, or caught. */
  endOf(id: string): { output?: number; msg: Message } {
    const { outputs, errors, completed } = this.#endsOf(id);
    const [sent] = outputs;
    const [error] = errors;
    if (sent) {
      assert.deepEqual([outputs.length, errors.length, completed.length], [1, 0, 1], 'it ends once');
      return sent;
    }
    assert.ok(error, 'it ends');
    assert.deepEqual([errors.length, completed.length], [1, 0], 'it ends once');
    return { msg: error };
  }

  /** Returns the progress messages of a message, in order. */
  progressOf(id: string): Message[] {
    return this.#endsOf(id).progress;
  }

  /** Returns the messages that reached the Catch node for a message. */
  caught(id: string): readonly Message[] {
    return this.#endsOf(id).errors;
  }

  /** Returns the messages that were sent for a message. */
  sentOn(id: string): readonly Message[] {
    return this.#endsOf(id).outputs.map(({ msg }) => msg);
  }

  hasEnded(id: string): boolean {
    const { outputs, errors, completed } = this.#endsOf(id);
    return errors.length > 0 || (outputs.length > 0 && completed.length > 0);
  }

  /** Returns whether a message ended without a result or an error, as after a reset. */
  isDropped(id: string): boolean {
    const { outputs, errors, completed } = this.#endsOf(id);
    return outputs.length === 0 && errors.length === 0 && completed.length === 1;
  }

  /** Waits until messages, statuses or the server make a condition true. */
  async until(condition: () => boolean): Promise<void> {
    await until(condition, () => this.#story());
  }

  /** Describes the messages and the last statuses, for a test that times out. */
  #story(): string {
    const messages = [...this.#ends].map(([id, { progress, outputs, errors, completed }]) => {
      const codes = errors.map(({ stash, error }) => stash?.error?.code ?? error?.message);
      return `${id}: ${outputs.length} sent, ${completed.length} completed, ${progress.length} told; ${codes.join()}`;
    });
    const shown = this.statuses.map(({ fill, shape, text }) => `${fill} ${shape} ${text}`);
    return [...messages, `shown: ${shown.slice(-10).join(' | ')}`].join('\n');
  }

  #listen(): void {
    const on = (id: string, take: (msg: Message) => void) => {
      const node = helper.getNode(id);
      // A deploy does not restart unchanged nodes.
      if (this.#heard.has(node)) return;
      this.#heard.add(node);
      node.on('input', (msg) => {
        take(msg);
      });
    };
    for (const output of [1, 2]) {
      on(`output${output}`, (msg) => {
        this.sent.push(msg);
        const ends = this.#endsOf(msg._msgid);
        if (output === 2 && tellsProgress(msg)) ends.progress.push(msg);
        else ends.outputs.push({ output, msg });
      });
    }
    on('errors', (msg) => {
      if (!this.#ends.has(msg._msgid ?? '')) this.ownErrors.push(msg);
      else this.#endsOf(msg._msgid).errors.push(msg);
    });
    on('completions', (msg) => this.#endsOf(msg._msgid).completed.push(msg));
    on('statuses', (msg) => {
      const { fill, shape, text, source } = msg['status'] as Required<NodeStatus> & {
        source: { id: string };
      };
      (source.id === 'idle' ? this.idleStatuses : this.statuses).push({ fill, shape, text });
    });
  }

  #endsOf(id = ''): Ends {
    const ends = this.#ends.get(id) ?? { progress: [], outputs: [], errors: [], completed: [] };
    this.#ends.set(id, ends);
    return ends;
  }
}

/** Deploys nodes of this package, and those of Node-RED and the helper that they use. */
export async function load(flows: object[], credentials: object, modules = nodeModules()): Promise<void> {
  askedWords.length = 0;
  const prepare: NodeInitializer = (RED) => {
    RED._ = (key: string, values = {}) => {
      askedWords.push({ key, values });
      return key;
    };
  };
  await helper.load([prepare, ...coreNodes, ...modules], flows, credentials);
}

/** Returns the credentials as Node-RED keeps them: a config node whose credentials nobody entered has no entry. */
function credentialsOf({ credentials, configs = [] }: FlowOptions): Record<string, object> {
  const all = [{ id: 'server1', credentials }, ...configs];
  return Object.fromEntries(
    all.flatMap(({ id, credentials }) => (credentials === undefined ? [] : [[id, credentials]])),
  );
}

/** Complete nodes as an export contains them: Node-RED treats a node without a position as a config node. */
function definition(options: FlowOptions): object[] {
  const {
    type,
    properties,
    server,
    idle,
    configs = [],
    wires = ['output1'],
    without,
    receiver = '',
  } = options;
  const { withoutComplete, withoutCatch, withoutProgress } = options;
  const at = { z: 'tab', x: 10, y: 10 };
  return [
    { id: 'tab', type: 'tab', label: '' },
    ...configs.map((config) =>
      Object.fromEntries(Object.entries(config).filter(([property]) => property !== 'credentials')),
    ),
    ...(server === null ? [] : [{ id: 'server1', type: 'stash-server', name: 'nas', ...server }]),
    ...(without === 'deleted'
      ? []
      : [
          {
            id: 'tested',
            type,
            name: '',
            server: server === null ? '' : 'server1',
            ...(without === 'disabled' && { d: true }),
            ...properties,
            ...at,
            wires: [wires, withoutProgress ? [] : ['output2']],
          },
        ]),
    ...(idle === undefined
      ? []
      : [{ id: 'idle', type: idle, name: '', server: 'server1', ...at, wires: [] }]),
    ...(withoutCatch
      ? []
      : [{ id: 'catcher', type: 'catch', scope: ['tested'], ...at, wires: [['errors']] }]),
    ...(withoutComplete
      ? []
      : [{ id: 'completer', type: 'complete', scope: ['tested'], ...at, wires: [['completions']] }]),
    { id: 'watcher', type: 'status', scope: ['tested', 'idle'], ...at, wires: [['statuses']] },
    ...['output1', 'output2', 'elsewhere', 'errors', 'completions', 'statuses'].map((id) => ({
      id,
      type: 'helper',
      ...(id === 'output1' && { name: receiver }),
      ...at,
      wires: [],
    })),
  ];
}

/** Returns whether this is progress of a job or a download. The message itself leaves later, on the first output. */
function tellsProgress({ payload }: Message): boolean {
  return typeof payload === 'object' && payload !== null && 'percent' in payload;
}

/** Sends two messages at once, and returns the end of the second one. */
export async function askTwice(flow: Flow): Promise<{ output?: number; msg: Message }> {
  const ids = [flow.send(), flow.send()] as const;
  await flow.until(() => ids.every((id) => flow.hasEnded(id)));
  return flow.endOf(ids[1]);
}

/** Stops all jobs, as another node with the same server would. */
export async function stopAll(): Promise<void> {
  const { connection } = helper.getNode('server1') as unknown as ServerNode;
  const { signal } = new AbortController();
  await stopJobs(connection(), { job: null }, { signal, waiting: signal });
}

/**
 * Starts a fake server for each test of the suite. After the test, unloads the flows, stops the server and takes back the
 * settings of Node-RED.
 */
export function useFakeStash(options: FakeStashOptions = {}): () => FakeStash {
  let stash: FakeStash;
  beforeEach(async () => {
    stash = await FakeStash.start(options);
  });
  afterEach(async () => {
    await helper.unload();
    await stash.stop();
    helper.settings({});
  });
  return () => stash;
}

/** Returns a key in the catalogue of stash-server. The runtime of these tests shows keys instead of texts. */
export function shared(key: string): string {
  return `@stash-flows/node-red-stash/server:${key}`;
}
