// `npm run lint`: static checks of the code. `npm run fix`: corrects what ESLint and Prettier can correct.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { install, root } from './install.mjs';
import { declareWords } from './words.mjs';

// Cached by content, because a checkout changes the times of files. Rules with types may miss a change in another file;
// a fresh clone, as in CI, has no cache.
const cache = (name) => [
  '--cache',
  '--cache-strategy',
  'content',
  '--cache-location',
  `node_modules/.cache/${name}`,
];
const eslint = ['node_modules/eslint/bin/eslint.js', '.', '--max-warnings', '0', ...cache('eslint/')];
const tsc = 'node_modules/typescript/bin/tsc';
const prettier = [
  'node_modules/prettier/bin/prettier.cjs',
  '.',
  '--log-level',
  'warn',
  ...cache('prettier/cache'),
];

await install(root);
// All checks with types need them.
declareWords();
if (process.argv.includes('--fix')) {
  // One after the other, because both write files.
  await check('lint', [...eslint, '--fix']);
  await check('formatting', [...prettier, '--write']);
} else {
  await Promise.all([
    check('types', [tsc, '--build']),
    check('lint', eslint),
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
    check('formatting', [...prettier, '--check']),
  ]);
}

/** Runs a program and prints its output in one piece when it has ended. */
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
  if (output) console.log(output.trimEnd());
  if (status !== 0) process.exitCode = 1;
}
