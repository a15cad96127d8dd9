import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import type { Node, NodeInitializer, NodeMessage } from 'node-red';
import { FakeStash, type FakeStashOptions } from '../fake-stash/fake-stash';
import { nodeModules } from '../support/nodes';
import { deploy, helper } from '../support/runtime';
import { knownWords } from '../support/words';
import { cases } from '../../src/errors';
import { Pause } from '../../src/jobs/pause';
import { Heartbeat } from './heartbeat';
import { leakIn, SECRETS } from './secrets';

/** The longest time until each message has ended, in milliseconds. The limits of the nodes are far below. */
const LONGEST_WAIT = 20_000;
/** The longest time in which nodes may close, after which Node-RED would wait in vain. */
const LONGEST_CLOSE = 5_000;
const LONGEST_STALL = 100;
const STALL = /^the event loop stalled/;

/** The time that a second end of a message would take, in milliseconds. */
const AFTER_THE_END = 20;

type Properties = Readonly<Record<string, unknown>>;

/** What runs in one trial. */
export interface Trial {
  stash?: FakeStashOptions;
  auth?: 'none' | 'apiKey' | 'session';
  /** Disturbs the server before the flow starts. */
  prepare?: (stash: FakeStash) => void;
  /** The properties of stash-server, beside the address. */
  server?: Properties;
  /** The properties of each node, by its type without `stash-`. */
  nodes: Readonly<Record<string, Properties>>;
  /** Makes the message for a node; by default an empty one. */
  message?: (name: string) => object;
  /** When the nodes are deployed again, in milliseconds after the messages. */
  redeployAfter?: number | undefined;
  /** When they are deployed again if messages still wait, as a dialog may ask for; by default never. */
  patience?: number;
  /** The credentials of stash-server. */
  credentials?: Readonly<Record<string, string>>;
  /** The nodes whose message may leave in several parts. */
  inParts?: readonly string[];
  /** The nodes that may end with UNAUTHORIZED, because of the role of the user. */
  notAllowed?: readonly string[];
  /**
   * What is wrong with the server. An error quotes at least one of these words, unless it quotes the server, names the operation
   * whose answer has another form, or says that the job was cancelled, if the stop node has done that.
   */
  reasons?: readonly string[];
}

/** How the message of one node has ended. */
interface Ends {
  sent: NodeMessage[];
  errors: (NodeMessage & { error?: { message?: unknown; code?: unknown } })[];
  completed: number;
}

const triggers = ['jobs', 'new', 'playback', 'changes'];
/** Shows the words of the catalogues, of which the helper shows the keys. */
const speak: NodeInitializer = (RED) => {
  RED._ = (key: string, values = {}) => {
    const [, name, path = ''] = /^@stash-flows\/node-red-stash\/([\w-]+):(.+)$/.exec(key) ?? [];
    return (name && knownWords(name, path, values)) ?? key;
  };
};
const nodes: NodeInitializer[] = [speak, ...nodeModules()];

/**
 * Runs nodes in Node-RED against a fake server, sends one message to each, and checks what must always hold.
 * @throws an error that names each property that does not.
 */
export async function tryOut(trial: Trial): Promise<void> {
  let findings = await findingsOf(trial);
  // Another thread, or a garbage collection that was due, may stall the first attempt.
  for (let again = 0; again < 2 && findings.every((one) => STALL.test(one)); again++) {
    if (findings.length > 0) findings = await findingsOf(trial);
  }
  if (findings.length > 0) throw new Error(findings.join('\n'));
}

async function findingsOf(trial: Trial): Promise<string[]> {
  const { auth = 'none' } = trial;
  const stash = await FakeStash.start({
    jobSeconds: 0.02,
    tempo: 20,
    ...(auth === 'apiKey' && { apiKey: SECRETS.apiKey }),
    ...(auth === 'session' && { credentials: { username: 'amy', password: SECRETS.password } }),
    ...trial.stash,
  });
  const uncaught = new Uncaught();
  const lab = new Lab(trial, stash.url);
  const findings: string[] = [];
  try {
    trial.prepare?.(stash);
    await lab.run();
  } finally {
    findings.push(...(await lab.close()));
    await stash.stop();
    findings.push(...uncaught.stop());
  }
  return findings;
}

class Lab {
  readonly #trial: Trial;
  readonly #url: string;
  readonly #ends = new Map<string, Ends>();
  /** Everything that people or other nodes see. */
  readonly #seen: unknown[] = [];
  readonly #findings: string[] = [];
  readonly #heard = new WeakSet<Node>();
  #heartbeat: Heartbeat | undefined;

  constructor(trial: Trial, url: string) {
    this.#trial = trial;
    this.#url = url;
    for (const name of Object.keys(trial.nodes)) this.#ends.set(name, { sent: [], errors: [], completed: 0 });
  }

