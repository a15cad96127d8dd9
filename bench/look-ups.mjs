// Measures look-ups: the pause, the order and the memory with 300 names at once, across a redeploy, and at a site that refuses
// calls for a while.
import {
  AFTER_DEPLOY,
  BEFORE_DEPLOY,
  measureLine,
  measureRefusals,
  NAMES,
  PAUSE,
  REFUSED,
  RUNS,
  SITE,
  SLOW_SITE,
} from './look-up-trials.mjs';
import {
  MIB,
  mib,
  missedOf,
  ms,
  seconds,
  table,
  tableOfMemory,
  tableOfTargets,
  target,
  yes,
} from './report.mjs';
import { circumstances, label, load } from './workbench.mjs';

/** The most MiB by which the heap may grow from the end of the first run to that of the last one. */
const GROWTH = 5;
/** The most milliseconds for a redeploy to stop the nodes. */
const STOP = 1000;
/** The most calls to a site that refuses them. */
const IN_VAIN = 3;

/** The part of the benchmark that writes `look-ups.md`. */
export const lookUps = {
  file: 'look-ups.md',
  async measure(bench) {
    const loadBefore = load();
    const lines = [];
    for (const runtime of bench.runtimes) lines.push(await measureLine(bench, runtime));
    console.log('Looking up at a site that refuses …');
    const refused = await Promise.all(bench.runtimes.map((runtime) => measureRefusals(bench, runtime)));
    const targets = lines.map((line, index) => [
      ...targetsOfLine(line),
      ...targetsOfRefusals(refused[index]),
    ]);
    const report = describe(lines, refused, targets, `${loadBefore} and ${load()}`);
    return { missed: missedOf(bench.runtimes.map(label), targets), report };
  },
};

function targetsOfLine({ runs, growth, deploy }) {
  const all = [...runs, deploy];
  const sum = (key) => all.reduce((total, one) => total + one[key], 0);
  const answered = runs.reduce((total, run) => total + run.answered, 0);
  const shortest = Math.min(...all.map((one) => one.shortest));
  const ordered = runs.every(({ inOrder: { each, both } }) => each && both);
  return [
    target(`${RUNS} × ${NAMES} names are answered`, answered, answered === RUNS * NAMES),
    target('no two calls at once', sum('overlaps'), sum('overlaps') === 0),
    target(`at least ${PAUSE} ms between two calls`, ms(shortest), shortest >= PAUSE),
    target('answers in the order of the messages', yes(ordered), ordered),
    target('no performer scraped whom the list did not name', sum('unlisted'), sum('unlisted') === 0),
    target(
      `run ${RUNS} leaves at most ${GROWTH} MiB more heap than run 1`,
      mib(growth),
      growth <= GROWTH * MIB,
    ),
    target(
      'each message is answered, or ends with CLOSED, once in a redeploy',
      yes(deploy.others === 0),
      deploy.others === 0,
    ),
    target(
      `a redeploy stops the nodes in less than ${seconds(STOP)} s`,
      `${deploy.stop} ms`,
      deploy.stop < STOP,
    ),
    target('the pause is kept over a redeploy', ms(deploy.gap), deploy.gap >= PAUSE),
  ];
}

function targetsOfRefusals({ answered, refusedCalls, overlaps, shortest, unlisted, inOrder: { both } }) {
  const { names, pause } = REFUSED;
  return [
    target(`refused for a while: ${names} names are answered`, answered, answered === names),
    target(`refused for a while: at most ${IN_VAIN} calls in vain`, refusedCalls, refusedCalls <= IN_VAIN),
    target('refused for a while: no two calls at once', overlaps, overlaps === 0),
    target(`refused for a while: at least ${pause} ms between two calls`, ms(shortest), shortest >= pause),
    target('refused for a while: answers in the order of the messages', yes(both), both),
    target('refused for a while: none scraped whom the list did not name', unlisted, unlisted === 0),
  ];
}

