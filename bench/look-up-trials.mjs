// Three trials of look-ups with the packed package in a real Node-RED: many names at once, a redeploy while they wait, and a
// site that refuses calls for a while.
import { quantile } from './pairs.mjs';
import { deployAll, startNodeRed, startServer, until } from './processes.mjs';
import { label } from './workbench.mjs';

export const NAMES = 300;
export const RUNS = 3;
/** Times in milliseconds. */
export const PAUSE = 50;
export const SITE = 10;
/** The number of finished look-ups at the redeploy, and of those after it. */
export const BEFORE_DEPLOY = 50;
export const AFTER_DEPLOY = 10;
/** Long enough for a redeploy during a call. */
export const SLOW_SITE = 500;
/** The site that refuses calls for a while. */
export const REFUSED = {
  names: 85,
  pause: 1000,
  from: 30_000,
  to: 110_000,
  window: 30_000,
};

/** Looks up many names at once, several times in the same Node-RED, and then with a redeploy while they wait. */
export async function measureLine(bench, runtime) {
  const { server, nodeRed } = await start(bench, runtime, PAUSE);
  const memory = [{ when: 'before', ...(await nodeRed.ask({ order: 'memory' })) }];
  const runs = [];
  for (let run = 1; run <= RUNS; run += 1) {
    console.log(`Looking ${NAMES} names up on ${label(runtime)}, ${run} of ${RUNS} …`);
    await server.ask({ order: 'begin', delay: SITE });
    await send(nodeRed, people(`Run ${run}`, NAMES));
    await until(nodeRed, ({ answered }) => answered > 0);
    memory.push({ when: `run ${run}, while they wait`, ...(await nodeRed.ask({ order: 'memory' })) });
    await until(nodeRed, ({ ended }) => ended === NAMES);
    memory.push({ when: `after run ${run}`, ...(await nodeRed.ask({ order: 'memory' })) });
    const { messages, answered } = await nodeRed.ask({ order: 'tell' });
    const { calls } = await server.ask({ order: 'tell' });
    runs.push({ ...outcome(messages), inOrder: inOrder(answered), ...look(calls) });
  }
  console.log(`Deploying amid ${NAMES} names on ${label(runtime)} …`);
  const deploy = await measureDeploy(server, nodeRed);
  await nodeRed.stop();
  await server.stop();
  const after = memory.filter(({ when }) => when.startsWith('after'));
  const growth = after.at(-1).heapUsed - after[0].heapUsed;
  return { what: label(runtime), runs, memory, growth, deploy };
}

async function measureDeploy(server, nodeRed) {
  await server.ask({ order: 'begin', delay: SITE });
  await send(nodeRed, people('Deploy', NAMES));
  await until(nodeRed, ({ answered }) => answered >= BEFORE_DEPLOY);
  await server.ask({ order: 'slow', delay: SLOW_SITE });
  const { calls: before } = await server.ask({ order: 'count' });
  // The call in flight may still be a quick one.
  await until(server, ({ calls, underWay }) => calls > before + 1 && underWay > 0);
  await deployAll(nodeRed);
  const { answered: answeredBefore } = await nodeRed.ask({ order: 'count' });
  await nodeRed.ask({ order: 'send', names: people('Deployed', AFTER_DEPLOY) });
  await server.ask({ order: 'slow', delay: SITE });
  await until(nodeRed, ({ ended }) => ended === NAMES + AFTER_DEPLOY);
  const { messages, deploys } = await nodeRed.ask({ order: 'tell' });
  const { calls } = await server.ask({ order: 'tell' });
  const [{ stopping, stopped, started }] = deploys;
  const first = calls.findIndex(({ name }) => name.startsWith('Deployed'));
  const gap = calls[first].startedAt - calls[first - 1].endedAt;
  return {
    stop: stopped - stopping,
    whole: started - stopping,
    answeredBefore,
    gap,
    ...outcome(messages),
    ...look(calls),
  };
}

