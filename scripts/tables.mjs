// `npm run tables`: writes the tables in the README and in docs anew, from what the tests see.
import { mocha } from './mocha.mjs';

const files = ['releases', 'wrong-answers', 'wrong-downloads'].map(
  (name) => `dist/test/flows/${name}.test.js`,
);
await mocha(() => files, { STASH_WRITE_TABLES: '1' });
