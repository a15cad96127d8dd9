// `npm run tables`: writes the tables in the README and in docs anew, from what the tests see.
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { build, install, programs, root, runtimes } from './install.mjs';

const runtime = 'node-red-5.0';
install(root);
install(path.join(runtimes, runtime));
build();
const { status } = spawnSync(
  programs(runtime).node,
  [path.join(root, 'node_modules', 'mocha', 'bin', 'mocha.js'), '--no-config', '--timeout', '60000'].concat(
    ['releases', 'wrong-answers'].map((name) => `dist/test/${name}.test.js`),
  ),
  {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, STASH_TEST_RUNTIME: runtime, STASH_WRITE_TABLES: '1' },
  },
);
process.exit(status ?? 1);
