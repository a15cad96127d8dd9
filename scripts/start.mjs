// `npm start`: starts Node-RED with a tour and all examples open, a fake Stash server that lives, and an MQTT broker.
// With STASH_URL set (and STASH_API_KEY, or STASH_USERNAME and STASH_PASSWORD) it uses that real server instead.
// `npm run dev`: the same; rebuilds and restarts on each change, and reloads the editor.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { watch } from 'node:fs';
import { createServer } from 'node:net';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  build,
  install,
  installDashboard,
  installRuntimes,
  programs,
  root,
  runtimeNames,
} from './install.mjs';
import { prepareUserDir } from './user-dir.mjs';

/** The sources of `dist/`, which are watched. */
const SOURCES = ['src', 'nodes'];

const [runtime = runtimeNames.at(-1)] = process.argv.slice(2).filter((word) => word !== '--watch');
const watching = process.argv.includes('--watch');
// Apart from each other, because a flow of the demo must never run with your server.
const userDir = path.join(root, '.node-red', process.env.STASH_URL ? 'own' : 'demo');

console.log(
  `Installs what is missing, builds the package and starts Node-RED. The first time, it
downloads 265 MB and needs 605 MB in this folder. That takes between half a minute and a few minutes, later only seconds.`,
);
await Promise.all([install(root), installRuntimes(runtime), installDashboard()]);
build();
console.log('Starting Node-RED …');

const fakeStash = process.env.STASH_URL ? undefined : await startFakeStash();
const stashUrl = process.env.STASH_URL ?? fakeStash.url;
const broker = await startBroker();
const tab = prepareUserDir(userDir);
const port = await freePort(1880);
let restarting = false;
let nodeRed = startNodeRed();

for (const signal of ['SIGINT', 'SIGTERM']) {
  process.on(signal, () => nodeRed.kill(signal));
}
if (watching) await restartOnChanges();

/** Rebuilds, and restarts Node-RED, whenever a source has changed. */
async function restartOnChanges() {
  let changed = false;
  let wake = () => undefined;
  for (const folder of SOURCES) {
    watch(path.join(root, folder), { recursive: true }, () => {
      changed = true;
      wake();
    });
  }
  for (;;) {
    if (!changed) await new Promise((resolve) => (wake = resolve));
    // An editor may write a file in several steps, or several files.
    await sleep(100);
    changed = false;
    const script = path.join(root, 'scripts', 'build.mjs');
    const { status } = spawnSync(process.execPath, [script, '--package'], { stdio: 'inherit' });
    // The running Node-RED stays until the code compiles.
    if (status !== 0) continue;
    console.log('Built; Node-RED starts again …');
    restarting = true;
    const ended = once(nodeRed, 'exit');
    nodeRed.kill('SIGTERM');
    await ended;
    restarting = false;
    nodeRed = startNodeRed();
  }
}

async function startFakeStash() {
  const { FakeStash } = await import('../dist/test/fake-stash/fake-stash.js');
  const { bringToLife } = await import('../dist/test/fake-stash/demo.js');
  const stash = await FakeStash.start({
    release: 'v0.30.1',
    port: await freePort(9999),
    jobSeconds: 8,
    // Not each step of each job.
    log: (line) => line.endsWith('%') || console.log(`  fake Stash: ${line}`),
  });
  bringToLife(stash, new AbortController().signal);
  return stash;
}

async function startBroker() {
  const { Broker } = await import('../dist/test/support/broker.js');
  return Broker.start(await freePort(1883));
}

function startNodeRed() {
  const { node, nodeRed } = programs(runtime);
  const settings = watching
    ? path.join(root, 'scripts', 'dev-settings.js')
    : path.join(root, 'test', 'support', 'node-red-settings.js');
  const child = spawn(node, [nodeRed, '-u', userDir, '-s', settings, '-p', String(port)], {
    cwd: userDir,
    env: { ...process.env, STASH_URL: stashUrl, MQTT_PORT: broker.address.port },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  createInterface({ input: child.stdout }).on('line', (line) => {
    if (line.includes('Server now running')) announce();
    else if (!line.includes('[info]')) console.log(line);
  });
  child.once('exit', (code) => {
    if (!restarting) void Promise.all([fakeStash?.stop(), broker.stop()]).then(() => process.exit(code ?? 0));
  });
  return child;
}

function announce() {
  const address = `http://127.0.0.1:${port}/`;
  const tour = `
  The open tab is a short tour: press its five buttons, from top to bottom.
  What is new is at ${address}newest, with pictures. The example with Dashboard is at ${address}stash-dashboard`;
  console.log(`
Node-RED is ready: open ${address}${tab ? `#flow/${tab}${tour}` : ''}
  Each ${tab ? 'other ' : ''}tab has an example. The debug sidebar shows the messages of the open tab.
  The tabs with a pause are disabled, because they would hold back the jobs of the others. Enable them to try them.
MQTT broker: 127.0.0.1, port ${broker.address.port}
Stash: ${stashUrl}${fakeStash ? ' (a fake server: a file arrives every minute, and with each scan; its jobs show here)' : ''}
Ctrl-C ends it.
`);
}

/** Resolves with the wanted port if it is free, otherwise with any free one. */
function freePort(wanted) {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', (error) => {
      if (wanted === 0) reject(error);
      else resolve(freePort(0));
    });
    probe.listen(wanted, '127.0.0.1', () => {
      const { port } = probe.address();
      probe.close(() => resolve(port));
    });
  });
}
