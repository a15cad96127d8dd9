// `npm run tables`: writes the tables in the README and in docs anew, from what the tests see.
import { mocha } from './mocha.mjs';

const files = ['packed/readme', 'flows/releases', 'flows/wrong-answers', 'flows/wrong-downloads'].map(
  (name) => `dist/test/${name}.test.js`,
);
await mocha(() => files, { STASH_WRITE_TABLES: '1' });
