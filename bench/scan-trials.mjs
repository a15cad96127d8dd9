// Trials of scans that collect messages, with the packed package in a real Node-RED: bursts of messages, a redeploy in a
// burst, and a server that crashes before, during and after the start of the scan.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { deployAll, startNodeRed, startServer, until } from './processes.mjs';
import { label } from './workbench.mjs';

export const RELEASE = 'v0.30.1';
/** The quiet time in seconds after which the scan starts. */
export const COLLECT = 2;
export const SMALL = 200;
export const LARGE = 10_000;
/** The folders of the files in a burst. */
export const FOLDERS = 20;
export const ROUNDS = 3;
/** How long files have to be unchanged, in seconds. */
export const UNCHANGED = 2;
/** The library folder that the files of a burst are in, for Stash. */
const LIBRARY = '/media/videos';
const TOO_LONG = 60_000;
/** How long messages wait while the processor time is measured, and before that, in milliseconds. */
export const WAITED = 10_000;
const SETTLED = 2000;
/** How long the job takes, in seconds: longer than both. It progresses with each of these new files. */
const LONG_JOB = { seconds: 18, files: 1000 };
/** How long to wait for a message that ends twice, or for a second scan. */
const SETTLE = 3000;

/** Returns the result of each burst, and the memory after it. */
export async function measureBursts(bench, runtime) {
  const { server, nodeRed, memory, run } = await start(bench, runtime);
  // Warms up.
  await run('scan', SMALL);
  await run('scan', LARGE);
  await run('core', LARGE);
  const idle = await measureIdle(nodeRed);
  await memory('before');
  const bursts = [];
  const measure = async (what, to, count) => {
    console.log(`${what} on ${label(runtime)} …`);
    bursts.push({ what, ...(await run(to, count)) });
  };
  await measure(`${SMALL} messages`, 'scan', SMALL);
  for (let round = 1; round <= ROUNDS; round += 1) {
    await measure(`${LARGE} messages`, 'scan', LARGE);
    await memory(`after burst ${round} of ${LARGE} messages`);
  }
  await measure(`${LARGE} messages that wait for the end of the job`, 'wait', LARGE);
  await memory('after them');
  await measure(`${LARGE} messages through the core node change`, 'core', LARGE);
  console.log(`${LARGE} messages that wait, on ${label(runtime)} …`);
  const waiting = await measureWaiting(server, nodeRed);
  const memories = memory.all;
  await nodeRed.stop();
  await server.stop();
  return { what: label(runtime), idle, bursts, waiting, memory: memories };
}

/** Returns the share of a processor that messages take which only wait for the end of a job, beside an idle Node-RED. */
async function measureWaiting(server, nodeRed) {
  const cost = async () => {
    await nodeRed.ask({ order: 'watch' });
    await sleep(WAITED);
    return (await nodeRed.ask({ order: 'cost' })).cpu / WAITED;
  };
  await nodeRed.ask({ order: 'memory' });
  const idle = await cost();
  const { seconds, files } = LONG_JOB;
  await server.ask({ order: 'release', seconds });
  const paths = Array.from({ length: files }, (_, index) => `${LIBRARY}/0/new-${index}.mp4`);
  await server.ask({ order: 'arrive', paths });
  const { added } = await server.ask({ order: 'count' });
  await nodeRed.ask({ order: 'send', count: LARGE, folders: FOLDERS, below: LIBRARY, to: 'wait' });
  await until(server, (counts) => counts.added > added, TOO_LONG);
  await sleep(SETTLED);
  const share = await cost();
  const { ended } = await nodeRed.ask({ order: 'count' });
  if (ended > 0) throw new Error(`${ended} messages have ended although the job runs`);
  await until(nodeRed, (counts) => counts.ended === LARGE, TOO_LONG);
  await server.ask({ order: 'release', seconds: 0.1 });
  return share - idle;
}

