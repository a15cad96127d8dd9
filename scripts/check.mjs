// `npm run check`: everything that must pass before a change lands. `npm run check -- --rest` leaves out the tests that
// `npm test -- --coverage` has just run.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { install, installDashboard, installRuntimes, root, runtimeNames } from './install.mjs';

await install(root);
// Installs the packages of the tests while the code is checked.
let [isPassing] = await Promise.all([
  run('the code', 'scripts/lint.mjs'),
  installRuntimes(...runtimeNames),
  installDashboard(),
]);
const tests = process.argv.includes('--rest') ? ['--rest'] : ['--coverage', '--rest'];
for (const option of tests) isPassing &&= await run('tests', 'scripts/test.mjs', option);
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
