// Soaks the packed package in a real Node-RED: for minutes or hours, messages to every node of two servers that fail in every
// way the fake Stash knows, with deploys and resets meanwhile. Each round ends in a calm, in which all messages have to
// end and what the process holds is sampled.
import { setTimeout as sleep } from 'node:timers/promises';
import { quantile } from './pairs.mjs';
import { now } from './processes.mjs';
import { differences, MIB, mib, missedOf, seconds, table, tableOfTargets, target } from './report.mjs';
import { bareFlows, KEEP, nodes, SERVERS } from './soak-flows.mjs';
import { Judge } from './soak-judge.mjs';
import { LOADED, runRound, SETTLE, start } from './soak-trials.mjs';
import { circumstances, label, load } from './workbench.mjs';

/** How much more than in round 2, after about two minutes, each may be in the median of the last third. */
const ALLOWED = { heapUsed: 5 * MIB, external: 5 * MIB, resources: 4, handles: 4 };
/** The fewest rounds that say anything about growth. */
const FEWEST = 6;
/** Fewer messages of one node may all fail by chance, if its twin at the other server has results. */
const MANY = 20;
const MOST_WRONG = 40;
/** Milliseconds after which the report names the nodes whose messages ended last. */
const SLOW = 5000;

/**
 * Runs the soak on one runtime.
 * @returns the report, and a line for each missed target.
 */
export async function soak(bench, { runtime, minutes, seed }) {
  console.log(`Soaking ${label(runtime)} for ${minutes} min with the seed ${seed} …`);
  const world = await start(bench, runtime, seed);
  const judge = new Judge();
  const rounds = [];
  const first = await world.sample();
  let last = first;
  let failure;
  let shown = 0;
  console.log(HEAD.join(' | '));
  try {
    const end = now() + minutes * 60_000;
    await world.deploy('full');
    while (now() < end) {
      const round = await runRound(world, judge);
      rounds.push(round);
      console.log(rowOf(round, rounds.length - 1).join(' | '));
      for (const what of judge.wrong.slice(shown)) console.log(`  WRONG: ${what}`);
      shown = judge.wrong.length;
    }
    await world.deploy('full', bareFlows());
    await sleep(SETTLE);
    last = await world.sample();
  } catch (error) {
    failure = error;
  }
  const errors = errorsIn(world.nodeRed.log);
  const targets = targetsOf({ judge, rounds, first, last, failure, errors });
  const missed = missedOf([label(runtime)], [targets]);
  const about = {
    what: label(runtime),
    runtime,
    minutes,
    seed,
    targets,
    rounds,
    judge,
    first,
    last,
    failure,
    errors,
  };
  return { missed, report: describe(about) };
}

/** Returns the lines of the log at level error. */
function errorsIn(log) {
  return log.filter((line) => / - \[(error|fatal)\]|^\[(error|fatal)\]/.test(line));
}

/** Returns how many messages of a node have ended. */
function messagesOf({ endsOf }, node) {
  return Object.values(endsOf[node] ?? {}).reduce((total, count) => total + count, 0);
}

function targetsOf({ judge, rounds, first, last, failure, errors }) {
  const growths = growthOf(rounds);
  const isEnough = rounds.length >= FEWEST;
  const idle = Object.keys(nodes).flatMap((kind) => {
    const both = Object.keys(SERVERS).map((letter) => `${letter}-${kind}`);
    const without = both.filter((node) => !judge.endsOf[node]?.done);
    return without.length === both.length ? both : without.filter((node) => messagesOf(judge, node) >= MANY);
  });
  const left = {
    ...differences(last.handles, first.handles),
    ...differences(last.resources, first.resources),
  };
  const pending = rounds.reduce((total, round) => total + round.pending, 0);
  return [
    target('Node-RED stays up', failure ? failure.message : 'yes', !failure),
    target('messages are judged', judge.messages, judge.messages > 0),
    target(
      'every message ends exactly once, every mutation runs at most once',
      `${judge.wrong.length} wrong`,
      judge.wrong.length === 0,
    ),
    target('all messages have ended in every calm', `${pending} missing`, pending === 0),
    ...(isEnough ? [target('every node has had results', idle.join(', ') || 'yes', idle.length === 0)] : []),
    target('nothing unexpected in the log at level error', errors.length, errors.length === 0),
    ...(isEnough ? growths : []).map(({ what, from, to, most, text }) =>
      target(
        `${what}: at most ${text(most)} more in the last third of the rounds than in round 2`,
        `${text(from)} → ${text(to)}`,
        to - from <= most,
      ),
    ),
    target(
      'no handle, timer or socket is left when the flows are removed',
      list(left) || 'none',
      total(left) === 0,
    ),
  ];
}

/** Compares the median of the calms of the last third with the one of round 2. */
function growthOf(rounds) {
  const [, second] = rounds;
  const third = rounds.slice(-Math.ceil(rounds.length / 3));
  if (!second) return [];
  const types = [...new Set(rounds.flatMap(({ sample }) => Object.keys(sample.resources)))];
  const measures = [
    { what: 'heap', of: ({ heapUsed }) => heapUsed, most: ALLOWED.heapUsed, text: mib },
    { what: 'external memory', of: ({ external }) => external, most: ALLOWED.external, text: mib },
    { what: 'handles', of: ({ handles }) => total(handles), most: ALLOWED.handles, text: String },
    ...types.map((type) => ({
      what: type,
      of: ({ resources }) => resources[type] ?? 0,
      most: ALLOWED.resources,
      text: String,
    })),
  ];
  return measures.map(({ of, ...measure }) => ({
    ...measure,
    from: of(second.sample),
    to: quantile(
      third.map(({ sample }) => of(sample)),
      0.5,
    ),
  }));
}

