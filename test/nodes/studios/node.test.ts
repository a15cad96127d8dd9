import assert from 'node:assert/strict';
import { Flow, useFakeStash } from '../../support/flow';

describe('stash-studios', () => {
  const stash = useFakeStash();
  const ask = async (properties: object) => {
    const flow = await Flow.start({ type: 'stash-studios', properties, server: { url: stash().url } });
    return await flow.ask({ topic: 'kept' });
  };

  it('lists all studios with only the chosen fields', async () => {
    const { output, msg } = await ask({ fields: ['name', 'scene_count'] });
    const studios = msg.payload as { name: string }[];

    assert.equal(output, 1);
    assert.equal(studios.length, 6);
    assert.deepEqual(studios[0], { name: 'Blue Kettle', scene_count: 12 });
    assert.equal(msg['topic'], 'kept');
    assert.equal(msg.stash?.operation, 'allStudios');
  });

  it('requests all fields except the checksum by default', async () => {
    const { msg } = await ask({});
    const [studio] = msg.payload as object[];

    assert.deepEqual(Object.keys(studio ?? {}), ['id', 'url', 'name', 'image_path', 'scene_count']);
  });
});
