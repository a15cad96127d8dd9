import assert from 'node:assert/strict';
import { once } from 'node:events';
import { WebSocket } from 'ws';
import type { Job, JobUpdate } from '../jobs';
import type { LogEntry } from '../server-log';
import type { FakeStash } from '../fake-stash';
import { isRecord } from '../variables';
import { until } from '../../support/waiting';

const TRANSPORT = 'graphql-transport-ws';
const JOBS = `subscription { jobsSubscribe { type job {
  id status subTasks description progress startTime endTime addTime
} } }`;
const LOG = 'subscription { loggingSubscribe { time level message } }';

type Message = Readonly<Record<string, unknown>>;

/** Opens a socket as other clients do. */
function socketTo({ url }: FakeStash): WebSocket {
  return new WebSocket(`${url.replace('http', 'ws')}/graphql`, [TRANSPORT]);
}

/** Returns the outcome of the handshake: the protocol, or the client's error message. */
export async function handshake(stash: FakeStash): Promise<string> {
  const socket = socketTo(stash);
  socket.on('error', () => undefined);
  return await new Promise((resolve) => {
    socket.once('open', () => {
      resolve(socket.protocol);
      socket.terminate();
    });
    socket.once('error', ({ message }) => {
      resolve(message);
    });
  });
}

/** A client that records all messages. */
export class Listener {
  readonly messages: Message[] = [];
  /** The time of each message, as of `performance.now()`. */
  readonly times: number[] = [];
  /** The close code and reason of the socket, or its error. */
  readonly closed: Promise<string>;
  readonly #socket: WebSocket;

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    let fault: string | undefined;
    socket.on('message', (data: Buffer) => {
      const message: unknown = JSON.parse(data.toString());
      assert.ok(isRecord(message));
      this.messages.push(message);
      this.times.push(performance.now());
    });
    socket.on('error', ({ message }) => (fault = message));
    this.closed = new Promise((resolve) => {
      socket.once('close', (code, reason) => {
        resolve(fault ?? `${code} ${reason.toString()}`.trim());
      });
    });
  }

  static async #open(stash: FakeStash): Promise<Listener> {
    const socket = socketTo(stash);
    const listener = new Listener(socket);
    await once(socket, 'open');
    return listener;
  }

  /** Opens a socket, initializes it, and subscribes to jobs ("jobs") and to the log ("log"). */
  static async start(stash: FakeStash): Promise<Listener> {
    const listener = await Listener.#open(stash);
    listener.say({ type: 'connection_init' });
    listener.subscribe('jobs', JOBS);
    listener.subscribe('log', LOG);
    await listener.pong();
    return listener;
  }

  say(message: object | string): void {
    this.#socket.send(typeof message === 'string' ? message : JSON.stringify(message));
  }

  subscribe(id: string, query: string, variables?: object): void {
    this.say({ id, type: 'subscribe', payload: { query, variables } });
  }

  /** Waits until the server has received and answered everything. */
  async pong(): Promise<void> {
    const payload = { after: this.messages.length };
    this.say({ type: 'ping', payload });
    await this.until(() =>
      this.messages.some(({ type, payload: of }) => type === 'pong' && same(of, payload)),
    );
  }

  async until(isSo: () => boolean): Promise<void> {
    await until(isSo);
  }

  /** Returns the messages for one operation, without its id. */
  for(of: string): unknown[] {
    return this.messages.filter(({ id }) => id === of).map(({ type, payload }) => payload ?? type);
  }

  get updates(): JobUpdate[] {
    return this.#data('jobs').map(({ jobsSubscribe }) => jobsSubscribe as JobUpdate);
  }

  /** The batches of the log. */
  get batches(): LogEntry[][] {
    return this.#data('log').map(({ loggingSubscribe }) => loggingSubscribe as LogEntry[]);
  }

  /** The lines of the log in their order, with their levels. */
  get lines(): string[] {
    // A time without its zone, because the server omits trailing zeros: Z may stand in the position of a digit.
    const digits = (time: string) => time.replace(/\D+$/, '');
    return this.batches
      .flat()
      .map((line) => ({ ...line, at: digits(line.time) }))
      .sort((one, other) => Number(one.at > other.at) - Number(one.at < other.at))
      .map(({ level, message }) => `${level}: ${message}`);
  }

  /** Waits for the REMOVE event of a job, and returns the job in it. */
  async removed(id: string): Promise<Job> {
    const find = () => this.updates.find(({ type, job }) => type === 'REMOVE' && job.id === id);
    await this.until(() => find() !== undefined);
    const found = find();
    assert.ok(found);
    return found.job;
  }

  #data(of: string): Record<string, unknown>[] {
    return this.for(of).map((payload) => {
      assert.ok(isRecord(payload) && isRecord(payload['data']), JSON.stringify(payload));
      return payload['data'];
    });
  }
}

function same(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
