// `npm test`: the tests of a change, on the newest Node-RED with its own Node.js.
// `npm test -- test/jobs --grep queue`: some tests, by a file or folder of test/ or by arguments for mocha.
// For `npm run check`: `--rest` runs what `npm test` leaves out, also on the older Node-REDs what depends on them;
// `--versioned` what depends on Node-RED or Node.js; `--on <runtime>` only what runs on one Node-RED.
// `npm test -- --coverage` also measures what its tests cover, and checks it.
import { fork, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import path from 'node:path';
import {
  build,
  install,
  installBrowser,
  installDashboard,
  installRuntimes,
  programs,
  root,
  runtimeNames,
} from './install.mjs';
import { environmentOf, mocha, testFiles } from './mocha.mjs';

/** `x.later.test.ts`: tests that take long, need the packed package, or that few changes can break. `npm test` leaves them out. */
const LATER = /\.later\./;
/**
 * `x.versioned.test.ts`: tests of what depends on the version of Node-RED or Node.js: messages, deploys and the life of nodes; sign-in and
 * secrets; the network and files. What a node does for a message does not: the contract tries each node with each kind of result. Nor do
 * the answers to dialogs, whose routes `runtime/access` tries. Of the examples, those of query have nearly all core nodes that any has.
 */
const VERSIONED = /\.versioned\./;
/** The longest files. They run first, so that none is left for the end. */
const LONGEST = [
  /^browser\/servers/,
  /^browser\/(action-nodes|dialogs)/,
  /^browser|^packed\/(restart|upgrade)|^examples\/shared/,
  /^examples|^nodes\/(backup|new|releases|scan)|^fuzz|^jobs/,
  /^contract|^files|^graphql|^nodes|^runtime/,
];

/** A browser works half of the time, and needs much memory. */
const MOST_BROWSERS = 1.5 * availableParallelism();

/** The time limit of a file. Its tests have their own limits, but those cannot end code that never yields. */
const LIMIT_MINUTES = 10;

const newest = runtimeNames.at(-1);
const coverage = path.join(root, 'coverage');
const raw = path.join(coverage, 'raw');

const words = process.argv.slice(2);
const has = (option) => words.includes(option);
const [isRest, isVersioned, measures] = [has('--rest'), has('--versioned'), has('--coverage')];
/** Tests wait: for jobs, for answers that come late, for files to settle. The rest works more, in browsers and other processes. */
const WORKERS = (isRest ? 2 : 3) * availableParallelism();
const only = has('--on') ? words[words.indexOf('--on') + 1] : undefined;
if (words.length > 0 && !['--rest', '--versioned', '--coverage'].includes(words[0]))
  await mocha(() => chosen(words));

const runtimes = isRest || isVersioned ? runtimeNames.filter((name) => name === (only ?? name)) : [newest];
const installing = installRuntimes(...runtimes);
await install(root);
build();
const queue = runtimes.flatMap(runsOn).sort((one, other) => rank(one) - rank(other));
const { installPackage } = await import('../dist/test/support/user-dir.js');
await Promise.all([
  queue.some(({ name }) => LATER.test(name)) &&
    installPackage().then((userDir) => (process.env.STASH_TEST_USER_DIR = userDir)),
  installing,
  queue.some(isBrowser) && Promise.all([installBrowser(), installDashboard()]),
]);
if (!isRest) rmSync(coverage, { recursive: true, force: true });
mkdirSync(raw, { recursive: true });

const running = new Set();
const reports = [];
await Promise.all(Array.from({ length: WORKERS }, work));
writeFileSync(path.join(coverage, 'tests.json'), JSON.stringify(reports, null, 1));
const isCovered = !measures || reportCoverage();
for (const { runtime, failed } of reports)
  for (const failure of failed) console.log(`${runtime}: ${failure}\n`);
const [passed, failed, skipped] = ['passed', 'failed', 'skipped'].map((kind) =>
  reports.reduce((total, report) => total + report[kind].length, 0),
);
console.log(`${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`);
process.exit(failed === 0 && isCovered ? 0 : 1);

/** Returns the arguments of mocha: the chosen files, or all if no word is a path in test/, and the other words. */
function chosen(words) {
  const isPlace = (word) => /^(\.\/)?test(\/|$)/.test(word);
  const places = words.filter(isPlace);
  const stems = places.map((place) => path.posix.join('dist', place, '.').replace(/(\.test)?\.ts$/, ''));
  const files = testFiles().filter(
    (file) =>
      stems.length === 0 || stems.some((stem) => file.startsWith(`${stem}.`) || file.startsWith(`${stem}/`)),
  );
  if (files.length > 0) return [...files, ...words.filter((word) => !isPlace(word))];
  console.error(`There is no test at ${places.join(' or ')}`);
  process.exit(2);
}

/** Returns the files to run on a runtime. */
function runsOn(runtime) {
  return testFiles()
    .map((file) => ({ runtime, file, name: file.replace('dist/test/', '') }))
    .filter(({ name }) => {
      if (runtime !== newest || isVersioned) return VERSIONED.test(name);
      return isRest === LATER.test(name);
    });
}

/** Returns the place of a file in the queue. */
function rank({ name }) {
  const index = LONGEST.findIndex((pattern) => pattern.test(name));
  return index < 0 ? LONGEST.length : index;
}

/** Runs files one after another, in a process of each runtime, until none is left. */
async function work() {
  let worker;
  for (let run = next(); run; run = next(worker?.runtime)) {
    if (worker && worker.runtime !== run.runtime) worker = await end(worker);
    worker ??= start(run);
    worker.last = run;
    running.add(run);
    const began = performance.now();
    const report = await resultOf(run, worker);
    running.delete(run);
    note({ ...run, seconds: Math.round((performance.now() - began) / 100) / 10, ...report });
    if (worker.hasEnded) worker = undefined;
  }
  await end(worker);
}

/** Takes the next file that may start from the queue, if possible one for a runtime. */
function next(runtime) {
  const isFull = [...running].filter(isBrowser).length >= MOST_BROWSERS;
  const free = queue.filter((run) => !isFull || !isBrowser(run));
  const run = free.find((one) => one.runtime === runtime) ?? free[0];
  if (run) queue.splice(queue.indexOf(run), 1);
  return run;
}

function isBrowser({ name }) {
  return name.startsWith('browser');
}

/** Starts a process for files on a runtime. */
function start({ runtime }) {
  const child = fork(path.join(root, 'dist', 'test', 'support', 'worker.js'), {
    cwd: root,
    execPath: programs(runtime).node,
    // Fewer, larger collections of garbage.
    execArgv: ['--max-semi-space-size=64'],
    env: { ...environmentOf(runtime), NODE_V8_COVERAGE: measures ? raw : '' },
  });
  const worker = { runtime, child, files: [], hasEnded: false };
  worker.ended = once(child, 'exit').then(([code, signal]) => {
    worker.hasEnded = true;
    return signal ?? code;
  });
  return worker;
}

/** Runs a file in a process. Resolves with its report, which is a failure if the process ends. */
async function resultOf({ file }, { child, files, ended }) {
  files.push(file);
  const limit = setTimeout(() => child.kill('SIGKILL'), LIMIT_MINUTES * 60_000);
  child.send(file, () => undefined);
  const report = await Promise.race([once(child, 'message').then(([report]) => report), ended]);
  clearTimeout(limit);
  if (typeof report === 'object' && report !== null) return report;
  return failure(`${file}: its process ended with ${report} before all tests were done`);
}

/** Lets a process end. */
async function end(worker) {
  if (!worker || worker.hasEnded) return;
  worker.child.disconnect();
  const how = await worker.ended;
  if (how !== 0)
    note({ ...worker.last, ...failure(`${worker.files.join(', ')}: their process ended with ${how}`) });
}

function failure(text) {
  return { passed: [], skipped: [], failed: [text] };
}

/** Records the result of a file, and prints one line. */
function note(report) {
  reports.push(report);
  const { runtime, name, seconds = '?', passed, failed } = report;
  const counts =
    failed.length > 0 ? `${passed.length} passed, ${failed.length} FAILED` : `${passed.length} passed`;
  console.log(`${runtime}  test/${name.replace(/js$/, 'ts')}  ${counts}, ${seconds} s`);
}

function reportCoverage() {
  const c8 = path.join(root, 'node_modules', 'c8', 'bin', 'c8.js');
  const { status } = spawnSync(
    process.execPath,
    [c8, 'report', '--temp-directory', raw, '--reports-dir', coverage, '--reporter', 'text'].concat(
      ['--include', 'dist/src/**', '--include', 'dist/nodes/**'],
      ['--check-coverage', '--lines', '98', '--branches', '90', '--functions', '95'],
    ),
    { cwd: root, stdio: 'inherit' },
  );
  return status === 0;
}
