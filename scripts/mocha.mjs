import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import path from 'node:path';
import {
  build,
  install,
  installBrowser,
  installDashboard,
  installRuntimes,
  programs,
  root,
  runtimeNames,
} from './install.mjs';

/** Returns the environment for the tests on a runtime. */
export function environmentOf(runtime) {
  return {
    ...process.env,
    // All servers of the tests are on this machine, so no proxy applies.
    no_proxy: [process.env.no_proxy ?? process.env.NO_PROXY ?? [], '127.0.0.1', 'localhost'].flat().join(),
    STASH_TEST_RUNTIME: runtime,
  };
}

/** Lists the built test files, as `dist/test/jobs/job.test.js`; needs `dist/`. */
export function testFiles() {
  const files = readdirSync(path.join(root, 'dist', 'test'), { recursive: true });
  return files
    .filter((file) => file.endsWith('.test.js'))
    .map((file) => `dist/test/${file.replaceAll('\\', '/')}`)
    .sort();
}

/**
 * Installs and builds, then runs mocha on the newest runtime and exits with its status.
 * @param toWords returns the arguments of mocha when `dist/` is built.
 */
export async function mocha(toWords, environment) {
  const runtime = runtimeNames.at(-1);
  await install(root);
  const installing = installRuntimes(runtime);
  build();
  const words = toWords();
  await installing;
  if (words.some((word) => word.includes('browser')))
    await Promise.all([installBrowser(), installDashboard()]);
  const program = path.join(root, 'node_modules', 'mocha', 'bin', 'mocha.js');
  const child = spawn(programs(runtime).node, [program, ...words], {
    cwd: root,
    stdio: 'inherit',
    env: { ...environmentOf(runtime), ...environment },
  });
  const [status] = await once(child, 'close');
  process.exit(status ?? 1);
}
