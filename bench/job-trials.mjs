// Trials of waiting for jobs with the packed package in a real Node-RED: many messages at once, a redeploy while they wait,
// and a server that repeatedly crashes during its jobs.
import { setTimeout as sleep } from 'node:timers/promises';
import { quantile } from './pairs.mjs';
import { deployAll, now, startNodeRed, startServer, until } from './processes.mjs';
import { label } from './workbench.mjs';

export const MESSAGES = 200;
export const ROUNDS = 2;
/** How the jobs are tracked, and how many start before the first one has ended. */
export const SOCKET = { how: 'socket', release: 'v0.30.1', together: MESSAGES };
export const POLLING = { how: 'polling', release: 'v0.11.0', together: 8 };
/** Milliseconds until the requests after a start have ended. */
const SETTLE = 2500;
/** How long to count requests while all messages wait. */
export const WATCH = 6000;
export const JOB = 30;
/** The number of messages after a redeploy. */
export const AFTER_DEPLOY = 10;
/** The server that crashes: the messages for each crash, and the duration of a job. */
export const DEATHS = { count: 20, messages: 10, job: 60 };
/** Alternately: the number of ended jobs when it crashes, or a crash while the starts are in flight. */
const DIES_AFTER = [0, 1, 3, 6, 'starts'];
/** Alternately: how long it is away. */
export const AWAY = [0, 700, 2000];
/** Twice as long as any step: a message that has not ended by then never will. */
const TOO_LONG = 80_000;
/** The number of starts after which a batch counts as in flight. */
const BEGUN = 3;

/** Lets many messages wait at once, several times in the same Node-RED, and then with a redeploy while they wait. */
export async function measureWaiting(bench, runtime, way) {
  const { how, release, together } = way;
  const { server, nodeRed } = await start(bench, runtime, release);
  const memory = [];
  const measureMemory = async (when) => {
    memory.push({ when, ...(await nodeRed.ask({ order: 'memory' })) });
  };
  const wait = async (batch) => {
    await server.ask({ order: 'hold' });
    await nodeRed.ask({ order: 'send', batch, count: MESSAGES });
    await until(server, ({ added, ended }) => added - ended === together, TOO_LONG);
    await sleep(SETTLE);
  };
  const go = () => server.ask({ order: 'release', seconds: JOB / 1000 });

  await measureMemory('before');
  const windows = [];
  for (let round = 1; round <= ROUNDS; round += 1) {
    console.log(`${MESSAGES} messages wait, ${how}, on ${label(runtime)}, ${round} of ${ROUNDS} …`);
    const sent = now();
    await wait(round);
    await measureMemory(`round ${round}, while they wait`);
    const from = now();
    await sleep(WATCH);
    const to = now();
    await go();
    await until(nodeRed, ({ ended }) => ended === round * MESSAGES, TOO_LONG);
    windows.push({ sent, from, to, over: now() });
    await measureMemory(`after round ${round}`);
  }

  console.log(`Deploying amid ${MESSAGES} messages that wait, ${how}, on ${label(runtime)} …`);
  await wait('deployed');
  await deployAll(nodeRed);
  await nodeRed.ask({ order: 'send', batch: 'after', count: AFTER_DEPLOY });
  await go();
  const all = (ROUNDS + 1) * MESSAGES + AFTER_DEPLOY;
  await until(nodeRed, ({ ended }) => ended === all, TOO_LONG);

  const { messages, deploys } = await nodeRed.ask({ order: 'tell' });
  const { runs } = await server.ask({ order: 'tell' });
  await nodeRed.stop();
  await server.stop();
  const [run] = runs;
  const rounds = windows.map((window, index) => {
    const batch = messages.filter((message) => message.batch === index + 1);
    return { ...outcome(batch), ...delays(batch, run), ...look(window, run) };
  });
  const [{ stopping, stopped, started }] = deploys;
  const after = memory.filter(({ when }) => when.startsWith('after'));
  return {
    what: label(runtime),
    how,
    rounds,
    memory,
    growth: after.at(-1).heapUsed - after[0].heapUsed,
    deploy: {
      stop: stopped - stopping,
      whole: started - stopping,
      ...outcome(messages.filter(({ batch }) => batch === 'deployed')),
      after: outcome(messages.filter(({ batch }) => batch === 'after')),
    },
  };
}

