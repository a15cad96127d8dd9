// The user directory of `npm start`, also used by a test.
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { dashboard, root } from './install.mjs';

/** The label of the tab with the tour through the demo, which is first. */
const TOUR = 'A short tour';

const SERVER = 'examples-server';
const STASH_URL = '${STASH_URL}';
const BROKER = { broker: '127.0.0.1', port: '${MQTT_PORT}' };
/** For the example that reads names from a file: some names that the fake server's site has, and some that it lacks. */
const NAMES = ['Robin Vale', 'hana mori', "Maeve O'Connell", 'Zoë Lindström', 'Robin', 'Somebody Else'];
/**
 * The editor's settings of an anonymous user. The debug sidebar is open (in Node-RED 5 it always is) and shows
 * messages of the open tab, or those of a jobs node in another tab would soon hide the first answer. No tip hides the description of the
 * open tab.
 */
const EDITOR = {
  _: {
    debug: { filter: 'filterCurrent' },
    editor: {
      sidebar: { order: ['debug', 'info', 'help', 'version-control'] },
      view: { 'view-show-tips': false },
    },
  },
};

/**
 * Creates a user directory with this package and a tab for each example. Keeps changes of an existing one. Without a server of your own at
 * STASH_URL, the first tab is a tour through the demo.
 * @returns the id of the tab with the tour, if it is there.
 */
export function prepareUserDir(userDir) {
  const modules = path.join(userDir, 'node_modules');
  mkdirSync(path.join(modules, '@stash-flows'), { recursive: true });
  link(root, path.join(modules, '@stash-flows', 'node-red-stash'));
  link(path.join(dashboard, 'node_modules', '@flowfuse'), path.join(modules, '@flowfuse'));

  const folders = { backups: path.join(userDir, 'backups'), downloads: path.join(userDir, 'downloads') };
  for (const folder of Object.values(folders)) mkdirSync(folder, { recursive: true });

  const flowFile = path.join(userDir, 'flows.json');
  const flows = existsSync(flowFile) ? JSON.parse(readFileSync(flowFile, 'utf8')) : exampleFlows(folders);
  const server = flows.find(({ id }) => id === SERVER);
  if (server?.url === STASH_URL) server.auth = wayToSignIn(process.env);
  writeFileSync(flowFile, JSON.stringify(flows, null, 2));

  writeOnce(path.join(userDir, 'performers.txt'), `${NAMES.join('\n')}\n`);
  writeOnce(path.join(userDir, '.config.users.json'), JSON.stringify(EDITOR));
  // References to the environment, so that no secret is written.
  const credentials = {
    apiKey: '${STASH_API_KEY}',
    username: '${STASH_USERNAME}',
    password: '${STASH_PASSWORD}',
  };
  writeOnce(path.join(userDir, 'flows_cred.json'), JSON.stringify({ [SERVER]: credentials }));
  return flows.find(({ type, label }) => type === 'tab' && label === TOUR)?.id;
}

/** Replaces a link, because the checkout may have been moved or copied. Leaves a folder that the palette has installed. */
function link(target, place) {
  if (lstatSync(place, { throwIfNoEntry: false })?.isDirectory()) return;
  rmSync(place, { force: true });
  symlinkSync(target, place, 'junction');
}

function writeOnce(file, text) {
  if (!existsSync(file)) writeFileSync(file, text);
}

function wayToSignIn({ STASH_API_KEY, STASH_USERNAME }) {
  if (STASH_API_KEY) return 'apiKey';
  return STASH_USERNAME ? 'session' : 'none';
}

/** Returns all examples in the order of their folders, each in a tab of its own, with one server, one MQTT broker, and these folders. */
function exampleFlows({ backups, downloads }) {
  const isDemo = !process.env.STASH_URL;
  // The fake server has the downloads in its library, also those of a download manager in another container.
  const pathMap = [downloads, '/downloads'].map((here) => ({ here, there: '/media/videos' }));
  const server = { id: SERVER, type: 'stash-server', name: 'Stash', url: STASH_URL, auth: 'none' };
  const flows = [{ ...server, ...(isDemo && { pathMap }) }];
  const examples = path.join(root, 'examples');
  const files = readdirSync(examples, { recursive: true }).filter((file) => file.endsWith('.json'));
  const tabs = files
    .sort()
    .map((file) => ({ label: path.basename(file, '.json'), file: path.join(examples, file) }));
  if (isDemo) tabs.unshift({ label: TOUR, file: path.join(root, 'scripts', 'tour.json') });
  for (const [index, { label, file }] of tabs.entries()) {
    const tab = `example${index}`;
    const nodes = JSON.parse(readFileSync(file, 'utf8'));
    // The editor shows the description of the open tab beside it, but that of a comment only if it is selected.
    const info = nodes.find(({ type }) => type === 'comment')?.info ?? '';
    // A pause would hold back the jobs of all other tabs.
    const disabled = nodes.some(({ type, paused }) => type === 'stash-pause' && paused !== 'false');
    flows.push({ id: tab, type: 'tab', label, disabled, info });
    for (const node of nodes) {
      flows.push({
        ...node,
        // A config node belongs to no tab.
        ...('z' in node && { z: tab }),
        ...('server' in node && { server: SERVER }),
        ...(node.download && { folder: backups }),
        ...(node.type === 'watch' && { files: downloads }),
        ...(node.type === 'mqtt-broker' && BROKER),
      });
    }
  }
  return flows;
}
