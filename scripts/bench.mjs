// `npm run bench`: what a message costs beside the core node "http request" that asks the same, and what the package
// adds to Node-RED's start. Prints the tables and writes them to bench/results.md.
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, loadavg, tmpdir } from 'node:os';
import path from 'node:path';
import { format } from 'prettier';
import { measurePairs, summarize } from '../bench/pairs.mjs';
import { startNodeRed, startServer } from '../bench/processes.mjs';
import { build, install, npm, root, runtimes } from './install.mjs';

const PAIRS = 40;
const STARTS = 30;
const LOADS = [
  { concurrency: 1, count: 250, target: 0.6 },
  { concurrency: 50, count: 1000, target: 0.4 },
];
const START_TARGET = 1.1;
/** Pairs that do not count: until V8 has compiled what is worth it, and all connections are open. */
const WARM_UP = 3;
const results = path.join(root, 'bench', 'results.md');

const names = readdirSync(runtimes).sort();
install(root);
for (const name of names) install(path.join(runtimes, name));
build();

const loadBefore = loadavg();
const folder = mkdtempSync(path.join(tmpdir(), 'node-red-stash-bench-'));
const running = [];
let messages;
let starts;
try {
  const tarball = pack();
  messages = await benchMessages(tarball);
  starts = await benchStarts(tarball);
} finally {
  for (const one of running.reverse()) await one.stop();
  rmSync(folder, { recursive: true, force: true });
}

const report = await format(describe(), { parser: 'markdown' });
writeFileSync(results, report);
console.log(`\n${report}`);
const missed = [...messages, ...starts].filter(({ ratio, target }) => ratio > target).length;
console.log(
  `${missed === 0 ? 'Every target is met' : `Missed targets: ${missed}`}; written to bench/results.md`,
);
process.exitCode = missed === 0 ? 0 : 1;

function pack() {
  const options = ['pack', '--json', '--ignore-scripts', '--loglevel=error', '--pack-destination', folder];
  const [{ filename }] = JSON.parse(npm(options, root, 'pipe'));
  return path.join(folder, filename);
}

/** A user's folder as Node-RED makes it, with the package added as its palette manager does. */
function userDir(flows, tarball) {
  const made = mkdtempSync(path.join(folder, 'user-'));
  writeFileSync(path.join(made, 'package.json'), '{ "name": "node-red-project", "private": true }');
  writeFileSync(path.join(made, 'flows.json'), JSON.stringify(flows));
  const quietly = ['--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline', '--loglevel=error'];
  if (tarball) npm(['install', tarball, ...quietly], made, 'pipe');
  return made;
}

async function benchMessages(tarball) {
  const server = await startServer();
  running.push(server);
  const benched = userDir(flows(server.url), tarball);
  mkdirSync(path.join(benched, 'nodes'));
  for (const file of ['driver.js', 'driver.html']) {
    cpSync(path.join(root, 'bench', file), path.join(benched, 'nodes', file));
  }
  const rows = [];
  for (const runtime of names) {
    console.log(`Sending messages on ${label(runtime)} …`);
    const nodeRed = await startNodeRed(runtime, benched);
    running.push(nodeRed);
    for (const { concurrency, count, target } of LOADS) {
      const { answered: before } = await server.ask('count');
      const send = (way) => async () => (await nodeRed.ask({ way, concurrency, count })).microseconds;
      await measurePairs(WARM_UP, send('stash'), send('core'));
      const pairs = await measurePairs(PAIRS, send('stash'), send('core'));
      const { answered: after } = await server.ask('count');
      const expected = (WARM_UP + PAIRS) * 2 * count;
      if (after - before !== expected) throw new Error(`${after - before} answers instead of ${expected}`);
      rows.push({ what: label(runtime), concurrency, target, ...summarize(pairs) });
    }
    await nodeRed.stop();
  }
  return rows;
}