  async run(): Promise<void> {
    const { message = () => ({}), redeployAfter, patience, nodes: chosen } = this.#trial;
    await helper.load(nodes, BEGINNING, {});
    await this.#deploy('first', 'full');
    const names = Object.keys(chosen).filter((name) => !triggers.includes(name));
    const messages = names.map((name) => ({ node: helper.getNode(name), msg: message(name) }));
    this.#heartbeat = new Heartbeat();
    for (const { node, msg } of messages) {
      node.receive(msg);
      // Node-RED, too, delivers each message in a turn of its own.
      await setImmediate();
    }
    if (redeployAfter !== undefined) {
      await sleep(redeployAfter);
      await this.#deploy('second', 'nodes');
    }
    const hasEnded = () => names.every((name) => this.#hasEnded(name));
    await this.#until(hasEnded, patience ?? LONGEST_WAIT);
    if (patience !== undefined && !hasEnded()) {
      await this.#deploy('last', 'nodes');
      await this.#until(hasEnded, LONGEST_WAIT);
    }
    await sleep(AFTER_THE_END);
    this.#heartbeat.stop();
    for (const name of names) this.#checkEnd(name);
  }

  async #until(condition: () => boolean, longest: number): Promise<void> {
    const end = performance.now() + longest;
    while (!condition() && performance.now() < end) {
      await sleep(2);
      // Otherwise what a made-up message pauses would wait for ever.
      Pause.of(this.#url).releaseAll();
    }
  }

  /** Deploys the flow, in which each node has this label. */
  async #deploy(label: string, type: 'full' | 'nodes'): Promise<void> {
    await deploy(this.#definition(label), type, this.#credentials());
    this.#listen();
  }

  /** Ends the flow. @returns everything that went wrong. */
  async close(): Promise<string[]> {
    const findings = this.#findings;
    this.#heartbeat?.stop();
    const stalled = this.#heartbeat?.longest ?? 0;
    if (stalled > LONGEST_STALL) findings.push(`the event loop stalled for ${Math.round(stalled)} ms`);
    const { args, ERROR } = helper.log();
    const start = performance.now();
    await helper.unload();
    const took = performance.now() - start;
    if (took > LONGEST_CLOSE) findings.push(`the nodes took ${Math.round(took)} ms to close`);
    const log = args.flat();
    for (const entry of log) {
      if (entry.level <= ERROR && !UNCOPIED.test(text(entry.msg)))
        findings.push(`logged: ${text(entry.msg)}`);
    }
    const leak = leakIn(this.#secrets(), this.#seen, log);
    if (leak !== undefined) findings.push(`the secret ${leak} is shown`);
    return findings;
  }

  /** What this server knows. With another way to sign in, it is not sent a secret. */
  #secrets(): string[] {
    const { apiKey, password, header } = SECRETS;
    const { auth } = this.#trial;
    return [header, ...(auth === 'apiKey' ? [apiKey] : []), ...(auth === 'session' ? [password] : [])];
  }

  #hasEnded(name: string): boolean {
    const { sent, errors, completed } = this.#endsOf(name);
    return errors.length + completed > 0 || (sent.length > 0 && isUncopied(name));
  }

  #checkEnd(name: string): void {
    const { sent, errors, completed } = this.#endsOf(name);
    const isParted = this.#trial.inParts?.includes(name) ?? false;
    const most = isParted ? Infinity : 1;
    const ends = `${sent.length} sent, ${errors.length} caught, ${completed} completed`;
    const [error] = errors;
    const isGood = error
      ? errors.length === 1 && completed === 0 && (isParted || sent.length === 0)
      : (completed === 1 || isUncopied(name)) && sent.length >= (isParted ? 0 : 1) && sent.length <= most;
    if (!isGood) this.#findings.push(`${name} does not end once: ${ends}`);
    const { reasons, notAllowed = [] } = this.#trial;
    const told = text(error?.error?.message);
    const code = error?.error?.code;
    const isStopped = code === 'JOB_CANCELLED' && (this.#ends.get('stop')?.completed ?? 0) > 0;
    const isRefused = code === 'UNAUTHORIZED' && notAllowed.includes(name);
    const isReason = code === 'GRAPHQL' || isStopped || isRefused || / in a form that /.test(told);
    if (error && reasons && !isReason && !reasons.some((word) => isIn(word, told))) {
      this.#findings.push(`${name} ends with an error that names none of ${reasons.join(', ')}: ${told}`);
    }
  }

