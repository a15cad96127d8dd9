import assert from 'node:assert/strict';
import { askedWords, Flow, type FlowOptions, shared } from '../support/flow';
import { sample as tasks } from './task/sample';
import { samples } from '../support/nodes';
import { helper } from '../support/runtime';
import { type Release, releases } from '../fake-stash/releases';
import { FakeStash } from '../fake-stash/fake-stash';
import { allKinds } from '../../src/contract/kinds';
import { documentedFields, performerFields } from '../../src/contract/performers';
import { updateKinds } from '../../src/contract/update';
import type { Sample } from '../support/sample';
import { extendSchema } from '../support/schema';
import { checkTable } from '../support/table';
import { hasten, TEMPO } from '../support/tempo';

/** What is tried with each release. */
const trials: Sample['releases'] = Object.fromEntries(
  samples().flatMap(([, { releases: own }]) => Object.entries(own)),
);

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
  /** By release, what does not fully work, and the result. */
  const exceptions = new Map<Release, [what: string, result: string][]>();

  for (const release of releases) {
    it(release, async () => {
      const stash = await FakeStash.start({ tempo: TEMPO, release });
      try {
        const results: [what: string, result: string][] = [];
        for (const [what, run] of Object.entries(trials)) results.push([what, await run(stash)]);
        for (const [what, mode] of Object.entries(signInModes)) {
          results.push([what, await signIn(release, mode)]);
        }
        exceptions.set(
          release,
          results.filter(([, result]) => result !== 'works'),
        );
      } finally {
        await helper.unload();
        await stash.stop();
      }
    });
  }

  it('a server with the documented operations alone lacks the others', () => {
    assert.deepEqual(Object.fromEntries(exceptions.get('documented') ?? []), {
      ...Object.fromEntries(Object.keys(tasks.releases).map((what) => [what, 'UNSUPPORTED'])),
      ...Object.fromEntries(allKinds.map((kind) => [`find ${kind}`, 'UNSUPPORTED'])),
      ...Object.fromEntries(updateKinds.map((kind) => [`update ${kind}`, 'UNSUPPORTED'])),
      // The fake server has these lists beside the documented operations.
      'find scene': 'without performers, rating, organized, playCount, oCounter',
      'find image': 'without performers',
      'find gallery': 'without performers',
      'performer save': 'UNSUPPORTED',
      'performer scrape': `without ${performerFields.slice(documentedFields.length).join(', ')}`,
      studios: 'without organized',
      'new items': 'UNSUPPORTED',
      playback: 'UNSUPPORTED',
      changes: 'UNSUPPORTED',
      player: 'UNSUPPORTED',
      'latest version': 'without latestVersion',
      statistics: 'without stats',
    });
  });

  it('a server before v0.8 is UNSUPPORTED at the Catch node of every node, with the release that is needed', async () => {
    const stash = await FakeStash.start({ tempo: TEMPO, release: 'v0.9.0' });
    extendSchema(stash, { has: { Query: ['jobStatus'] } });
    try {
      // A pause sends nothing.
      const { pause, ...asking } = trials;
      assert.ok(pause);
      for (const [what, run] of Object.entries(asking)) {
        assert.equal(await run(stash), 'UNSUPPORTED', what);
        const text = askedWords.find(({ key }) => key === shared('errors.UNSUPPORTED.tooOld.text'));
        assert.equal(text?.values['since'], 'v0.8.0', what);
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

  it('the table in docs/releases.md shows all exceptions', () => {
    const rows = new Map<string, Release[]>();
    for (const [release, list] of exceptions) {
      if (release === 'documented') continue;
      for (const [what, result] of list) {
        // The names of fields and codes are code.
        const row = `${what} | ${result.replace(/\w*[A-Z_]\w*|problems/g, '`$&`')}`;
        rows.set(row, [...(rows.get(row) ?? []), release]);
      }
    }
    const cells = [...rows].sort().map(([row, found]) => {
      const oldest = releases.filter((release) => release !== 'documented').slice(0, found.length);
      const isUpTo = found.join() === oldest.join();
      return [...row.split(' | '), isUpTo ? `up to ${found.at(-1) ?? ''}` : found.join(', ')];
    });
    checkTable('docs/releases.md', 'releases', [['what', 'result', 'releases'], ...cells]);
  });

  /** Returns the result for a server with credentials and a node that signs in like this. */
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
