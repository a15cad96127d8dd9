// Measures waiting for jobs: the requests to the server while 200 messages wait, the delay of their ends, their memory, and
// their ends after a deploy or a crash of the server.
import {
  AFTER_DEPLOY,
  AWAY,
  DEATHS,
  JOB,
  measureDeaths,
  measureWaiting,
  MESSAGES,
  POLLING,
  ROUNDS,
  SOCKET,
  WATCH,
} from './job-trials.mjs';
import { MIB, mib, missedOf, seconds, table, tableOfMemory, tableOfTargets, target } from './report.mjs';
import { circumstances, label, load } from './workbench.mjs';

/** The most MiB by which the heap may grow from the end of the first round to that of the last one. */
const GROWTH = 5;
/** The most milliseconds for a redeploy to stop the nodes. */
const STOP = 1000;
/** The most requests a second while messages wait. */
const RATES = {
  socket: { most: 0, words: 'no request' },
  polling: { most: 1, words: 'at most one request a second' },
};

/** The part of the benchmark that writes `jobs.md`. */
export const jobs = {
  file: 'jobs.md',
  async measure(bench) {
    const loadBefore = load();
    const socket = [];
    for (const runtime of bench.runtimes) socket.push(await measureWaiting(bench, runtime, SOCKET));
    // The trials mostly pause, so both runtimes can run at the same time.
    const both = (measure) => Promise.all(bench.runtimes.map(measure));
    const polling = await both((runtime) => measureWaiting(bench, runtime, POLLING));
    console.log(`Letting a server die ${DEATHS.count} times …`);
    const deaths = await both((runtime) => measureDeaths(bench, runtime));
    const targets = bench.runtimes.map((_, index) => [
      ...targetsOfWaiting(socket[index]),
      ...targetsOfWaiting(polling[index]),
      ...targetsOfDeaths(deaths[index]),
    ]);
    const report = describe([...socket, ...polling], deaths, targets, `${loadBefore} and ${load()}`);
    return { missed: missedOf(bench.runtimes.map(label), targets), report };
  },
};

function targetsOfWaiting({ how, rounds, growth, deploy }) {
  const { most, words } = RATES[how];
  const rate = Math.max(...rounds.map((round) => round.rate));
  const finished = rounds.reduce((total, { ends }) => total + (ends.FINISHED ?? 0), 0);
  const closed = deploy.ends.CLOSED ?? 0;
  return [
    target(`${how}: ${words} while ${MESSAGES} messages wait`, perSecond(rate), rate <= most),
    ...(how === 'socket' ? [oneSocket(rounds)] : []),
    target(
      `${how}: ${ROUNDS} × ${MESSAGES} messages end once, with their jobs finished`,
      finished,
      finished === ROUNDS * MESSAGES,
    ),
    target(
      `${how}: round ${ROUNDS} leaves at most ${GROWTH} MiB more heap than round 1`,
      mib(growth),
      growth <= GROWTH * MIB,
    ),
    target(
      `${how}: a redeploy stops the nodes in less than ${seconds(STOP)} s`,
      whole(deploy.stop),
      deploy.stop < STOP,
    ),
    target(
      `${how}: ${MESSAGES} messages end once with CLOSED in a redeploy`,
      closed,
      closed === MESSAGES && deploy.after.ends.FINISHED === AFTER_DEPLOY,
    ),
  ];
}

function oneSocket(rounds) {
  const { sockets } = rounds.at(-1);
  return target('socket: one WebSocket for all', sockets, sockets === 1);
}

function targetsOfDeaths({ sent, others, wrong, most, sockets }) {
  const all = DEATHS.count * DEATHS.messages;
  return [
    target(`${DEATHS.count} deaths: ${all} messages end once`, sent - others, sent - others === all),
    target(`${DEATHS.count} deaths: none says FINISHED of a job that did not finish`, wrong, wrong === 0),
    target(`${DEATHS.count} deaths: at most one attempt to connect at once`, most, most <= 1),
    target(
      `${DEATHS.count} deaths: at most one WebSocket for each start of the server`,
      sockets,
      sockets <= 1,
    ),
  ];
}

const whole = (milliseconds) => `${milliseconds.toFixed(0)} ms`;
const perSecond = (rate) => (rate === 0 ? '0' : rate.toFixed(2));

