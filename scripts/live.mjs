// `npm run test:live`: the nodes with the real server at STASH_URL (and STASH_API_KEY, or STASH_USERNAME and
// STASH_PASSWORD). Deletes nothing; generates, or calls an external site, only if a variable says so.
import { mocha } from './mocha.mjs';

await mocha(() => ['dist/test/live/live.js']);
