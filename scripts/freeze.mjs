// `npm run freeze`: adds to test/contract what is new in the flow file, the messages and the error codes. It cannot change or
// remove what was frozen.
import { mocha, testFiles } from './mocha.mjs';

await mocha(() => testFiles().filter((file) => file.startsWith('dist/test/contract/')), {
  STASH_FREEZE: '1',
});
