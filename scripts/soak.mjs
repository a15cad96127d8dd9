// `npm run soak -- [minutes] [--seed number] [--runtime name]`: soaks the nodes, ten minutes by default, on the newest Node-RED.
// Prints a line for each round and writes the report to bench/soak.md. A seed repeats the plan, but not the timing.
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { tellMissed } from '../bench/report.mjs';
import { Workbench } from '../bench/workbench.mjs';
import { build, install, installRuntimes, root, runtimeNames } from './install.mjs';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { seed: { type: 'string' }, runtime: { type: 'string', default: runtimeNames.at(-1) } },
});
const minutes = Number(positionals[0] ?? 10);
const seed = Number(values.seed ?? Date.now() % 1_000_000);
const { runtime } = values;
if (!(minutes > 0) || !Number.isInteger(seed) || !runtimeNames.includes(runtime)) {
  console.error(`Usage: npm run soak -- [minutes] [--seed number] [--runtime ${runtimeNames.join('|')}]`);
  process.exit(2);
}

await install(root);
await installRuntimes(runtime);
build();
// Only now, because they are installed and built.
const { format } = await import('oxfmt');
const { soak } = await import('../bench/soak.mjs');
const bench = new Workbench();
try {
  const { missed, report } = await soak(bench, { runtime, minutes, seed });
  const { code: text } = await format('report.md', report);
  writeFileSync(path.join(root, 'bench', 'soak.md'), text);
  console.log(`\n${text}\nWritten to bench/soak.md`);
  process.exitCode = tellMissed(missed);
} finally {
  await bench.clear();
}
