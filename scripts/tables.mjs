// `npm run tables`: updates the tables in the README and in docs from the results of the tests.
import { mocha } from './mocha.mjs';

const files = [
  'packed/readme',
  'flows/releases',
  'flows/wrong-answers',
  'flows/wrong-downloads',
  'node-red/doctor',
].map((name) => `dist/test/${name}.test.js`);
await mocha(() => files, { STASH_WRITE_TABLES: '1' });
