// `npm run lint`: what can be said of the code without running it. `npm run fix`: puts right what can be by itself.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { install, root } from './install.mjs';
import { declareWords } from './words.mjs';

// By content, as a checkout changes the times of files. The rules that know types may miss what another file has changed;
// a fresh clone, as continuous integration has it, looks at everything.
const cache = (name) => [
  '--cache',
  '--cache-strategy',
  'content',
  '--cache-location',
  `node_modules/.cache/${name}`,
];
const eslint = ['node_modules/eslint/bin/eslint.js', '.', '--max-warnings', '0', ...cache('eslint/')];
const prettier = [
  'node_modules/prettier/bin/prettier.cjs',
  '.',
  '--log-level',
  'warn',
  ...cache('prettier/cache'),
];

await install(root);
// All that know types need them.
declareWords();
if (process.argv.includes('--fix')) {
  // One after the other, as both write.
  await check('lint', [...eslint, '--fix']);
  await check('formatting', [...prettier, '--write']);
} else {
  await Promise.all([
    check('types', ['scripts/build.mjs']),
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

/** Runs a program and shows in one piece what it says, when it has ended. */
async function check(what, command) {
  const child = spawn(process.execPath, command, {
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
