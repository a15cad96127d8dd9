// Trials of backups with the packed package in a real Node-RED, on a real disk: one large backup compared with other ways to
// fetch the same file, and a Node-RED that is killed at random moments of a backup.
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { createReadStream, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { root } from '../scripts/install.mjs';
import { quantile } from './pairs.mjs';
import { now, startNodeRed, startServer } from './processes.mjs';
import { MIB } from './report.mjs';
import { label } from './workbench.mjs';

const run = promisify(execFile);

/** The large backup, and the number of downloads in each way. */
export const LARGE = 1024 * MIB;
export const ROUNDS = 5;
/** A warm-up, so that all libraries are loaded. */
const SMALL = MIB;
export const WAYS = ['curl', 'backup', 'core'];
/** The backup during which Node-RED is killed: the server's seconds to make and to send it, and how many are kept. */
export const KILLS = { count: 20, size: 200 * MIB, making: 0.3, sending: 1, keep: 3 };
/** Milliseconds before and after each step in the folder. */
export const PAUSE = 60;
/** The phases of a backup in which a kill may happen, in order; slow-disk.js reports those after the flush. */
export const PHASES = [
  'before its download',
  'download',
  'flush of the partial file',
  'rename of the partial file',
  'removal of the partial file',
  'flush of the folder',
  'flush of the list of backups',
  'rename of the list of backups',
  'removal of an earlier backup',
  'between or after these steps',
];
/** Milliseconds for a started Node-RED to remove leftover files. */
const SWEEP = 3000;

/** Fetches the large backup in all ways on all runtimes, alternately. */
export async function measureLarge(bench) {
  const server = await bench.keep(startServer('backup-server.mjs'));
  const folder = bench.folderOnDisk();
  const rows = bench.runtimes.map((runtime) => ({
    what: label(runtime),
    userDir: bench.userDir(flows(server.url, folder), { driver: 'backup-driver' }),
    runtime,
    rounds: [],
  }));
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const { what, userDir, runtime, rounds } of rows) {
      console.log(`Fetching ${LARGE / MIB} MiB beside ${what}, ${round + 1} of ${ROUNDS} …`);
      const figures = {};
      for (const index of WAYS.keys()) {
        const way = WAYS[(round + index) % WAYS.length];
        const fetchIn = way === 'curl' ? fetchWithCurl : fetchWithNodeRed;
        figures[way] = await fetchIn(bench, { server, folder, way, runtime, userDir });
      }
      rounds.push(figures);
    }
  }
  await server.stop();
  return rows;
}

/** `curl -s -o FILE URL && sync FILE` */
async function fetchWithCurl(_bench, { server, folder }) {
  const { sha256 } = await server.ask({ order: 'offer', bytes: LARGE });
  const file = path.join(folder, 'curl.sqlite');
  await drain(folder);
  const url = await linkOf(server);
  const began = now();
  await run('sh', ['-c', 'curl -s -o "$1" "$2" && sync "$1"', 'sh', file, url]);
  const seconds = (now() - began) / 1000;
  return { seconds, whole: seconds, right: await isRight(file, sha256) };
}

/** Sends a message through stash-backup, or through the core nodes and then `sync FILE`, in its own Node-RED. */
async function fetchWithNodeRed(bench, { server, folder, way: node, runtime, userDir }) {
  const nodeRed = await bench.keep(startNodeRed(runtime, userDir, ['--expose-gc']));
  const file = path.join(folder, `${node}.sqlite`);
  const fetchOnce = async (bytes) => {
    const { sha256 } = await server.ask({ order: 'offer', bytes });
    await nodeRed.ask({ order: 'collect' });
    await drain(folder);
    const message = { filename: node === 'core' ? file : path.basename(file) };
    if (node === 'core') message.url = await linkOf(server);
    const before = memory(nodeRed.pid);
    forgetPeak(nodeRed.pid);
    const idle = monitorEventLoopDelay({ resolution: 1 });
    idle.enable();
    await nodeRed.ask({ order: 'send', node, message });
    const end = await nodeRed.ask({ order: 'over' });
    idle.disable();
    const { peak } = memory(nodeRed.pid);
    const beforeSync = now();
    if (node === 'core') await run('sync', [file]);
    const endedAt = end.endedAt + now() - beforeSync;
    const { downloads } = await server.ask({ order: 'tell' });
    const isReported = node === 'core' || end.sha256 === sha256;
    return {
      seconds: (endedAt - downloads.at(-1).at) / 1000,
      whole: (endedAt - end.sentAt) / 1000,
      before: before.resident,
      growth: peak - before.resident,
      stall: end.stall,
      idle: idle.max / 1e6,
      right: (await isRight(file, sha256)) && isReported,
    };
  };
  const small = await fetchOnce(SMALL);
  const large = await fetchOnce(LARGE);
  await nodeRed.stop();
  return { ...large, first: small.stall };
}