async function benchStarts(tarball) {
  const withPackage = userDir([], tarball);
  const without = userDir([]);
  const rows = [];
  for (const runtime of names) {
    console.log(`Starting ${label(runtime)} …`);
    const start = (where) => async () => {
      const nodeRed = await startNodeRed(runtime, where);
      await nodeRed.stop();
      return nodeRed.milliseconds;
    };
    // The first start of each also writes files, and fills the machine's cache.
    await measurePairs(1, start(withPackage), start(without));
    const pairs = await measurePairs(STARTS, start(withPackage), start(without));
    rows.push({ what: label(runtime), target: START_TARGET, ...summarize(pairs) });
  }
  return rows;
}

/** Both nodes in one flow, and whatever comes out of them back to the driver. */
function flows(url) {
  const at = { z: 'tab', x: 10, y: 10 };
  const back = { ...at, wires: [['driver']] };
  return [
    { id: 'tab', type: 'tab', label: '' },
    { id: 'server', type: 'stash-server', name: 'bench', url },
    { id: 'driver', type: 'bench-driver', ...at, wires: [['stash'], ['core']] },
    { id: 'stash', type: 'stash-status', server: 'server', fields: ['status'], ...back },
    {
      id: 'core',
      type: 'http request',
      method: 'POST',
      ret: 'obj',
      url: `${url}/graphql`,
      persist: true,
      headers: ['Accept', 'Content-Type'].map((keyType) => ({
        keyType,
        keyValue: '',
        valueType: 'application/json',
        valueValue: '',
      })),
      ...back,
    },
    { id: 'caught', type: 'catch', scope: null, ...back },
  ];
}

/** `Node-RED 5.0.7, Node.js 24.21.0`, as they are installed. */
function label(runtime) {
  const version = (name) =>
    JSON.parse(readFileSync(path.join(runtimes, runtime, 'node_modules', name, 'package.json'), 'utf8'))
      .version;
  return `Node-RED ${version('node-red')}, Node.js ${version('node')}`;
}

function describe() {
  const day = new Date().toISOString().slice(0, 10);
  const load = [loadBefore, loadavg()].map(([minute]) => minute.toFixed(1)).join(' and ');
  const ratios = ({ ratio, low, high, target, count }) =>
    `**${ratio.toFixed(2)}** | ${low.toFixed(2)} … ${high.toFixed(2)} | ${target} | ${count}`;
  return `
# What it costs

Written by \`npm run bench\` on ${day}: ${cpus().length} × ${cpus()[0].model.trim()}, ${process.platform}; the load of the
machine was ${load} before and after. The ratios are what counts: each is taken within a pair of measurements made one
right after the other, so that whatever else the machine does meets both.

## A message

stash-status (one field) beside the core node _http request_ (POST, connections kept alive, a parsed JSON object), in
the same Node-RED, with the same body and headers to the same server. Microseconds of wall time for each message, the
server's part included; each pair of blocks has ${LOADS.map(({ count, concurrency }) => `${count} messages at concurrency ${concurrency}`).join(' and ')}.

| runtime | concurrency | stash-status | http request | ratio | 10th … 90th percentile | at most | pairs |
| --- | --- | --- | --- | --- | --- | --- | --- |
${messages
  .map(
    (row) =>
      `| ${row.what} | ${row.concurrency} | ${row.ours.toFixed(0)} µs | ${row.theirs.toFixed(0)} µs | ${ratios(row)} |`,
  )
  .join('\n')}

## The start of Node-RED

From the start of the process until the editor is served and the flows (none) run, with this package installed and
without.

| runtime | with | without | ratio | 10th … 90th percentile | at most | pairs |
| --- | --- | --- | --- | --- | --- | --- |
${starts
  .map((row) => `| ${row.what} | ${row.ours.toFixed(0)} ms | ${row.theirs.toFixed(0)} ms | ${ratios(row)} |`)
  .join('\n')}
`;
}
