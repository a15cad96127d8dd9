import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('..', import.meta.url));

/** Each supported Node-RED, with the Node.js it runs on, is a folder with its own packages below this one. */
export const runtimes = path.join(root, 'test', 'runtimes');

/** Installs what a folder's lock file says, unless that is what it has. */
export function install(folder) {
  const installed = path.join(folder, 'node_modules', '.package-lock.json');
  const wanted = path.join(folder, 'package-lock.json');
  if (existsSync(installed) && statSync(installed).mtimeMs >= statSync(wanted).mtimeMs) return;
  console.log(`Installing the packages of ${path.relative(root, folder) || 'this project'} …`);
  npm(['ci', '--loglevel=error'], folder);
}

/** Builds `dist/`. */
export function build() {
  execFileSync(process.execPath, [path.join(root, 'scripts', 'build.mjs')], { stdio: 'inherit' });
}

/**
 * Installs the browser in test/chromium where this machine has none; needs `dist/`. It runs on Linux with an x64
 * processor only: elsewhere the browser tests fail and say what is missing.
 */
export async function installBrowser() {
  const { installedChromium } = await import('../dist/test/browser/chromium.js');
  if (process.platform !== 'linux' || process.arch !== 'x64' || installedChromium(process.env)) return;
  install(path.join(root, 'test', 'chromium'));
}

/** Runs npm: the one that runs this script, where there is one. */
export function npm(options, folder, stdio = 'inherit') {
  const cli = process.env.npm_execpath;
  return cli?.endsWith('.js')
    ? execFileSync(process.execPath, [cli, ...options], { cwd: folder, stdio, encoding: 'utf8' })
    : execFileSync('npm', options, {
        cwd: folder,
        stdio,
        encoding: 'utf8',
        shell: process.platform === 'win32',
      });
}

/** The Node.js and the Node-RED of a runtime. */
export function programs(runtime) {
  const modules = path.join(runtimes, runtime, 'node_modules');
  return {
    node: path.join(modules, 'node', 'bin', process.platform === 'win32' ? 'node.exe' : 'node'),
    nodeRed: path.join(modules, 'node-red', 'red.js'),
  };
}

/**
 * Runs mocha on a runtime's own Node.js; `words` as on its command line. `log` is an open file for what it says.
 * @returns the status that it ends with, or null where a signal ends it.
 */
export async function mocha(runtime, words, environment = {}, log = 'inherit') {
  const program = path.join(root, 'node_modules', 'mocha', 'bin', 'mocha.js');
  const child = spawn(programs(runtime).node, [program, ...words], {
    cwd: root,
    stdio: ['ignore', log, log],
    env: {
      ...process.env,
      // All servers of the tests are on this machine, whatever proxy leads out of it.
      no_proxy: [process.env.no_proxy ?? process.env.NO_PROXY ?? [], '127.0.0.1', 'localhost'].flat().join(),
      STASH_TEST_RUNTIME: runtime,
      ...environment,
    },
  });
  const [status] = await once(child, 'close');
  return status;
}

/** Installs and builds what it takes to run some test files on the newest runtime, runs them, and ends as they do. */
export async function runFiles(files, environment) {
  const runtime = readdirSync(runtimes).sort().at(-1);
  install(root);
  install(path.join(runtimes, runtime));
  build();
  const status = await mocha(runtime, ['--no-config', '--timeout', '60000', ...files], environment);
  process.exit(status ?? 1);
}
