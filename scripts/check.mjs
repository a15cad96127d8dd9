// `npm run check`: everything that must pass before a change lands. `npm run check -- --rest` leaves out the tests that
// `npm test -- --coverage` has just run.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { install, installDashboard, installRuntimes, root, runtimeNames } from './install.mjs';

// Installs the packages of the tests while the code is checked.
const installing = Promise.all([
  install(path.join(root, 'test', 'scorecard')),
  installRuntimes(...runtimeNames),
  installDashboard(),
]);
await install(root);
const checks = await Promise.all([
  run('the code', 'scripts/lint.mjs'),
  installing.then(() => run('the scorecard', 'scripts/scorecard.mjs')),
]);
const tests = process.argv.includes('--rest') ? [['--rest']] : [[], ['--rest']];
let isPassing = checks.every(Boolean);
for (const options of tests) isPassing &&= await run('tests', 'scripts/test.mjs', ...options, '--coverage');
process.exitCode = isPassing ? 0 : 1;

/** Runs a script. Resolves with whether it succeeded. */
async function run(what, script, ...options) {
  console.log(`Checking ${what} …`);
  const [status] = await once(
    spawn(process.execPath, [script, ...options], { cwd: root, stdio: 'inherit' }),
    'close',
  );
  return status === 0;
}
