import assert from 'node:assert/strict';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { npm } from './npm';
import { installed, root } from './root';

let installation: Promise<string> | undefined;

/** Makes a user directory with the packed package, whose `node_modules` all such directories share. */
export async function userDirWithPackage(): Promise<string> {
  const original = process.env['STASH_TEST_USER_DIR'] ?? (await (installation ??= installPackage()));
  const userDir = mkdtempSync(path.join(tmpdir(), 'node-red-stash-'));
  const modules = path.join(original, 'node_modules');
  cpSync(original, userDir, { recursive: true, filter: (file) => file !== modules });
  symlinkSync(modules, path.join(userDir, 'node_modules'), 'junction');
  return userDir;
}

/**
 * Makes such a directory for the tests of a `describe`, and removes it afterwards.
 * @returns a function that returns the directory while the tests run.
 */
export function useUserDir(): () => string {
  let userDir: string;
  before(async function () {
    this.timeout(120_000);
    userDir = await userDirWithPackage();
  });
  after(() => {
    rmSync(userDir, { recursive: true, force: true });
  });
  return () => userDir;
}

/**
 * Packs the package and installs it in a user directory of Node-RED, as its palette manager does.
 * @returns the directory, which is removed when this process ends.
 */
export async function installPackage(): Promise<string> {
  const userDir = mkdtempSync(path.join(tmpdir(), 'node-red-stash-'));
  process.once('exit', () => {
    rmSync(userDir, { recursive: true, force: true });
  });
  const [packed] = JSON.parse(await npm(root, 'pack', '--json', '--pack-destination', userDir)) as {
    filename: string;
  }[];
  assert.ok(packed);
  writeFileSync(path.join(userDir, 'package.json'), '{ "name": "node-red-project", "private": true }');
  const tarball = path.join(userDir, packed.filename);
  await npm(userDir, 'install', tarball, '--no-audit', '--no-fund', '--prefer-offline');
  return userDir;
}

/** Adds Dashboard 2.0 to what is installed in a user directory. */
export function addDashboard(userDir: string): void {
  const modules = path.join(userDir, 'node_modules');
  const packages = realpathSync(modules);
  rmSync(modules);
  mkdirSync(modules);
  for (const name of readdirSync(packages)) link(path.join(packages, name), path.join(modules, name));
  link(path.join(installed, 'dashboard', 'node_modules', '@flowfuse'), path.join(modules, '@flowfuse'));
}

function link(target: string, place: string): void {
  symlinkSync(target, place, 'junction');
}
