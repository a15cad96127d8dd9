import assert from 'node:assert/strict';
import { cpSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { FakeStash } from '../fake-stash/fake-stash';
import { NodeRed } from '../support/node-red';
import { root } from '../support/root';
import { useUserDir } from '../support/user-dir';

/** A German translation without one sentence, and without the files of a node. */
describe('A Node-RED in German', () => {
  const userDir = useUserDir();
  let stash: FakeStash;
  let nodeRed: NodeRed;

  before(async function () {
    this.timeout(60_000);
    const modules = path.join(userDir(), 'node_modules');
    const shared = realpathSync(modules);
    rmSync(modules);
    cpSync(shared, modules, { recursive: true });
    const german = path.join(modules, '@stash-flows/node-red-stash/dist/package/locales/de');
    const words = JSON.parse(readFileSync(path.join(german, 'server.json'), 'utf8')) as {
      errors: { NO_SERVER: { none: object } };
    };
    Reflect.deleteProperty(words.errors.NO_SERVER.none, 'text');
    writeFileSync(path.join(german, 'server.json'), JSON.stringify(words));
    for (const ending of ['json', 'html']) rmSync(path.join(german, `studios.${ending}`));

    stash = await FakeStash.start({ release: 'v0.30.1' });
    const settings = path.join(userDir(), 'settings.js');
    const base = path.join(root, 'test', 'support', 'node-red-settings.js');
    writeFileSync(settings, `module.exports = { ...require(${JSON.stringify(base)}), lang: 'de' };`);
    writeFileSync(path.join(userDir(), 'flows.json'), JSON.stringify(flows(stash.url)));
    nodeRed = await NodeRed.start(userDir(), { settings });
  });

  after(async () => {
    await nodeRed.stop();
    await stash.stop();
  });

  it('writes summaries, errors and statuses in German', async () => {
    assert.match(String(await nodeRed.get('scan')), /^Scan auf nas .*gestartet \(Job 1\)\.$/);
    assert.match(String(await nodeRed.get('error')), / Den Node öffnen/);
    assert.match(nodeRed.log.join('\n'), /\[debug:status\] Scan startet/);
  });

  it('writes a sentence that is not translated in English', async () => {
    assert.match(
      String(await nodeRed.get('error')),
      /^„stash scan“ ist fehlgeschlagen\. No Stash server is selected/,
    );
    assert.match(String(await nodeRed.get('studios')), /^nas has \d+ studios\.$/);
  });

  it('gives the editor the help in German, and in English where it is not translated', async () => {
    const headers = { Accept: 'text/html', 'Accept-Language': 'de' };
    const dialogs = await (await fetch(`${nodeRed.url}/nodes`, { headers })).text();

    assert.match(dialogs, /data-help-name="stash-scan">\s*<p>Scannt /);
    assert.match(dialogs, /data-help-name="stash-studios">\s*<p>Lists /);
  });
});

/** Logs the status of a scan; responds to `GET /scan`, `GET /studios` and `GET /error` (without a server) with the summary. */
function flows(url: string): object[] {
  const at = { z: 'tab', x: 0, y: 0 };
  const route = (name: string, type: string, server: string) => [
    { id: `in-${name}`, type: 'http in', ...at, url: `/${name}`, method: 'get', wires: [[name]] },
    { id: name, type, ...at, server, fields: ['id'], wires: [['shape']] },
  ];
  return [
    { id: 'tab', type: 'tab', label: 'tab' },
    { id: 'server', type: 'stash-server', name: 'nas', url },
    ...route('scan', 'stash-scan', 'server'),
    ...route('studios', 'stash-studios', 'server'),
    ...route('error', 'stash-scan', ''),
    { id: 'status', type: 'status', ...at, scope: ['scan'], wires: [['log']] },
    {
      id: 'log',
      type: 'debug',
      ...at,
      name: 'status',
      console: true,
      complete: 'status.text',
      targetType: 'msg',
    },
    { id: 'catch', type: 'catch', ...at, scope: null, wires: [['shape']] },
    {
      id: 'shape',
      type: 'function',
      ...at,
      func: 'msg.payload = JSON.stringify(msg.stash.summary); return msg;',
      wires: [['out']],
    },
    { id: 'out', type: 'http response', ...at, wires: [] },
  ];
}
