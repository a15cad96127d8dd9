// Measures the cost of a message compared with the core node "http request" with the same request, and how much the package
// adds to the start of Node-RED and to its memory. With BENCH_BASELINE, the tarball of an older package, it compares a message
// with that, too.
import path from 'node:path';
import { measurePairs, summarize } from './pairs.mjs';
import { startNodeRed, startServer } from './processes.mjs';
import { mib, table } from './report.mjs';
import { circumstances, httpRequest, label, load } from './workbench.mjs';

const PAIRS = 40;
const STARTS = 30;
const LOADS = [
  { concurrency: 1, count: 250, target: 0.5 },
  { concurrency: 50, count: 1000, target: 0.25 },
];
const START_TARGET = 1.05;
/** The most that a message may take beside an older package. */
const OLDER_TARGET = 1.1;
/** What a message is measured beside. */
const CORE = 'http request';
const OLDER = 'an older package';
/** A flow with nothing but the driver, which tells the memory. */
const IDLE = [
  { id: 'tab', type: 'tab', label: '' },
  { id: 'driver', type: 'bench-driver', z: 'tab', x: 10, y: 10, wires: [] },
];
/** Warm-up pairs, which do not count: V8 compiles hot code, and connections open. */
const WARM_UP = 3;

/** The part of the benchmark that writes `results.md`. */
export const cost = {
  file: 'results.md',
  async measure(bench) {
    const loadBefore = load();
    const { BENCH_BASELINE: baseline } = process.env;
    const messages = await measureMessages(bench, baseline && path.resolve(baseline));
    const starts = await measureStarts(bench);
    const missed = [...messages, ...starts]
      .filter(({ ratio, target }) => !(ratio <= target))
      .map(
        ({ runtime, what, ratio, target }) => `${runtime}: ${what}: ${ratio.toFixed(2)}, at most ${target}`,
      );
    return { missed, report: describe({ messages, starts, baseline }, `${loadBefore} and ${load()}`) };
  },
};

/** Measures the messages beside the core node, and beside an older package in a Node-RED of its own. */
async function measureMessages(bench, tarball) {
  const server = await bench.keep(startServer('server.mjs'));
  const own = bench.userDir(flows(server.url), { driver: 'driver' });
  const older = tarball && bench.userDir(flows(server.url), { driver: 'driver', tarball });
  const rows = [];
  for (const runtime of bench.runtimes) {
    console.log(`Sending messages on ${label(runtime)} …`);
    const nodeRed = await bench.keep(startNodeRed(runtime, own));
    const before = older && (await bench.keep(startNodeRed(runtime, older)));
    for (const { concurrency, count, target } of LOADS) {
      const send = (where, way) => async () => (await where.ask({ way, concurrency, count })).microseconds;
      const compare = async (beside, most, theirs) => {
        const ours = send(nodeRed, 'stash');
        const { answered } = await server.ask('count');
        await measurePairs(WARM_UP, ours, theirs);
        const pairs = await measurePairs(PAIRS, ours, theirs);
        const seen = (await server.ask('count')).answered - answered;
        const expected = (WARM_UP + PAIRS) * 2 * count;
        if (seen !== expected) throw new Error(`${seen} answers instead of ${expected}`);
        const what = `a message at concurrency ${concurrency} beside ${beside}`;
        rows.push({ runtime: label(runtime), beside, what, concurrency, target: most, ...summarize(pairs) });
      };
      await compare(CORE, target, send(nodeRed, 'core'));
      if (before) await compare(OLDER, OLDER_TARGET, send(before, 'stash'));
    }
    await nodeRed.stop();
    await before?.stop();
  }
  return rows;
}

async function measureStarts(bench) {
  const driver = 'driver';
  const withPackage = bench.userDir(IDLE, { driver });
  const without = bench.userDir(IDLE, { driver, bare: true });
  const rows = [];
  for (const runtime of bench.runtimes) {
    console.log(`Starting ${label(runtime)} …`);
    const begin = (where) => async () => {
      const nodeRed = await bench.keep(startNodeRed(runtime, where));
      const { bytes } = await nodeRed.ask({ way: 'memory' });
      await nodeRed.stop();
      return { start: nodeRed.milliseconds, memory: bytes };
    };
    // The first start of each also writes files and fills the file cache.
    await measurePairs(1, begin(withPackage), begin(without));
    const pairs = await measurePairs(STARTS, begin(withPackage), begin(without));
    for (const what of ['start', 'memory']) {
      const ones = pairs.map(({ ours, theirs }) => ({ ours: ours[what], theirs: theirs[what] }));
      rows.push({ runtime: label(runtime), what, target: START_TARGET, ...summarize(ones) });
    }
  }
  return rows;
}

/** Returns a flow with both nodes, which returns their messages to the driver. */
function flows(url) {
  const at = { z: 'tab', x: 10, y: 10 };
  const back = { ...at, wires: [['driver']] };
  return [
    { id: 'tab', type: 'tab', label: '' },
    { id: 'server', type: 'stash-server', name: 'bench', url },
    { id: 'driver', type: 'bench-driver', ...at, wires: [['stash'], ['core']] },
    { id: 'stash', type: 'stash-status', server: 'server', fields: ['status'], ...back },
    httpRequest(url, back),
    { id: 'caught', type: 'catch', scope: null, ...back },
  ];
}

function describe({ messages, starts, baseline }, loads) {
  const older = messages.filter(({ beside }) => beside === OLDER);
  return `
# What it costs

Written by \`npm run bench\` ${circumstances()}; the load of the
machine was ${loads} before and after. The ratios are what counts: each is taken within a pair of measurements made one
right after the other, so that whatever else the machine does meets both.

## A message

stash-status (one field) beside the core node _http request_ (POST, connections kept alive, a parsed JSON object), in
the same Node-RED, with the same body and headers to the same server. Microseconds of wall time for each message, the
server's part included; each pair of blocks has ${LOADS.map(({ count, concurrency }) => `${count} messages at concurrency ${concurrency}`).join(' and ')}.

${tableOfMessages(
  ['stash-status', CORE],
  messages.filter(({ beside }) => beside === CORE),
)}
${older.length > 0 ? describeOlder(older, path.basename(baseline)) : ''}

## The start of Node-RED, and its memory

From the start of the process until the editor is served and the flows (none with this package) run, with this package installed and
without; and the memory of the process then (resident set size).

${table(
  ['runtime', 'measured', 'with', 'without', ...RATIO],
  starts.map((row) => {
    const shown = (value) => (row.what === 'start' ? `${value.toFixed(0)} ms` : mib(value));
    return [row.runtime, row.what, shown(row.ours), shown(row.theirs), ...ratioOf(row)];
  }),
)}
`;
}

function describeOlder(rows, tarball) {
  return `
### Before and after

The same messages through stash-status of this package and of the older one in ${tarball}, each in a Node-RED of its own, in
alternate blocks.

${tableOfMessages(['this package', 'the older one'], rows)}
`;
}

/** The columns of a ratio, and their values. */
const RATIO = ['ratio', '10th … 90th percentile', 'at most', 'pairs'];
const ratioOf = ({ ratio, low, high, target, count }) => [
  `**${ratio.toFixed(2)}**`,
  `${low.toFixed(2)} … ${high.toFixed(2)}`,
  target,
  count,
];

function tableOfMessages(ways, rows) {
  const us = (value) => `${value.toFixed(0)} µs`;
  return table(
    ['runtime', 'concurrency', ...ways, ...RATIO],
    rows.map((row) => [row.runtime, row.concurrency, us(row.ours), us(row.theirs), ...ratioOf(row)]),
  );
}
