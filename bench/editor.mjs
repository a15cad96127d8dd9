/* global RED, $ -- in the page */
// Measures what the package costs the editor: the time until it is ready, beside Node-RED without the package; and how long
// messages take while 600 requests arrive at each route of the dialogs. With BENCH_BASELINE, an older package as a tarball,
// it compares with that, and measures the start and the memory of Node-RED with both, too.
import { Buffer } from 'node:buffer';
import { setTimeout as sleep } from 'node:timers/promises';
import { installBrowser } from '../scripts/install.mjs';
import { measurePairs, quantile, summarize } from './pairs.mjs';
import { startNodeRed, startServer } from './processes.mjs';
import { ms, table } from './report.mjs';
import { circumstances, label, load } from './workbench.mjs';

const LOADS = 20;
const STARTS = 20;
/** The most that the editor and the start may take beside an older package. */
const TARGET = 1.05;
const REQUESTS = 600;
/** How much longer the median message may take than meanwhile at a route of Node-RED's own, which does next to nothing. */
const SLOWER_TARGET = 2;
/** What nobody notices, in milliseconds. A burst that ends soon has few messages, whose median varies. */
const UNNOTICED = 5;
const QUIET_MS = 2_000;

/** A route of Node-RED's own: what so many requests cost in any case. */
const CONTROL = "Node-RED's own settings";

/** The routes of the dialogs and of the sidebar, each with a request of one browser. */
const ROUTES = {
  [CONTROL]: { method: 'GET', path: '/settings' },
  capabilities: { method: 'GET', path: '/stash-server/capabilities?id=server' },
  'capabilities, asked again': { method: 'GET', path: '/stash-server/capabilities?id=server&fresh=' },
  document: {
    method: 'POST',
    path: '/stash-server/document',
    body: { id: 'server', ask: 'state', document: '{ stats { scene_count } }' },
  },
  items: {
    method: 'POST',
    path: '/stash-server/items',
    body: { id: 'server', kind: 'performer', text: 'a' },
  },
  picture: { method: 'GET', path: '/stash-server/picture?id=server&scene=1' },
  activity: { method: 'GET', path: '/stash-server/activity', isEndless: true },
  'try/status': {
    method: 'POST',
    path: '/stash-server/try/status',
    body: { id: 'server', fields: ['status'] },
  },
};

/** The part of the benchmark that writes `editor.md`. */
export const editor = {
  file: 'editor.md',
  async measure(bench) {
    const loadBefore = load();
    const baseline = process.env.BENCH_BASELINE;
    const loads = await measureLoads(bench, baseline);
    const starts = baseline ? await measureStarts(bench, baseline) : [];
    const bursts = await measureBursts(bench);
    // Without an older package there is nothing to compare the load time with, so it has no target.
    const compared = baseline ? [...loads, ...starts] : [];
    const missed = [
      ...compared
        .filter(({ ratio }) => ratio > TARGET)
        .map(({ runtime, what = 'load', ratio }) => `${label(runtime)}: ${what}: ${ratio.toFixed(2)}`),
      ...bursts.filter(isSlow).map(({ runtime, name, busy }) => `${label(runtime)}: ${name}: ${ms(busy)}`),
    ];
    const machine = `${loadBefore} and ${load()}`;
    return { missed, report: describe({ loads, starts, bursts, baseline, machine }) };
  },
};

async function measureLoads(bench, baseline) {
  const own = bench.userDir([]);
  const other = bench.userDir([], baseline ? { tarball: baseline } : { bare: true });
  // Only now, because it is built and installed when this part is wanted.
  const { launchChromium } = await import('../dist/test/browser/chromium.js');
  await installBrowser();
  const browser = await launchChromium();
  const rows = [];
  try {
    for (const runtime of bench.runtimes) {
      console.log(`Loading the editor of ${label(runtime)} …`);
      const [ours, theirs] = [
        await bench.keep(startNodeRed(runtime, own)),
        await bench.keep(startNodeRed(runtime, other)),
      ];
      const loading =
        ({ url }) =>
        () =>
          loadEditor(browser, url);
      await measurePairs(2, loading(ours), loading(theirs));
      rows.push({ runtime, ...summarize(await measurePairs(LOADS, loading(ours), loading(theirs))) });
      await ours.stop();
      await theirs.stop();
    }
  } finally {
    await browser.close();
  }
  return rows;
}

