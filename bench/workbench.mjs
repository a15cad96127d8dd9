// Shared code of the benchmark: the packed package in user directories, and the cleanup of started processes.
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, loadavg, tmpdir } from 'node:os';
import path from 'node:path';
import { installed, npm, root, runtimeNames } from '../scripts/install.mjs';

export class Workbench {
  runtimes = runtimeNames;
  #folder = mkdtempSync(path.join(tmpdir(), 'node-red-stash-bench-'));
  #onDisk = [];
  #tarball;
  #running = [];

  /** Returns a started process, and registers it for the cleanup. */
  async keep(starting) {
    const started = await starting;
    this.#running.push(started);
    return started;
  }

  async clear() {
    for (const one of this.#running.reverse()) await one.stop();
    for (const folder of [this.#folder, ...this.#onDisk]) rmSync(folder, { recursive: true, force: true });
  }

  /** Creates an empty folder on the project's disk, because the folder for temp files is in memory on many machines. */
  folderOnDisk() {
    const made = mkdtempSync(path.join(root, 'dist', 'bench-'));
    this.#onDisk.push(made);
    return made;
  }

  /**
   * Creates a user directory like Node-RED's, with the package installed as by the palette manager, unless `bare`, and
   * with a node of the benchmark: `<driver>.js` and `<driver>.html`. `tarball` installs another version of the package.
   */
  userDir(flows, { bare = false, driver, tarball } = {}) {
    const made = mkdtempSync(path.join(this.#folder, 'user-'));
    writeFileSync(path.join(made, 'package.json'), '{ "name": "node-red-project", "private": true }');
    writeFileSync(path.join(made, 'flows.json'), JSON.stringify(flows));
    const quietly = ['--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline', '--loglevel=error'];
    if (!bare) npm(['install', tarball ?? this.#packed(), ...quietly], made, 'pipe');
    if (driver) {
      mkdirSync(path.join(made, 'nodes'));
      for (const file of [`${driver}.js`, `${driver}.html`]) {
        cpSync(path.join(root, 'bench', file), path.join(made, 'nodes', file));
      }
    }
    return made;
  }

  #packed() {
    if (this.#tarball) return this.#tarball;
    const options = ['pack', '--json', '--ignore-scripts', '--loglevel=error'];
    const [{ filename }] = JSON.parse(npm([...options, '--pack-destination', this.#folder], root, 'pipe'));
    this.#tarball = path.join(this.#folder, filename);
    return this.#tarball;
  }
}

/** Returns the core node "http request", which posts a message's payload to a server and returns to the driver. */
export function httpRequest(url, back) {
  return {
    id: 'core',
    type: 'http request',
    method: 'POST',
    ret: 'obj',
    url: `${url}/graphql`,
    persist: true,
    headers: ['Accept', 'Content-Type'].map((keyType) => ({
      keyType,
      keyValue: '',
      valueType: 'application/json',
      valueValue: '',
    })),
    ...back,
  };
}

/** Returns the installed versions, such as `Node-RED 5.0.7, Node.js 24.21.0`. */
export function label(runtime) {
  const version = (name) =>
    JSON.parse(readFileSync(path.join(installed, runtime, 'node_modules', name, 'package.json'), 'utf8'))
      .version;
  return `Node-RED ${version('node-red')}, Node.js ${version('node')}`;
}

/** Returns the date and the machine, for a report. */
export function circumstances() {
  const day = new Date().toISOString().slice(0, 10);
  return `on ${day}: ${cpus().length} × ${cpus()[0].model.trim()}, ${process.platform}`;
}

/** Returns the load of the machine in the last minute. */
export function load() {
  return loadavg()[0].toFixed(1);
}