/** Returns the result of a burst of each size with each fault. */
export async function measureFaults(bench, runtime) {
  const { server, nodeRed, run } = await start(bench, runtime);
  await run('scan', SMALL);
  const faults = [];
  for (const count of [SMALL, LARGE]) {
    const trial = async (what, to, disturb, prepare = () => {}) => {
      console.log(`${count} messages, ${what}, on ${label(runtime)} …`);
      await prepare();
      faults.push({ what, count, ...(await run(to, count, disturb)) });
    };
    await trial('a redeploy while they are collected', 'scan', async () => {
      await sleep(500);
      await deployAll(nodeRed);
    });
    await trial('a server that is away from before the start of the scan', 'scan', () =>
      server.ask({ order: 'restart', away: COLLECT * 1000 + 3000, others: 0 }),
    );
    await trial('a server that is back before the start of the scan', 'scan', () =>
      server.ask({ order: 'restart', away: 200, others: 0 }),
    );
    await trial('a lost response to the start', 'scan', undefined, () => server.ask({ order: 'lose' }));
    await trial('a server that crashes during the start', 'scan', undefined, () =>
      server.ask({ order: 'lose', away: 500 }),
    );
    const duringJob = async (what, disturb) => {
      const wait = async (before) => {
        await until(server, ({ added }) => added > before, TOO_LONG);
        await sleep(500);
        await disturb();
      };
      await trial(what, 'wait', wait, () => server.ask({ order: 'hold' }));
      await server.ask({ order: 'release', seconds: 0.1 });
    };
    await duringJob('a server that crashes during the job', () =>
      server.ask({ order: 'restart', away: 500, others: 0 }),
    );
    await duringJob('a redeploy while they wait for the job', () => deployAll(nodeRed));
  }
  await nodeRed.stop();
  await server.stop();
  return { what: label(runtime), faults };
}

/** Returns the results of bursts whose files exist and have to be complete. */
export async function measureFiles(bench, runtime) {
  const below = bench.folderOnDisk();
  const names = Array.from({ length: FOLDERS }, (_, index) => String(index));
  for (const name of names) mkdirSync(path.join(below, name));
  for (let number = 0; number < LARGE; number += 1) {
    writeFileSync(path.join(below, String(number % FOLDERS), `${number}.mp4`), 'content');
  }
  const { server, nodeRed, memory, run } = await start(bench, runtime, below);
  // Of a file in a folder that Stash does not know, the folder is scanned, and watched.
  await server.ask({ order: 'know', folders: names.map((name) => `${LIBRARY}/${name}`) });
  await run('files', SMALL);
  const bursts = [];
  for (let round = 1; round <= ROUNDS; round += 1) {
    console.log(`${LARGE} files on ${label(runtime)} …`);
    const sampling = sampleWatcher(nodeRed.pid);
    const burst = await run('files', LARGE);
    bursts.push({ what: `${LARGE} files`, ...burst, watcher: await sampling });
    await memory(`after burst ${round} of ${LARGE} files`);
  }
  const memories = memory.all;
  await nodeRed.stop();
  await server.stop();
  return { what: label(runtime), bursts, memory: memories };
}

/**
 * Returns the processor time in milliseconds and the largest memory in bytes of the process that watches files, once it has
 * ended; null where the system does not tell (only Linux does).
 */
async function sampleWatcher(pid) {
  if (process.platform !== 'linux') return null;
  let [cpu, rss] = [0, 0];
  for (let hasBegun = false; ;) {
    const [child] = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ');
    if (!child && hasBegun) return { cpu, rss };
    try {
      const [, fields = ''] = readFileSync(`/proc/${child}/stat`, 'utf8').split(') ');
      const [user, system] = fields.split(' ').slice(11, 13).map(Number);
      const [, pages] = readFileSync(`/proc/${child}/statm`, 'utf8').split(' ').map(Number);
      // In ticks of 10 ms, and pages of 4 KiB.
      cpu = 10 * (user + system);
      rss = Math.max(rss, 4096 * pages);
      hasBegun = true;
    } catch {
      // It has not begun, or has ended meanwhile.
    }
    await sleep(50);
  }
}

