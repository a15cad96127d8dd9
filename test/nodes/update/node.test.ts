import assert from 'node:assert/strict';
import type { Updated } from '../../../src/operations/update';
import { Flow, useFakeStash } from '../../support/flow';
import { helper } from '../../support/runtime';

describe('stash-update', () => {
  const stash = useFakeStash({ release: 'v0.30.1' });
  const ask = async (properties: object, msg: object = {}) => {
    const flow = await Flow.start({ type: 'stash-update', properties, server: { url: stash().url } });
    const { msg: end } = await flow.ask(msg);
    await helper.unload();
    return end;
  };
  /** Returns the names of the tags of a scene. */
  const tagsOf = (id: string) => {
    const scene = stash()
      .library.all('scene')
      .find((one) => one.id === id);
    assert.ok(scene);
    const ids = stash().library.changes.get(scene)?.tags ?? [];
    return stash()
      .tags.filter((tag) => ids.includes(tag.id))
      .map(({ name }) => name);
  };

  for (const [what, value, valueType] of [
    ['text of the dialog', '69', 'str'],
    ['JSON', '["69"]', 'json'],
    ['text of the message', 'topic', 'msg'],
    ['an object of an expression', '{ "name": topic }', 'jsonata'],
  ] as const) {
    it(`adds the tag named 69, and not the one whose ID is 69: ${what}`, async () => {
      stash().tags = [
        { id: '5', name: '69' },
        { id: '69', name: 'Sea' },
      ];
      const changes = [{ field: 'tags', action: 'add', value, valueType }];
      await ask({ changes }, { payload: '1', topic: '69' });
      assert.deepEqual(tagsOf('1'), ['69']);
    });
  }

  it('takes what was chosen and new names side by side, as the dialog stores them', async () => {
    stash().tags = [{ id: '5', name: 'Sea' }];
    const changes = [
      { field: 'tags', action: 'add', value: '["5",{"name":"Fog"}]', valueType: 'tag' },
      { field: 'studio', action: 'set', value: '{"name":"Tin Boat"}', valueType: 'studio' },
    ];
    const { payload } = await ask({ changes, create: true }, { payload: '1' });
    assert.deepEqual(
      (payload as Updated).created.map(({ kind, name }) => [kind, name]),
      [
        ['tag', 'Fog'],
        ['studio', 'Tin Boat'],
      ],
    );
    assert.deepEqual(tagsOf('1'), ['Sea', 'Fog']);
  });

  describe('with an expression that has `item` in it', () => {
    const payload = [
      { id: '1', kind: 'scene', paths: ['/media/Sea/a.mp4'] },
      { id: '2', kind: 'scene', paths: ['/media/Sea/b.mp4'] },
      { id: '3', kind: 'scene', paths: ['/media/2024/c.mp4'] },
      { id: '4', kind: 'scene', paths: ['/media/d.mp4'] },
    ];
    const tag = (value: string) => [{ field: 'tags', action: 'add', value, valueType: 'jsonata' }];
    const folder = '$split(item.paths[0], "/")[-2]';

    it('evaluates it for each item of a list, beside what else the message has', async () => {
      const changes = tag(`[${folder}, topic & $count(payload)]`);
      const { payload: result } = await ask({ changes, create: true }, { payload, topic: 'of ' });
      assert.deepEqual((result as Updated).ids, ['1', '2', '3', '4']);
      const tags = ['1', '2', '3', '4'].map(tagsOf);
      assert.deepEqual(tags, [
        ['Sea', 'of 4'],
        ['Sea', 'of 4'],
        ['of 4', '2024'],
        ['of 4', 'media'],
      ]);
    });

    it('evaluates it for each item also where it begins at `msg`, as Node-RED allows', async () => {
      const changes = tag('msg.topic & $split(item.paths[0], "/")[-2]');
      const { payload: result } = await ask({ changes, create: true }, { payload, topic: 'of ' });
      assert.deepEqual((result as Updated).ids, ['1', '2', '3', '4']);
      assert.deepEqual(['1', '2', '3', '4'].map(tagsOf), [['of Sea'], ['of Sea'], ['of 2024'], ['of media']]);
    });

    it('adds nothing to an item for which it gives an empty list, and counts it as unchanged', async () => {
      const changes = tag(`${folder} = "media" ? [] : ${folder}`);
      const msg = await ask({ changes, create: true, dryRun: true }, { payload });
      const { ids, unchanged, created } = msg.payload as Updated;
      assert.deepEqual([ids, unchanged], [['1', '2', '3'], ['4']]);
      assert.deepEqual(
        created,
        ['Sea', '2024'].map((name) => ({ kind: 'tag', id: null, name })),
      );
    });

    it('takes an object with the ID for an item of which nothing else is given', async () => {
      await ask({ changes: tag('"Number " & item.id'), create: true }, { payload: [1, '2', { id: '3' }] });
      assert.deepEqual(['1', '2', '3'].map(tagsOf), [['Number 1'], ['Number 2'], ['Number 3']]);
    });

    it('changes nothing if it gives no value for one of the items', async () => {
      const { error } = await ask(
        { changes: tag('item.id = "3" ? item.nothing : "Sea"'), create: true },
        { payload },
      );
      assert.equal(error?.code, 'BAD_INPUT');
      assert.ok(!stash().requests.some(({ body }) => body?.query?.startsWith('mutation')));
    });
  });

  it('creates a tag whose name is a year', async () => {
    const changes = [{ field: 'tags', action: 'add', value: 'topic', valueType: 'msg' }];
    await ask({ changes, create: true }, { payload: '1', topic: '2024' });
    assert.deepEqual(tagsOf('1'), ['2024']);
  });
});
