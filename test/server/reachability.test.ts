import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { status } from '../../src/operations/library/status';
import { studios } from '../../src/operations/library/studios';
import type { ReachEvent } from '../../src/records';
import type { Reachability } from '../../src/server/reachability';
import { Server } from '../../src/server/server';
import { text } from '../fake-stash/answers';
import { FakeStash } from '../fake-stash/fake-stash';
import { cut } from '../fake-stash/faults';
import type { Release } from '../fake-stash/releases';
import { failure, Message, options } from '../support/connect';

describe('The reachability of a server', () => {
  let stash: FakeStash;
  let server: Server;

  /** Replaces the running server with another release. */
  async function upgrade(release: Release): Promise<void> {
    const { port } = stash;
    await stash.stop();
    stash = await FakeStash.start({ release, port });
  }

  beforeEach(async () => {
    stash = await FakeStash.start({ release: 'v0.30.1' });
    server = new Server(options(stash.url));
  });
  afterEach(async () => {
    await server.close();
    await stash.stop();
  });

  const list = () => studios(server, { fields: ['name'] }, new Message());

  it('is reported, with the release, when it is first known and at each change', async () => {
    const reports: Reachability[] = [];
    const unwatch = server.reachability.subscribe((reach) => reports.push(reach));
    const events: ReachEvent[] = [];
    const unfollow = server.reachability.follow((event) => events.push(event));
    assert.deepEqual(reports, []);
    await list();
    await upgrade('v0.28.1');
    stash.answerWith(cut);
    await failure(list());
    await failure(list());
    stash.answerNormally();
    await list();
    unwatch();
    unfollow();
    await stash.stop();
    await failure(list());

    assert.deepEqual(reports, [
      { reachable: true, release: 'v0.30.1', back: false },
      { reachable: false },
      { reachable: true, release: 'v0.28.1', back: true },
    ]);
    assert.deepEqual(
      events.map(({ since, ...event }) => [event, new Date(since).toISOString() === since]),
      [
        [{ type: 'away', url: stash.url, release: 'v0.30.1' }, true],
        [{ type: 'back', url: stash.url, release: 'v0.28.1' }, true],
      ],
    );
    const late: Reachability[] = [];
    server.reachability.subscribe((reach) => late.push(reach));
    await sleep(0);
    assert.deepEqual(late, [{ reachable: false }]);
  });

  it('says since when and why the server is unreachable', async () => {
    const outage = () => server.reachability.outage;
    await list();
    assert.equal(outage(), undefined);
    const { port } = stash;
    await stash.stop();
    const before = new Date();
    await failure(list());
    const since = outage()?.since;
    assert.ok(since && since >= before);
    assert.equal(outage()?.reason.case, 'UNREACHABLE.refusedHere');
    stash = await FakeStash.start({ release: 'v0.30.1', port });
    stash.answerWith(text(502, ''));
    await failure(list());
    assert.equal(outage()?.since, since);
    assert.equal(outage()?.reason.status, 502);
    stash.answerNormally();
    await list();
    assert.equal(outage(), undefined);
  });

  it('tells which error was only that of an outage, once the server is back', async () => {
    await list();
    stash.answerWith(text(502, ''));
    const gateway = await failure(list());
    assert.ok(!server.reachability.hasRecoveredFrom(gateway));
    stash.answerNormally();
    await list();
    assert.ok(server.reachability.hasRecoveredFrom(gateway));
    stash.apiKey = 'a-key';
    assert.ok(!server.reachability.hasRecoveredFrom(await failure(list())));
  });

  it('is correct after a request fails later than a newer one has succeeded', async () => {
    await list();
    const reports: Reachability[] = [];
    server.reachability.subscribe((reach) => reports.push(reach));
    let lose: (() => void) | undefined;
    stash.answerWith(cut, { field: 'systemStatus', times: 1 });
    stash.answerWith(
      (_request, response) => {
        lose = () => response.destroy();
      },
      { field: 'systemStatus' },
    );
    const lost = failure(status(server, { fields: ['status'] }, new Message()));
    while (!lose) await sleep(1);
    await list();
    lose();
    await lost;
    await list();

    assert.deepEqual(reports.slice(1), [
      { reachable: false },
      { reachable: true, release: 'v0.30.1', back: true },
    ]);
  });
});
