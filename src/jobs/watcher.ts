import { setTimeout as sleep } from 'node:timers/promises';
import { Listeners, shielded, SingleFlight, untilAborted } from '../async';
import { StashError } from '../errors';
import type { Operation, OperationRequest, Schema } from '../graphql';
import { hasString, isRecord, isString, parsed } from '../guards';
import type { Socket, Subscriptions } from '../http';
import {
  type Change,
  type Connection,
  type JobSnapshot,
  JobTable,
  readJob,
  redactedJob,
  type ServerJob,
  type TrackedJob,
} from './job-table';
import { LogCollector } from './log-collector';

const SURVEY_MILLISECONDS = 1_000;
/** How long nothing may be heard of a job on the socket until the server is asked whether it still is. */
const SILENCE_MILLISECONDS = 60_000;
/** After a job it is likely that somebody wants to know of the next one. */
const LINGER_MILLISECONDS = 10_000;
/** How long a deploy may take. */
const LEFT_MILLISECONDS = 60_000;
const FIRST_PAUSE_MILLISECONDS = 1_000;
const LONGEST_PAUSE_MILLISECONDS = 15_000;
const FIRST_SOCKET_MILLISECONDS = 5_000;
const LONGEST_SOCKET_MILLISECONDS = 15 * 60_000;
/** What lasts no longer is no better than none, as where something in between ends it. */
const SHORT_SOCKET_MILLISECONDS = 1_000;
/** How many ended jobs a server remembers (all releases). */
const REMEMBERED = 10;
/** How many jobs are asked for at a time. */
const MOST_ASKED = 60;
/** How often more are asked for at once; what is left then is asked for a second later. */
const MOST_ROUNDS = 10;
/** How many changes are held back until the server has been asked. */
const MOST_HELD = 1_000;

/** What a watcher tells. */
export type WatcherEvent =
  | { type: Change; job: TrackedJob }
  /** The server was asked, and knows no jobs of these ids, which somebody wants. */
  | { type: 'surveyed'; unknown: ReadonlySet<string> }
  /** A second has passed in which the server could be followed. */
  | { type: 'tick' }
  /** From now on it is not known how the jobs are; the next tick comes when it is. */
  | { type: 'away' }
  | { type: 'gap'; reason: 'restarted' | 'away'; from: string; to: string }
  /** Asking is of no use, until somebody does something about it. */
  | { type: 'failed'; error: StashError };

/** The server, as a watcher sees it. */
export interface JobSource {
  /** Its address. */
  url: string;
  /** What tells it from others at the same address, before a deploy and after. */
  id?: string | undefined;
  request: <Result>(request: OperationRequest<Result>) => Promise<Result>;
  /** @returns undefined where there can be none. */
  socket: (subscriptions: Subscriptions, signal: AbortSignal) => Promise<Socket | undefined>;
  /** Makes a text of the server fit to be shown. */
  redact: (text: string) => string;
  /** Is told in one line how the socket is, and which listener has failed. */
  log: (line: string) => void;
  /** Is told that it does not answer, where no error has said so. */
  away: () => void;
}

/** What was known of a server's jobs when it was followed last. */
interface Handover {
  board: JobTable;
  knownAt: Date;
  held: Held[];
}

/** A change that has not been told yet. */
export interface Held {
  change: 'started' | 'ended';
  tracked: TrackedJob;
}

/** Somebody who is told of all jobs. */
export interface Following {
  /** What whoever followed before has heard, but not told any more. */
  missed: readonly Held[];
  /** @param untold what has been heard, but will not be told: whoever follows next gets it. */
  end: (untold: readonly Held[]) => void;
}

/**
 * State handed to who follows the same server next, so that a redeploy misses no event. Kept outside the config nodes, which
 * a deploy makes anew, but for each of them by its id and address: several may have the same address, and each has told its
 * own followers something else.
 */
const handovers = new Map<string, Handover>();
/** What those have left who followed, for as many who follow next; by the same key. */
const untold = new Map<string, (readonly Held[])[]>();

/** What runs in the one slot of a server before v0.8. */
type Slot = { label: string; progress: number | null } | undefined;

/**
 * Watches the jobs of one server while somebody wants to know of them: on a WebSocket where there is one, otherwise by asking. The
 * server is also asked after a (new) connection, as a subscription does not tell what was before, and where events leave a doubt.
 */
