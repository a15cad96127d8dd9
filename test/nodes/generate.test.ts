import assert from 'node:assert/strict';
import { Flow, useStandIn } from '../flow';

describe('stash-generate', () => {
  const stash = useStandIn();
  const start = (properties: object) =>
    Flow.start({ type: 'stash-generate', properties, server: { url: stash().url } });

  it('generates the kinds that are ticked and sends the others as false', async () => {
    const flow = await start({ sprites: true, markers: true, previews: false });
    const { output, msg } = await flow.ask();

    assert.equal(output, 1);
    assert.deepEqual(msg.payload, { id: '1', status: 'STARTED' });
    assert.equal(msg.stash?.operation, 'metadataGenerate');
    assert.deepEqual(stash().requests.at(-1)?.body?.variables, {
      input: { sprites: true, previews: false, imagePreviews: false, markers: true, transcodes: false },
    });
  });

  it('asks nothing if no kind is ticked', async () => {
    const flow = await start({ sprites: false });
    const { msg } = await flow.ask();

    assert.equal(msg.error?.code, 'BAD_INPUT');
    assert.deepEqual(stash().requests, []);
  });
});