/** Repeatedly kills a Node-RED during a backup and starts it again. Returns the effect of each kill. */
export async function measureKills(bench, runtime) {
  const { count, size, making, sending, keep } = KILLS;
  const server = await bench.keep(startServer('backup-server.mjs', [making, size / sending].map(String)));
  const place = bench.folderOnDisk();
  const [folder, step] = [path.join(place, 'backups'), path.join(place, 'step')];
  mkdirSync(folder);
  const userDir = bench.userDir(flows(server.url, folder), { driver: 'backup-driver' });
  const environment = { BENCH_FOLDER: folder, BENCH_STEP: step, BENCH_PAUSE: String(PAUSE) };
  const slowDisk = ['--require', path.join(root, 'bench', 'slow-disk.js')];
  const start = () => bench.keep(startNodeRed(runtime, userDir, slowDisk, environment));

  let nodeRed = await start();
  let made = 0;
  /** Starts another backup, with a new name or over the one that is always replaced. */
  const begin = async (node) => {
    made += 1;
    const { sha256 } = await server.ask({ order: 'offer', bytes: size, number: made });
    const filename = node === 'backup' ? `backup-${String(made).padStart(3, '0')}.sqlite` : 'latest.sqlite';
    writeFileSync(step, '');
    const { downloads } = await server.ask({ order: 'tell' });
    const sentAt = now();
    await nodeRed.ask({ order: 'send', node, message: { filename } });
    return { node, filename, sha256, sentAt, downloads: downloads.length };
  };
  /** The complete files in the folder: the SHA-256 by name. */
  const good = new Map();
  const finish = async (backup) => {
    try {
      const { sentAt, endedAt } = await nodeRed.ask({ order: 'over' });
      times[backup.node] = endedAt - sentAt;
    } catch (error) {
      console.error(error.message);
    }
    return judge(folder, good, backup);
  };

  const times = {};
  for (const node of ['replace', ...Array.from({ length: keep }, () => 'backup')]) {
    await finish(await begin(node));
  }

  const kills = [];
  for (const turn of shuffled(count)) {
    console.log(`Killing ${label(runtime)}, ${kills.length + 1} of ${count} …`);
    const node = turn % 2 === 0 ? 'backup' : 'replace';
    // One random moment in each part of its duration.
    const after = ((turn + Math.random()) / count) * times[node];
    const attempt = await begin(node);
    await sleep(Math.max(0, attempt.sentAt + after - now()));
    await nodeRed.stop('SIGKILL');
    const { downloads } = await server.ask({ order: 'tell' });
    const phase = phaseOf(downloads[attempt.downloads], readFileSync(step, 'utf8'));
    const leftBehind = leftovers(folder).length;

    nodeRed = await start();
    const swept = now() + SWEEP;
    while (leftovers(folder).length > 0 && now() < swept) await sleep(50);
    const afterStart = { leftovers: leftovers(folder), ...(await judge(folder, good, attempt)) };
    // The reports of one kill must not count for the next.
    for (const name of afterStart.leftovers) rmSync(path.join(folder, name));
    const afterNext = { leftovers: leftovers(folder), ...(await finish(await begin(node))) };
    const both = (key) => [...new Set([...afterStart[key], ...afterNext[key]])];
    kills.push({
      phase,
      leftBehind,
      isThere: afterStart.isThere,
      next: afterNext.isThere,
      bad: both('bad'),
      leftovers: both('leftovers'),
      missing: both('missing'),
    });
  }
  await nodeRed.stop();
  await server.stop();
  return { what: label(runtime), kills };
}

/** Returns the phase in which a kill happened. */
function phaseOf(download, step) {
  if (!download) return 'before its download';
  if (!download.sent) return 'download';
  return step || 'between or after these steps';
}

