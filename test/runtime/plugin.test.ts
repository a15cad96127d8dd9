import assert from 'node:assert/strict';
import { plugin } from '../../src/contract/plugin';
import { timing } from '../../src/timing';
import { otherTask } from '../fake-stash/tasks';
import { Flow, useFakeStash } from '../support/flow';
import { helper } from '../support/runtime';

const SOURCE = `https://plugins.test/${plugin.version}/index.yml`;
const MISSING = { version: null, isEnabled: false, isInstalling: false };
const INSTALLED = { version: plugin.version, isEnabled: true, isInstalling: false };

describe('the plugin that the dialog of a server installs', () => {
  const stash = useFakeStash({ release: 'v0.30.1' });
  const usual = timing.plugin;

  before(() => helper.startServer());
  after(() => helper.stopServer());
  beforeEach(async () => {
    timing.plugin = 50;
    await Flow.start({ type: 'stash-scan', server: { url: stash().url } });
  });
  afterEach(() => {
    timing.plugin = usual;
  });

  const ask = async (body: object): Promise<unknown> =>
    (
      await helper
        .request()
        .post('/stash-server/plugin')
        .send({ id: 'server1', ...body })
        .expect(200)
    ).body;
  const installations = () => stash().requests.filter(({ operation }) => operation === 'installPackages');

  it('is installed only from the address of a request that has one, for which Stash asks', async () => {
    assert.deepEqual(await ask({}), MISSING);
    assert.deepEqual(await ask({ source: '' }), MISSING);
    assert.deepEqual(installations(), []);
    assert.deepEqual(await ask({ source: SOURCE }), INSTALLED);
    assert.deepEqual(
      installations().map(({ body }) => body?.variables),
      [{ packages: [{ id: plugin.id, sourceURL: SOURCE }] }],
    );
    assert.deepEqual(await ask({}), INSTALLED);
  });

  it('is as before if Stash could not install it', async () => {
    assert.deepEqual(await ask({ source: 'https://plugins.test/none' }), MISSING);
  });

  it('waits for the job that runs, of which the dialog hears', async () => {
    stash().jobs.hold();
    stash().jobs.add(otherTask('Scanning...'));
    assert.deepEqual(await ask({ source: SOURCE }), { ...MISSING, isInstalling: true });
    stash().jobs.release();
  });

  it('is updated', async () => {
    stash().plugins = [{ id: plugin.id, name: 'Node-RED', version: '0.1.0', enabled: false, tasks: [] }];
    assert.deepEqual(await ask({}), { ...MISSING, version: '0.1.0' });
    assert.deepEqual(await ask({ source: SOURCE }), INSTALLED);
  });
});

describe('the plugin on a server before v0.25', () => {
  const stash = useFakeStash({ release: 'v0.23.1' });

  before(() => helper.startServer());
  after(() => helper.stopServer());

  it('is neither looked for nor installed', async () => {
    await Flow.start({ type: 'stash-scan', server: { url: stash().url } });
    const { body } = await helper
      .request()
      .post('/stash-server/plugin')
      .send({ id: 'server1', source: SOURCE });
    assert.deepEqual((body as { case: string }).case, 'UNSUPPORTED.lacking');
    assert.ok(!stash().requests.some(({ operation }) => operation === 'installPackages'));
  });
});
