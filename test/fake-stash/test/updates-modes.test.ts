import assert from 'node:assert/strict';
import { type Client, servers } from './client';

const UPDATE = 'mutation ($input: BulkSceneUpdateInput!) { bulkSceneUpdate(input: $input) { id } }';
const TAGS = '{ findScene(id: 1) { tags { id } } }';

describe('Fake server: changes of several items', () => {
  const start = servers();
  const update = ({ value }: Client, input: object) =>
    value(UPDATE, { input: { ids: ['1', '2'], ...input } });
  const change = (ids: string[], mode: string) => ({ tag_ids: { ids, mode } });

  it('sets, adds and removes what items have, each once', async () => {
    const client = await start({ release: 'v0.30.1' });
    const tags = async () => await client.value(TAGS);
    await update(client, change(['1', '1'], 'SET'));
    await update(client, change(['1', '2'], 'ADD'));
    assert.deepEqual(await tags(), { tags: [{ id: '1' }, { id: '2' }] });
    await update(client, change(['1'], 'REMOVE'));
    assert.deepEqual(await tags(), { tags: [{ id: '2' }] });
  });

  it('keeps an address twice that is set twice, and adds none that is there', async () => {
    const client = await start({ release: 'v0.30.1' });
    await update(client, { urls: { values: ['https://a.example', 'https://a.example'], mode: 'SET' } });
    assert.deepEqual(await client.value('{ findScene(id: 1) { urls } }'), {
      urls: ['https://a.example', 'https://a.example'],
    });
    await update(client, { urls: { values: ['https://a.example', 'https://b.example'], mode: 'ADD' } });
    assert.deepEqual(await client.value('{ findScene(id: 2) { url urls } }'), {
      url: 'https://a.example',
      urls: ['https://a.example', 'https://b.example'],
    });
  });

  for (const [release, unknown] of [
    ['v0.17.2', 'getting scene by id 9: sql: no rows in result set'],
    ['v0.25.1', 'sql: no rows in result set'],
  ] as const) {
    it(`changes all or none: ${release}`, async () => {
      const client = await start({ release });
      const input = { ids: ['1', '9'], title: 'New' };
      assert.equal(await client.failure(UPDATE, { input }), unknown);
      const other = { ids: ['1'], title: 'New', ...change(['9'], 'ADD') };
      assert.match(String(await client.failure(UPDATE, { input: other })), /FOREIGN KEY constraint failed$/);
      assert.deepEqual(await client.value('{ findScene(id: 1) { title } }'), { title: 'Low Tide' });
    });
  }
});