/** Reads all files with a final name, and adds them to the known complete ones. */
async function judge(folder, good, { node, filename, sha256 }) {
  const names = readdirSync(folder).filter((name) => !name.startsWith('.'));
  const bad = [];
  let isThere = false;
  for (const name of names) {
    const digest = await digestOf(path.join(folder, name));
    const isTried = name === filename && digest === sha256;
    isThere ||= isTried;
    if (!isTried && digest !== good.get(name)) bad.push(name);
  }
  const mayGo = isThere && node === 'backup' ? oldest([...good.keys()], KILLS.keep - 1) : [];
  const missing = [...good.keys()].filter((name) => !names.includes(name) && !mayGo.includes(name));
  if (isThere) good.set(filename, sha256);
  for (const name of [...good.keys()]) if (!names.includes(name)) good.delete(name);
  return { isThere, bad, missing };
}

/** Returns all rotated backups but the newest. */
function oldest(names, keep) {
  const rotated = names.filter((name) => name.startsWith('backup-')).sort();
  return rotated.slice(0, Math.max(0, rotated.length - keep));
}

function leftovers(folder) {
  return readdirSync(folder).filter((name) => /\.(partial|tmp)$/.test(name));
}

/** The flow: backups into the folder, with rotation and with overwriting, and core nodes that do the same. */
function flows(url, folder) {
  const at = { z: 'tab', x: 10, y: 10 };
  const back = { ...at, wires: [['driver']] };
  const backup = {
    type: 'stash-backup',
    server: 'server',
    download: true,
    folder,
    folderType: 'str',
    filename: 'filename',
    filenameType: 'msg',
    outputs: 2,
    ...at,
    wires: [['driver'], ['driver']],
  };
  return [
    { id: 'tab', type: 'tab', label: '' },
    { id: 'server', type: 'stash-server', name: 'bench', url },
    { id: 'driver', type: 'bench-backup-driver', ...at, wires: [['backup'], ['replace'], ['core']] },
    { id: 'backup', ...backup, keep: String(KILLS.keep) },
    { id: 'replace', ...backup, overwrite: true },
    { id: 'core', type: 'http request', method: 'GET', ret: 'bin', url: '', ...at, wires: [['file']] },
    {
      id: 'file',
      type: 'file',
      filename: 'filename',
      filenameType: 'msg',
      appendNewline: false,
      overwriteFile: 'true',
      ...back,
    },
    { id: 'caught', type: 'catch', scope: null, ...back },
  ];
}

/** Requests a backup, and returns its link. */
async function linkOf(server) {
  const response = await fetch(`${server.url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query: 'mutation { backupDatabase(input: { download: true }) }' }),
  });
  const { data } = await response.json();
  return data.backupDatabase;
}

/** Removes the file of the previous run, and waits until the disk has written everything. */
async function drain(folder) {
  for (const name of readdirSync(folder)) rmSync(path.join(folder, name));
  await run('sync', ['-f', folder]);
}

async function isRight(file, sha256) {
  return (await digestOf(file)) === sha256;
}

async function digestOf(file) {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file, { highWaterMark: MIB }), hash);
  return hash.digest('hex');
}

/** Returns the resident memory of a process, and its peak since the last reset, in bytes. */
function memory(pid) {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const [resident, peak] = ['VmRSS', 'VmHWM'].map(
    (name) => Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(status)[1]) * 1024,
  );
  return { resident, peak };
}

function forgetPeak(pid) {
  writeFileSync(`/proc/${pid}/clear_refs`, '5');
}

/** Returns the numbers below `count` in random order. */
function shuffled(count) {
  return Array.from({ length: count }, (_, number) => ({ number, order: Math.random() }))
    .sort((a, b) => a.order - b.order)
    .map(({ number }) => number);
}

/** Returns the file system of the disk, and its free space in bytes. */
export async function disk() {
  const { stdout } = await run('df', ['--output=fstype,avail', '-B1', path.join(root, 'dist')]);
  const [type, free] = stdout.trim().split('\n').at(-1).trim().split(/\s+/);
  if (type === 'tmpfs') throw new Error('This needs a real disk, but the project is in the memory.');
  return { type, free: Number(free) };
}

/** Returns median, minimum and maximum. */
export function spread(numbers) {
  return { median: quantile(numbers, 0.5), least: Math.min(...numbers), most: Math.max(...numbers) };
}