/** Looks up names at a site that refuses calls for a while. */
export async function measureRefusals(bench, runtime) {
  const { server, nodeRed } = await start(bench, runtime, REFUSED.pause);
  await server.ask({ order: 'begin', delay: SITE, refuses: REFUSED });
  await send(nodeRed, people('Refused', REFUSED.names));
  await until(nodeRed, ({ ended }) => ended === REFUSED.names);
  const { messages, answered } = await nodeRed.ask({ order: 'tell' });
  const { calls } = await server.ask({ order: 'tell' });
  await nodeRed.stop();
  await server.stop();
  const [{ startedAt: began }] = calls;
  const windows = [];
  for (const { startedAt, refused } of calls) {
    const index = Math.floor((startedAt - began) / REFUSED.window);
    while (windows.length <= index) windows.push({ accepted: 0, refused: 0 });
    windows[index][refused ? 'refused' : 'accepted'] += 1;
  }
  const seconds = (calls.at(-1).endedAt - began) / 1000;
  const refusedCalls = calls.filter(({ refused }) => refused).length;
  return {
    what: label(runtime),
    windows,
    seconds,
    refusedCalls,
    ...outcome(messages),
    inOrder: inOrder(answered),
    ...look(calls),
  };
}

async function start(bench, runtime, pause) {
  const server = await bench.keep(startServer('look-up-server.mjs'));
  const userDir = bench.userDir(flows(server.url, pause), { driver: 'look-up-driver' });
  return { server, nodeRed: await bench.keep(startNodeRed(runtime, userDir, ['--expose-gc'])) };
}

/** Returns two nodes, each with its own config node for the same server. */
function flows(url, pause) {
  const at = { z: 'tab', x: 10, y: 10 };
  const scrape = (id) => [
    { id: `server-${id}`, type: 'stash-server', name: id, url, pause: String(pause / 1000) },
    { id, type: 'stash-performer-scrape', server: `server-${id}`, ...at, wires: [['driver'], ['driver']] },
  ];
  return [
    { id: 'tab', type: 'tab', label: '' },
    { id: 'driver', type: 'bench-look-up-driver', ...at, wires: [['one'], ['two']] },
    ...scrape('one'),
    ...scrape('two'),
    // Without a Catch node, each error would be logged.
    { id: 'caught', type: 'catch', scope: null, ...at, wires: [[]] },
  ];
}

function people(family, count) {
  return Array.from({ length: count }, (_, index) => `${family} ${index + 1}`);
}

async function send(nodeRed, names) {
  await nodeRed.ask({ order: 'forget' });
  await nodeRed.ask({ order: 'send', names });
}

/** Counts the ends of messages: each must be sent once and done once, or end once with CLOSED and unsent. */
function outcome(messages) {
  const answered = messages.filter(
    ({ answers, ends }) => answers.length === 1 && answers[0] && ends.join() === 'done',
  );
  const closed = messages.filter(({ answers, ends }) => answers.length === 0 && ends.join() === 'CLOSED');
  return {
    sent: messages.length,
    answered: answered.length,
    closed: closed.length,
    others: messages.length - answered.length - closed.length,
  };
}

/** Returns whether each of two nodes kept the order of its messages, and both together. */
function inOrder(numbers) {
  const isSorted = (some) => some.every((number, index) => index === 0 || number > some[index - 1]);
  return {
    each: [0, 1].every((node) => isSorted(numbers.filter((number) => number % 2 === node))),
    both: isSorted(numbers),
  };
}

/** Returns the calls that the site received. */
function look(calls) {
  const gaps = calls.slice(1).map(({ startedAt }, index) => startedAt - calls[index].endedAt);
  const named = new Set();
  let unlisted = 0;
  for (const { operation, name, refused } of calls) {
    if (operation === 'scrapeSite') unlisted += named.has(name) ? 0 : 1;
    else if (!refused) named.add(name);
  }
  return {
    overlaps: gaps.filter((gap) => gap < 0).length,
    shortest: Math.min(...gaps),
    median: quantile(gaps, 0.5),
    longest: Math.max(...gaps),
    lists: calls.filter(({ operation }) => operation === 'scrapeSitePerformerList').length,
    scrapes: calls.filter(({ operation }) => operation === 'scrapeSite').length,
    unlisted,
  };
}
