import assert from 'node:assert/strict';
import { Flow, useStandIn } from '../flow';

describe('stash-status', () => {
  const stash = useStandIn();
  const start = (properties: object) =>
    Flow.start({ type: 'stash-status', properties, server: { url: stash().url } });

  it('tells all five fields if the flow file says nothing', async () => {
    const { output, msg } = await (await start({})).ask();

    assert.equal(output, 1);
    const payload = msg.payload as Record<string, unknown>;
    assert.deepEqual(Object.keys(payload), [
      'databaseSchema',
      'databasePath',
      'configPath',
      'appSchema',
      'status',
    ]);
    assert.equal(payload['status'], 'OK');
    assert.equal(msg.stash?.summary, 'summary.told');
  });

  it('tells just the chosen fields', async () => {
    const { msg } = await (await start({ fields: ['appSchema'] })).ask();

    assert.deepEqual(Object.keys(msg.payload as object), ['appSchema']);
    assert.equal(msg.stash?.summary, 'summary.answered');
  });

  it('asks the server anew each time', async () => {
    const flow = await start({ fields: ['status'] });
    const before = await flow.ask();
    stash().status = 'NEEDS_MIGRATION';
    const after = await flow.ask();

    assert.deepEqual(before.msg.payload, { status: 'OK' });
    assert.deepEqual(after.msg.payload, { status: 'NEEDS_MIGRATION' });
  });
});
