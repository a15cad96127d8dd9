// Measures large responses: the time beside the core node "http request" and beside Node.js alone, the longest stall, and the
// memory.
import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { measurePairs, quantile, summarize } from './pairs.mjs';
import { studioFields, trials } from './answer-trials.mjs';
import { startNodeRed, startServer } from './processes.mjs';
import { mib, missedOf, ms, table, tableOfTargets, target } from './report.mjs';
import { circumstances, httpRequest, label, load } from './workbench.mjs';

/** As long as a real one. The nodes mask it in data, so it costs time. */
const KEY = randomBytes(120).toString('base64url');
const ROUNDS = 15;
/** Rounds that do not count: V8 compiles hot code, connections open, and the heap grows to its size. */
const WARM_UP = 3;
/** The most of the time of the core node, and of Node.js alone. */
const OF_CORE = 0.9;
const OF_BARE = 1.3;
/** The longest stall, as a part of the time for parsing alone. */
const OF_PARSING = 1.1;
/** The memory that a message takes, as a multiple of the response. */
const OF_ANSWER = 2.5;

/** The part of the benchmark that writes `answers.md`. */
export const answers = {
  file: 'answers.md',
  async measure(bench) {
    const loadBefore = load();
    const lines = [];
    for (const runtime of bench.runtimes) lines.push(await measureRuntime(bench, runtime));
    const missed = missedOf(
      lines.map(({ what }) => what),
      lines.map(({ targets }) => targets),
    );
    return { missed, report: describe(lines, `${loadBefore} and ${load()}`) };
  },
};

async function measureRuntime(bench, runtime) {
  const what = label(runtime);
  console.log(`Sending ${what} large responses …`);
  const server = await bench.keep(startServer('answer-server.mjs'));
  const { bytes } = await server.ask({});
  const { url } = server;
  const userDir = bench.userDir(flows(url), { driver: 'answer-driver' });
  writeFileSync(path.join(userDir, 'flows_cred.json'), JSON.stringify({ server: { apiKey: KEY } }));
  const nodeRed = await bench.keep(startNodeRed(runtime, userDir, ['--expose-gc']));
  const rows = [];
  for (const [index, [id, trial]] of Object.entries(trials).entries()) {
    const question = { id, url, document: trial.document, isWhole: id !== 'studios' };
    rows.push({ what: trial.what, bytes: bytes[index], ...(await measureTrial(nodeRed, question, trial)) });
  }
  await nodeRed.stop();
  await server.stop();
  return { what, rows, targets: rows.flatMap(targetsOf) };
}

async function measureTrial(nodeRed, question, { data }) {
  const [list] = Object.values(data());
  const seen = { stash: [], core: [], bare: [] };
  const measure = (way) => async () => {
    const result = await nodeRed.ask({ order: 'measure', way, ...question });
    if (result.count !== list.length || result.last !== JSON.stringify(list.at(-1))) {
      throw new Error(`${result.count} items instead of ${list.length}, or the last is ${result.last}`);
    }
    seen[way].push(result);
    return result.milliseconds;
  };
  const beside = async (way) => {
    await measurePairs(WARM_UP, measure('stash'), measure(way));
    for (const one of ['stash', way]) seen[one].length = 0;
    return summarize(await measurePairs(ROUNDS, measure('stash'), measure(way)));
  };
  const core = await beside('core');
  const bare = await beside('bare');
  const parses = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    parses.push((await nodeRed.ask({ order: 'parse', ...question })).milliseconds);
  }
  const median = (way, name) =>
    quantile(
      seen[way].map((one) => one[name]),
      0.5,
    );
  const ways = Object.keys(seen).map((way) => ({
    way,
    stall: median(way, 'stall'),
    held: median(way, 'held'),
    peak: median(way, 'peak'),
  }));
  return { core, bare, parsing: quantile(parses, 0.5), ways };
}

function targetsOf({ what, bytes, core, bare, parsing, ways: [{ stall, held }] }) {
  const ratio = (text, value, most, details) =>
    target(`${what}: ${text} at most ${most}`, `${value.toFixed(2)} (${details})`, value <= most);
  return [
    ratio('time beside _http request_', core.ratio, OF_CORE, `${ms(core.ours)} and ${ms(core.theirs)}`),
    ratio('time beside Node.js alone', bare.ratio, OF_BARE, `${ms(bare.ours)} and ${ms(bare.theirs)}`),
    ratio('longest stall beside parsing', stall / parsing, OF_PARSING, `${ms(stall)} and ${ms(parsing)}`),
    ratio('memory beside the response', held / bytes, OF_ANSWER, `${mib(held)} and ${mib(bytes)}`),
  ];
}

/** Returns a flow with the nodes of this package and the core node, which return their messages to the driver. */
function flows(url) {
  const at = { z: 'tab', x: 10, y: 10 };
  const back = { ...at, wires: [['driver']] };
  const server = 'server';
  return [
    { id: 'tab', type: 'tab', label: '' },
    { id: server, type: 'stash-server', name: 'bench', url, auth: 'apiKey' },
    { id: 'driver', type: 'bench-answer-driver', ...at, wires: [] },
    { id: 'studios', type: 'stash-studios', server, fields: studioFields, ...back },
    { id: 'names', type: 'stash-query', server, document: trials.names.document, ...back },
    httpRequest(url, back),
    { id: 'caught', type: 'catch', scope: null, ...back },
  ];
}

function describe(lines, loads) {
  return `
# Large answers

Written by \`npm run bench -- answers\` ${circumstances()}; the load of the machine was ${loads} before and after.

The same response by a node of this package (stash-studios with all fields, stash-query), with an API key that is masked in data, by the core
node _http request_ (a parsed JSON object), and by Node.js alone (\`node:http\` and \`JSON.parse\`), in the same Node-RED. The ratios are medians of
${ROUNDS} pairs, each taken one right after the other. Parsing is \`JSON.parse\` alone. Memory is what the heap and the buffers hold while
the message is there, after a garbage collection.

${tableOfTargets(
  lines.map(({ what }) => what),
  lines.map(({ targets }) => targets),
)}

Medians of each way; the peak is before a garbage collection, so it depends on when V8 runs one.

${table(
  ['runtime', 'response', 'way', 'longest stall', 'memory held', 'peak'],
  lines.flatMap(({ what, rows }) =>
    rows.flatMap((row) =>
      row.ways.map(({ way, stall, held, peak }) => [
        what,
        row.what,
        { stash: 'this package', core: '_http request_', bare: 'Node.js alone' }[way],
        ms(stall),
        mib(held),
        mib(peak),
      ]),
    ),
  ),
)}
`;
}
