// `npm run tables`: writes the tables in the README and in docs anew, from what the tests see.
import { runFiles } from './install.mjs';

runFiles(['dist/test/releases.test.js', 'dist/test/wrong-answers.test.js'], { STASH_WRITE_TABLES: '1' });
