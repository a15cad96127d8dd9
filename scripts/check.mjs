// `npm run check`: everything that must pass before a change lands; the tests come last.
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
process.exitCode =
  checks.every(Boolean) && (await run('tests', 'scripts/test.mjs', '--all', '--coverage')) ? 0 : 1;

/** Runs a script. Resolves with whether it succeeded. */
async function run(what, script, ...options) {
  console.log(`Checking ${what} …`);
  const [status] = await once(
    spawn(process.execPath, [script, ...options], { cwd: root, stdio: 'inherit' }),
    'close',
  );
  return status === 0;
}
