// `npm run test:live`: the nodes with the real server at STASH_URL (and STASH_API_KEY, or STASH_USERNAME and
// STASH_PASSWORD). Nothing is deleted, generated or asked of an external site unless a variable wishes it.
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { build, install, programs, root, runtimes } from './install.mjs';

const runtime = 'node-red-5.0';
install(root);
install(path.join(runtimes, runtime));
build();
const { status } = spawnSync(
  programs(runtime).node,
  [path.join(root, 'node_modules', 'mocha', 'bin', 'mocha.js'), '--no-config', 'dist/test/live/live.js'],
  { cwd: root, stdio: 'inherit', env: { ...process.env, STASH_TEST_RUNTIME: runtime } },
);
process.exit(status ?? 1);
