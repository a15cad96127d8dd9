// `npm run check`: everything that must pass before a change lands; the tests come last. `npm run check -- --rest`: what remains
// after `npm test -- --coverage`.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { install, installRuntimes, root, runtimeNames } from './install.mjs';

const tests = process.argv.includes('--rest') ? '--rest' : '--all';

// Installs the packages of the tests while the code is checked.
const installing = Promise.all([
  install(path.join(root, 'test', 'scorecard')),
  installRuntimes(...runtimeNames),
]);
await install(root);
const [isRight] = await Promise.all([run('the code', 'scripts/lint.mjs'), installing]);
process.exitCode =
  isRight &&
  (await run('the scorecard', 'scripts/scorecard.mjs')) &&
  (await run('tests', 'scripts/test.mjs', tests, '--coverage'))
    ? 0
    : 1;

/** Runs a script. Resolves with whether it succeeded. */
async function run(what, script, ...options) {
  console.log(`Checking ${what} …`);
  const [status] = await once(
    spawn(process.execPath, [script, ...options], { cwd: root, stdio: 'inherit' }),
    'close',
  );
  return status === 0;
}
