// The trials of the soak: rounds of messages, faults, deploys and resets, each with a calm at its end, with the packed package in a
// real Node-RED and two servers.
import { appendFile, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { now, startNodeRed, startServer } from './processes.mjs';
import { randomFrom } from './random.mjs';
import { differences } from './report.mjs';
import { faults } from './soak-faults.mjs';
import { bareFlows, KEEP, nodes, SCENES, SERVERS, wholeFlows } from './soak-flows.mjs';

/** Milliseconds with load in each round. */
export const LOADED = 45_000;
const TICK = 250;
/** The mean number of messages in a tick. */
const RATE = 2;
/** The chance that a tick has a burst for one node or a reset, and that another fault joins one. */
const CHANCE = { burst: 0.02, reset: 0.03, another: 0.2 };
/** How long faults last, and the time between two of a server, in milliseconds. */
const FAULT = { shortest: 300, longest: 5000 };
/** The chance that a fault lasts longer than it takes to notice a frozen socket, and how long. */
const LONG_FAULT = { chance: 0.05, lasts: 18_000 };
const BETWEEN = { shortest: 200, longest: 4000 };
const DEPLOYS = { shortest: 3000, longest: 12_000 };
/** How long look-ups may go on without load, before a reset drops those that wait for their turn. */
const LOOK_UPS = 12_000;
/** The longest time until all messages have ended: a download that gets no more bytes goes on after a minute. */
const DRAIN = 90_000;
/** Where the package notes its own backups. */
const MANIFEST = '.stash-backups.json';
/** Longer than connections and watchers stay open without use. */
export const SETTLE = 12_000;

/** Starts Node-RED with just the drivers, and the servers. */
export async function start(bench, runtime, seed) {
  const disk = bench.folderOnDisk();
  const servers = {};
  const urls = {};
  const folders = {};
  for (const [letter, { release, hasUser }] of Object.entries(SERVERS)) {
    servers[letter] = await bench.keep(
      startServer('soak-server.mjs', [release, ...(hasUser ? ['user'] : [])]),
    );
    urls[letter] = servers[letter].url;
    folders[letter] = {
      media: path.join(disk, letter, 'media'),
      backups: path.join(disk, letter, 'backups'),
    };
    for (const folder of Object.values(folders[letter])) await mkdir(folder, { recursive: true });
  }
  const userDir = bench.userDir(bareFlows(), { driver: 'soak-driver' });
  const nodeRed = await bench.keep(startNodeRed(runtime, userDir, ['--expose-gc']));
  const flows = wholeFlows(urls, folders);
  const deploy = async (type, wanted = flows) => {
    const headers = { 'content-type': 'application/json', 'node-red-deployment-type': type };
    const response = await fetch(`${nodeRed.url}/flows`, {
      method: 'POST',
      headers,
      body: JSON.stringify(wanted),
    });
    if (!response.ok) throw new Error(`The deploy was answered ${response.status}`);
  };
  let lastNumber = 0;
  const nextNumber = () => (lastNumber += 1);
  const sample = () => nodeRed.ask({ order: 'sample' });
  const unfinished = Object.fromEntries(Object.keys(SERVERS).map((letter) => [letter, 0]));
  return {
    servers,
    folders,
    nodeRed,
    flows,
    deploy,
    sample,
    nextNumber,
    unfinished,
    choices: choicesFrom(seed),
  };
}

/** Returns a source of choices for all that happens at the same time, so that the timing of one does not change another. */
function choicesFrom(seed) {
  const all = ['messages', 'deploys', ...Object.keys(SERVERS)];
  return Object.fromEntries(all.map((what, index) => [what, randomFrom(seed + index)]));
}

/** Loads the nodes, waits until all messages have ended, and samples what is left. */
export async function runRound(world, judge) {
  const { nodeRed, servers, folders, choices } = world;
  const before = { messages: judge.messages, ends: { ...judge.ends }, mutations: judge.mutations };
  const until = now() + LOADED;
  const happened = {};
  let deploys = 0;
  const count = (what) => (happened[what] = (happened[what] ?? 0) + 1);
  await Promise.all([
    send(world, judge, until),
    deployNow(world, until, () => (deploys += 1)),
    ...Object.entries(servers).map(([letter, server]) => disturb(server, choices[letter], until, count)),
  ]);
  const drained = await drain(world);
  await sleep(SETTLE);
  const { pending } = await nodeRed.ask({ order: 'count' });
  const { messages, alarms, told } = await nodeRed.ask({ order: 'tell' });
  const mutations = {};
  let requests = 0;
  for (const [letter, server] of Object.entries(servers)) {
    const answer = await server.ask({ order: 'tell' });
    mutations[letter] = answer.mutations;
    requests += answer.requests;
  }
  judge.judge(messages, mutations);
  judge.wrong.push(...alarms);
  for (const [letter, { media, backups }] of Object.entries(folders)) {
    noteUnfinished(world, letter, messages);
    judge.wrong.push(...(await wrongBackups(backups, KEEP + world.unfinished[letter])));
    await rm(media, { recursive: true });
    await mkdir(media);
  }
  const sample = await world.sample();
  return {
    messages: judge.messages - before.messages,
    ends: differences(judge.ends, before.ends),
    mutations: judge.mutations - before.mutations,
    pending: pending.length,
    requests,
    deploys,
    happened,
    drained,
    told,
    sample,
  };
}

/**
 * Counts the backups without a result since the last one with a result. A deploy may close a node after the new backup has its
 * name and before an older one is removed; the next backup removes that.
 */
function noteUnfinished({ unfinished }, letter, messages) {
  const backups = messages.filter(({ to }) => to === `${letter}-backup`);
  for (const { outputs } of backups.sort((one, other) => one.endedAt - other.endedAt)) {
    const hasResult = outputs.some(({ output }) => output !== nodes.backup.progress);
    unfinished[letter] = hasResult ? 0 : unfinished[letter] + 1;
  }
}

/** Returns what is wrong with a folder of backups: more than `most`, a part of one, or anything else. */
async function wrongBackups(folder, most) {
  const names = (await readdir(folder)).filter((name) => name !== MANIFEST);
  const wrong = names.length > most ? [`backups: ${names.length} are kept, at most ${most}`] : [];
  for (const name of names) {
    const content = await readFile(path.join(folder, name));
    const isDatabase = content.toString('latin1', 0, 15) === 'SQLite format 3';
    // The header has the size of a page and their number.
    const isWhole = isDatabase && content.length === content.readUInt16BE(16) * content.readUInt32BE(28);
    if (!isWhole) wrong.push(`backups: ${name} with ${content.length} bytes`);
  }
  return wrong;
}

/** Sends messages to all nodes, some in bursts, and writes and grows the files that some are about. */
async function send({ nodeRed, folders, nextNumber, choices }, judge, until) {
  const { messages: random } = choices;
  const kinds = Object.keys(nodes);
  const shares = kinds.map((kind) => nodes[kind].share);
  const bursts = kinds.filter((kind) => nodes[kind].burst);
  const letters = Object.keys(SERVERS);
  let growing = [];
  while (now() < until) {
    const wanted = [];
    const files = [];
    const add = (kind, server) => {
      const { payload, isOfScenes, isFile } = nodes[kind];
      const number = nextNumber();
      const message = { number, server, kind, payload: withNumber(payload, number) };
      if (isOfScenes) message.payload = judge.scenesFor(server, number, () => scenesBy(random));
      if (isFile) {
        message.payload = path.join(folders[server].media, `soak-${number}-`, 'a.mp4');
        files.push(message.payload);
      }
      wanted.push(message);
    };
    for (let left = Math.round(random.between(0, 2 * RATE)); left > 0; left -= 1) {
      add(random.weighted(kinds, shares), random.pick(letters));
    }
    if (random.chance(CHANCE.burst)) {
      const kind = random.pick(bursts);
      const server = random.pick(letters);
      for (let left = nodes[kind].burst; left > 0; left -= 1) add(kind, server);
    }
    if (random.chance(CHANCE.reset)) {
      wanted.push(resetOf(nextNumber(), random.pick(letters), random.pick(kinds)));
    }
    for (const file of growing) await appendFile(file, 'more');
    for (const file of files) {
      await mkdir(path.dirname(file), { recursive: true });
      await writeFile(file, 'a part');
    }
    growing = files.filter(() => random.chance(0.5));
    await nodeRed.ask({ order: 'send', wanted });
    await sleep(TICK);
  }
}

function resetOf(number, server, kind) {
  return { number, server, kind, isReset: true };
}

/** Puts the number of a message into its payload, so that it identifies the message at the server. */
function withNumber(payload, number) {
  return payload === undefined
    ? undefined
    : JSON.parse(JSON.stringify(payload).replaceAll('<number>', number));
}

/** Returns the IDs of three scenes. */
function scenesBy(random) {
  const some = new Set();
  while (some.size < 3) some.add(String(1 + Math.floor(random.between(0, SCENES))));
  return [...some];
}

/** Lets things go wrong at a server, sometimes several at the same time. */
async function disturb(server, random, until, count) {
  while (now() < until) {
    do {
      const fault = random.pick(Object.keys(faults));
      count(fault);
      await server.ask({ order: 'begin', fault });
      const isLong = random.chance(LONG_FAULT.chance);
      await sleep(isLong ? LONG_FAULT.lasts : random.between(FAULT.shortest, FAULT.longest));
    } while (random.chance(CHANCE.another) && now() < until);
    await server.ask({ order: 'calm' });
    await sleep(random.between(BETWEEN.shortest, BETWEEN.longest));
  }
}

/** Deploys all flows, changed nodes or changed flows, and sometimes with a changed server. */
async function deployNow({ flows, deploy, choices: { deploys: random } }, until, count) {
  for (;;) {
    await sleep(random.between(DEPLOYS.shortest, DEPLOYS.longest));
    if (now() > until) return;
    const type = random.pick(['full', 'nodes', 'nodes', 'nodes', 'flows']);
    const changeable = flows.filter(({ type }) => type.startsWith('stash-'));
    for (let left = 3; left > 0; left -= 1) random.pick(changeable).name = `changed ${random.between(0, 1)}`;
    await deploy(type);
    count();
  }
}

/**
 * Waits until all messages have ended; drops the look-ups that wait for their turn.
 * @returns the milliseconds, and the nodes of the last messages to end.
 */
async function drain({ nodeRed, nextNumber }) {
  const began = now();
  let isReset = false;
  let last = [];
  while (now() < began + DRAIN) {
    const { pending } = await nodeRed.ask({ order: 'count' });
    if (pending.length === 0) break;
    last = [...new Set(pending)];
    if (!isReset && now() > began + LOOK_UPS) {
      isReset = true;
      const kinds = Object.keys(nodes).filter((kind) => nodes[kind].isLookUp);
      const wanted = Object.keys(SERVERS).flatMap((server) =>
        kinds.map((kind) => resetOf(nextNumber(), server, kind)),
      );
      await nodeRed.ask({ order: 'send', wanted });
    }
    await sleep(TICK);
  }
  return { took: now() - began, last };
}
