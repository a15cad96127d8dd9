import assert from 'node:assert/strict';
import { setImmediate as immediately } from 'node:timers/promises';
import type { NodeAPI } from 'node-red';
import { addLinesRoute, addRoute, type EditorResponse } from '../../src/flow/routes/add-route';

type Handle = (request: object, response: Partial<EditorResponse>) => void;

/** What Node-RED offers to routes; `handle` is what a route does with a request. */
class Routes {
  handle: Handle = () => undefined;
  readonly logged: string[] = [];
  readonly RED = {
    log: { error: (error: unknown) => this.logged.push(String(error)) },
    auth: { needsPermission: () => undefined },
    httpAdmin: { post: (_path: string, _permission: unknown, handle: Handle) => (this.handle = handle) },
  } as unknown as NodeAPI;
}

const request = { is: () => true, body: {} };
const route = { name: 'test', permission: 'read' } as const;

describe('The response to a dialog', () => {
  it('in lines is not begun for a browser that has gone', () => {
    const routes = new Routes();
    addLinesRoute(routes.RED, route, () => {
      throw new Error('it is not begun');
    });
    // A response without any other method.
    routes.handle(request, { destroyed: true });
    assert.deepEqual(routes.logged, []);
  });

  it('logs an error, and does nothing else, if something has already responded', async () => {
    const routes = new Routes();
    // Express throws this if a middleware in settings.js has already responded.
    const sent = new Error('Cannot set headers after they are sent to the client');
    const fail = () => {
      throw sent;
    };
    for (const answer of [() => Promise.resolve({}), () => Promise.reject(new Error('a fault'))]) {
      addRoute(routes.RED, route, answer);
      routes.handle(request, { json: fail, sendStatus: fail, once: () => undefined });
      await immediately();
    }
    assert.deepEqual(routes.logged, [String(sent), 'Error: a fault', String(sent)]);
  });
});
