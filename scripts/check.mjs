// `npm run check`: everything that must be right before a change lands; the tests come last.
import { spawnSync } from 'node:child_process';
import { install, root } from './install.mjs';

install(root);
for (const [what, program, ...options] of [
  ['types', 'typescript/bin/tsc', '--build', '--noEmit'],
  ['lint', 'eslint/bin/eslint.js', '.', '--max-warnings', '0'],
  [
    'imports',
    'dependency-cruiser/bin/dependency-cruise.mjs',
    '--config',
    '.dependency-cruiser.mjs',
    'src',
    'nodes',
  ],
  ['unused code', 'knip/bin/knip.js'],
  ['formatting', 'prettier/bin/prettier.cjs', '--check', '--log-level', 'warn', '.'],
]) {
  run(what, `node_modules/${program}`, ...options);
}
run('the scorecard', 'scripts/scorecard.mjs');
run('tests', 'scripts/test.mjs');

function run(what, ...command) {
  console.log(`Checking ${what} …`);
  const { status } = spawnSync(process.execPath, command, { cwd: root, stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}
