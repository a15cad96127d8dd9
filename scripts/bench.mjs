// `npm run bench`: runs all parts of the benchmark, or the named ones, as in `npm run bench -- cost`. Prints the tables of
// each part and writes them to its file in bench/.
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { answers } from '../bench/answers.mjs';
import { backups } from '../bench/backups.mjs';
import { cost } from '../bench/cost.mjs';
import { tellMissed } from '../bench/report.mjs';
import { Workbench } from '../bench/workbench.mjs';
import { build, install, installRuntimes, root } from './install.mjs';

const parts = { cost, answers, backups };

const named = process.argv.slice(2);
const unknown = named.find((name) => !Object.hasOwn(parts, name));
if (unknown) {
  console.error(`There is no part "${unknown}", only ${Object.keys(parts).join(', ')}.`);
  process.exit(2);
}

await install(root);
const bench = new Workbench();
await installRuntimes(...bench.runtimes);
build();
const { format } = await import('oxfmt');

const missed = [];
try {
  for (const name of named.length > 0 ? named : Object.keys(parts)) missed.push(...(await run(name)));
} finally {
  await bench.clear();
}
process.exitCode = tellMissed(missed);

/** Resolves with a line for each missed target. */
async function run(name) {
  const { file, measure } = parts[name];
  const { missed, report } = await measure(bench);
  const { code: text } = await format('report.md', report);
  writeFileSync(path.join(root, 'bench', file), text);
  console.log(`\n${text}\nWritten to bench/${file}`);
  return missed.map((line) => `${name}: ${line}`);
}