  #endsOf(name: string): Ends {
    const ends = this.#ends.get(name);
    if (!ends) throw new Error(`There is no node ${name}`);
    return ends;
  }

  #listen(): void {
    for (const name of this.#ends.keys()) {
      const ends = this.#endsOf(name);
      this.#on(`${name}-1`, (msg) => ends.sent.push(msg));
      this.#on(`${name}-2`, (msg) => {
        if (!tellsProgress(msg)) ends.sent.push(msg);
      });
      this.#on(`${name}-errors`, (msg) => {
        ends.errors.push(msg);
        const { code, message } = (msg as Ends['errors'][number]).error ?? {};
        if (typeof code !== 'string' || !Object.hasOwn(cases, code)) {
          this.#findings.push(`${name} ends with an error without a code: ${text(message)}`);
        }
      });
      this.#on(`${name}-completions`, () => (ends.completed += 1));
      this.#on(`${name}-statuses`, () => undefined);
    }
  }

  #on(id: string, take: (msg: NodeMessage) => void): void {
    const node = helper.getNode(id);
    // A deploy does not restart unchanged nodes.
    if (this.#heard.has(node)) return;
    this.#heard.add(node);
    node.on('input', (msg) => {
      this.#seen.push(msg);
      take(msg);
    });
  }

  #definition(name: string): object[] {
    const { nodes: chosen, server } = this.#trial;
    const at = { z: 'tab', x: 10, y: 10 };
    const around = (tested: string) => [
      { id: `${tested}-catch`, type: 'catch', scope: [tested], ...at, wires: [[`${tested}-errors`]] },
      { id: `${tested}-done`, type: 'complete', scope: [tested], ...at, wires: [[`${tested}-completions`]] },
      { id: `${tested}-status`, type: 'status', scope: [tested], ...at, wires: [[`${tested}-statuses`]] },
      ...['1', '2', 'errors', 'completions', 'statuses'].map((part) => ({
        id: `${tested}-${part}`,
        type: 'helper',
        ...at,
        wires: [],
      })),
    ];
    return [
      { id: 'tab', type: 'tab', label: '' },
      { id: 'server', type: 'stash-server', ...serverDefaults(this.#trial, this.#url), ...server },
      ...Object.entries(chosen).flatMap(([tested, properties]) => [
        {
          server: 'server',
          ...properties,
          id: tested,
          type: `stash-${tested}`,
          name,
          ...at,
          wires: [[`${tested}-1`], [`${tested}-2`]],
        },
        ...around(tested),
      ]),
    ];
  }

  #credentials() {
    const { apiKey, password, header } = SECRETS;
    const headers = JSON.stringify({ 'X-Gate': header });
    return { server: { apiKey, username: 'amy', password, headers, ...this.#trial.credentials } };
  }
}

/** Loads the core nodes: the helper loads them for each node of their type, and only the first time succeeds. */
const BEGINNING = [
  { id: 'tab', type: 'tab', label: '' },
  ...['catch', 'complete', 'status'].map((type) => ({
    id: type,
    type,
    z: 'tab',
    x: 10,
    y: 10,
    scope: [],
    wires: [],
  })),
];
function serverDefaults({ auth = 'none' }: Trial, url: string) {
  const times = { timeout: 0.4, lookupTimeout: 0.4, backupTimeout: 1, pause: 0, retryFor: 0 };
  return { name: 'nas', url, auth, ...times };
}

/** Returns whether this is progress of a job or a download. The message itself leaves later. */
function tellsProgress({ payload }: NodeMessage): boolean {
  return typeof payload === 'object' && payload !== null && 'percent' in payload && 'stalled' in payload
    ? true
    : typeof payload === 'object' && payload !== null && 'bytesPerSecond' in payload;
}

function isIn(word: string, sentence: string): boolean {
  return new RegExp(`“[^”]*\\b${word}\\b`, 'i').test(sentence);
}

/** What a node logs if Node-RED cannot copy a message, such as for its Complete node. */
const UNCOPIED = /cannot copy the message/;

function isUncopied(name: string): boolean {
  const log = helper.log().args.flat();
  return log.some(({ id, msg }) => id === name && UNCOPIED.test(text(msg)));
}

function text(value: unknown): string {
  try {
    return value instanceof Error ? (value.stack ?? value.message) : String(value);
  } catch {
    return 'a value without a text';
  }
}

/** Collects what would end Node-RED, in the place of mocha, which would fail the test without the counterexample. */
class Uncaught {
  readonly #findings: string[] = [];
  readonly #events = ['uncaughtException', 'unhandledRejection', 'warning'] as const;
  readonly #others = this.#events.map((event) => process.listeners(event as 'uncaughtException'));
  readonly #take = (error: unknown) => {
    this.#findings.push(`Node-RED goes down: ${text(error)}`);
  };

  constructor() {
    for (const event of this.#events) process.removeAllListeners(event).on(event, this.#take);
  }

  stop(): string[] {
    this.#events.forEach((event, index) => {
      process.removeAllListeners(event);
      for (const other of this.#others[index] ?? []) process.on(event, other);
    });
    return this.#findings;
  }
}
