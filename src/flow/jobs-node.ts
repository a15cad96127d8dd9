import type { Node, NodeAPI, NodeDef, NodeStatus } from 'node-red';
import { StashError } from '../errors';
import { type JobEvent, type JobProgress, type JobRecord, titleOf } from '../records';
import type { Reachability } from '../server';
import { checkboxes, type Config } from './inputs';
import type { StashMessage } from './message-call';
import { redRing, statusOfReachability, ThrottledStatus } from './node-status';
import { reportOf } from './reporting';
import { connectionOf } from './server-node';
import { describeError, detailsOf, endOf, valuesOf } from './words';

const events = checkboxes(['started', 'progress', 'ended'], ['started', 'ended']);

/** What there is a message for. */
type Told = Exclude<JobEvent, { type: 'failed' }>;

interface Running {
  job: JobRecord;
  progress: JobProgress | null;
}

/** So much of what a job is called fits under a node beside how far it is. */
const LONGEST_NAME = 12;

/**
 * The life of a node that has no input and tells of all jobs of a server, whoever starts them; nothing is thrown at
 * Node-RED.
 * @returns the constructor to register for the node's type.
 */
export function jobsNode(RED: NodeAPI) {
  return function (this: Node, definition: NodeDef): void {
    RED.nodes.createNode(this, definition);
    const config: Config = { ...definition };
    const light = new ThrottledStatus(this);
    let reach: Reachability | undefined;
    let running: Running | undefined;
    /** Why nothing can be told, until something is. */
    let failure: StashError | undefined;
    const ends: (() => void)[] = [];

    const show = () => {
      light.show(() => {
        if (failure) return redRing(describeError(RED, failure).label);
        if (running) return statusOf(RED, running);
        return reach ? statusOfReachability(RED, reach) : {};
      });
    };

    const tell = (event: Told, server: { name: string; url: string }) => {
      const msg: StashMessage = {
        topic: event.type,
        payload: payloadOf(event),
        stash: { server: { ...server }, summary: summaryOf(RED, event, server.name) },
      };
      this.send(msg);
    };

    const fail = (error: StashError, server: { name: string; url: string }) => {
      const { error: told, summary, facts } = reportOf(RED, error);
      const msg: StashMessage = { stash: { server: { ...server }, summary, error: facts } };
      this.error(told, msg);
    };

    const take = (event: JobEvent, server: { name: string; url: string }, wanted: readonly string[]) => {
      if (event.type === 'failed') {
        // It is told each time that the server was asked in vain.
        if (event.error.case !== failure?.case) fail(event.error, server);
        failure = event.error;
        running = undefined;
      } else {
        failure = undefined;
        running = runningAfter(running, event);
        if (wanted.includes(event.type)) tell(event, server);
      }
      show();
    };

    this.on('close', () => {
      for (const end of ends) end();
      light.close();
    });

    try {
      const server = connectionOf(RED, config['server']);
      const about = { name: server.name, url: server.url };
      const wanted: readonly string[] = [...events.read(config), 'gap'];
      ends.push(
        server.onReachability((now) => {
          reach = now;
          if (!now.reachable) running = failure = undefined;
          show();
        }),
        server.followJobs((event) => {
          try {
            take(event, about, wanted);
          } catch (error) {
            this.error(error);
          }
        }),
      );
    } catch (error) {
      if (error instanceof StashError) light.show(() => redRing(describeError(RED, error).label));
      else this.error(error);
    }
  };
}

/** What runs after an event. */
function runningAfter(running: Running | undefined, event: Told): Running | undefined {
  switch (event.type) {
    case 'started':
      return { job: event.job, progress: null };
    case 'progress':
      return event;
    case 'ended':
      return isSame(running?.job, event.job) ? undefined : running;
    case 'gap':
      return undefined;
  }
}

/** Copied, as others hear of the same job and a flow may change its message. */
function payloadOf(event: Told): object {
  if (event.type === 'gap') return { reason: event.reason, from: event.from, to: event.to };
  return structuredClone(event.type === 'progress' ? { ...event.job, ...event.progress } : event.job);
}

/** One sentence fit for a notification. */
function summaryOf(RED: NodeAPI, event: Told, server: string): string {
  return RED._(`summary.${outcomeOf(event)}`, { ...namedBy(RED, event), server });
}

/** What the words for an event name. */
function namedBy(RED: NodeAPI, event: Told): Record<string, string | number> {
  if (event.type === 'gap') return { from: clock(event.from), to: clock(event.to) };
  const details = detailsOf(event.job).map(({ key, values = {} }) => RED._(`detail.${key}`, values));
  const percent = event.type === 'progress' ? (event.progress.percent ?? '–') : '–';
  return { ...valuesOf(event.job), percent, details: details.join(', ') };
}

function outcomeOf(event: Told): string {
  switch (event.type) {
    case 'started':
      return 'started';
    case 'progress':
      if (event.job.status === 'STOPPING') return 'stopping';
      if (event.progress.stalled) return 'stalled';
      return event.progress.percent === null ? 'running' : 'progress';
    case 'ended':
      return endOf(event.job);
    case 'gap':
      return event.reason;
  }
}

function statusOf(RED: NodeAPI, { job, progress }: Running): NodeStatus {
  const what = titleOf(job.description).slice(0, LONGEST_NAME);
  const percent = progress?.percent ?? null;
  const isStalled = progress?.stalled === true && job.status !== 'STOPPING';
  const how = isStalled ? 'stalled' : percent === null ? 'running' : 'progress';
  const which = job.status === 'STOPPING' ? 'stopping' : how;
  const text = RED._(`status.${which}`, { what, percent: percent ?? '–' });
  return { fill: isStalled ? 'yellow' : 'blue', shape: 'dot', text };
}

/** Ids begin at 1 again when the server is restarted. */
function isSame(one: JobRecord | undefined, other: JobRecord): boolean {
  return one?.id === other.id && one.added === other.added;
}

/** A time on this machine's clock, as `2026-01-11 04:41:59`, which is how Swedish writes it. */
function clock(time: string): string {
  return new Date(time).toLocaleString('sv');
}
