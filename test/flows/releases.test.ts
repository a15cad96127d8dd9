import assert from 'node:assert/strict';
import { Flow, type FlowOptions } from '../support/flow';
import { samples } from '../support/nodes';
import { helper } from '../support/runtime';
import { type Release, releases } from '../fake-stash/releases';
import { FakeStash } from '../fake-stash/fake-stash';
import { checkTable } from '../support/table';
import { hasten, TEMPO } from '../support/tempo';

const columns = Object.fromEntries(samples().flatMap(([, { releases }]) => Object.entries(releases)));

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
  const rows: string[][] = [];

  for (const release of releases) {
    it(release, async () => {
      const stash = await FakeStash.start({ tempo: TEMPO, release });
      try {
        const cells: string[] = [];
        for (const column of Object.values(columns)) cells.push(await column(stash));
        for (const mode of Object.values(signInModes)) cells.push(await signIn(release, mode));
        rows.push([release === 'documented' ? 'as documented' : release, ...cells]);
      } finally {
        await helper.unload();
        await stash.stop();
      }
    });
  }

  it('the table in docs/releases.md shows the results', async () => {
    await checkTable('docs/releases.md', 'releases', [
      ['release', ...Object.keys(columns), ...Object.keys(signInModes)],
      ...rows,
    ]);
  });

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
