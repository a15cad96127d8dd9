import assert from 'node:assert/strict';
import { setImmediate } from 'node:timers/promises';
import { followNew, type NewEvent, type NewItemsOptions } from '../../../src/operations/library/new-items';
import { type TestServer, useServer } from '../../support/connect';
import { until } from '../../support/waiting';

describe('The position of new items', () => {
  let server: TestServer;
  useServer((_, connected) => {
    server = connected;
  });
  let stop = () => {};

  /** What the store holds, and what was saved of it; the scenes after the second one are new. */
  let held: object;
  let saved: object[];

  beforeEach(() => {
    held = positionOf(2);
    saved = [];
  });
  afterEach(() => {
    stop();
  });

  const positionOf = (scenes: number) => ({ url: server.url, scene: scenes });

  /** Reports each new scene by itself. */
  function follow(emit: (event: NewEvent) => void, delivered: NewItemsOptions['delivered']): void {
    const positions: NewItemsOptions['positions'] = {
      read: () => Promise.resolve(held),
      set: (value) => (held = value),
      save: () => void saved.push(held),
    };
    const wanted = () => ({ kinds: ['scene'], each: true, picture: 'none' }) as const;
    stop = followNew(server, { wanted, positions, delivered }, emit).end;
  }

  it('includes an item that arrives after the node was closed, and goes to the store again', async () => {
    let arrive: ((isThere: boolean) => void) | undefined;
    follow(
      () => undefined,
      () => new Promise((resolve) => (arrive = resolve)),
    );
    await until(() => arrive !== undefined);
    stop();
    assert.deepEqual(saved.at(-1), positionOf(2));
    arrive?.(true);
    await until(() => saved.length > 1);
    assert.deepEqual(saved.at(-1), positionOf(3));
  });

  it('goes to the store after a batch of items, not after each of them', async () => {
    let hasLooked = false;
    follow(
      ({ type }) => {
        hasLooked ||= type === 'looked';
      },
      async () => {
        await setImmediate();
        return true;
      },
    );
    await until(() => hasLooked);
    assert.deepEqual([...new Set(saved)], [positionOf(5)]);
  });
});