export class JobWatcher {
  readonly log: LogCollector;
  readonly #server: JobSource;
  readonly #listeners: Listeners<WatcherEvent>;
  readonly #wanted = new Map<string, number>();
  readonly #surveying = new SingleFlight(() => this.#survey());
  #board = new JobTable();
  #holders = 0;
  #followers = 0;
  #followedAt = -Infinity;
  #linger: NodeJS.Timeout | undefined;
  #watching: { controller: AbortController; looking: SingleFlight<void>; hasLooked: boolean } | undefined;
  #wake = () => {};
  #connection: (Connection & { openedAt: number; close: () => void }) | undefined;
  #isConnecting = false;
  #socketFailures = 0;
  #nextSocketAt = 0;
  #failures = 0;
  #resumeAt = 0;
  #outages = 0;
  /** Whether what is known may have changed unseen. */
  #interrupted = false;
  /** Likewise, until the server has answered again. */
  #isAway = false;
  /** What is told only when it is known whether something was missed before it. */
  #held: Held[] | undefined;
  #doubtful = false;
  #surveyedAt = -Infinity;
  /** When the question was asked that was answered last. */
  #answeredOf = -Infinity;
  #heardAt = -Infinity;
  /** When all was known last, to be told; nothing was before. */
  #knownAt: Date | undefined;
  /** Likewise, on a clock that nobody sets. */
  #freshAt = -Infinity;
  #isSlot = false;
  #fields = '';

  constructor(server: JobSource) {
    this.#server = server;
    this.#listeners = new Listeners(server.log);
    this.#listenTo(this.#board);
    this.log = new LogCollector(server.redact);
  }

  /** What is known of the server's jobs. */
  get board(): JobTable {
    return this.#board;
  }

  /** Whether the server tells by itself what its jobs do. */
  get isLive(): boolean {
    return this.#connection?.isSurveyed ?? false;
  }

  /** Whether the server has one slot instead of a queue, as before v0.8; known after a survey. */
  get isSlot(): boolean {
    return this.#isSlot;
  }

  /** How often the server could not be asked, or what it told by itself has broken off. */
  get outages(): number {
    return this.#outages;
  }

  /** Whether the server was asked in the last second. */
  get isFresh(): boolean {
    return !this.#interrupted && performance.now() - this.#freshAt < SURVEY_MILLISECONDS;
  }

  /** Whether somebody wants to know of the jobs, but they are not followed yet. */
  get isBeginning(): boolean {
    return this.#watching?.hasLooked === false;
  }

  /** When the question for the jobs was sent that was answered last, by `performance.now()`. */
  get askedAt(): number {
    return this.#answeredOf;
  }

  /** Watches until what it returns is called, and a little longer. */
  acquire(): () => void {
    return this.#hold(undefined);
  }

