import assert from 'node:assert/strict';
import { Flow, useFakeStash } from '../support/flow';
import { helper } from '../support/runtime';

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

  it('creates a tag whose name is a year', async () => {
    const changes = [{ field: 'tags', action: 'add', value: 'topic', valueType: 'msg' }];
    await ask({ changes, create: true }, { payload: '1', topic: '2024' });
    assert.deepEqual(tagsOf('1'), ['2024']);
  });
});
