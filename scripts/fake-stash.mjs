// `npm run fake-stash -- [release] [port]`: the fake Stash server alone, until Ctrl-C.
import { build, install, root } from './install.mjs';

await install(root);
build();

const { FakeStash } = await import('../dist/test/fake-stash/fake-stash.js');
const { releases } = await import('../dist/test/fake-stash/releases.js');

const [release = 'v0.30.1', port = '9999'] = process.argv.slice(2);
if (!releases.includes(release)) {
  console.error(`No release ${release} here; one of: ${releases.join(', ')}`);
  process.exit(1);
}
const stash = await FakeStash.start({ release, port: Number(port), jobSeconds: 8, log: console.log });
console.log(`The fake Stash ${release} listens on ${stash.url}`);
