import assert from 'node:assert/strict';
import { setImmediate } from 'node:timers/promises';
import { followNew, type NewEvent, type NewItemsOptions } from '../../../src/operations/library/new-items';
import { type TestServer, useServer } from '../../support/connect';
import { until } from '../../support/waiting';

describe('The cursor of new items', () => {
  let server: TestServer;
  useServer((_, connected) => {
    server = connected;
  });
  let stop = () => {};

  /** What the store holds, and what was saved of it; the scenes after the second one are new. */
  let buffered: object;
  let saved: object[];

  beforeEach(() => {
    buffered = cursorOf(2);
    saved = [];
  });
  afterEach(() => {
    stop();
  });

  const cursorOf = (scenes: number) => ({ url: server.url, scene: scenes });

  /** Reports each new scene by itself. */
  function follow(emit: (event: NewEvent) => void, delivered: NewItemsOptions['delivered']): void {
    const cursors: NewItemsOptions['cursors'] = {
      read: () => Promise.resolve(buffered),
      set: (value) => (buffered = value),
      save: () => void saved.push(buffered),
    };
    const wanted = () => ({ kinds: ['scene'], each: true, picture: 'none' }) as const;
    stop = followNew(server, { wanted, cursors, delivered }, emit).end;
  }

  it('includes an item that arrives after the node was closed, and goes to the store again', async () => {
    let arrive: ((isThere: boolean) => void) | undefined;
    follow(
      () => undefined,
      () => new Promise((resolve) => (arrive = resolve)),
    );
    await until(() => arrive !== undefined);
    stop();
    assert.deepEqual(saved.at(-1), cursorOf(2));
    arrive?.(true);
    await until(() => saved.length > 1);
    assert.deepEqual(saved.at(-1), cursorOf(3));
  });

  it('goes to the store after a batch of items, not after each of them', async () => {
    let hasPolled = false;
    follow(
      ({ type }) => {
        hasPolled ||= type === 'polled';
      },
      async () => {
        await setImmediate();
        return true;
      },
    );
    await until(() => hasPolled);
    assert.deepEqual([...new Set(saved)], [cursorOf(5)]);
  });
});
