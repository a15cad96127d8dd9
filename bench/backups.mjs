// Measures a backup compared with the simplest download of the same file and with core nodes, and the content of the folder
// after Node-RED is killed during backups.
import {
  disk,
  KILLS,
  LARGE,
  measureKills,
  measureLarge,
  PAUSE,
  PHASES,
  ROUNDS,
  spread,
  WAYS,
} from './backup-trials.mjs';
import { MIB, mib, missedOf, ms, table, tableOfTargets, target } from './report.mjs';
import { circumstances, label, load } from './workbench.mjs';

/** The lowest accepted share of curl's throughput. */
const RATIO = 0.8;
/** The most MiB by which the resident memory may grow. */
const GROWTH = 100;
/** The longest accepted stall of the event loop, in milliseconds. */
const STALL = 25;
const NAMES = {
  curl: '`curl -s -o FILE URL && sync FILE`',
  backup: 'stash-backup',
  core: '_http request_ → _file_, `sync FILE`',
};

/** The part of the benchmark that writes `backups.md`; it needs Linux, curl and 5 GiB on the disk. */
export const backups = {
  file: 'backups.md',
  async measure(bench) {
    const loadBefore = load();
    const where = await disk();
    const large = await measureLarge(bench);
    const kills = await Promise.all(bench.runtimes.map((runtime) => measureKills(bench, runtime)));
    const targets = large.map((line, index) => [...targetsOfLarge(line), ...targetsOfKills(kills[index])]);
    const report = describe(large, kills, targets, where, `${loadBefore} and ${load()}`);
    return { missed: missedOf(bench.runtimes.map(label), targets), report };
  },
};

function targetsOfLarge({ rounds }) {
  const of = (key) => spread(rounds.map(({ backup }) => backup[key])).median;
  const { median: ratio } = ratios(rounds, 'backup');
  const right = rounds.filter(({ backup }) => backup.right).length;
  return [
    target(`at least ${RATIO} of the throughput of curl`, ratio.toFixed(2), ratio >= RATIO),
    target(`resident memory grows by at most ${GROWTH} MiB`, mib(of('growth')), of('growth') <= GROWTH * MIB),
    target(`nothing else waits longer than ${STALL} ms`, ms(of('stall')), of('stall') <= STALL),
    target(`${ROUNDS} files and their SHA-256 are right`, right, right === ROUNDS),
  ];
}

function targetsOfKills({ kills }) {
  const { count } = KILLS;
  const next = kills.filter((kill) => kill.next).length;
  return [
    ...[
      ['bad files under a final name', 'bad'],
      ['leftovers after the next start', 'leftovers'],
      ['earlier backups that are missing', 'missing'],
    ].map(([text, key]) => target(`${count} kills: no ${text}`, sum(kills, key), sum(kills, key) === 0)),
    target(`${count} kills: the next backup is made`, next, next === count),
  ];
}

/** Returns the throughput relative to curl's in the same round. */
function ratios(rounds, way) {
  return spread(rounds.map((round) => round.curl.seconds / round[way].seconds));
}

function sum(kills, key) {
  return kills.reduce((total, kill) => total + kill[key].length, 0);
}

function describe(large, kills, targets, { type, free }, loads) {
  return `
# What a backup costs, and what a kill does to it

Written by \`npm run bench -- backups\` ${circumstances()}; the load of
the machine was ${loads} before and after. The packed package runs in a real Node-RED; the server is the fake Stash
of the tests in a process of its own, on the same machine. The files are on its disk: ${type}, ${(free / (1024 * MIB)).toFixed(0)} GiB free.

## Targets

What misses its target is in bold; of figures that are measured ${ROUNDS} times it is the median that counts.

${tableOfTargets(
  large.map(({ what }) => what),
  targets,
)}

${describeLarge(large)}
${describeKills(kills)}
`;
}

function describeLarge(large) {
  const cells = (rounds, way, key, write) => {
    if (rounds[0][way][key] === undefined) return '';
    const { median, least, most } = spread(rounds.map((round) => round[way][key]));
    return `${write(median)} (${write(least)} … ${write(most)})`;
  };
  const seconds = (value) => value.toFixed(2);
  return `
## A backup of ${LARGE / MIB} MiB

A database by its header, with anything in its pages. In ${ROUNDS} rounds the file is fetched in the three ways, each time in
another order: from a link that was just made, to a new file, after the one before has been removed and the disk has
written all that it had to. stash-backup does all its checks but the quick check, keeps a list of its backups for the
rotation and tells its progress. Each of its messages, and of those of the core nodes, is the second one of a Node-RED
that was just started; the first one, of a small file, loads what a first message loads. In each cell: the median, the
least and the most.

The download is from the arrival of the request for the link until the message is at the next node and the file on the
disk; for curl it is the whole command. Growth is from the resident memory before to its peak. A stall is how long a
timer of 1 ms had to wait for Node-RED's event loop; _idle_ is the same in a process that does nothing but wait, beside
it on the same processors, and _first_ that of the small file.

${table(
  [
    'runtime',
    'way',
    'download, s',
    'throughput beside curl',
    'whole message, s',
    'memory before, MiB',
    'growth, MiB',
    'longest stall, ms',
    'idle, ms',
    'first, ms',
    'right',
  ],
  large.flatMap(({ what, rounds }) =>
    WAYS.map((way) => {
      const { median, least, most } = ratios(rounds, way);
      const cell = (key, write) => cells(rounds, way, key, write);
      return [
        what,
        NAMES[way],
        cell('seconds', seconds),
        `${seconds(median)} (${seconds(least)} … ${seconds(most)})`,
        way === 'curl' ? '' : cell('whole', seconds),
        cell('before', inMib),
        cell('growth', inMib),
        ...['stall', 'idle', 'first'].map((key) => cell(key, (value) => value.toFixed(1))),
        `${rounds.filter((round) => round[way].right).length} of ${ROUNDS}`,
      ];
    }),
  ),
)}
`;
}

const inMib = (bytes) => (bytes / MIB).toFixed(0);

function describeKills(lines) {
  const { count, size, making, sending, keep } = KILLS;
  return `
## Node-RED killed ${count} times

With SIGKILL amid a backup of ${size / MIB} MiB, which the server takes ${making} s to make and ${sending} s to send: at one random moment in
each of ${count} equal parts of the time that the backup before took, in any order. Every other backup gets a new name in a
folder where ${keep} are kept; the others replace the file of the same name. So that kills meet the short steps, too, a
backup's flushes, renames and removals wait for ${PAUSE} ms before and after. After each kill Node-RED is started again,
everything in the folder is read and compared with what the server sent under that name, and another backup is made.

${table(
  [
    'runtime',
    'found by the kill',
    'kills',
    'with something left behind',
    'leftovers after the next start',
    'the new backup is there',
    'bad files',
    'earlier backups missing',
    'next backup is made',
  ],
  lines.flatMap(({ what, kills }) =>
    [...new Set(kills.map(({ phase }) => phase))]
      .sort((one, other) => PHASES.indexOf(one) - PHASES.indexOf(other))
      .map((phase) => {
        const some = kills.filter((kill) => kill.phase === phase);
        const having = (key) => some.filter((kill) => kill[key]).length;
        return [
          what,
          phase,
          some.length,
          having('leftBehind'),
          sum(some, 'leftovers'),
          having('isThere'),
          sum(some, 'bad'),
          sum(some, 'missing'),
          having('next'),
        ];
      }),
  ),
)}
`;
}