function describe(lines, refused, targets, loads) {
  return `
# What look-ups do

Written by \`npm run bench -- look-ups\` ${circumstances()}; the load of
the machine was ${loads} before and after. The packed package runs in a real Node-RED; two stash-performer-scrape nodes
use a config node each, and both config nodes have the address of one server, which notes when each call to the
external site begins and ends. Names go to the one and the other node in turns.

## Targets

What misses its target is in bold.

${tableOfTargets(
  lines.map(({ what }) => what),
  targets,
)}

${describeLines(lines)}
${describeDeploys(lines)}
${describeRefusals(refused)}
`;
}

function describeLines(lines) {
  return `
## ${NAMES} names at once

With a pause of ${PAUSE} ms, and a site that takes ${SITE} ms. A gap is from the end of one call to the site to the start
of the next. A performer who is scraped without having been named by the list before is _unlisted_.

${table(
  [
    'runtime',
    'run',
    'answered',
    'two at once',
    'shortest gap',
    'median',
    'longest',
    'order of each node',
    'of both',
    'list',
    'scrape',
    'unlisted',
  ],
  lines.flatMap(({ what, runs }) =>
    runs.map((run, index) => [
      what,
      index + 1,
      `${run.answered} of ${run.sent}`,
      run.overlaps,
      ...[run.shortest, run.median, run.longest].map(ms),
      ...[run.inOrder.each, run.inOrder.both].map((kept) => (kept ? 'kept' : '**not kept**')),
      run.lists,
      run.scrapes,
      run.unlisted,
    ]),
  ),
)}

Memory of the Node-RED process: the heap used after a garbage collection, and what is resident.

${tableOfMemory(lines)}
`;
}

function describeDeploys(lines) {
  return `
## A redeploy amid ${NAMES} names

All flows are deployed when ${BEFORE_DEPLOY} names or a few more are answered, while a call to the site is under way that
takes ${SLOW_SITE} ms; ${AFTER_DEPLOY} further names follow at once. The gap is that between the call that was under way
and the first one after the redeploy.

${table(
  [
    'runtime',
    'nodes stop in',
    'flows run again after',
    'sent',
    'answered before',
    'after',
    'CLOSED',
    'anything else',
    'two at once',
    'gap',
  ],
  lines.map(({ what, deploy }) => [
    what,
    `${deploy.stop} ms`,
    `${deploy.whole} ms`,
    deploy.sent,
    deploy.answeredBefore,
    deploy.answered - deploy.answeredBefore,
    deploy.closed,
    deploy.others,
    deploy.overlaps,
    ms(deploy.gap),
  ]),
)}
`;
}

function describeRefusals(refused) {
  return `
## A site that refuses

${REFUSED.names} names with a pause of ${seconds(REFUSED.pause)} s. From second ${seconds(REFUSED.from)} to second ${seconds(REFUSED.to)} the site answers
everything with 429. Calls a minute in each ${seconds(REFUSED.window)} s: those that were answered, and those that were refused.

${table(
  [
    'runtime',
    ...refused
      .reduce((most, { windows }) => (windows.length > most.length ? windows : most), [])
      .map((_, index) => `from ${seconds(index * REFUSED.window)} s`),
  ],
  refused.map(({ what, windows }) => [
    what,
    ...windows.map(({ accepted, refused: no }) => {
      const [answered, vain] = [accepted, no].map((count) => (count * 60_000) / REFUSED.window);
      return vain > 0 ? `${answered} + ${vain} refused` : answered;
    }),
  ]),
)}

${table(
  ['runtime', 'answered', 'seconds', 'calls refused', 'two at once', 'shortest gap', 'median', 'longest'],
  refused.map(
    ({ what, answered, sent, seconds: took, refusedCalls, overlaps, shortest, median, longest }) => [
      what,
      `${answered} of ${sent}`,
      took.toFixed(0),
      refusedCalls,
      overlaps,
      ...[shortest, median, longest].map(ms),
    ],
  ),
)}
`;
}
