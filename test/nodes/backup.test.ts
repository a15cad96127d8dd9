import assert from 'node:assert/strict';
import { useFakeTimers } from 'sinon';
import { Flow, useStandIn } from '../flow';

describe('stash-backup', () => {
  const stash = useStandIn();
  const start = (properties: object, server: object = {}) =>
    Flow.start({ type: 'stash-backup', properties, server: { url: stash().url, ...server } });

  it('makes a backup on the disk of the server', async () => {
    const flow = await start({ download: false });
    const { output, msg } = await flow.ask();

    assert.equal(output, 1);
    const { seconds, ...rest } = msg.payload as { seconds: number };
    assert.ok(seconds >= 0 && seconds < 5);
    assert.deepEqual(rest, { checked: false });
    assert.equal(msg.stash?.operation, 'backupDatabase');
    assert.deepEqual(stash().requests.at(-1)?.body?.variables, { input: { download: false } });
  });

  it('gives a link that works', async () => {
    const flow = await start({ download: true });
    const { msg } = await flow.ask();
    const { link } = msg.payload as { link: string };

    assert.ok(link.startsWith(`${stash().url}/downloads/`));
    const backup = await fetch(link);
    assert.equal(backup.status, 200);
    assert.ok((await backup.text()).startsWith('SQLite format 3\0'));
  });

  it('tells that the server refuses a second backup within a second', async () => {
    const flow = await start({});
    // It stands still, as otherwise a new second may begin between the two.
    const clock = useFakeTimers({ toFake: ['Date'] });
    try {
      const ends = [await flow.ask(), await flow.ask()];
      assert.deepEqual(
        ends.map(({ msg }) => msg.error?.code),
        [undefined, 'GRAPHQL'],
      );
      assert.equal(ends[1]?.msg.stash?.error?.status, 200);
    } finally {
      clock.restore();
    }
  });

  it('is made while the server waits for its migration, but not before it is set up', async () => {
    const flow = await start({});
    stash().status = 'SETUP';
    assert.equal((await flow.ask()).msg.error?.code, 'SERVER_STATE');
    assert.equal(stash().requests.at(-1)?.operation, 'systemStatus');
    stash().status = 'NEEDS_MIGRATION';
    assert.equal((await flow.ask()).output, 1);
  });
});
