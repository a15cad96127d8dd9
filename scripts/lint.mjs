// `npm run lint`: static checks of the code. `npm run fix`: corrects what Oxlint and Oxfmt can correct.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { install, root } from './install.mjs';
import { declareWords } from './words.mjs';

const oxlint = ['node_modules/oxlint/bin/oxlint', '--deny-warnings'];
const oxfmt = 'node_modules/oxfmt/bin/oxfmt';

await install(root);
// The types of the words, which are generated.
declareWords();
if (process.argv.includes('--fix')) {
  // One after the other, because both write files.
  await check('types and lint', [...oxlint, '--fix']);
  await check('formatting', [oxfmt]);
} else {
  await Promise.all([
    check('types and lint', oxlint),
    check('imports', [
      'node_modules/dependency-cruiser/bin/dependency-cruise.mjs',
      '--config',
      '.dependency-cruiser.mjs',
      'src',
      'nodes',
    ]),
    check('unused code', [
      'node_modules/knip/bin/knip.js',
      '--cache',
      '--cache-location',
      'node_modules/.cache/knip',
    ]),
    check('formatting', [oxfmt, '--check']),
    check('comments', ['scripts/comments.mjs']),
  ]);
}

/** Runs a program. Prints the output of one that fails in one piece. */
async function check(what, command) {
  // Fewer, larger collections of garbage.
  const child = spawn(process.execPath, ['--max-semi-space-size=64', ...command], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { FORCE_COLOR: process.stdout.isTTY ? '1' : '0', ...process.env },
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (output += text));
  const [status] = await once(child, 'close');
  console.log(`${status === 0 ? '✔' : '✖'} ${what}`);
  if (status === 0) return;
  console.log(output.trimEnd());
  process.exitCode = 1;
}