const total = (counts) => Object.values(counts).reduce((sum, count) => sum + count, 0);
const list = (counts) =>
  Object.entries(counts)
    .sort(([one], [other]) => one.localeCompare(other))
    .map(([what, count]) => `${count} × ${what}`)
    .join(', ');

const HEAD = [
  ...['round', 'messages', 'done', 'CLOSED', 'other errors', 'mutations', 'requests', 'faults', 'deploys'],
  ...['drained in', 'heap', 'external', 'resident', 'handles', 'resources', 'loop delay p99', 'longest'],
];

function rowOf({ messages, ends, mutations, requests, happened, deploys, drained, sample }, index) {
  const { done = 0, reset = 0, CLOSED: closed = 0 } = ends;
  const { heapUsed, external, rss, handles, resources, delay } = sample;
  return [
    ...[index + 1, messages, done + reset, closed, messages - done - reset - closed, mutations, requests],
    ...[
      total(happened),
      deploys,
      `${seconds(drained.took).toFixed(0)} s`,
      mib(heapUsed),
      mib(external),
      mib(rss),
    ],
    ...[
      total(handles),
      total(resources),
      `${(delay.p99 * 1000).toFixed(0)} ms`,
      `${(delay.max * 1000).toFixed(0)} ms`,
    ],
  ];
}

/** Returns how long it took until all messages had ended, and for which nodes, where that took more than some seconds. */
function slowest(rounds) {
  return rounds.flatMap(({ drained: { took, last } }, index) =>
    took > SLOW ? [`round ${index + 1}: ${seconds(took).toFixed(0)} s, for ${last.join(', ')}`] : [],
  );
}

function describe({ what, runtime, minutes, seed, targets, rounds, judge, first, last, failure, errors }) {
  const happened = {};
  for (const round of rounds) {
    for (const [fault, count] of Object.entries(round.happened))
      happened[fault] = (happened[fault] ?? 0) + count;
  }
  const worst = Math.max(0, ...rounds.map(({ sample }) => sample.delay.max));
  const releases = Object.values(SERVERS).map(({ release }) => release);
  return `
# A soak

Written by \`npm run soak -- ${minutes} --seed ${seed} --runtime ${runtime}\` ${circumstances()}; the load of
the machine was ${load()} at the end. The packed package runs in a real Node-RED, with all its nodes for two fake Stash servers in
processes of their own: ${releases.join(' and ')}. Each round has ${seconds(LOADED)} s of load and faults, and then a calm: all messages have to end, and
what Node-RED holds is sampled ${seconds(SETTLE)} s later, after a garbage collection.

Messages have numbers, and so have the names, paths and arguments in the mutations that they stand for. A message has to end once:
with one result (or all parts of a sequence), with one error at the Catch node, never with CLOSED, without a result only after a
reset. Its mutation may reach a server once, unless the server refused it with 401 or 422, which proves that nothing ran; of backups
and scans of the whole library there may be no more than messages. Mutations to stop jobs are not counted, because they may be repeated. What Node-RED itself loses
between the end of a node and its removal from the flow is only counted. Any warning of
Node.js is wrong as well, and so is what is in a folder of backups besides ${KEEP} whole databases.

## Verdict

What misses its target is in bold.

${tableOfTargets([what], [targets])}
${failure ? `\nIt ended early:\n\n\`\`\`\n${failure.stack}\n\`\`\`\n` : ''}
${listOf('What was wrong', judge.wrong)}
${listOf('Lines of the log', errors)}

${judge.messages} messages ended: ${list(judge.ends)}. ${judge.mutations} mutations reached the servers. The longest delay of the event loop was
${(worst * 1000).toFixed(0)} ms. The nodes without an input sent: ${list(rounds.at(-1)?.told ?? {})}.

## Rounds

${table(HEAD, rounds.map(rowOf))}

At the start, without flows: ${list(first.resources)} (handles: ${list(first.handles)}). At the end, without flows again: ${list(last.resources)} (handles:
${list(last.handles)}).

${listOf('Calms in which some messages took longer', slowest(rounds))}
In the last calm: ${list(rounds.at(-1)?.sample.resources ?? {})} (handles: ${list(rounds.at(-1)?.sample.handles ?? {})}).

## Nodes

${table(
  ['node', 'how its messages ended'],
  Object.entries(judge.endsOf)
    .sort()
    .map(([node, ends]) => [node, list(ends)]),
)}

## What the servers did

${table(['a server …', 'times'], Object.entries(happened).sort())}
`;
}

function listOf(title, lines) {
  if (lines.length === 0) return '';
  const shown = lines.slice(0, MOST_WRONG).map((line) => `    ${line.slice(0, 300).replaceAll('\n', ' ')}`);
  return `${title} (${lines.length}):\n\n${shown.join('\n')}\n`;
}
