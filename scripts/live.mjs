// `npm run test:live`: the nodes with the real server at STASH_URL (and STASH_API_KEY, or STASH_USERNAME and
// STASH_PASSWORD). Nothing is deleted, generated or asked of an external site unless a variable wishes it.
import { mocha } from './mocha.mjs';

await mocha(() => ['dist/test/live/live.js']);
