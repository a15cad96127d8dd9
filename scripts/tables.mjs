// `npm run tables`: updates the tables in the README and in docs, and docs/flow-file.md, from the results of the tests.
import { mocha, testFiles } from './mocha.mjs';

const names = [
  'packed/flow-file',
  'packed/readme',
  'nodes/releases',
  'nodes/wrong-answers',
  'nodes/backup/wrong-downloads',
  'runtime/doctor',
];
const writes = (file) => names.some((name) => file.startsWith(`dist/test/${name}.`));
await mocha(() => testFiles().filter(writes), { STASH_WRITE_TABLES: '1' });
