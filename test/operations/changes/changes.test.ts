import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { allKinds } from '../../../src/contract/kinds';
import { StashError } from '../../../src/errors';
import { type ChangesEvent, followChanges, type ItemEvent } from '../../../src/operations/changes/changes';
import { update } from '../../../src/operations/update';
import { timing } from '../../../src/timing';
import { json, send } from '../../fake-stash/answers';
import { FakeStash } from '../../fake-stash/fake-stash';
import { answerWhenTold, loseAnswer } from '../../fake-stash/faults';
import type { Plugin } from '../../fake-stash/plugins';
import type { Release } from '../../fake-stash/releases';
import { Message, options, TestServer } from '../../support/connect';
import { until } from '../../support/waiting';

const byNumber = (one: string, other: string) => one.localeCompare(other, 'en', { numeric: true });
const PLUGIN: Plugin = { id: 'node-red', name: 'Node-RED', version: '1.0.0', tasks: [], silent: true };

describe('What is created, changed and removed on a server', () => {
  const usual = structuredClone(timing.changes);
  const usualReconnect = timing.jobs.firstReconnect;
  let stash: FakeStash;
  let server: TestServer;
  let end = () => {};
  let events: ChangesEvent[];
  let kept: unknown;
  /** Whether the messages arrive, one after another; true without any. */
  let arrivals: boolean[];
  let wanted: ReturnType<Parameters<typeof followChanges>[1]['wanted']>;

  async function start(release: Release = 'v0.30.1', plugins = [PLUGIN]): Promise<void> {
    stash = await FakeStash.start({ release });
    stash.serverLog.every = 1;
    stash.plugins = plugins;
    server = new TestServer(options(stash.url), null);
    follow();
    await until(() => stash.sockets.subscribed.includes('loggingSubscribe') && events.length > 0);
  }

  function follow(): void {
    const heard = {
      read: () => Promise.resolve(kept === 'yesterday' ? { url: server.url, at: kept } : kept),
      set: (value: object) => (kept = value),
      save: () => {},
    };
    const delivered = () => Promise.resolve(arrivals.shift() ?? true);
    end = followChanges(server, { wanted: () => wanted, heard, delivered }, (event) => {
      events.push(event);
    });
  }

  beforeEach(() => {
    events = [];
    kept = undefined;
    arrivals = [];
    wanted = { kinds: allKinds, types: ['created', 'changed', 'removed'], fields: [], own: false };
    Object.assign(timing.changes, { check: 5, missingPoll: 5, firstRetry: 5 });
    timing.jobs.firstReconnect = 5;
  });
  afterEach(async () => {
    end();
    Object.assign(timing.changes, usual);
    timing.jobs.firstReconnect = usualReconnect;
    await server.close();
    await stash.stop();
  });

  const told = () =>
    events.flatMap((event) => {
      if (event.type === 'polled' || event.type === 'gap') return event.type === 'gap' ? ['gap'] : [];
      if (event.type === 'failed')
        return [event.error instanceof StashError ? event.error.case : String(event.error)];
      const { type, item, fields } = event;
      return [[type, item.kind, item.id, ...(fields ? [fields.join('+')] : [])].join(' ')];
    });

  function write(change: object, mark = '[Plugin / Node-RED] node-red-stash '): void {
    stash.serverLog.write('Trace', `${mark}${JSON.stringify({ change })}`);
  }

  const hook = (name: string, id: number | string, fields: string[] = [], sources: string[] = []) =>
    write({ hook: `${name}.Post`, id, fields, sources });

  /** Writes lines that arrive as one batch. */
  async function batch(write: () => void): Promise<void> {
    stash.serverLog.hold();
    write();
    await sleep(10 * stash.serverLog.every);
    stash.serverLog.release();
  }

  /** Resolves when these events, and no others, have come: a last one comes after all others. */
  async function expect(...expected: string[]): Promise<void> {
    await until(() => told().length >= expected.length);
    hook('Tag.Destroy', 999);
    await until(() => told().includes('removed tag 999'));
    assert.deepEqual(told().slice(0, -1), expected);
  }

  const requests = (operation: string) => stash.requests.filter((one) => one.operation === operation);
  /** As a user of Stash does in its page. */
  const edit = (id: string, rating: number) =>
    fetch(`${stash.url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        query: `mutation { sceneUpdate(input: { id: "${id}", rating100: ${rating} }) { id } }`,
      }),
    });

  it('is reported with the item as it is now, and what was set in the words of items', async () => {
    await start();
    await edit('1', 80);
    hook('Scene.Update', 1, ['id', 'rating100', 'tag_ids', 'code', 'cover_image', 'clientMutationId']);
    await expect('changed scene 1 rating+tags+code+picture');
    const changed = events.find(({ type }) => type === 'changed');
    assert.ok(changed?.type === 'changed');
    const { item, operation, missing } = changed;
    assert.deepEqual([(item as { rating?: number }).rating, operation, missing], [80, 'findScene', []]);
  });

  it('is told by v0.25 without the name of the plugin, of movies, and of markers without their fields', async () => {
    await start('v0.25.1');
    stash.groups.add({ id: '1', name: 'Two evenings' } as never);
    const call = { fields: [], sources: [] };
    write({ ...call, hook: 'Movie.Create.Post', id: 1 }, '[Plugin] node-red-stash ');
    await until(() => told().length > 0);
    write({ ...call, hook: 'SceneMarker.Create.Post', id: 7 }, '[Plugin] node-red-stash ');
    await expect('created group 1', 'created marker 7');
    const marker = events.find((event): event is ItemEvent => 'item' in event && event.item.id === '7');
    assert.deepEqual(marker?.item, { id: '7', kind: 'marker' });
    assert.ok(marker.missing.includes('seconds'));
  });

  it('is one message for what happens to an item at once, in the order of the last change', async () => {
    await start();
    await batch(() => {
      hook('Scene.Create', 1);
      hook('Scene.Create', 2);
      hook('Scene.Update', 3, ['id', 'title']);
      hook('Scene.Update', 1, ['id', 'title']);
      hook('Scene.Update', 3, ['id', 'rating100', 'title']);
      hook('Scene.Create', 4);
      hook('Scene.Destroy', 4);
    });
    await expect('created scene 2', 'created scene 1', 'changed scene 3 title+rating', 'removed scene 4');
    assert.equal(requests('findScene').length, 1);
  });

  it('has no fields where Stash does not tell all of them', async () => {
    await start();
    await batch(() => {
      hook('Scene.Update', 1);
      hook('Scene.Update', 1, ['id', 'title']);
    });
    await expect('changed scene 1');
  });

  it('is of some fields also where Stash does not tell all of them', async () => {
    await start();
    wanted = { ...wanted, types: ['changed'], fields: ['title'] };
    await batch(() => {
      hook('Scene.Update', 1);
      hook('Scene.Update', 1, ['id', 'title']);
    });
    await until(() => told().length > 0);
    assert.deepEqual(told(), ['changed scene 1']);
  });

  it('is a creation, and no change, also where creations are not wanted', async () => {
    await start();
    wanted = { ...wanted, types: ['changed', 'removed'] };
    await batch(() => {
      hook('Scene.Create', 1);
      hook('Scene.Update', 1, ['id', 'title']);
    });
    await expect();
  });

  it('has one word for what the inputs of several mutations name differently', async () => {
    await start();
    hook('Scene.Update', 1, ['group_ids', 'groups', 'movie_ids', 'movies', 'gallery_ids']);
    await expect('changed scene 1 groups+galleries');
  });

  it('is only what is wanted: some kinds, some events, changes of some fields', async () => {
    await start();
    wanted = { kinds: ['scene'], types: ['changed'], fields: ['rating'], own: false };
    hook('Image.Update', 1, ['id', 'rating100']);
    hook('Scene.Create', 1);
    hook('Scene.Update', 2, ['id', 'title']);
    hook('Scene.Update', 3);
    hook('Scene.Update', 4, ['ids', 'title', 'rating100']);
    await until(() => told().length > 0);
    assert.deepEqual(told(), ['changed scene 4 title+rating']);
  });

  it('is a change of the tag that stays, and the end of the others, when tags are merged', async () => {
    await start();
    hook('Tag.Merge', 1, [], ['2', '3']);
    await expect('removed tag 2', 'removed tag 3', 'changed tag 1');
  });

  it('leaves out an item that is gone when it is requested: that is told by itself', async () => {
    await start();
    hook('Scene.Update', 12345, ['id', 'title']);
    await expect();
  });

  it('is what the plugin writes, and nothing that looks like it', async () => {
    await start();
    const change = { hook: 'Scene.Destroy.Post', id: 1, fields: [], sources: [] };
    write(change, '[Plugin / Other] node-red-stash ');
    write(change, 'Scene “[Plugin / Node-RED] node-red-stash ');
    stash.serverLog.write('Info', `[Plugin / Node-RED] node-red-stash ${JSON.stringify({ change })}`);
    for (const wrong of [
      { hook: 'Scene.Destroy' },
      { hook: 'Scene.Explode.Post' },
      { hook: 'Wall.Destroy.Post' },
      { hook: ['Scene.Destroy.Post'] },
      { hook: { toString: 1 } },
      { id: { toString: 1 } },
      { id: [1] },
      { id: '1); DROP' },
      { id: 0 },
      { id: 1e30 },
      { id: null },
      { fields: 'title' },
      { fields: [1] },
      { fields: ['a'.repeat(61)] },
      { sources: { 0: '1' } },
      { sources: ['x'] },
    ]) {
      write({ ...change, ...wrong });
    }
    await expect();
  });

  it('is not lost beside a line with a great many items', async () => {
    await start();
    wanted = { ...wanted, kinds: ['scene', 'tag'], types: ['changed'] };
    await batch(() => {
      hook('Scene.Update', 1, ['id', 'title']);
      hook(
        'Tag.Merge',
        1,
        [],
        Array.from({ length: 200_000 }, (_, index) => String(index + 2)),
      );
    });
    await until(() => told().includes('changed scene 1 title'));
  });

  it('is requested in batches when there is much of it, and keeps its order', async () => {
    await start();
    const ids = Array.from({ length: 450 }, (_, index) => String(index + 1));
    await batch(() => {
      for (const id of ids) hook('Performer.Update', id, ['id', 'name']);
      for (const id of ids) hook('Scene.Destroy', id);
    });
    await until(() => told().length >= ids.length);
    const scenes = told().filter((one) => one.startsWith('removed'));
    // The fake server puts the last line of a batch first, with the same time as others.
    assert.deepEqual(
      scenes.sort(byNumber),
      ids.map((id) => `removed scene ${id}`),
    );
    assert.equal(requests('findPerformer').length, 3);
  });

  it('does not wait for an item that cannot be requested', async () => {
    await start();
    stash.answerWith(
      (request, response, body, execute) => {
        const isBad = Object.values(body?.variables ?? {}).includes('2');
        void (
          isBad ? Promise.resolve(json({ errors: [{ message: 'broken' }], data: null })) : execute()
        ).then((answer) => send(request, response, answer));
      },
      { field: 'findScene' },
    );
    await batch(() => {
      for (const id of [1, 2, 3]) hook('Scene.Update', id, ['id', 'title']);
    });
    hook('Scene.Update', 4, ['id', 'title']);
    await until(() => told().includes('changed scene 4 title'));
    assert.deepEqual([...new Set(told())].sort(), [
      'GRAPHQL.failed',
      'changed scene 1 title',
      'changed scene 3 title',
      'changed scene 4 title',
    ]);
    stash.answerNormally();
    await until(() => told().includes('changed scene 2 title'));
  });

  it('is requested again when that has failed, and nothing is lost', async () => {
    await start();
    stash.answerWith(json({ errors: [{ message: 'the database is locked' }], data: null }), {
      field: 'findScene',
    });
    hook('Scene.Update', 1, ['id', 'title']);
    await until(() => told().length > 0);
    const { length } = requests('findScene');
    hook('Scene.Update', 2, ['id', 'title']);
    hook('Scene.Update', 1, ['id', 'rating100']);
    // One after these lines requests both.
    await until(() => requests('findScene').length > length + 6);
    stash.answerNormally();
    await until(() => told().includes('changed scene 2 title'));
    const expected = ['GRAPHQL.failed', 'changed scene 1 title+rating', 'changed scene 2 title'];
    assert.deepEqual([...new Set(told())].sort(), expected.sort());
  });

  it('is reported again when it was lost because of a deploy', async () => {
    await start();
    arrivals = [false];
    hook('Scene.Update', 1, ['id', 'title']);
    await expect('changed scene 1 title', 'changed scene 1 title');
  });

  it('is not heard, for the next start, before it is reported', async () => {
    await start();
    timing.changes.firstRetry = 200;
    stash.answerWith(json({ errors: [{ message: 'the database is locked' }], data: null }), {
      field: 'findScene',
      times: 1,
    });
    hook('Scene.Update', 1, ['id', 'title']);
    await until(() => told().length > 0);
    const before = kept;
    hook('Scene.Update', 2, ['id', 'title']);
    await sleep(50);
    assert.deepEqual([kept, told()], [before, ['GRAPHQL.failed']]);
    await expect('GRAPHQL.failed', 'changed scene 1 title', 'changed scene 2 title');
  });

  it('is requested only where it is wanted', async () => {
    await start();
    wanted = { ...wanted, types: ['changed', 'removed'], fields: ['rating'] };
    await batch(() => {
      hook('Scene.Create', 1);
      hook('Scene.Update', 2, ['id', 'title']);
    });
    await expect();
    assert.deepEqual(requests('findScene'), []);
  });

  describe('of which this Node-RED is the cause', () => {
    const rate = (rating: number, ids: readonly string[]) =>
      update(
        server,
        {
          kind: 'scene',
          edits: [{ ids, changes: [{ field: 'rating', action: 'set', value: rating }] }],
          create: false,
          atMost: Infinity,
          dryRun: false,
        } as never,
        new Message(),
      );

    it('is left out, once for each item: what others do to it at the same time is not', async () => {
      await start();
      await rate(60, ['1', '2']);
      hook('Scene.Update', 1, ['title', 'id']);
      hook('Scene.Update', 1, ['rating100', 'ids']);
      hook('Scene.Update', 2, ['ids', 'rating100']);
      hook('Scene.Update', 2, ['ids', 'rating100']);
      await expect('changed scene 1 title', 'changed scene 2 rating');
    });

    it('is reported if that is wanted', async () => {
      await start();
      wanted = { ...wanted, own: true };
      await rate(60, ['1']);
      hook('Scene.Update', 1, ['rating100', 'ids']);
      await expect('changed scene 1 rating');
    });

    it('is left out when the response to a mutation is lost', async () => {
      await start();
      stash.answerWith(loseAnswer, { field: 'bulkSceneUpdate', times: 1 });
      await rate(60, ['1']);
      hook('Scene.Update', 1, ['rating100', 'ids']);
      await expect();
    });

    it('is left out also if it waits for what cannot be requested now', async () => {
      await start();
      Object.assign(timing.changes, { own: 50, firstRetry: 400 });
      stash.answerWith(json({ errors: [{ message: 'the database is locked' }], data: null }), {
        field: 'findScene',
        times: 1,
      });
      hook('Scene.Update', 2, ['id', 'title']);
      await until(() => told().length > 0);
      await rate(60, ['1']);
      hook('Scene.Update', 1, ['rating100', 'ids']);
      await expect('GRAPHQL.failed', 'changed scene 2 title');
    });

    it('is left out whatever a message has that is not sent', async () => {
      await start();
      const document = `mutation ($input: SceneUpdateInput!, $more: [SceneUpdateInput!]) {
        sceneUpdate(input: $input) { id } scenesUpdate(input: $more) { id }
      }`;
      stash.answerWith(json({ data: {} }), { field: 'sceneUpdate' });
      const variables = {
        input: { id: '1', title: 'x', details: undefined },
        more: [{ id: '2', title: 'x', details: undefined }],
      };
      await server.request({
        kind: 'mutation',
        call: new Message(),
        build: () => ({ rootField: 'sceneUpdate', document, variables, isWhole: true, read: () => '' }),
      });
      hook('Scene.Update', 1, ['title', 'id']);
      hook('Scene.Update', 2, ['title', 'id']);
      await expect();
    });

    it('is left out each time that a document changes an item', async () => {
      await start();
      const document = `mutation {
        sceneUpdate(input: { id: 1, title: "x" }) { id }
        again: sceneUpdate(input: { id: 1, title: "y" }) { id }
      }`;
      await server.request({
        kind: 'mutation',
        call: new Message(),
        build: () => ({ rootField: 'sceneUpdate', document, isWhole: true, read: () => '' }),
      });
      hook('Scene.Update', 1, ['title', 'id']);
      hook('Scene.Update', 1, ['title', 'id']);
      await expect();
    });

    it('is left out for as long as its line may come, and not after that', async () => {
      await start();
      timing.changes.own = 1;
      await rate(60, ['1']);
      await sleep(20);
      hook('Scene.Update', 1, ['rating100', 'ids']);
      await expect('changed scene 1 rating');
    });

    it('is left out of what a document creates, also before its response arrives', async () => {
      await start();
      const late = answerWhenTold();
      stash.answerWith(late.handler, { field: 'tagCreate' });
      const document = 'mutation { tagCreate(input: { name: "new" }) { id } }';
      const made = server.request({
        kind: 'mutation',
        call: new Message(),
        build: () => ({ rootField: 'tagCreate', document, read: (answer) => (answer as { id: string }).id }),
      });
      await until(() => stash.tags.some(({ name }) => name === 'new'));
      const id = stash.tags.find(({ name }) => name === 'new')?.id ?? '';
      hook('Tag.Create', '1');
      hook('Tag.Create', id);
      hook('Scene.Update', 1, ['id', 'title']);
      await until(() => told().includes('changed scene 1 title'));
      late.answer();
      await made;
      await expect('changed scene 1 title', 'created tag 1');
    });

    it('is left out by whatever names a document gives it, and of both hooks of a group', async () => {
      await start();
      const document = `mutation ($ids: [ID!]) {
        first: tagCreate(input: { name: "new" }) { name }
        sceneUpdate(input: { id: 1, title: "x" }) { id }
        scenesUpdate(input: [{ id: "2", title: "x" }, { id: "3", rating100: 1 }]) { id }
        tagsMerge(input: { source: ["2"], destination: "3" }) { id }
        tagsDestroy(ids: $ids)
        sceneMarkersDestroy(ids: ["7"])
        groupUpdate(input: { id: "1", name: "x" }) { id }
      }`;
      stash.answerWith(json({ data: { first: { name: 'new' } } }), { field: 'tagCreate' });
      await server.request({
        kind: 'mutation',
        call: new Message(),
        build: () => ({
          rootField: 'tagCreate',
          document,
          variables: { ids: ['4', '5'] },
          isWhole: true,
          read: () => '',
        }),
      });
      hook('Tag.Create', 1);
      hook('Scene.Update', 1, ['title', 'id']);
      hook('Scene.Update', 2, ['title', 'id']);
      hook('Scene.Update', 3, ['id', 'rating100']);
      hook('Tag.Merge', 3, [], ['2']);
      hook('Tag.Destroy', 4);
      hook('Tag.Destroy', 5);
      hook('SceneMarker.Destroy', 7);
      hook('Group.Update', 1, ['name', 'id']);
      hook('Movie.Update', 1, ['name', 'id']);
      await expect();
    });
  });

  it('is unknown while the log is not heard: that is one gap, from before the break', async () => {
    await start();
    await expect();
    const before = new Date().toISOString();
    stash.sockets.cut();
    await until(() => told().includes('gap'));
    hook('Scene.Update', 1, ['id', 'title']);
    await until(() => told().includes('changed scene 1 title'));
    assert.equal(told().filter((one) => one === 'gap').length, 1);
    const gap = events.find(({ type }) => type === 'gap');
    assert.ok(gap?.type === 'gap' && gap.since < before, JSON.stringify([gap, before, told()]));
  });

  it('is unknown since the last run, if that is kept, and not before the first one', async () => {
    await start();
    await expect();
    end();
    events = [];
    follow();
    await until(() => told().length > 0);
    assert.deepEqual(told(), ['gap']);
  });

  for (const [what, plugins, error] of [
    ['the plugin', [], 'UNSUPPORTED.noPlugin'],
    ['the plugin turned on', [{ ...PLUGIN, enabled: false }], 'UNSUPPORTED.pluginDisabled'],
  ] as const) {
    it(`is an error without ${what}, until it is there`, async () => {
      await start('v0.30.1', [...plugins]);
      assert.deepEqual([...new Set(told())], [error]);
      stash.plugins = [PLUGIN];
      await until(() => events.some(({ type }) => type === 'polled'));
      events = [];
      hook('Scene.Update', 1, ['id', 'title']);
      await expect('changed scene 1 title');
    });
  }

  it('is unknown from before the plugin was turned off, although the log was heard', async () => {
    await start();
    timing.changes.poll = 100;
    hook('Tag.Destroy', 1);
    await until(() => told().length > 0);
    const before = new Date().toISOString();
    stash.plugins = [{ ...PLUGIN, enabled: false }];
    const { now } = Date;
    Date.now = () => now() + 20_000;
    try {
      stash.serverLog.write('Info', 'something else');
      await until(() => told().includes('UNSUPPORTED.pluginDisabled'));
      stash.plugins = [PLUGIN];
      await until(() => told().includes('gap'));
    } finally {
      Date.now = now;
    }
    const gap = events.find(({ type }) => type === 'gap');
    assert.ok(gap?.type === 'gap' && gap.since < before, JSON.stringify([gap, before]));
  });

  it('is unknown since a time that is none of the future when the clock was set back', async () => {
    await start();
    const { now } = Date;
    Date.now = () => now() + 20_000;
    stash.serverLog.write('Info', 'something');
    await until(() => String((kept as { at?: string }).at) > new Date(now() + 10_000).toISOString());
    Date.now = now;
    stash.serverLog.write('Info', 'something else');
    await until(() => String((kept as { at?: string }).at) < new Date().toISOString());
  });

  it('is not unknown since a text that is no time', async () => {
    kept = 'yesterday';
    await start();
    await expect();
  });

  it('is unknown since the last run only of the same server', async () => {
    kept = { url: 'http://other', at: new Date().toISOString() };
    await start();
    await expect();
  });

  it('is an error of the server rather than of the WebSocket, if it has one', async () => {
    timing.changes.longestSilence = 10;
    stash = await FakeStash.start({ release: 'v0.30.1', apiKey: 'secret' });
    server = new TestServer(options(stash.url), null);
    follow();
    await until(() => told().length > 0);
    assert.equal(told()[0], 'UNAUTHORIZED.keyNeeded');
  });

  it('is an error without a WebSocket', async () => {
    timing.changes.longestSilence = 10;
    stash = await FakeStash.start({ release: 'v0.30.1' });
    stash.plugins = [PLUGIN];
    stash.sockets.refused = true;
    server = new TestServer(options(stash.url), null);
    follow();
    await until(() => told().length > 0);
    assert.equal(told()[0], 'UNSUPPORTED.noLog');
    stash.sockets.refused = false;
    await until(() => events.some(({ type }) => type === 'polled'));
  });
});
