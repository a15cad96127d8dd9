// Measures the effect of hostile or broken servers on Node-RED: the stalls from the worst texts, the memory for many small
// chunks, and the delay of a message beside pending requests.
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { startNodeRed, startServer, until } from './processes.mjs';
import { MIB, mib, ms, table, tableOfTargets, target } from './report.mjs';
import { BYTES, KEY, parsing, trials } from './text-trials.mjs';
import { circumstances, label, partByRuntime } from './workbench.mjs';

/** The longest stall in milliseconds, beyond the time to parse a response. */
const STALL = 50;
/** A margin for other work of the machine. */
const BEST_OF = 5;
/** The most memory that a body in chunks of one byte may add. */
const GROWTH = 64 * MIB;
const DRIPPED = 4_000_000;
/** The most milliseconds for a message beside pending ones. */
const BESIDE = 1000;
const READERS = 600;
const BACKUPS = 50;
const TIMEOUTS = 10_000;
const BATCH = 2500;
/** The config nodes. Some messages have their own. */
const FRESH = Array.from({ length: BEST_OF }, (_, index) => `fresh${index}`);
const SERVERS = ['server', 'quick-server', ...FRESH.map((id) => `${id}-server`)];

/** The part of the benchmark that writes `texts.md`. */
export const texts = partByRuntime({ file: 'texts.md', measureRuntime, describe });

async function measureRuntime(bench, runtime) {
  const what = label(runtime);
  console.log(`Giving ${what} texts to read …`);
  const server = await bench.keep(startServer('text-server.mjs'));
  const userDir = bench.userDir(flows(server.url, bench.folderOnDisk()), { driver: 'text-driver' });
  const keys = Object.fromEntries(SERVERS.map((id) => [id, { apiKey: KEY }]));
  writeFileSync(path.join(userDir, 'flows_cred.json'), JSON.stringify(keys));
  const nodeRed = await bench.keep(startNodeRed(runtime, userDir, ['--expose-gc']));
  const watch = (details) => nodeRed.ask({ order: 'watch', ...details });
  // The first message loads the libraries.
  for (const to of ['status', 'search', 'scrape', 'message']) await watch({ to, msg: { payload: 'Robin' } });

  const grown = [];
  for (const [name, to, path] of [
    ['an answer', 'status'],
    ['a backup into the message', 'message', '/downloads'],
    ['a backup into a folder', 'folder', '/downloads'],
  ]) {
    await server.ask({ order: 'drip', bytes: DRIPPED, path });
    grown.push({ name, ...(await watch({ to })) });
  }

  const stalls = [];
  for (const trial of trials) {
    const { name, isFresh, msg } = trial;
    const rounds = [];
    for (let round = 0; round < (trial.isOnce ? 1 : BEST_OF); round += 1) {
      const to = isFresh ? FRESH[round] : trial.to;
      await server.ask({ order: 'offer', name });
      const watching = watch(to === 'socket' ? { milliseconds: 3000 } : { to, msg });
      if (to === 'socket') await server.ask({ order: 'tell', name });
      rounds.push(await watching);
    }
    const [best] = rounds.toSorted((one, other) => one.stall - other.stall);
    stalls.push({
      name,
      end: Object.keys(best.ends).join() || '–',
      stall: best.stall,
      parsing: parsing(trial),
    });
  }

  await server.ask({ order: 'offer' });
  await server.ask({ order: 'slow', field: 'listScrapers', milliseconds: 2000 });
  const address = `${nodeRed.url}/stash-server/scrapers?id=server`;
  const reading = Promise.all(Array.from({ length: READERS }, async () => (await fetch(address)).text()));
  const besideReaders = await watch({ to: 'status' });
  await reading;

  await server.ask({ order: 'silence', field: 'backupDatabase' });
  await nodeRed.ask({ order: 'send', to: 'hung', count: BACKUPS });
  const besideBackups = await watch({ to: 'status' });

  await server.ask({ order: 'silence', field: 'systemStatus' });
  for (let sent = 0; sent < TIMEOUTS; sent += BATCH) {
    await nodeRed.ask({ order: 'send', to: 'quick', count: BATCH });
    await until(nodeRed, ({ left }) => left === BACKUPS);
  }
  await server.ask({ order: 'offer' });
  const next = await watch({ to: 'quick' });

  await nodeRed.stop();
  await server.stop();
  return { what, stalls, targets: targetsOf(stalls, grown, { besideReaders, besideBackups, next }) };
}

