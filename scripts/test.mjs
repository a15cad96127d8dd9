// `npm test`: all tests, on every supported Node-RED with its own Node.js. Further words go to mocha.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, openSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { build, install, installBrowser, mocha, root, runtimes } from './install.mjs';

const coverage = path.join(root, 'coverage');
const raw = path.join(coverage, 'raw');
const names = readdirSync(runtimes).sort();

install(root);
for (const name of names) install(path.join(runtimes, name));
build();
await installBrowser();
rmSync(coverage, { recursive: true, force: true });
mkdirSync(raw, { recursive: true });

// Side by side, as most of a run is waiting; the first is seen at it, and the others when all are at their end.
const runs = await Promise.all(names.map(run));
for (const { log } of runs.slice(1)) process.stdout.write(readFileSync(log));
const sum = (kind) => runs.reduce((total, counts) => total + counts[kind], 0);
const [passes, failures, pending] = ['passes', 'failures', 'pending'].map(sum);
const covered = reportCoverage();
for (const { name, failed } of runs) for (const failure of failed) console.log(`${name}: ${failure}\n`);
const skipped = pending > 0 ? `, ${pending} skipped` : '';
console.log(`${passes} passed, ${failures} failed${skipped}`);
process.exit(failures === 0 && covered ? 0 : 1);

/** One run of mocha; one that does not come to its end counts as a failure. */
async function run(name, index) {
  const counts = path.join(coverage, `${name}.json`);
  const log = path.join(coverage, `${name}.log`);
  const strict = process.env.CI ? ['--forbid-only', '--forbid-pending'] : [];
  const environment = { NODE_V8_COVERAGE: raw, STASH_TEST_COUNTS: counts };
  const words = [...strict, ...process.argv.slice(2)];
  const output = index === 0 ? 'inherit' : openSync(log, 'w');
  const ending = await mocha(name, words, environment, output).catch(({ message }) => message);
  const ended = existsSync(counts)
    ? JSON.parse(readFileSync(counts, 'utf8'))
    : { passes: 0, failures: 0, pending: 0, failed: [] };
  if (ending === 0 || ended.failures > 0) return { name, log, ...ended };
  return { name, log, ...ended, failures: 1, failed: [`ended before its end, with ${ending}`] };
}

function reportCoverage() {
  const c8 = path.join(root, 'node_modules', 'c8', 'bin', 'c8.js');
  const partial = process.argv.length > 2;
  const { status } = spawnSync(
    process.execPath,
    [c8, 'report', '--temp-directory', raw, '--reports-dir', coverage, '--exclude-after-remap'].concat(
      ['--include', 'src/**', '--include', 'nodes/**', '--reporter', 'text'],
      partial ? [] : ['--check-coverage', '--lines', '95', '--branches', '90', '--functions', '95'],
    ),
    { cwd: root, stdio: 'inherit' },
  );
  return status === 0;
}
