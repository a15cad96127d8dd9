// `npm run check`: everything that must be right before a change lands; the tests come last.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { install, installRuntimes, root, runtimeNames } from './install.mjs';

// What only the tests need may arrive while the code is checked.
const installing = Promise.all([
  install(path.join(root, 'test', 'scorecard')),
  installRuntimes(...runtimeNames),
]);
await install(root);
const [isRight] = await Promise.all([run('the code', 'scripts/lint.mjs'), installing]);
process.exitCode =
  isRight &&
  (await run('the scorecard', 'scripts/scorecard.mjs')) &&
  (await run('tests', 'scripts/test.mjs', '--coverage'))
    ? 0
    : 1;

/** Runs one of the scripts; gives whether it found everything right. */
async function run(what, script, ...options) {
  console.log(`Checking ${what} …`);
  const [status] = await once(
    spawn(process.execPath, [script, ...options], { cwd: root, stdio: 'inherit' }),
    'close',
  );
  return status === 0;
}
