// Measures scans that collect messages: the scans, ends, processor time, stalls and memory of bursts, and how the messages end
// with a deploy or a crash of the server.
import { MIB, mib, missedOf, ms, table, tableOfMemory, tableOfTargets, target } from './report.mjs';
import {
  COLLECT,
  FOLDERS,
  LARGE,
  measureBursts,
  measureFaults,
  measureFiles,
  RELEASE,
  UNCHANGED,
  WAITED,
} from './scan-trials.mjs';
import { circumstances, label, load } from './workbench.mjs';

/** The most processor time for a large burst, in milliseconds, without that of an idle Node-RED. */
const CPU = 1000;
/** The longest accepted stall of the event loop, in milliseconds. */
const STALL = 25;
/** The most that messages may take which wait, in shares of a processor. */
const WAITING = 0.01;
/** The most MiB by which the heap may grow from the first large burst to the last one. */
const GROWTH = 5;

/** The part of the benchmark that writes `scans.md`. */
export const scans = {
  file: 'scans.md',
  async measure(bench) {
    const loadBefore = load();
    const bursts = [];
    for (const runtime of bench.runtimes) bursts.push(await measureBursts(bench, runtime));
    const files = [];
    for (const runtime of bench.runtimes) files.push(await measureFiles(bench, runtime));
    const faults = [];
    for (const runtime of bench.runtimes) faults.push(await measureFaults(bench, runtime));
    const targets = bench.runtimes.map((_, index) => [
      ...targetsOfBursts(bursts[index]),
      ...targetsOfFiles(files[index]),
      ...targetsOfFaults(faults[index]),
    ]);
    const report = describe({ bursts, files, faults }, targets, `${loadBefore} and ${load()}`);
    return { missed: missedOf(bench.runtimes.map(label), targets), report };
  },
};

function targetsOfBursts({ idle, bursts, waiting, memory }) {
  const large = bursts.filter(({ what }) => what === `${LARGE} messages`);
  const cpu = Math.max(...large.map((burst) => burst.cpu)) - idle;
  const stall = Math.max(...large.map((burst) => burst.stall));
  const after = memory.filter(({ when }) => when.startsWith('after burst'));
  const growth = after.at(-1).heapUsed - after[0].heapUsed;
  const own = bursts.filter(({ what }) => !what.includes('core'));
  const wrong = own.filter(({ scans, others, jobs }) => scans !== 1 || others > 0 || jobs !== 1);
  return [
    target(
      'each burst: one scan, one job, each message ends once',
      own.length - wrong.length,
      wrong.length === 0,
    ),
    target(`${LARGE} messages: less than ${CPU} ms of processor time`, ms(cpu), cpu < CPU),
    target(`${LARGE} messages: no stall above ${STALL} ms`, ms(stall), stall <= STALL),
    target(
      `${LARGE} messages that wait for a job: less than ${percent(WAITING)} of a processor`,
      percent(waiting),
      waiting < WAITING,
    ),
    target(
      `the last burst leaves at most ${GROWTH} MiB more heap than the first`,
      mib(growth),
      growth <= GROWTH * MIB,
    ),
  ];
}

function targetsOfFiles({ bursts, memory }) {
  const stall = Math.max(...bursts.map((burst) => burst.stall));
  const growth = memory.at(-1).heapUsed - memory[0].heapUsed;
  const wrong = bursts.filter(({ scans, others, jobs }) => scans !== 1 || others > 0 || jobs !== 1);
  return [
    target(
      `${LARGE} files: one scan, one job, each message ends once`,
      bursts.length - wrong.length,
      wrong.length === 0,
    ),
    target(`${LARGE} files: no stall above ${STALL} ms`, ms(stall), stall <= STALL),
    target(
      `the last burst of files leaves at most ${GROWTH} MiB more heap than the first`,
      mib(growth),
      growth <= GROWTH * MIB,
    ),
  ];
}

function targetsOfFaults({ faults }) {
  const lost = faults.reduce((total, { others }) => total + others, 0);
  const twice = faults.filter(({ scans }) => scans > 1).length;
  return [
    target('faults: each message ends once', lost === 0 ? 'all' : `${lost} not`, lost === 0),
    target('faults: never two scans of one burst', twice === 0 ? 'none' : twice, twice === 0),
  ];
}

function percent(share) {
  return `${Number((100 * share).toFixed(2))} %`;
}

function list({ ends, others }) {
  const all = Object.entries(ends).map(([end, count]) => `${count} × ${end}`);
  return [...all, ...(others > 0 ? [`**${others} × not once**`] : [])].join(', ');
}

const HEAD_OF_BURSTS = [
  'runtime',
  'burst',
  'messages end',
  'scans',
  'jobs',
  'processor time',
  'longest stall',
];

function cellsOf(runtime, burst) {
  const { what, scans, jobs, cpu, stall } = burst;
  return [runtime, what, list(burst), scans, jobs, ms(cpu), ms(stall)];
}

function describe({ bursts, files, faults }, targets, loads) {
  return `
# What collecting messages costs

Written by \`npm run bench -- scans\` ${circumstances()}; the load of the machine was ${loads} before and after. The packed
package runs in a real Node-RED, the server is the fake Stash of the tests (${RELEASE}) in its own process. Each message has the
path of another file, in ${FOLDERS} folders; stash-scan collects for ${COLLECT} s.

## Targets

A missed target is in bold.

${tableOfTargets(
  bursts.map(({ what }) => what),
  targets,
)}

## Bursts

The processor time is that of the whole Node-RED, from the first message to the end of the last one. While nothing happens for
${COLLECT} s, it takes ${bursts.map(({ what, idle }) => `${ms(idle)} (${what})`).join(', ')}. A stall is the longest time between two turns of the event loop.
What messages take that wait is measured for ${WAITED / 1000} s, less what an idle Node-RED takes.

${table(
  HEAD_OF_BURSTS,
  bursts.flatMap(({ what: runtime, bursts: all }) => all.map((burst) => cellsOf(runtime, burst))),
)}

Memory of the Node-RED process: the heap used after a garbage collection, and what is resident.

${tableOfMemory(bursts)}

## Files

The messages have the paths of ${LARGE} files on a disk, which have to be unchanged for ${UNCHANGED} s before they are collected. Another
process looks at them, and ends afterwards.

${table(
  [...HEAD_OF_BURSTS, 'of the other process: processor time', 'resident, at most'],
  files.flatMap(({ what: runtime, bursts: all }) =>
    all.map((burst) => [
      ...cellsOf(runtime, burst),
      burst.watcher ? ms(burst.watcher.cpu) : '–',
      burst.watcher ? mib(burst.watcher.rss) : '–',
    ]),
  ),
)}

${tableOfMemory(files)}

## Faults

_Scans_ are those that the server was asked for. \`done\` means that the message was sent on.

${table(
  ['runtime', 'messages', 'fault', 'messages end', 'scans'],
  faults.flatMap(({ what: runtime, faults: all }) =>
    all.map((fault) => [runtime, fault.count, fault.what, list(fault), fault.scans]),
  ),
)}
`;
}
