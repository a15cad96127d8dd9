import assert from 'node:assert/strict';
import { askedWords, Flow, type FlowOptions, shared } from '../support/flow';
import { samples } from '../support/nodes';
import { helper } from '../support/runtime';
import { type Release, releases } from '../fake-stash/releases';
import { FakeStash } from '../fake-stash/fake-stash';
import type { Sample } from '../support/sample';
import { extendSchema } from '../support/schema';
import { checkTable } from '../support/table';
import { hasten, TEMPO } from '../support/tempo';

/** The columns of each table. */
const tables = new Map<string, Sample['releases']>();
for (const [, { table = 'releases', releases: columns }] of samples()) {
  tables.set(table, { ...tables.get(table), ...columns });
}

/** The two ways to sign in. */
const signInModes = {
  'API key': { server: { auth: 'apiKey' }, credentials: { apiKey: 'a-k3y' } },
  'user and password': {
    server: { auth: 'session' },
    credentials: { username: 'amy', password: 's3cret' },
  },
};

describe('Every node works with every release:', () => {
  hasten();
  const rows = new Map<string, string[][]>();

  for (const release of releases) {
    it(release, async () => {
      const stash = await FakeStash.start({ tempo: TEMPO, release });
      try {
        for (const [table, columns] of tables) {
          const cells: string[] = [];
          for (const column of Object.values(columns)) cells.push(await column(stash));
          if (table === 'releases') {
            for (const mode of Object.values(signInModes)) cells.push(await signIn(release, mode));
          }
          const row = [release === 'documented' ? 'as documented' : release, ...cells];
          rows.set(table, [...(rows.get(table) ?? []), row]);
        }
      } finally {
        await helper.unload();
        await stash.stop();
      }
    });
  }

  it('a server before v0.8 is UNSUPPORTED at the Catch node of every node, with the release that is needed', async () => {
    const stash = await FakeStash.start({ tempo: TEMPO, release: 'v0.9.0' });
    extendSchema(stash, { has: { Query: ['jobStatus'] } });
    try {
      for (const columns of tables.values()) {
        for (const [name, column] of Object.entries(columns)) {
          assert.equal(await column(stash), 'UNSUPPORTED', name);
          const text = askedWords.find(({ key }) => key === shared('errors.UNSUPPORTED.tooOld.text'));
          assert.equal(text?.values['since'], 'v0.8.0', name);
        }
      }
      const queries = stash.requests.map(({ body }) => String(body?.query));
      assert.deepEqual(
        queries.filter((query) => !query.includes('__type')),
        [],
      );
    } finally {
      await helper.unload();
      await stash.stop();
    }
  });

  for (const [table, columns] of tables) {
    it(`the table of ${table} in docs/releases.md shows the results`, async () => {
      const modes = table === 'releases' ? Object.keys(signInModes) : [];
      const head = ['release', ...Object.keys(columns), ...modes];
      await checkTable('docs/releases.md', table, [head, ...(rows.get(table) ?? [])]);
    });
  }

  /** Returns the table cell for a server with credentials and a node that signs in like this. */
  async function signIn(
    release: Release,
    mode: Pick<FlowOptions, 'server' | 'credentials'>,
  ): Promise<string> {
    const { apiKey, ...credentials } = {
      ...signInModes['API key'].credentials,
      ...signInModes['user and password'].credentials,
    };
    const stash = await FakeStash.start({ tempo: TEMPO, release, apiKey, credentials });
    try {
      const server = { url: stash.url, ...mode.server };
      const flow = await Flow.start({ type: 'stash-scan', ...mode, server });
      const ends = [await flow.ask(), await flow.ask()];
      assert.ok(stash.requests.filter(({ path }) => path === '/login').length <= 1);
      return ends.map(({ msg }) => msg.error?.code ?? 'works').find((cell) => cell !== 'works') ?? 'works';
    } finally {
      await helper.unload();
      await stash.stop();
    }
  }
});
