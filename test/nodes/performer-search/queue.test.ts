import assert from 'node:assert/strict';
import { Flow, type FlowOptions, type Message, useFakeStash } from '../../support/flow';
import { helper } from '../../support/runtime';
import { hasten } from '../../support/tempo';

const CATALOGUE = '@stash-flows/node-red-stash/server:';
/** An error of the site, which servers pass on. One second is the shortest pause that a site can request. */
const BUSY = 'http error 429:Too Many Requests, Retry-After: 1';

describe('queued look-ups', () => {
  hasten();
  const stash = useFakeStash();
  const options = (server: object = {}): FlowOptions => ({
    type: 'stash-performer-search',
    server: { url: stash().url, pause: 0, ...server },
  });
  const search = (server: object = {}) => Flow.start(options(server));

  /** Sends all names, and waits until all messages have ended. */
  async function askAll(flow: Flow, names: readonly string[]): Promise<Message[]> {
    const ids = names.map((payload) => flow.send({ payload }));
    await flow.until(() => ids.every((id) => flow.hasEnded(id)));
    return ids.map((id) => flow.endOf(id).msg);
  }

  describe('show under their node', () => {
    it('how many messages wait', async () => {
      const flow = await search({ pause: 0.4 });
      const messages = await askAll(flow, ['Hana', 'Robin', 'Amara', 'Zoë']);

      assert.ok(messages.every(({ error }) => error === undefined));
      await flow.until(() => flow.statuses.at(-1)?.fill === 'green');
      const shown = flow.statuses.map(({ fill, shape, text }) => [fill, shape, text].join(' '));
      // The status is set every second, often to the same text.
      assert.deepEqual(
        [...new Set(shown)],
        ['blue dot status.busy', `blue ring ${CATALOGUE}queue.waiting`, 'green dot status.found'],
      );
    });

    it('that the site refuses requests, until the site accepts them again', async () => {
      stash().site.failure = BUSY;
      const flow = await search();
      const ids = ['Hana', 'Robin'].map((payload) => flow.send({ payload }));
      await flow.until(() => flow.statuses.some(({ text }) => text === `${CATALOGUE}queue.refused`));
      stash().site.failure = undefined;
      await flow.until(() => ids.every((id) => flow.hasEnded(id)));
      await flow.until(() => flow.statuses.at(-1)?.text === 'status.found');

      const refused = flow.statuses.find(({ text }) => text === `${CATALOGUE}queue.refused`);
      assert.deepEqual([refused?.fill, refused?.shape], ['yellow', 'ring']);
    });
  });

  describe('at a site that refuses requests', () => {
    it('end with SITE_REFUSED when their retry time is over', async () => {
      stash().site.failure = BUSY;
      const flow = await search({ retryFor: 1.5 / 60 });
      const { msg } = await flow.ask({ payload: 'Hana' });

      assert.equal(stash().site.calls.length, 2);
      assert.equal(msg.error?.code, 'SITE_REFUSED');
      assert.equal(msg.payload, 'Hana');
      assert.deepEqual(msg.stash?.error, {
        code: 'SITE_REFUSED',
        status: 200,
        remedy: `${CATALOGUE}errors.SITE_REFUSED.refused.remedy`,
        retry: true,
      });
    });

    it('are dropped by a reset, including the one being retried', async () => {
      stash().site.failure = BUSY;
      const flow = await search();
      const ids = ['Hana', 'Robin'].map((payload) => flow.send({ payload }));
      await flow.until(() => flow.statuses.some(({ text }) => text === `${CATALOGUE}queue.refused`));
      flow.send({ reset: true });
      await flow.until(() => ids.every((id) => flow.isDropped(id)));

      const { length } = stash().site.calls;
      await flow.until(() => flow.statuses.at(-1)?.text === undefined);
      assert.equal(stash().site.calls.length, length);
    });
  });

  describe('are limited', () => {
    it('to nodeMessageBufferMaxLength, and further ones end with QUEUE_FULL', async () => {
      helper.settings({ nodeMessageBufferMaxLength: 2 });
      stash().site.delay = 50;
      const messages = await askAll(await search(), ['Hana', 'Robin', 'Amara', 'Zoë', 'Marco']);

      const codes = messages.map(({ error }) => error?.code);
      assert.deepEqual(codes, [undefined, undefined, undefined, 'QUEUE_FULL', 'QUEUE_FULL']);
      assert.deepEqual([messages[3]?.payload, messages[3]?.stash?.error?.retry], ['Zoë', true]);
    });

    it('to 1,000 by default', async () => {
      stash().site.delay = 60_000;
      const flow = await search();
      const ids = Array.from({ length: 1010 }, (_, index) => flow.send({ payload: `name ${index}` }));
      await flow.until(() => flow.hasEnded(ids.at(-1) ?? ''));
      const full = ids.filter((id) => flow.hasEnded(id));
      flow.send({ reset: true });
      await flow.until(() =>
        ids.every((id, index) => index === 0 || flow.hasEnded(id) || flow.isDropped(id)),
      );

      assert.deepEqual(full, ids.slice(1001));
      for (const id of full) assert.equal(flow.endOf(id).msg.error?.code, 'QUEUE_FULL');
    });
  });
});
