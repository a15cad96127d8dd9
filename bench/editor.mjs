/* global RED, $ -- in the page */
// Measures what the package costs the editor: the time until it is ready, beside Node-RED without the package or, with
// BENCH_BASELINE, beside an older package; and how long messages take while 600 requests arrive at each route of the dialogs.
import { setTimeout as sleep } from 'node:timers/promises';
import { launchChromium } from '../dist/test/browser/chromium.js';
import { measurePairs, quantile, summarize } from './pairs.mjs';
import { startNodeRed, startServer } from './processes.mjs';
import { ms, table } from './report.mjs';
import { circumstances, label, load } from './workbench.mjs';

const PAIRS = 20;
const LOAD_TARGET = 1.05;
const REQUESTS = 600;
/** How much longer the median message may take than meanwhile at a route of Node-RED's own, which does next to nothing. */
const SLOWER_TARGET = 2;
const QUIET_MS = 2_000;

/** A route of Node-RED's own: what so many requests cost in any case. */
const CONTROL = "Node-RED's own settings";

/** The routes of the dialogs, each with the requests of one dialog. */
const ROUTES = {
  [CONTROL]: { method: 'GET', path: '/settings' },
  capabilities: { method: 'GET', path: '/stash-server/capabilities?id=server' },
  'capabilities, asked again': { method: 'GET', path: '/stash-server/capabilities?id=server&fresh=' },
  document: {
    method: 'POST',
    path: '/stash-server/document',
    body: { id: 'server', ask: 'state', document: '{ stats { scene_count } }' },
  },
};

/** The part of the benchmark that writes `editor.md`. */
export const editor = {
  file: 'editor.md',
  async measure(bench) {
    const loadBefore = load();
    const baseline = process.env.BENCH_BASELINE;
    const loads = await measureLoads(bench, baseline);
    const bursts = await measureBursts(bench);
    // Without an older package there is nothing to compare the load time with, so it has no target.
    const missed = [...loads.filter(({ ratio }) => baseline && ratio > LOAD_TARGET), ...bursts.filter(isSlow)]
      .length;
    return { missed, report: describe({ loads, bursts, baseline, machine: `${loadBefore} and ${load()}` }) };
  },
};

async function measureLoads(bench, baseline) {
  const own = bench.userDir([]);
  const other = bench.userDir([], baseline ? { tarball: baseline } : { bare: true });
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
      rows.push({ runtime, ...summarize(await measurePairs(PAIRS, loading(ours), loading(theirs))) });
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
  return busy > SLOWER_TARGET * control;
}

/** Resolves with the milliseconds of each message that was sent, one after another, while `work` ran. */
async function timesDuring(nodeRed, work) {
  await nodeRed.ask({ order: 'run' });
  await work();
  const { times } = await nodeRed.ask({ order: 'stop' });
  return times;
}

/** Sends all requests at once. Resolves with how many were answered, by the kind of answer. */
async function sendAll(url, { method, path, body }) {
  const answered = {};
  await Promise.all(
    Array.from({ length: REQUESTS }, async () => {
      const response = await fetch(url + path, {
        method,
        ...(body && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
      });
      const text = await response.text();
      const kind = /^{"case":"([\w.]+)"/.exec(text)?.[1] ?? String(response.status);
      answered[kind] = (answered[kind] ?? 0) + 1;
    }),
  );
  return answered;
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

function describe({ loads, bursts, baseline, machine }) {
  return `
# What it costs the editor

Written by \`npm run bench -- editor\` ${circumstances()}; the load of the machine was ${machine} before and after.

## Loading the editor

From the request for the page until the editor shows the palette and the flows (none), with an empty cache, beside
${baseline ? `an older package (target: at most ${LOAD_TARGET})` : 'Node-RED without the package'}.

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

## Requests of dialogs

The times of stash-status messages, sent one after another, while ${REQUESTS} requests arrive at once at one route, and
before. The median may be at most ${SLOWER_TARGET} times as long as with requests for ${CONTROL}. All processes share this
machine.

${table(
  [
    'runtime',
    'route',
    'answers',
    'in',
    'median before',
    'median meanwhile',
    'longest before',
    'longest meanwhile',
    'messages',
  ],
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
