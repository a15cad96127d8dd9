// `npm run pictures`: takes the pictures and the film of the README from the real editor.
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import {
  build,
  install,
  installBrowser,
  installDashboard,
  installed,
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
// Joins the frames of the film.
await install(path.join(installed, 'sharp'));

for (const name of ['pictures.js', 'film.js']) {
  const { status } = spawnSync(programs(runtime).node, [path.join(root, 'dist', 'test', 'browser', name)], {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, STASH_TEST_RUNTIME: runtime },
  });
  if (status !== 0) process.exit(status ?? 1);
}
