// `npm test`: runs all tests on every supported Node-RED with its own Node.js. `npm test -- --coverage`, a part of
// `npm run check`, also checks the coverage on the newest one.
// `npm test -- test/jobs --grep queue`: runs some tests, by a file or folder of test/ or by arguments for mocha, on the newest
// Node-RED only.
import { fork, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import path from 'node:path';
import { build, install, installBrowser, installRuntimes, programs, root, runtimeNames } from './install.mjs';
import { environmentOf, mocha, testFiles } from './mocha.mjs';

/** The processes for each runtime. One runs the browser tests; the tests of the others mostly wait. */
const WORKERS = availableParallelism() + 1;

/** The time limit of a file. Its tests have their own limits, but those cannot end code that never yields. */
const LIMIT_MINUTES = 10;

/**
 * The files that start a browser. Only one runs at a time, because a browser keeps a processor busy.
 */
const BROWSER = /\bbrowser\b/;

/** The longest files, which run first, so that none is left for the end. */
const LONGEST = [/\bjobs\b/, /example|packed|restart|scan|flows.(backup|queue)|releases/];

const coverage = path.join(root, 'coverage');
const raw = path.join(coverage, 'raw');

const words = process.argv.slice(2).filter((word) => word !== '--coverage');
const isCovering = process.argv.includes('--coverage');
if (words.length > 0) await mocha(() => chosen(words));

const installing = installRuntimes(...runtimeNames);
await install(root);
build();
const { installPackage } = await import('../dist/test/support/user-dir.js');
[process.env.STASH_TEST_USER_DIR] = await Promise.all([installPackage(), installing, installBrowser()]);
rmSync(coverage, { recursive: true, force: true });
mkdirSync(raw, { recursive: true });

const reports = [];
await Promise.all(runtimeNames.map(runAll));
writeFileSync(path.join(coverage, 'tests.json'), JSON.stringify(reports, null, 1));
const covered = !isCovering || reportCoverage();
for (const { runtime, failed } of reports)
  for (const failure of failed) console.log(`${runtime}: ${failure}\n`);
const [passed, failed, skipped] = ['passed', 'failed', 'skipped'].map((kind) =>
  reports.reduce((total, report) => total + report[kind].length, 0),
);
console.log(`${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`);
process.exit(failed === 0 && covered ? 0 : 1);

/** Returns the arguments of mocha: the chosen files, or all if no word is a path in test/, and the other words. */
function chosen(words) {
  const isPlace = (word) => /^(\.\/)?test(\/|$)/.test(word);
  const places = words.filter(isPlace);
  const stems = places.map((place) => path.posix.join('dist', place, '.').replace(/(\.test)?\.ts$/, ''));
  const files = testFiles().filter(
    (file) =>
      stems.length === 0 || stems.some((stem) => file === `${stem}.test.js` || file.startsWith(`${stem}/`)),
  );
  if (files.length > 0) return [...files, ...words.filter((word) => !isPlace(word))];
  console.error(`There is no test at ${places.join(' or ')}`);
  process.exit(2);
}

/** Runs all files on a runtime, one in each worker, but only one with a browser at a time. */
async function runAll(runtime) {
  const files = testFiles().sort((a, b) => rank(a) - rank(b));
  const browser = files.filter((file) => BROWSER.test(file));
  const others = files.filter((file) => !BROWSER.test(file));
  const next = () => others.shift();
  await Promise.all([
    work(runtime, () => browser.shift() ?? next()),
    ...Array.from({ length: WORKERS - 1 }, () => work(runtime, next)),
  ]);
}

function rank(file) {
  const index = LONGEST.findIndex((pattern) => pattern.test(file));
  return index < 0 ? LONGEST.length : index;
}

/** Runs files one after another in its own process, until `next` returns none. */
async function work(runtime, next) {
  let file = next();
  if (!file) return;
  const worker = fork(path.join(root, 'dist', 'test', 'support', 'worker.js'), {
    cwd: root,
    execPath: programs(runtime).node,
    // Coverage slows a process by a third, and the same tests run on each runtime.
    env: {
      ...environmentOf(runtime),
      NODE_V8_COVERAGE: isCovering && runtime === runtimeNames.at(-1) ? raw : '',
    },
  });
  const ended = once(worker, 'exit').then(([code, signal]) => signal ?? code);
  const mine = [];
  for (; file; file = next()) {
    mine.push(file);
    const began = performance.now();
    const limit = setTimeout(() => worker.kill('SIGKILL'), LIMIT_MINUTES * 60_000);
    worker.send(file, () => undefined);
    const answer = once(worker, 'message').then(([report]) => report);
    const report = await Promise.race([answer, ended.then(() => undefined)]);
    clearTimeout(limit);
    if (!report) break;
    note({ runtime, file, seconds: Math.round((performance.now() - began) / 100) / 10, ...report });
  }
  if (worker.connected) worker.disconnect();
  const how = await ended;
  if (how === 0 && !file) return;
  const failure = file
    ? `${file}: its process ended with ${how} before all tests were done`
    : `${mine.join(', ')}: their process ended with ${how}`;
  note({ runtime, file: mine.at(-1), passed: [], skipped: [], failed: [failure] });
  // The remaining files need another process.
  await work(runtime, next);
}

/** Records the result of a file, and prints one line. */
function note(report) {
  reports.push(report);
  const { runtime, file, seconds = '?', passed, failed } = report;
  const source = file.replace(/^dist\/(.*)\.js$/, '$1.ts');
  const counts =
    failed.length > 0 ? `${passed.length} passed, ${failed.length} FAILED` : `${passed.length} passed`;
  console.log(`${runtime}  ${source}  ${counts}, ${seconds} s`);
}

function reportCoverage() {
  const c8 = path.join(root, 'node_modules', 'c8', 'bin', 'c8.js');
  const { status } = spawnSync(
    process.execPath,
    [c8, 'report', '--temp-directory', raw, '--reports-dir', coverage, '--reporter', 'text'].concat(
      ['--include', 'dist/src/**', '--include', 'dist/nodes/**'],
      ['--check-coverage', '--lines', '95', '--branches', '90', '--functions', '95'],
    ),
    { cwd: root, stdio: 'inherit' },
  );
  return status === 0;
}