/** Repeatedly crashes and restarts a server while messages wait for its jobs. */
export async function measureDeaths(bench, runtime) {
  const { server, nodeRed } = await start(bench, runtime, SOCKET.release);
  const { count, messages: size, job } = DEATHS;
  await server.ask({ order: 'release', seconds: job / 1000 });
  const deaths = [];
  for (let death = 1; death <= count; death += 1) {
    const after = DIES_AFTER[death % DIES_AFTER.length];
    const amidStarts = after === 'starts';
    const { added: before } = await server.ask({ order: 'count' });
    await nodeRed.ask({ order: 'send', batch: death, count: size });
    if (amidStarts) await until(server, ({ added }) => added >= before + BEGUN, TOO_LONG);
    else {
      await until(server, ({ added, ended }) => added === before + size && ended >= before + after, TOO_LONG);
      // The responses to the starts are in flight.
      await sleep(job);
    }
    // Every other time, jobs of another client get the IDs of the messages' jobs.
    const others = death % 2 === 0 ? 0 : size;
    await nodeRed.ask({ order: 'listen' });
    const { backAt } = await server.ask({ order: 'restart', away: AWAY[death % AWAY.length], others });
    await until(nodeRed, ({ ended }) => ended === death * size, TOO_LONG);
    deaths.push({ amidStarts, backAt, connections: await nodeRed.ask({ order: 'heard' }) });
  }
  // Leaves time for a message that ends twice.
  await sleep(SETTLE);
  const { messages } = await nodeRed.ask({ order: 'tell' });
  const { runs } = await server.ask({ order: 'tell' });
  await nodeRed.stop();
  await server.stop();
  const finished = new Set(
    runs
      .flatMap(({ ends }) => ends)
      .filter(({ status, isAnothers }) => status === 'FINISHED' && !isAnothers)
      .map(keyOf),
  );
  const hasFinished = ({ job }) => job && finished.has(keyOf(job));
  const reported = messages.filter((message) => endOf(message) === 'FINISHED');
  const late = messages.map(({ batch, at }) => at - deaths[batch - 1].backAt).filter((time) => time > 0);
  const calm = deaths.filter(({ amidStarts }) => !amidStarts).map(({ connections }) => connections);
  return {
    what: label(runtime),
    ...outcome(messages),
    // Includes messages that reported the same job as another one.
    wrong: reported.length - new Set(reported.filter(hasFinished).map(({ job }) => keyOf(job))).size,
    unheard: messages.filter((message) => endOf(message) === 'JOB_LOST' && hasFinished(message)).length,
    late: late.length,
    median: quantile(late, 0.5),
    longest: Math.max(...late),
    most: Math.max(...calm.map(({ most }) => most)),
    tried: quantile(
      calm.map(({ tried }) => tried),
      0.5,
    ),
    mostTried: Math.max(...calm.map(({ tried }) => tried)),
    sockets: Math.max(...runs.map(({ sockets }) => sockets.length)),
  };
}

async function start(bench, runtime, release) {
  const server = await bench.keep(startServer('job-server.mjs', [release]));
  const userDir = bench.userDir(flows(server.url), { driver: 'job-driver' });
  return { server, nodeRed: await bench.keep(startNodeRed(runtime, userDir, ['--expose-gc'])) };
}

function flows(url) {
  const at = { z: 'tab', x: 10, y: 10 };
  return [
    { id: 'tab', type: 'tab', label: '' },
    { id: 'driver', type: 'bench-job-driver', ...at, wires: [['scan']] },
    { id: 'server', type: 'stash-server', name: 'bench', url },
    {
      id: 'scan',
      type: 'stash-scan',
      server: 'server',
      reply: 'finished',
      outputs: 2,
      ...at,
      wires: [['driver'], []],
    },
    // Without a Catch node, each error would be logged.
    { id: 'caught', type: 'catch', scope: null, ...at, wires: [[]] },
  ];
}

/** IDs begin at 1 again with each start of the server. */
function keyOf({ id, added }) {
  return `${id} ${added}`;
}

/** Returns how a message ended: the job's status or the error code; undefined if it ended twice, in two ways, or never. */
function endOf({ answers, ends }) {
  if (ends.length !== 1 || answers.length > 1) return undefined;
  const [end] = ends;
  return end === 'done' ? answers[0] : answers.length === 0 ? end : undefined;
}

/** Counts the messages by their end, and those without exactly one end. */
function outcome(messages) {
  const ends = {};
  let others = 0;
  for (const message of messages) {
    const end = endOf(message);
    if (end === undefined) others += 1;
    else ends[end] = (ends[end] ?? 0) + 1;
  }
  return { sent: messages.length, ends, others };
}

/** Returns the delay between the end of each job and the end of its message. */
function delays(messages, { ends }) {
  const endedAt = new Map(ends.map((end) => [keyOf(end), end.at]));
  const times = messages.map(({ job, at }) => at - endedAt.get(keyOf(job)));
  return { median: quantile(times, 0.5), longest: Math.max(...times) };
}

/** Counts the requests of the whole round, and those while all messages waited. */
function look({ sent, from, to, over }, { requests, sockets }) {
  const within = (some, begin, end) => some.filter(({ at }) => at >= begin && at <= end);
  const watched = within(requests, from, to);
  const [first, last] = [watched[0], watched.at(-1)];
  const sentRequests = within(requests, sent, over);
  const starts = sentRequests.filter(({ operation }) => operation === 'metadataScan').length;
  return {
    // From the first to the last request in the window, so that its edges do not count.
    rate:
      watched.length > 1
        ? (watched.length - 1) / ((last.at - first.at) / 1000)
        : watched.length / (WATCH / 1000),
    seconds: (over - sent) / 1000,
    starts,
    questions: sentRequests.length - starts,
    // All sockets since the start of the server: if there was only one, no two were open at a time.
    sockets: within(sockets, -Infinity, over).length,
  };
}
