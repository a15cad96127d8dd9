// `npm run tables`: writes the tables in the README and in docs anew, from what the tests see.
import { runFiles } from './install.mjs';

const files = ['releases', 'wrong-answers', 'wrong-downloads'].map(
  (name) => `dist/test/flows/${name}.test.js`,
);
await runFiles(files, { STASH_WRITE_TABLES: '1' });