  /** Likewise, for somebody who is told of all jobs: where somebody was just before, at this address, it goes on from there. */
  subscribe(): Following {
    const before = handovers.get(this.#key);
    handovers.delete(this.#key);
    this.#followers++;
    const release = this.#hold(before);
    return {
      missed: untold.get(this.#key)?.shift() ?? [],
      end: (rest) => {
        this.#followers--;
        this.#followedAt = performance.now();
        if (rest.length > 0) this.#leave(rest);
        release();
      },
    };
  }

  #leave(rest: readonly Held[]): void {
    const all = untold.get(this.#key) ?? [];
    untold.set(this.#key, all);
    all.push(rest);
    setTimeout(() => {
      const place = all.indexOf(rest);
      if (place !== -1) all.splice(place, 1);
      if (all.length === 0 && untold.get(this.#key) === all) untold.delete(this.#key);
    }, LEFT_MILLISECONDS).unref();
  }

  #hold(before: Handover | undefined): () => void {
    this.#holders++;
    clearTimeout(this.#linger);
    if (!this.#watching) {
      // What a start has seen in passing says nothing of what came later.
      this.#knownAt = before?.knownAt;
      this.#held = before?.held;
      // Where it is not known how far the server has counted, a deploy would be a gap each time.
      this.#interrupted = before?.board.newest !== undefined;
      if (before) {
        this.#board = before.board;
        this.#listenTo(before.board);
      }
      const controller = new AbortController();
      // What was given up with an earlier watch is shared by nobody who watches now.
      const looking = new SingleFlight(() => this.#look());
      this.#watching = { controller, looking, hasLooked: false };
      void this.#watch(controller.signal, looking);
    }
    this.#wake();
    return () => {
      this.#holders--;
      if (this.#holders > 0) return;
      this.#linger = setTimeout(() => {
        this.close();
      }, LINGER_MILLISECONDS).unref();
    };
  }

  #listenTo(board: JobTable): void {
    board.listen((change, tracked) => {
      if (this.#held && (change === 'started' || change === 'ended')) {
        this.#held.push({ change, tracked });
        if (this.#held.length > MOST_HELD) this.#tellHeld();
      } else this.#tell({ type: change, job: tracked });
      this.#wake();
    });
  }

  /** Tells what was held back: a gap after what has become of the jobs before it, and before those that were seen after. */
  #tellHeld(gap?: { event: WatcherEvent; firstSequence: number }): void {
    const held = this.#held ?? [];
    this.#held = undefined;
    const tell = ({ change, tracked }: Held) => {
      this.#tell({ type: change, job: tracked });
    };
    const firstSequence = gap?.firstSequence ?? Infinity;
    held.filter(({ tracked }) => tracked.sequence < firstSequence).forEach(tell);
    if (gap) this.#tell(gap.event);
    held.filter(({ tracked }) => tracked.sequence >= firstSequence).forEach(tell);
  }

  /** Ends all watching at once, and leaves what is known to who follows the same jobs next. */
  close(): void {
    const knownAt = this.#knownAt;
    const isFollowed = this.#followers > 0 || performance.now() - this.#followedAt < LEFT_MILLISECONDS;
    if (knownAt && isFollowed) {
      const mine = { board: this.#board, knownAt, held: this.#held ?? [] };
      handovers.set(this.#key, mine);
      setTimeout(() => {
        if (handovers.get(this.#key) === mine) handovers.delete(this.#key);
      }, LEFT_MILLISECONDS).unref();
    }
    clearTimeout(this.#linger);
    this.#watching?.controller.abort();
    this.#watching = undefined;
    this.#connection?.close();
    this.#connection = undefined;
    this.#knownAt = undefined;
    this.#freshAt = -Infinity;
    this.#interrupted = false;
    this.#isAway = false;
    this.#held = undefined;
    this.#failures = 0;
  }

  get #key(): string {
    const { id = '', url } = this.#server;
    return `${id} ${url}`;
  }

  listen(listener: (event: WatcherEvent) => void): () => void {
    return this.#listeners.add(listener);
  }

  /** Resolves when jobs are followed. @throws {StashError} if the server cannot be asked. */
  async ready(signal: AbortSignal): Promise<void> {
    if (!this.isLive) await this.#watching?.looking.get(signal);
  }

  /** Asks the server for its jobs. @throws {StashError} */
  async poll(signal: AbortSignal): Promise<void> {
    await this.#surveying.get(signal);
  }

  /** Likewise, and not content with an answer to a question that is on its way already. */
  async pollAgain(signal: AbortSignal): Promise<void> {
    const since = performance.now();
    do await this.poll(signal);
    while (this.#answeredOf < since);
  }

  /** Likewise, but not before a second has passed since it was asked last. */
  async pollSoon(signal: AbortSignal): Promise<void> {
    const wait = this.#surveyedAt + SURVEY_MILLISECONDS - performance.now();
    if (wait > 0) await untilAborted(sleep(wait), signal);
    await this.pollAgain(signal);
  }

  /** Lets the server be asked for the job of an id that is known from an answer only, until what it returns is called. */
  track(id: string): () => void {
    this.#wanted.set(id, (this.#wanted.get(id) ?? 0) + 1);
    this.requestPoll();
    return () => {
      const count = (this.#wanted.get(id) ?? 1) - 1;
      if (count === 0) this.#wanted.delete(id);
      else this.#wanted.set(id, count);
    };
  }

  async #watch(signal: AbortSignal, looking: SingleFlight<void>): Promise<void> {
    const ticker = setInterval(() => {
      if (!this.#isAway) this.#tell({ type: 'tick' });
    }, 1_000).unref();
    try {
      for (;;) {
        try {
          await looking.get(signal);
          this.#failures = 0;
        } catch (error) {
          signal.throwIfAborted();
          this.#pause(this.#failures + 1);
          if (error instanceof StashError && error.code === 'TIMEOUT') this.#server.away();
          if (error instanceof StashError && isLasting(error)) this.#tell({ type: 'failed', error });
        }
        await this.#rest(signal);
      }
    } catch (error) {
      if (!signal.aborted) throw error;
    } finally {
      clearInterval(ticker);
    }
  }

  async #rest(signal: AbortSignal): Promise<void> {
    for (;;) {
      const wait = this.#due - performance.now();
      if (wait <= 0) return;
      let timer: NodeJS.Timeout | undefined;
      const woken = new Promise<void>((resolve) => {
        this.#wake = resolve;
        if (wait < Infinity) timer = setTimeout(resolve, Math.ceil(wait)).unref();
      });
      await untilAborted(woken, signal).finally(() => {
        clearTimeout(timer);
      });
    }
  }

  /** With some chance in it, lest all who lost a server come back to it in the same moment. */
  #pause(failures: number): void {
    this.#failures = failures;
    this.#outages++;
    this.#interrupted = true;
    this.#held ??= [];
    if (!this.#isAway) this.#tell({ type: 'away' });
    this.#isAway = true;
    const longest = Math.min(FIRST_PAUSE_MILLISECONDS * 2 ** (failures - 1), LONGEST_PAUSE_MILLISECONDS);
    this.#resumeAt = performance.now() + longest * (0.5 + Math.random() / 2);
  }

  /** When the server is to be asked again. */
  get #due(): number {
    if (this.#failures > 0) return this.#resumeAt;
    const connection = this.#connection;
    // What came between the subscription and the first survey may have been told by neither.
    const isSettled = connection && this.#surveyedAt >= connection.openedAt + SURVEY_MILLISECONDS;
    if (this.#doubtful || !isSettled) return this.#surveyedAt + SURVEY_MILLISECONDS;
    const isBusy = !this.board.isIdle || this.#wanted.size > 0;
    return isBusy ? Math.max(this.#surveyedAt, this.#heardAt) + SILENCE_MILLISECONDS : Infinity;
  }

  /** Lets the server be asked soon, as something may have changed of which it tells nothing. */
  requestPoll(): void {
    this.#doubtful = true;
    this.#wake();
  }

  async #look(): Promise<void> {
    const watching = this.#watching;
    if (!watching) return;
    const { signal } = watching.controller;
    const isFirst = !watching.hasLooked;
    // What can be subscribed to is known from the server's schema, which comes with the first answer.
    await this.poll(signal);
    const connecting = this.#connect(signal);
    if (isFirst) {
      if (await connecting) await this.poll(signal);
      watching.hasLooked = true;
      return;
    }
    // Something in between may let it hang for long.
    void connecting.then(
      (isConnected) => {
        if (isConnected) this.requestPoll();
      },
      () => undefined,
    );
  }

  /** Opens a socket where there is none and one may be tried. @returns whether it did. */
  async #connect(signal: AbortSignal): Promise<boolean> {
    const isDue = performance.now() >= this.#nextSocketAt;
    if (this.#connection || this.#isConnecting || this.#isSlot || !isDue) return false;
    this.#isConnecting = true;
    const opening: Connection = { isOpen: true, isSurveyed: false };
    try {
      const socket = await this.#server.socket(this.#subscriptions(opening), signal);
      if (signal.aborted) socket?.close();
      signal.throwIfAborted();
      if (!socket) {
        this.#nextSocketAt = Infinity;
        return false;
      }
      this.#server.log('socket open');
      this.log.begin();
      const connection = Object.assign(opening, { openedAt: performance.now(), close: socket.close });
      this.#connection = connection;
      void socket.closed.then((reason) => {
        connection.isOpen = false;
        this.#server.log(`socket closed, ${this.#server.redact(reason)}`);
        if (this.#connection !== connection) return;
        this.#connection = undefined;
        const isShort = performance.now() - connection.openedAt < SHORT_SOCKET_MILLISECONDS;
        if (!isShort) this.#socketFailures = 0;
        // Once it may be that the server was restarted.
        else if (this.#socketFailures > 0) this.#delaySocket();
        else this.#socketFailures = 1;
        this.#pause(1);
        this.#wake();
      });
      return true;
    } catch (error) {
      signal.throwIfAborted();
      this.#delaySocket();
      const reason = error instanceof StashError ? String(error.details['code']) : String(error);
      this.#server.log(`socket refused, ${this.#server.redact(reason)}`);
      return false;
    } finally {
      this.#isConnecting = false;
    }
  }

  #delaySocket(): void {
    const wait = Math.min(FIRST_SOCKET_MILLISECONDS * 2 ** this.#socketFailures, LONGEST_SOCKET_MILLISECONDS);
    this.#socketFailures++;
    this.#nextSocketAt = performance.now() + wait;
  }

  #subscriptions(connection: Connection): Subscriptions {
    return {
      loggingSubscribe: {
        document: 'subscription { loggingSubscribe { time level message } }',
        hear: (lines) => {
          this.log.add(lines);
        },
      },
      jobsSubscribe: {
        document: `subscription { jobsSubscribe { type job { ${this.#fields} } } }`,
        hear: (event) => {
          if (!isRecord(event) || !isString(event['type'])) return;
          const { type, job } = event;
          this.#heardAt = performance.now();
          // One that cannot be read leaves a doubt as well, and no more than that.
          const isDoubtful = shielded(
            () => this.board.applyEvent({ type, job: this.#read(job) }, connection),
            this.#server.log,
          );
          if (isDoubtful !== undefined) this.#know();
          if (isDoubtful ?? true) this.requestPoll();
        },
      },
    };
  }

  #read(job: unknown): ServerJob {
    return redactedJob(readJob(job), this.#server.redact);
  }

  #know(): void {
    this.#knownAt = new Date();
    this.#freshAt = performance.now();
  }

  async #survey(): Promise<void> {
    const { newest, restarts, open, nextSequence } = this.#board;
    const connection = this.#connection;
    const from = this.#knownAt;
    const wasInterrupted = this.#interrupted;
    const hasEvents = connection?.isSurveyed === true && !wasInterrupted;
    this.#interrupted = false;
    this.#doubtful = false;
    if (!hasEvents) this.#held ??= [];
    let isContinuous = !wasInterrupted;
    try {
      for (let round = 1; ; round++) {
        const before = this.#board.newest;
        const answer = await this.#ask(connection, from === undefined, wasInterrupted);
        if (!answer) break;
        // What was the last one shows whether the server has counted on from there.
        if (before === newest && newest && !hasEvents) isContinuous = isStillKnown(newest, answer);
        const last = this.#board.newest;
        // What has ended meanwhile may be more than was asked for.
        if (last === before || answer.queue.some(({ id }) => id === last?.job.id)) break;
        if (round === MOST_ROUNDS) {
          this.requestPoll();
          break;
        }
      }
    } catch (error) {
      this.#interrupted ||= wasInterrupted;
      this.#outages++;
      throw error;
    }
    this.#know();
    if (connection) connection.isSurveyed = true;
    if (this.#isAway) this.#board.resume();
    this.#isAway = false;
    const isRestarted = this.#board.restarts > restarts || open.some(({ outcome }) => outcome === 'LOST');
    const reason = isRestarted ? 'restarted' : 'away';
    const to = new Date().toISOString();
    const gap = from && ({ type: 'gap' as const, reason, from: from.toISOString(), to } as const);
    this.#tellHeld(isContinuous || !gap ? undefined : { event: gap, firstSequence: nextSequence });
    if (isContinuous) return;
    if (this.#board.newest === newest) this.#board.forgetNewest();
    this.requestPoll();
  }

  /** Asks once, and takes the answer; gives it where the server has a queue. */
  async #ask(
    connection: Connection | undefined,
    silent: boolean,
    away: boolean,
  ): Promise<JobSnapshot | undefined> {
    const board = this.#board;
    const { nextSequence, newest, open } = board;
    const wanted = [...this.#wanted.keys()];
    const next = Number(newest?.job.id ?? 0) + 1;
    const ids = [
      ...wanted,
      ...(newest ? [newest.job.id] : []),
      ...open.map(({ job }) => job.id),
      // What may have come and gone unseen.
      ...Array.from({ length: REMEMBERED }, (_, index) => String(next + index)),
    ];
    const asked = [...new Set(ids)].filter((id) => id !== '').slice(0, MOST_ASKED);
    const askedAt = performance.now();
    this.#surveyedAt = askedAt;
    const never = new AbortController().signal;
    const answer = await this.#server.request({
      kind: 'query',
      call: { signal: never, waiting: never },
      build: (schema) => {
        this.#fields = fieldsOf(schema);
        return surveyQuestion(schema, asked, (job) => this.#read(job));
      },
    });
    this.#surveyedAt = performance.now();
    this.#answeredOf = askedAt;
    this.#isSlot = !('queue' in answer);
    // Where there is just a slot, those with a number are of a later release, which was here before.
    const survey = 'queue' in answer ? answer : { queue: [], found: new Map(asked.map((id) => [id, null])) };
    if (board.applySnapshot(survey, { firstSequence: nextSequence, silent, connection })) this.requestPoll();
    const unknown = wanted.filter((id) => survey.found.get(id) === null);
    this.#tell({ type: 'surveyed', unknown: new Set(unknown) });
    if ('queue' in answer) {
      board.applyLegacySlot(undefined, { away: true, silent });
      return answer;
    }
    const slot = answer.slot && { ...answer.slot, label: this.#server.redact(answer.slot.label) };
    board.applyLegacySlot(slot, { away, silent });
    return undefined;
  }

  #tell(event: WatcherEvent): void {
    this.#listeners.tell(event);
  }
}

/** What is asked of a job. */
export function fieldsOf(schema: Schema): string {
  const fields = 'id status subTasks description progress startTime endTime addTime';
  return schema.has('Job', 'error') ? `${fields} error` : fields;
}

/** Asks for the queue and for some jobs beside it, or for the one slot that there was before v0.8. */
function surveyQuestion(
  schema: Schema,
  ids: readonly string[],
  read: (job: unknown) => ServerJob,
): Operation<JobSnapshot | { slot: Slot }> {
  if (!schema.has('Query', 'jobQueue')) return slotQuestion(schema);
  const parameters = ids.map((_, index) => `$id${index}: ID!`).join(', ');
  const jobs = ids.map((_, index) => `job${index}: findJob(input: { id: $id${index} }) { ...Fields }`);
  return {
    rootField: 'jobQueue',
    document: `query (${parameters}) { jobQueue { ...Fields } ${jobs.join(' ')} } fragment Fields on Job { ${fieldsOf(schema)} }`,
    variables: Object.fromEntries(ids.map((id, index) => [`id${index}`, id])),
    isWhole: true,
    read: parsed(isRecord, (data) => ({
      queue: readQueue(data['jobQueue']).map(read),
      found: new Map(
        ids.map((id, index) => {
          const job = data[`job${index}`] ?? null;
          return [id, job === null ? null : read(job)];
        }),
      ),
    })),
  };
}

/** Reads `jobQueue`, which is null where there are none. */
export const readQueue = parsed(
  (value): value is unknown[] | null => value === null || Array.isArray(value),
  (queue): unknown[] => queue ?? [],
);

/** Asks what runs. @throws {StashError} UNSUPPORTED where that cannot be asked. */
export function slotQuestion(schema: Schema): Operation<{ slot: Slot }> {
  if (!schema.has('Query', 'jobStatus')) throw schema.lacks('jobQueue', 'v0.8.0');
  return {
    rootField: 'jobStatus',
    document: '{ jobStatus { progress status } }',
    read: parsed(hasString('status'), ({ status, ...others }) => {
      const { progress } = others as Record<string, unknown>;
      if (status === 'Idle') return { slot: undefined };
      const isKnown = typeof progress === 'number' && progress >= 0;
      return { slot: { label: status, progress: isKnown ? progress : null } };
    }),
  };
}

function isStillKnown({ outcome, job }: TrackedJob, { found }: JobSnapshot): boolean {
  return outcome === undefined || found.get(job.id)?.addTime === job.addTime;
}

/** Whether an error will stay until somebody does something about it. */
function isLasting({ code }: StashError): boolean {
  return ['UNAUTHORIZED', 'TLS', 'UNSUPPORTED', 'TOO_LARGE'].includes(code);
}
