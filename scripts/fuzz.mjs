// `npm run fuzz`: makes up responses, events, files, flow files, messages and releases of Stash for ten minutes, or the
// given number as in `npm run fuzz -- 2`. Prints the cases of each kind, and for each finding its seed and the smallest case that fails.
import { mocha } from './mocha.mjs';

const [given = '10', ...others] = process.argv.slice(2);
const minutes = Number(given);
if (!(minutes > 0) || others.length > 0) {
  console.error('Usage: npm run fuzz -- [minutes]');
  process.exit(2);
}

await mocha(() => ['dist/test/fuzz/fuzz.later.test.js'], { STASH_FUZZ_MINUTES: String(minutes) });
