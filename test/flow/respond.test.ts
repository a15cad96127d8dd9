import assert from 'node:assert/strict';
import { setImmediate as immediately } from 'node:timers/promises';
import type { NodeAPI } from 'node-red';
import { respond, respondInLines } from '../../src/flow/routes/respond';

describe('The response to a dialog', () => {
  it('in lines is not begun for a browser that has gone', () => {
    const gone = new Proxy({ destroyed: true } as Parameters<typeof respondInLines>[1], {
      get: (response, property) => {
        assert.equal(property, 'destroyed');
        return response.destroyed;
      },
    });
    respondInLines({} as NodeAPI, gone, () => {
      throw new Error('it is not begun');
    });
  });

  it('logs an error, and does nothing else, if something has already responded', async () => {
    const logged: unknown[] = [];
    const RED = { log: { error: (error: unknown) => logged.push(error) } } as unknown as NodeAPI;
    // Express throws this if a middleware in settings.js has already responded.
    const sent = new Error('Cannot set headers after they are sent to the client');
    const fail = () => {
      throw sent;
    };
    for (const answer of [() => Promise.resolve({}), () => Promise.reject(new Error('a fault'))]) {
      respond(RED, { json: fail, sendStatus: fail, once: () => undefined }, answer);
      await immediately();
    }

    assert.deepEqual(logged.map(String), [String(sent), 'Error: a fault', String(sent)]);
  });
});