/** Resolves with the milliseconds until the editor shows its palette and flows, without a cache. */
async function loadEditor(browser, url) {
  const context = await browser.newContext();
  try {
    const page = await context.newPage();
    const start = performance.now();
    await page.goto(url);
    await page.waitForFunction(
      () =>
        typeof RED !== 'undefined' &&
        Boolean(RED.workspaces?.active()) &&
        RED.nodes.getType('inject') !== null &&
        $('#red-ui-loading-progress').is(':hidden'),
      undefined,
      { polling: 10 },
    );
    return performance.now() - start;
  } finally {
    await context.close();
  }
}

/** Measures the start of Node-RED, and its memory once the flow runs, beside an older package. */
async function measureStarts(bench, baseline) {
  const server = await bench.keep(startServer('job-server.mjs', ['v0.30.1']));
  const [own, older] = [{}, { tarball: baseline }].map((options) =>
    bench.userDir(flows(server.url), { driver: 'editor-driver', ...options }),
  );
  const rows = [];
  for (const runtime of bench.runtimes) {
    console.log(`Starting ${label(runtime)} …`);
    const memory = [];
    const start = (userDir) => async () => {
      const nodeRed = await bench.keep(startNodeRed(runtime, userDir));
      const { bytes } = await nodeRed.ask({ order: 'measure' });
      memory.push({ userDir, bytes });
      await nodeRed.stop();
      return nodeRed.milliseconds;
    };
    // The first start of each also writes files and fills the file cache.
    await measurePairs(1, start(own), start(older));
    memory.length = 0;
    rows.push({ runtime, what: 'start', ...summarize(await measurePairs(STARTS, start(own), start(older))) });
    // The memories come in the order of the starts, two for each pair.
    const pairs = Array.from({ length: STARTS }, (_, index) => {
      const pair = memory.slice(2 * index, 2 * index + 2);
      const megabytes = (userDir) => pair.find((each) => each.userDir === userDir).bytes / 1e6;
      return { ours: megabytes(own), theirs: megabytes(older) };
    });
    rows.push({ runtime, what: 'memory', ...summarize(pairs) });
  }
  await server.stop();
  return rows;
}

async function measureBursts(bench) {
  const server = await bench.keep(startServer('job-server.mjs', ['v0.30.1']));
  const userDir = bench.userDir(flows(server.url), { driver: 'editor-driver' });
  const rows = [];
  for (const runtime of bench.runtimes) {
    console.log(`Sending requests to the routes of ${label(runtime)} …`);
    const nodeRed = await bench.keep(startNodeRed(runtime, userDir));
    await timesDuring(nodeRed, () => sleep(QUIET_MS));
    for (const [name, route] of Object.entries(ROUTES)) {
      const quiet = await timesDuring(nodeRed, () => sleep(QUIET_MS));
      let answered = {};
      const start = performance.now();
      const busy = await timesDuring(nodeRed, async () => {
        answered = await sendAll(nodeRed.url, route);
      });
      rows.push({
        runtime,
        name,
        seconds: (performance.now() - start) / 1000,
        answered,
        quiet: quantile(quiet, 0.5),
        busy: quantile(busy, 0.5),
        slowest: Math.max(...busy),
        messages: busy.length,
      });
    }
    await nodeRed.stop();
  }
  return rows.map((row) => ({
    ...row,
    control: rows.find(({ runtime, name }) => runtime === row.runtime && name === CONTROL).busy,
  }));
}

function isSlow({ busy, control }) {
  return busy > Math.max(SLOWER_TARGET * control, UNNOTICED);
}

/** Resolves with the milliseconds of each message that was sent, one after another, while `work` ran. */
async function timesDuring(nodeRed, work) {
  await nodeRed.ask({ order: 'run' });
  await work();
  const { times } = await nodeRed.ask({ order: 'stop' });
  return times;
}

