import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { statusFields } from '../../src/operations/library/status';
import { documentedStudioFields } from '../../src/operations/library/studios';
import { performerFields } from '../../src/contract/performers';
import { Flow, askedWords, type Message } from '../support/flow';
import { helper } from '../support/runtime';

const {
  STASH_URL: url = '',
  STASH_API_KEY: apiKey = '',
  STASH_USERNAME: username = '',
  STASH_PASSWORD: password = '',
  STASH_LIVE_GENERATE: generates,
  STASH_LIVE_PERFORMER: performer,
  STASH_LIVE_SOURCE: source = '',
} = process.env;

const auth = apiKey !== '' ? 'apiKey' : username !== '' ? 'session' : 'none';

/**
 * Tests the nodes with a real server of a user. They delete nothing and only download a backup. They generate content
 * and use the external site only if a variable says so.
 * `npm run test:live`
 */
describe(`The server at ${url}`, function () {
  this.timeout(120_000);
  const results: string[] = [];

  before(() => {
    assert.notEqual(url, '', 'STASH_URL contains the address of a server');
  });
  afterEach(() => helper.unload());
  after(() => {
    for (const line of results) console.log(`    ${line}`);
  });

  async function ask(type: string, properties: object = {}, msg: object = {}, server = {}) {
    await helper.unload();
    const flow = await Flow.start({
      type: `stash-${type}`,
      properties,
      server: { url, auth, pause: 2, ...server },
      credentials: { apiKey, username, password },
    });
    return await flow.ask(msg);
  }

  async function answer(type: string, properties: object = {}, msg: object = {}): Promise<Message> {
    const end = await ask(type, properties, msg);
    const { error } = end.msg;
    // The words are keys here, so what the server said is only in their values.
    const said = askedWords.filter(({ key }) => error?.message.includes(key)).map(({ values }) => values);
    assert.equal(error, undefined, `${error?.code ?? ''} ${error?.message ?? ''} ${JSON.stringify(said)}`);
    const { operation, missing } = end.msg.stash ?? {};
    const payload = JSON.stringify(end.msg.payload).slice(0, 160);
    results.push(
      `${type}: ${operation ?? ''}${missing ? `, without ${missing.join(', ')}` : ''} → ${payload}`,
    );
    return end.msg;
  }

  it('returns its status', async () => {
    const { payload, stash } = await answer('status', { fields: statusFields });
    const { status, databasePath } = payload as { status?: string; databasePath?: string };
    assert.ok(status === 'OK' || (databasePath && stash?.version), 'the server is ready');
  });

  it('lists its studios with every field', async () => {
    const { payload } = await answer('studios', { fields: documentedStudioFields });
    for (const studio of payload as object[])
      assert.deepEqual(Object.keys(studio), [...documentedStudioFields]);
  });

  it('scans for new files', async () => {
    const { payload } = await answer('scan');
    assert.equal((payload as { status: string }).status, 'STARTED');
  });

  it('receives no scan of a folder outside its library', async () => {
    const { msg } = await ask('scan', { paths: '/no/such/folder', pathsType: 'str' });
    assert.equal(msg.error?.code, 'PATH_NOT_IN_LIBRARY');
  });

  it('sends a backup that is complete', async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'stash-backups-'));
    try {
      const { payload } = await answer('backup', { download: true, folder, quickCheck: true });
      const { filename, bytes, checked } = payload as { filename: string; bytes: number; checked: string[] };
      assert.equal(statSync(path.join(folder, filename)).size, bytes);
      assert.ok(checked.includes('pageCount') || checked.includes('zip'), checked.join());
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('refuses a wrong key', async () => {
    const flow = await Flow.start({
      type: 'stash-status',
      server: { url, auth: 'apiKey' },
      credentials: { apiKey: 'wr0ng.k3y' },
    });
    const { msg } = await flow.ask();
    assert.equal(msg.error?.code, 'UNAUTHORIZED');
  });

  optional(generates, 'STASH_LIVE_GENERATE')('generates sprites', async () => {
    const { payload } = await answer('generate', { sprites: true });
    assert.equal((payload as { status: string }).status, 'STARTED');
  });

  optional(performer, 'STASH_LIVE_PERFORMER, a name')('finds a performer at the external site', async () => {
    const { payload } = await answer('performer-search', { source }, { payload: performer });
    assert.ok((payload as string[]).includes(performer ?? ''), 'the list contains the name');
    const scraped = await answer(
      'performer-scrape',
      { source, fields: performerFields },
      { payload: performer },
    );
    const { missing = [] } = scraped.stash ?? {};
    assert.deepEqual(
      Object.keys(scraped.payload as object),
      performerFields.filter((field) => !missing.includes(field)),
    );
  });
});

/** Declares a test that runs only if a variable is set. */
function optional(value: string | undefined, variable: string) {
  return (title: string, test: () => Promise<void>) =>
    value ? it(title, test) : it.skip(`${title} (runs only if you set ${variable})`, test);
}