/** "200 × FINISHED". */
function list({ ends, others }) {
  const all = Object.entries(ends).map(([end, count]) => `${count} × ${end}`);
  return [...all, ...(others > 0 ? [`**${others} × not once**`] : [])].join(', ');
}

function describe(lines, deaths, targets, loads) {
  return `
# What waiting for jobs does

Written by \`npm run bench -- jobs\` ${circumstances()}; the load of
the machine was ${loads} before and after. The packed package runs in a real Node-RED; all messages go to one stash-scan
that replies when the job is finished. The server is the fake Stash of the tests in a process of its own: ${SOCKET.release}, which
can be followed on a WebSocket, and ${POLLING.release}, which must be polled.

## Targets

What misses its target is in bold.

${tableOfTargets(
  deaths.map(({ what }) => what),
  targets,
)}

${describeRounds(lines)}
${describeDeploys(lines)}
${describeDeaths(deaths)}
`;
}

function describeRounds(lines) {
  const ways = [SOCKET, POLLING].map(({ how }) => lines.filter((line) => line.how === how));
  return `
## ${MESSAGES} messages at once

The first job is held until requests have been counted for ${seconds(WATCH)} s; then each job takes ${JOB} ms or a little longer, one after
another. Where the server is polled, only ${POLLING.together} jobs are started at a time. The delay is from the job's end at the server
to the message at the next node; on the socket the server's log is waited for, too, which the server gives out once a second.
That a server which has told nothing for a minute is asked is not in these figures.
_Starts_ and _questions_ are all that was asked from the first message to the last one's end, and _sockets_ those that
were tried since the server's start.

${table(
  [
    'runtime',
    'how',
    'round',
    'messages end',
    'requests a second while they wait',
    'delay: median',
    'longest',
    'starts',
    'questions',
    'seconds',
    'sockets',
  ],
  lines.flatMap(({ what, how, rounds }) =>
    rounds.map((round, index) => [
      what,
      how,
      index + 1,
      list(round),
      perSecond(round.rate),
      whole(round.median),
      whole(round.longest),
      round.starts,
      round.questions,
      round.seconds.toFixed(0),
      round.sockets,
    ]),
  ),
)}

Memory of the Node-RED process: the heap used after a garbage collection, and what is resident. On the socket:

${tableOfMemory(ways[0])}

By polling:

${tableOfMemory(ways[1])}
`;
}

function describeDeploys(lines) {
  return `
## A redeploy amid ${MESSAGES} messages

All flows are deployed while all wait; ${AFTER_DEPLOY} further messages follow at once, whose jobs the server puts behind those
that it has already.

${table(
  ['runtime', 'how', 'nodes stop in', 'flows run again after', 'messages end', 'those that follow'],
  lines.map(({ what, how, deploy }) => [
    what,
    how,
    whole(deploy.stop),
    whole(deploy.whole),
    list(deploy),
    list(deploy.after),
  ]),
)}
`;
}

function describeDeaths(deaths) {
  const { count, messages, job } = DEATHS;
  return `
## A server that dies ${count} times

${SOCKET.release} dies at once amid the jobs of ${messages} messages, of ${job} ms each: in turns when none, 1, 3 or 6 of the jobs
have ended, or while they are being started. It comes back at the same port after ${AWAY.map(seconds).join(', ')} s in turns, and every other
time somebody else starts ${messages} jobs at once, which get the same numbers again. _Unheard_ are jobs that had finished when the
server died, but are told of as lost. The delay is from the server's return to each message's end, where that came
later. Connections are counted from the death to the last of the ${messages} ends, but not where starts were under way, as each message
may try its own then.

${table(
  [
    'runtime',
    'messages end',
    'wrongly FINISHED',
    'unheard',
    'end after the return',
    'delay: median',
    'longest',
    'connections at once',
    'in all: median',
    'most',
    'WebSockets for each start',
  ],
  deaths.map((death) => [
    death.what,
    list(death),
    death.wrong,
    death.unheard,
    death.late,
    whole(death.median),
    whole(death.longest),
    death.most,
    death.tried,
    death.mostTried,
    death.sockets,
  ]),
)}
`;
}
