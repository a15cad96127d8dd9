// `npm start`: a Node-RED to try the nodes in, with all examples open, and a fake Stash server.
// With STASH_URL set (and STASH_API_KEY, or STASH_USERNAME and STASH_PASSWORD) it uses that real server instead.
import { spawn } from 'node:child_process';
import { createServer } from 'node:net';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { build, install, programs, root, runtimes } from './install.mjs';
import { FIRST, prepareUserDir } from './user-dir.mjs';

const runtime = process.argv[2] ?? 'node-red-5.0';
const userDir = path.join(root, '.node-red');

install(root);
install(path.join(runtimes, runtime));
build();

const fakeStash = process.env.STASH_URL ? undefined : await startFakeStash();
const stashUrl = process.env.STASH_URL ?? fakeStash.url;
const tab = prepareUserDir(userDir);
const port = await freePort(1880);
const nodeRed = startNodeRed();

for (const signal of ['SIGINT', 'SIGTERM']) {
  process.on(signal, () => nodeRed.kill(signal));
}
nodeRed.on('exit', (code) => {
  void fakeStash?.stop().then(() => process.exit(code ?? 0));
  if (!fakeStash) process.exit(code ?? 0);
});

async function startFakeStash() {
  const { FakeStash } = await import('../dist/test/fake-stash/fake-stash.js');
  return FakeStash.start({
    release: 'v0.30.1',
    port: await freePort(9999),
    jobSeconds: 8,
    log: (line) => console.log(`  fake Stash: ${line}`),
  });
}

function startNodeRed() {
  const { node, nodeRed } = programs(runtime);
  const settings = path.join(root, 'test', 'support', 'node-red-settings.js');
  const child = spawn(node, [nodeRed, '-u', userDir, '-s', settings, '-p', String(port)], {
    cwd: userDir,
    env: { ...process.env, STASH_URL: stashUrl },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  createInterface({ input: child.stdout }).on('line', (line) => {
    if (line.includes('Server now running')) announce();
    else if (!line.includes('[info]')) console.log(line);
  });
  return child;
}

function announce() {
  console.log(`
Node-RED is ready: open http://127.0.0.1:${port}/${tab ? `#flow/${tab}` : ''}
  The tab "${FIRST}" is open. Press the button at the left of "scan now":
  the debug sidebar at the right shows the started job, and a sentence about it.
  Each other tab shows another node; the sidebar shows the messages of the open tab.
Stash: ${stashUrl}${fakeStash ? ' (a fake server with a made-up library; its jobs show here)' : ''}
Ctrl-C ends it.
`);
}

/** The wanted port if nobody has it, otherwise any. */
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
