import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Flow, useFakeStash } from '../../support/flow';
import { helper } from '../../support/runtime';

describe('The folder in the dialog of a backup, before it is deployed', () => {
  const stash = useFakeStash();
  let folder: string;

  before(() => helper.startServer());
  after(() => helper.stopServer());
  beforeEach(async () => {
    folder = mkdtempSync(path.join(tmpdir(), 'node-red-stash-'));
    await Flow.start({ type: 'stash-backup', server: { url: stash().url } });
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const check = async (properties: object): Promise<object> => {
    const body = { id: 'server1', node: 'tested', properties: { download: true, ...properties } };
    return (await helper.request().post('/stash-server/folder').send(body).expect(200)).body as object;
  };

  it('can be used if Node-RED can write to it', async () => {
    assert.deepEqual(await check({ folder, folderType: 'str' }), {});
    writeFileSync(path.join(folder, 'file'), '');
    const file = path.join(folder, 'file');
    assert.deepEqual(await check({ folder: file, folderType: 'str' }), {
      case: 'DISK.noFolder',
      details: { folder: file },
    });
    assert.deepEqual(stash().requests, []);
  });

  it('may be missing, also where an environment variable names it', async () => {
    const missing = path.join(folder, 'missing');
    process.env['BACKUPS_OF_TEST'] = missing;
    const refusal = { case: 'DISK.noFolder', details: { folder: missing } };
    for (const [value, folderType] of [
      [missing, 'str'],
      ['${BACKUPS_OF_TEST}', 'str'],
      ['BACKUPS_OF_TEST', 'env'],
    ])
      assert.deepEqual(await check({ folder: value, folderType }), refusal);
    delete process.env['BACKUPS_OF_TEST'];
  });

  it('is not checked unless the backup goes to one', async () => {
    const missing = { folder: path.join(folder, 'missing') };
    assert.deepEqual(await check({ ...missing, folderType: 'message' }), {});
    assert.deepEqual(await check({ ...missing, download: false }), {});
  });
});
