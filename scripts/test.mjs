// `npm test`: all tests, on every supported Node-RED with its own Node.js. Further words go to mocha.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { build, install, mocha, root, runtimes } from './install.mjs';

const coverage = path.join(root, 'coverage');
const raw = path.join(coverage, 'raw');
const names = readdirSync(runtimes).sort();

install(root);
for (const name of names) install(path.join(runtimes, name));
build();
rmSync(coverage, { recursive: true, force: true });
mkdirSync(raw, { recursive: true });

const total = { passes: 0, failures: 0, pending: 0 };
const failed = [];
for (const name of names) {
  const counts = run(name);
  for (const kind of Object.keys(total)) total[kind] += counts[kind];
  failed.push(...counts.failed.map((failure) => `${name}: ${failure}\n`));
}
const covered = reportCoverage();
for (const failure of failed) console.log(failure);
const skipped = total.pending > 0 ? `, ${total.pending} skipped` : '';
console.log(`${total.passes} passed, ${total.failures} failed${skipped}`);
process.exit(total.failures === 0 && covered ? 0 : 1);

/** One run of mocha; one that does not come to its end counts as a failure. */
function run(name) {
  const counts = path.join(coverage, `${name}.json`);
  const strict = process.env.CI ? ['--forbid-only', '--forbid-pending'] : [];
  const environment = { NODE_V8_COVERAGE: raw, STASH_TEST_COUNTS: counts };
  const { status, error } = mocha(name, [...strict, ...process.argv.slice(2)], environment);
  if (error) console.error(error.message);
  const ended = existsSync(counts)
    ? JSON.parse(readFileSync(counts, 'utf8'))
    : { passes: 0, failures: 0, pending: 0, failed: [] };
  if (status === 0 || ended.failures > 0) return ended;
  return { ...ended, failures: 1, failed: [`ended before its end, with ${status}`] };
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