/** Sends all requests at once. Resolves with how many were answered, by the kind of answer. */
async function sendAll(url, { method, path, body, isEndless }) {
  const answered = {};
  await Promise.all(
    Array.from({ length: REQUESTS }, async () => {
      const response = await fetch(url + path, {
        method,
        ...(body && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
      });
      const text = isEndless ? await firstChunk(response) : await response.text();
      const kind = /^{"case":"([\w.]+)"/m.exec(text)?.[1] ?? String(response.status);
      answered[kind] = (answered[kind] ?? 0) + 1;
    }),
  );
  return answered;
}

/** Resolves with the beginning of a response, and ends it. */
async function firstChunk({ body }) {
  const reader = body.getReader();
  const { value = [] } = await reader.read();
  await reader.cancel();
  return Buffer.from(value).toString();
}

function flows(url) {
  const at = { z: 'tab', x: 10, y: 10 };
  return [
    { id: 'tab', type: 'tab', label: '' },
    { id: 'server', type: 'stash-server', name: 'bench', url },
    { id: 'driver', type: 'bench-editor-driver', ...at, wires: [['stash']] },
    { id: 'stash', type: 'stash-status', server: 'server', fields: ['status'], ...at, wires: [['driver']] },
  ];
}

function describe({ loads, starts, bursts, baseline, machine }) {
  return `
# What it costs the editor

Written by \`npm run bench -- editor\` ${circumstances()}; the load of the machine was ${machine} before and after.

## Loading the editor

From the request for the page until the editor shows the palette and the flows (none), with an empty cache, beside
${baseline ? `an older package (target: at most ${TARGET})` : 'Node-RED without the package'}.

${table(
  ['runtime', 'with', baseline ? 'older' : 'without', 'ratio', '10th … 90th percentile', 'pairs'],
  loads.map(({ runtime, ours, theirs, ratio, low, high, count }) => [
    label(runtime),
    `${ours.toFixed(0)} ms`,
    `${theirs.toFixed(0)} ms`,
    `**${ratio.toFixed(2)}**`,
    `${low.toFixed(2)} … ${high.toFixed(2)}`,
    count,
  ]),
)}
${starts.length > 0 ? describeStarts(starts) : ''}
## Requests of dialogs

The times of stash-status messages, sent one after another, while ${REQUESTS} requests arrive at once at one route, and
before. Of endless responses, only the beginning is read. The median may be at most ${SLOWER_TARGET} times as long as with
requests for ${CONTROL}, or ${UNNOTICED} ms. All processes share this machine.

${table(
  ['runtime', 'route', 'answers', 'in', 'median before', 'median meanwhile', 'longest meanwhile', 'messages'],
  bursts.map((row) => [
    label(row.runtime),
    row.name,
    Object.entries(row.answered)
      .map(([kind, count]) => `${count} × ${kind}`)
      .join(', '),
    `${row.seconds.toFixed(1)} s`,
    ms(row.quiet),
    isSlow(row) ? `**${ms(row.busy)}**` : ms(row.busy),
    ms(row.slowest),
    row.messages,
  ]),
)}
`;
}

function describeStarts(starts) {
  return `
## Starting Node-RED

From the start of the process until the editor is served and a flow with a server and a status node runs, and the memory of
the process then (resident set size), beside an older package (target: at most ${TARGET}).

${table(
  ['runtime', 'measured', 'with', 'older', 'ratio', '10th … 90th percentile', 'pairs'],
  starts.map(({ runtime, what, ours, theirs, ratio, low, high, count }) => {
    const unit = what === 'start' ? 'ms' : 'MB';
    return [
      label(runtime),
      what,
      `${ours.toFixed(0)} ${unit}`,
      `${theirs.toFixed(0)} ${unit}`,
      `**${ratio.toFixed(2)}**`,
      `${low.toFixed(2)} … ${high.toFixed(2)}`,
      count,
    ];
  }),
)}
`;
}
