import assert from 'node:assert/strict';
import { Flow, useStandIn } from '../flow';

describe('stash-scan', () => {
  // With jobs that still run when they are looked at, however busy the machine is.
  const stash = useStandIn({ jobSeconds: 60 });

  it('starts a scan and answers with the job', async () => {
    const flow = await Flow.start({ type: 'stash-scan', server: { url: stash().url } });
    const { output, msg } = await flow.ask({ payload: 'anything', topic: 'kept' });

    assert.equal(output, 1);
    assert.deepEqual(msg.payload, { id: '1', status: 'STARTED' });
    assert.equal(msg['topic'], 'kept');
    assert.deepEqual(msg.stash, {
      server: { name: 'nas', url: stash().url },
      operation: 'metadataScan',
      summary: 'summary.started',
    });
    assert.equal(stash().jobs.find('1')?.status, 'RUNNING');
  });

  it('sends an empty input, as the interface document describes it', async () => {
    const flow = await Flow.start({ type: 'stash-scan', server: { url: stash().url } });
    await flow.ask();

    assert.deepEqual(stash().requests.at(-1)?.body, {
      query: 'mutation ($input: ScanMetadataInput!) { metadataScan(input: $input) }',
      variables: { input: {} },
    });
  });

  it('is triggered by any message and starts a job for each', async () => {
    const flow = await Flow.start({ type: 'stash-scan', server: { url: stash().url } });
    const ends = [
      await flow.ask(),
      await flow.ask({ payload: null }),
      await flow.ask({ payload: { deep: [1] } }),
    ];

    assert.deepEqual(
      ends.map(({ msg }) => (msg.payload as { id: string }).id),
      ['1', '2', '3'],
    );
  });
});
