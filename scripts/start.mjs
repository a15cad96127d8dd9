// `npm start`: a Node-RED to try the nodes in, with all examples open, and a stand-in for the Stash server.
// With STASH_URL set (and STASH_API_KEY, or STASH_USERNAME and STASH_PASSWORD) it uses that real server instead.
import { spawn } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { build, install, programs, root, runtimes } from './install.mjs';

const runtime = process.argv[2] ?? 'node-red-5.0';
const userDir = path.join(root, '.node-red');
const backups = path.join(userDir, 'backups');
const SERVER = 'examples-server';
const STASH_URL = '${STASH_URL}';
/** For the example that reads names from a file: some that the stand-in's site has, and some that it has not. */
const NAMES = ['Robin Vale', 'hana mori', "Maeve O'Connell", 'Zoë Lindström', 'Robin', 'Somebody Else'];

install(root);
install(path.join(runtimes, runtime));
build();

const standIn = process.env.STASH_URL ? undefined : await startStandIn();
const stashUrl = process.env.STASH_URL ?? standIn.url;
prepareUserDir();
const port = await freePort(1880);
const nodeRed = startNodeRed();

for (const signal of ['SIGINT', 'SIGTERM']) {
  process.on(signal, () => nodeRed.kill(signal));
}
nodeRed.on('exit', (code) => {
  void standIn?.stop().then(() => process.exit(code ?? 0));
  if (!standIn) process.exit(code ?? 0);
});

async function startStandIn() {
  const { StandIn } = await import('../dist/test/stand-in/stand-in.js');
  return StandIn.start({
    release: 'v0.30.1',
    port: await freePort(9999),
    jobSeconds: 8,
    log: (line) => console.log(`  stand-in: ${line}`),
  });
}

/** A user directory with this package installed and a tab for each example; what is changed there is kept. */
function prepareUserDir() {
  const scope = path.join(userDir, 'node_modules', '@stash-flows');
  mkdirSync(scope, { recursive: true });
  const link = path.join(scope, 'node-red-stash');
  // Made anew, as the checkout may have been moved or copied.
  rmSync(link, { force: true });
  symlinkSync(root, link, 'junction');

  const flowFile = path.join(userDir, 'flows.json');
  const flows = existsSync(flowFile) ? JSON.parse(readFileSync(flowFile, 'utf8')) : exampleFlows();
  const server = flows.find(({ id }) => id === SERVER);
  if (server?.url === STASH_URL) server.auth = wayToSignIn(process.env);
  writeFileSync(flowFile, JSON.stringify(flows, null, 2));

  mkdirSync(backups, { recursive: true });

  const nameFile = path.join(userDir, 'performers.txt');
  if (!existsSync(nameFile)) writeFileSync(nameFile, `${NAMES.join('\n')}\n`);

  const credentialFile = path.join(userDir, 'flows_cred.json');
  if (existsSync(credentialFile)) return;
  // References to the environment: nothing secret is written.
  const credentials = {
    apiKey: '${STASH_API_KEY}',
    username: '${STASH_USERNAME}',
    password: '${STASH_PASSWORD}',
  };
  writeFileSync(credentialFile, JSON.stringify({ [SERVER]: credentials }));
}

function wayToSignIn({ STASH_API_KEY, STASH_USERNAME }) {
  if (STASH_API_KEY) return 'apiKey';
  return STASH_USERNAME ? 'session' : 'none';
}

/** All examples, each in a tab of its own, with one server and one folder for backups. */
function exampleFlows() {
  const flows = [{ id: SERVER, type: 'stash-server', name: 'Stash', url: STASH_URL, auth: 'none' }];
  const files = readdirSync(path.join(root, 'examples')).filter((file) => file.endsWith('.json'));
  // The one that the announcement speaks of comes first, and so is the one that is open.
  files.sort((a, b) => Number(b.startsWith('Scan')) - Number(a.startsWith('Scan')) || a.localeCompare(b));
  for (const [index, file] of files.entries()) {
    const tab = `example${index}`;
    flows.push({ id: tab, type: 'tab', label: path.basename(file, '.json'), disabled: false, info: '' });
    for (const node of JSON.parse(readFileSync(path.join(root, 'examples', file), 'utf8'))) {
      const server = 'server' in node && { server: SERVER };
      const folder = node.download && { folder: backups };
      flows.push({ ...node, z: tab, ...server, ...folder });
    }
  }
  return flows;
}

function startNodeRed() {
  const { node, nodeRed } = programs(runtime);
  const settings = path.join(root, 'test', 'node-red-settings.js');
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
Node-RED is ready: open http://127.0.0.1:${port}
  The tab "Scan the library" is open. Open the debug sidebar (the bug at the right),
  then press the button at the left of "scan now": the answer is the started job.
  Each other tab shows another node.
Stash: ${stashUrl}${standIn ? ' (a stand-in with a made-up library; its jobs show here)' : ''}
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
