import { execFile, execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

export const root = fileURLToPath(new URL('..', import.meta.url));

/**
 * The folders of what tests need beside the project: the supported Node-REDs, each with its Node.js; a browser; Dashboard 2.0, which is
 * beside no Node-RED, because each loads what is installed there.
 */
export const installed = path.join(root, 'test', 'installed');

/** The folder with Dashboard 2.0. */
export const dashboard = path.join(installed, 'dashboard');

/** The names of the runtimes: a Node-RED and its Node.js. The newest is the last. */
export const runtimeNames = readdirSync(installed)
  .filter((name) => name.startsWith('node-red-'))
  .sort();

/** Installs the packages of each folder's lock file, unless they are installed. */
export async function install(...folders) {
  await Promise.all(folders.map(installOne));
}

async function installOne(folder) {
  const present = path.join(folder, 'node_modules', '.package-lock.json');
  const wanted = path.join(folder, 'package-lock.json');
  if (existsSync(present) && statSync(present).mtimeMs >= statSync(wanted).mtimeMs) return;
  console.log(`Installing the packages of ${path.relative(root, folder) || 'this project'} …`);
  const [program, before, options] = npmProgram();
  // Cached packages need no request, because the lock file has their checksums.
  const words = [...before, 'ci', '--prefer-offline', '--loglevel=error'];
  await promisify(execFile)(program, words, { cwd: folder, ...options });
}

export function installRuntimes(...names) {
  return install(...names.map((name) => path.join(installed, name)));
}

/** Builds `dist/`; exits after an error, which esbuild has reported. */
export function build(...options) {
  const script = path.join(root, 'scripts', 'build.mjs');
  const { status } = spawnSync(process.execPath, [script, ...options], { stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}

/**
 * Installs a browser if this machine has none; needs `dist/`. It runs only on Linux with an x64
 * processor. On other systems the browser tests fail and say what is missing.
 */
export async function installBrowser() {
  const { installedChromium } = await import('../dist/test/browser/chromium.js');
  if (process.platform !== 'linux' || process.arch !== 'x64' || installedChromium(process.env)) return;
  await install(path.join(installed, 'chromium'));
}

/** Installs Dashboard 2.0, for the example that has a page of it. */
export function installDashboard() {
  return install(dashboard);
}

/** Runs npm, if possible the one that runs this script. */
export function npm(options, folder, stdio = 'inherit') {
  const [program, before, more] = npmProgram();
  return execFileSync(program, [...before, ...options], { cwd: folder, stdio, encoding: 'utf8', ...more });
}

function npmProgram() {
  const cli = process.env.npm_execpath;
  if (cli?.endsWith('.js')) return [process.execPath, [cli], {}];
  return ['npm', [], { shell: process.platform === 'win32' }];
}

/** Returns the programs of a runtime: Node.js and Node-RED. */
export function programs(runtime) {
  const modules = path.join(installed, runtime, 'node_modules');
  return {
    node: path.join(modules, 'node', 'bin', process.platform === 'win32' ? 'node.exe' : 'node'),
    nodeRed: path.join(modules, 'node-red', 'red.js'),
  };
}
