import assert from 'node:assert/strict';
import type { NodeAPI } from 'node-red';
import { helper } from '../../support/runtime';
import { until } from '../../support/waiting';
import { addLinesRoute, addRoute } from '../../../src/flow/routes/add-route';

const route = { name: 'test', permission: 'read' } as const;

describe('The response to a dialog', () => {
  before(() => helper.startServer());
  afterEach(() => helper.unload());
  after(() => helper.stopServer());

  /** Sends a request to a route that something else has answered before, as a middleware in settings.js may do. */
  async function post(how: 'json' | 'destroy', add: (RED: NodeAPI) => void): Promise<void> {
    const prepare = (RED: NodeAPI) => {
      RED.httpAdmin.post('/stash-server/test', (_request, response, next) => {
        if (how === 'json') response.json({});
        else response.destroy();
        next();
      });
      add(RED);
    };
    await helper.load([prepare], [], {});
    await helper
      .request()
      .post('/stash-server/test')
      .send({})
      .catch(() => undefined);
  }

  function errors(): string[] {
    const { args, ERROR } = helper.log();
    return args.flatMap(([entry]) => (entry?.level === ERROR ? [String(entry.msg)] : []));
  }

  it('in lines is not begun for a browser that has gone', async () => {
    let isBegun = false;
    await post('destroy', (RED) => {
      addLinesRoute(RED, route, () => {
        isBegun = true;
        return Promise.resolve();
      });
    });
    assert.equal(isBegun, false);
    assert.deepEqual(errors(), []);
  });

  for (const [what, answer, own] of [
    ['with an answer', () => Promise.resolve({}), []],
    ['with an error', () => Promise.reject(new Error('a fault')), ['Error: a fault']],
  ] as const) {
    it(`logs that something has already responded, and does nothing else: ${what}`, async () => {
      await post('json', (RED) => {
        addRoute(RED, route, answer);
      });
      await until(() => errors().length > own.length);
      assert.deepEqual(errors().slice(0, -1), own);
      assert.match(errors().at(-1) ?? '', /Cannot set headers after they are sent/);
    });
  }
});
