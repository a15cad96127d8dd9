// `npm run pictures`: takes the pictures of the README from the real editor.
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import {
  build,
  install,
  installBrowser,
  installDashboard,
  installRuntimes,
  programs,
  root,
} from './install.mjs';

const runtime = 'node-red-5.0';

await install(root);
await installRuntimes(runtime);
build();
await installBrowser();
await installDashboard();

const { status } = spawnSync(
  programs(runtime).node,
  [path.join(root, 'dist', 'test', 'browser', 'pictures.js')],
  {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, STASH_TEST_RUNTIME: runtime },
  },
);
process.exit(status ?? 1);