function targetsOf(stalls, grown, { besideReaders, besideBackups, next }) {
  const beside = (words, { ends, milliseconds }) =>
    target(
      `a status message ${words} is answered within ${BESIDE / 1000} s`,
      `${ms(milliseconds)}, ${Object.keys(ends)}`,
      ends.done === 1 && milliseconds <= BESIDE,
    );
  return [
    ...stalls.map(({ name, stall, parsing }) =>
      target(
        `${name}: at most ${STALL} ms beyond parsing`,
        `${ms(stall)} (${ms(parsing)})`,
        stall - parsing <= STALL,
      ),
    ),
    ...grown.map(({ name, grown }) =>
      target(`${name} in chunks of one byte: at most ${mib(GROWTH)}`, mib(grown), grown <= GROWTH),
    ),
    beside(`beside ${READERS} readers of the list of sources`, besideReaders),
    beside(`beside ${BACKUPS} backups that hang`, besideBackups),
    beside(`after ${TIMEOUTS} that ran out of time`, next),
  ];
}

/** Returns one node of each kind; those called `quick` and `fresh` have their own config nodes. */
function flows(url, folder) {
  const at = { z: 'tab', x: 10, y: 10, wires: [] };
  const server = {
    type: 'stash-server',
    url,
    auth: 'apiKey',
    pause: 0,
    retryFor: 0,
  };
  const backup = { type: 'stash-backup', server: 'server', ...at };
  return [
    { id: 'tab', type: 'tab', label: '' },
    { id: 'server', name: 'nas', ...server },
    { id: 'quick-server', name: 'quick', ...server, timeout: 2 },
    ...FRESH.map((id) => ({ id: `${id}-server`, name: id, ...server })),
    { id: 'driver', type: 'bench-text-driver', ...at },
    { id: 'status', type: 'stash-status', server: 'server', fields: ['status'], ...at },
    { id: 'quick', type: 'stash-status', server: 'quick-server', fields: ['status'], ...at },
    ...FRESH.map((id) => ({ id, type: 'stash-status', server: `${id}-server`, fields: ['status'], ...at })),
    { id: 'scan', type: 'stash-scan', server: 'server', paths: 'payload', pathsType: 'msg', ...at },
    { id: 'search', type: 'stash-performer-search', server: 'server', ...at },
    { id: 'refused', type: 'stash-performer-search', server: 'server', source: 'localtest', ...at },
    { id: 'scrape', type: 'stash-performer-scrape', server: 'server', listMaxAge: 0, ...at },
    { id: 'message', ...backup, download: true, folderType: 'message' },
    { id: 'folder', ...backup, download: true, folder, folderType: 'str' },
    { id: 'hung', ...backup, download: false },
    { id: 'jobs', type: 'stash-jobs', server: 'server', ...at },
  ];
}

function describe(lines, loads) {
  return `
# What texts of a server do

Written by \`npm run bench -- texts\` ${circumstances()}; the load of the
machine was ${loads} before and after. The packed package runs in a real Node-RED; the server, a process of its own, answers
each time with ${mib(BYTES)} of the worst text that is known for one of the places where the package looks at text. The time in which
Node-RED did nothing else is the best of ${BEST_OF}; in brackets stands what it takes to decode and parse such an answer.

## Targets

${tableOfTargets(
  lines.map(({ what }) => what),
  lines.map(({ targets }) => targets),
)}

## How the messages ended

${table(
  ['text', ...lines.map(({ what }) => what)],
  lines[0].stalls.map(({ name }, index) => [name, ...lines.map(({ stalls }) => stalls[index].end)]),
)}
`;
}