/** Returns the processor time of Node-RED while nothing happens for as long as messages are collected. */
async function measureIdle(nodeRed) {
  await nodeRed.ask({ order: 'send', count: 0, to: 'scan' });
  await until(nodeRed, () => false, COLLECT * 1000).catch(() => {});
  return (await nodeRed.ask({ order: 'cost' })).cpu;
}

/** @param below the folder that the messages have paths in. */
async function start(bench, runtime, below = LIBRARY) {
  const server = await bench.keep(startServer('job-server.mjs', [RELEASE]));
  await server.ask({ order: 'release', seconds: 0.1 });
  const userDir = bench.userDir(flows(server.url, below), { driver: 'scan-driver' });
  const nodeRed = await bench.keep(startNodeRed(runtime, userDir, ['--expose-gc']));
  const memory = async (when) => {
    memory.all.push({ when, ...(await nodeRed.ask({ order: 'memory' })) });
  };
  memory.all = [];

  /** Sends a burst, and returns how its messages ended, and what it cost. */
  const run = async (to, count, disturb = () => {}) => {
    await nodeRed.ask({ order: 'memory' });
    const before = await scans(server);
    const { added } = await server.ask({ order: 'count' });
    await nodeRed.ask({ order: 'send', count, folders: FOLDERS, below, to });
    await disturb(added);
    await until(nodeRed, ({ ended }) => ended === count, TOO_LONG);
    const cost = await nodeRed.ask({ order: 'cost' });
    await sleep(to === 'core' ? 0 : SETTLE);
    const { messages } = await nodeRed.ask({ order: 'tell' });
    return { ...cost, ...outcome(messages), scans: (await scans(server)) - before };
  };
  return { server, nodeRed, memory, run };
}

/** Returns how many scans the server was asked for. */
async function scans(server) {
  const { runs } = await server.ask({ order: 'tell' });
  return runs.flatMap(({ requests }) => requests).filter(({ operation }) => operation === 'metadataScan')
    .length;
}

/** Counts the messages by their end, those without exactly one end, and the jobs that they returned with. */
function outcome(messages) {
  const ends = {};
  let others = 0;
  for (const { sent, ends: own } of messages) {
    const isOnce = own.length === 1 && sent === (own[0] === 'done' ? 1 : 0);
    if (isOnce) ends[own[0]] = (ends[own[0]] ?? 0) + 1;
    else others += 1;
  }
  const jobs = new Set(messages.filter(({ sent }) => sent > 0).map(({ job }) => job));
  return { ends, others, jobs: jobs.size };
}

function flows(url, below) {
  const at = { z: 'tab', x: 10, y: 10 };
  const scan = {
    type: 'stash-scan',
    server: 'server',
    paths: 'payload',
    pathsType: 'msg',
    collect: String(COLLECT),
  };
  return [
    { id: 'tab', type: 'tab', label: '' },
    { id: 'driver', type: 'bench-scan-driver', ...at, wires: [['scan'], ['wait'], ['core'], ['files']] },
    {
      id: 'server',
      type: 'stash-server',
      name: 'bench',
      url,
      pathMap: below === LIBRARY ? [] : [{ here: below, there: LIBRARY }],
    },
    { ...scan, id: 'files', settle: String(UNCHANGED), ...at, wires: [['driver'], []] },
    { ...scan, id: 'scan', ...at, wires: [['driver'], []] },
    { ...scan, id: 'wait', reply: 'finished', outputs: 2, ...at, wires: [['driver'], []] },
    {
      id: 'core',
      type: 'change',
      rules: [{ t: 'set', p: 'topic', pt: 'msg', to: 'x', tot: 'str' }],
      ...at,
      wires: [['driver']],
    },
    // Without a Catch node, each error would be logged.
    { id: 'caught', type: 'catch', scope: null, ...at, wires: [[]] },
  ];
}
