import assert from 'node:assert/strict';
import { runHook } from '../../fake-stash/hooks';
import { checkingOften, installPlugin, isHearing, mutate, rate } from '../../support/changes';
import { askedWords, Flow, type FlowOptions, shared, useFakeStash } from '../../support/flow';
import { helper } from '../../support/runtime';

/** Adds a tag to a scene, and creates it. */
const UPDATE = {
  id: 'update',
  type: 'stash-update',
  server: 'server1',
  kind: 'scene',
  create: true,
  changes: [{ field: 'tags', action: 'add', value: '[{"name":"Sea"}]', valueType: 'tag' }],
};

describe('stash-changes', () => {
  const stash = useFakeStash({ release: 'v0.30.1' });
  beforeEach(() => {
    stash().serverLog.every = 50;
    installPlugin(stash());
  });

  /** Starts the node, and resolves when it hears what happens. @param configs further nodes. */
  async function start(properties: object = {}, configs: FlowOptions['configs'] = []): Promise<Flow> {
    const flow = await Flow.start({
      type: 'stash-changes',
      properties: { kinds: ['scene', 'tag'], ...properties },
      server: { url: stash().url },
      configs,
    });
    await flow.until(() => isHearing(stash()));
    return flow;
  }

  /** The messages about items. A gap is what a node of an earlier test has not heard. */
  const about = (flow: Flow) => flow.sent.filter(({ topic }) => topic !== 'gap');
  const seen = (flow: Flow) =>
    about(flow).map(({ topic, payload }) => {
      const { kind, id, fields } = payload as { kind: string; id: string; fields?: string[] };
      return [topic, kind, id, fields];
    });

  it('reports what somebody changes, with the item and the fields that were set', async () => {
    await checkingOften(async () => {
      const flow = await start();
      await rate(stash(), '1', 80);
      await flow.until(() => about(flow).length === 1);
      const [msg] = about(flow);
      const { title, rating, fields } = msg?.payload as Record<string, unknown>;
      assert.deepEqual([msg?.topic, title, rating, fields], ['changed', 'Low Tide', 80, ['rating']]);
      assert.deepEqual(msg?.stash, {
        server: { name: 'nas', url: stash().url },
        operation: 'findScene',
        summary: 'summary.changed',
      });
      assert.deepEqual(askedWords.find(({ key }) => key === 'detail.fields')?.values, {
        names: 'fields.rating',
      });
      await flow.until(() => flow.statuses.at(-1)?.text === 'status.changed');
    });
  });

  it('reports only changes of the chosen fields, and everything else that happens', async () => {
    await checkingOften(async () => {
      const flow = await start({ fields: ['rating'] });
      await mutate(stash(), 'sceneUpdate(input: { id: 1, organized: true }) { id }');
      await mutate(
        stash(),
        'sceneUpdate(input: { id: 2, director: "Hana", details: "", organized: true, rating100: 20 }) { id }',
      );
      await mutate(stash(), 'tagCreate(input: { name: "Sea" }) { id }');
      await flow.until(() => about(flow).length === 2);
      assert.deepEqual(seen(flow), [
        ['changed', 'scene', '2', ['rating', 'organized', 'details', 'director']],
        ['created', 'tag', '3', undefined],
      ]);
    });
  });

  it('reports what a scan adds', async () => {
    await checkingOften(async () => {
      const flow = await start();
      stash().arrive({ path: '/media/videos/Night.mp4' });
      await mutate(stash(), 'metadataScan(input: {})');
      await flow.until(() => about(flow).length === 1);
      assert.deepEqual(seen(flow), [['created', 'scene', '6', undefined]]);
    });
  });

  it('reports only the id and the kind of what was removed', async () => {
    await checkingOften(async () => {
      const flow = await start({ removed: true });
      const [scene] = stash().library.all('scene');
      if (scene) stash().library.remove(scene);
      runHook(stash(), 'scene.Destroy', '1');
      await flow.until(() => about(flow).length === 1);
      assert.equal(about(flow)[0]?.topic, 'removed');
      assert.deepEqual(about(flow)[0]?.payload, { id: '1', kind: 'scene' });
    });
  });

  it('reports what happens to an item in a batch of the log as one message', async () => {
    await checkingOften(async () => {
      const flow = await start({ removed: true });
      stash().serverLog.every = 0;
      stash().serverLog.hold();
      for (const rating of [20, 40]) await rate(stash(), '1', rating);
      await mutate(stash(), 'sceneUpdate(input: { id: 1, organized: true }) { id }');
      await mutate(stash(), 'tagCreate(input: { name: "Sea" }) { id }');
      runHook(stash(), 'tag.Update', '3', ['id', 'name']);
      for (const hook of ['tag.Update', 'tag.Destroy']) runHook(stash(), hook, '1', ['id', 'name']);
      await rate(stash(), '2', 20);
      stash().serverLog.release();
      await flow.until(() => about(flow).length === 4);
      assert.deepEqual(seen(flow), [
        ['changed', 'scene', '1', ['rating', 'organized']],
        ['created', 'tag', '3', undefined],
        ['removed', 'tag', '1', undefined],
        ['changed', 'scene', '2', ['rating']],
      ]);
    });
  });

  for (const own of [false, true]) {
    it(`${own ? 'reports' : 'leaves out'} what an update node changes and creates, as the dialog says`, async () => {
      await checkingOften(async () => {
        const flow = await start({ own }, [UPDATE]);
        helper.getNode(UPDATE.id).receive({ payload: '1' });
        const updates = () => stash().requests.filter(({ operation }) => operation === 'bulkSceneUpdate');
        await flow.until(() => updates().some(({ endedAt }) => endedAt < Infinity));
        await rate(stash(), '2', 60);
        await flow.until(() => about(flow).length === (own ? 3 : 1));
        assert.deepEqual(seen(flow), [
          ...(own
            ? [
                ['created', 'tag', '3', undefined],
                ['changed', 'scene', '1', ['tags']],
              ]
            : []),
          ['changed', 'scene', '2', ['rating']],
        ]);
      });
    });
  }

  it('reports one gap if a part of the log is missing, and what happens after it', async () => {
    await checkingOften(async () => {
      const flow = await start();
      await rate(stash(), '1', 20);
      await flow.until(() => about(flow).length === 1);
      const { length: before } = flow.sent;
      stash().sockets.cut();
      await flow.until(() => flow.sent.length > before);
      await rate(stash(), '1', 40);
      await flow.until(() => about(flow).length === 2);
      const [gap, ...others] = flow.sent.slice(before);
      const { since } = gap?.payload as { since: string };
      assert.deepEqual([gap?.topic, gap?.stash?.summary, others.length], ['gap', 'summary.gap', 1]);
      assert.ok(Math.abs(Date.parse(since) - Date.now()) < 60_000);
    });
  });

  it('ends in one error while Stash lacks the plugin, and begins once that is installed', async () => {
    await checkingOften(async () => {
      stash().plugins = [];
      const flow = await Flow.start({
        type: 'stash-changes',
        properties: { kinds: ['scene'] },
        server: { url: stash().url },
      });
      const checks = () => stash().requests.filter(({ body }) => body?.query?.includes('id version enabled'));
      await flow.until(() => checks().length >= 3);
      assert.deepEqual(
        flow.ownErrors.map(({ error }) => error?.code),
        ['UNSUPPORTED'],
      );
      assert.ok(askedWords.some(({ key }) => key === shared('errors.UNSUPPORTED.noPlugin.text')));
      installPlugin(stash());
      await flow.until(() => flow.statuses.at(-1)?.fill !== 'red');
      await rate(stash(), '1', 80);
      await flow.until(() => about(flow).length === 1);
      assert.equal(flow.ownErrors.length, 1);
    });
  });
});
