import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { Flow, useFakeStash } from '../support/flow';
import { helper, nodeRedProgram } from '../support/runtime';
import { hasten } from '../support/tempo';
import { passTimeLimit } from '../support/time-limit';
import { html, json } from '../fake-stash/answers';
import { answerWhenTold, cut, silence } from '../fake-stash/faults';
import { FakeStash } from '../fake-stash/fake-stash';

/** The part of Node-RED's own utilities that the debug node uses. */
interface Encoding {
  encodeObject: (message: { msg: unknown }) => { msg: unknown };
}

describe('the life of a message', () => {
  hasten();
  const stash = useFakeStash();
  const server = (more: object = {}) => ({ url: stash().url, ...more });
  /** Returns the operations sent, except for the introspection before the first. */
  const sent = () =>
    stash().requests.flatMap(({ operation }) => (operation === 'version' ? [] : [operation]));

  it('gives each of two hundred messages its own result', async () => {
    const flow = await Flow.start({ type: 'stash-studios', server: server() });
    const ids = Array.from({ length: 200 }, (_, index) => flow.send({ topic: index }));
    await flow.until(() => ids.every((id) => flow.hasEnded(id)));

    for (const [index, id] of ids.entries()) {
      const { output, msg } = flow.endOf(id);
      assert.deepEqual([output, msg['topic'], msg._msgid], [1, index, id]);
      assert.equal((msg.payload as object[]).length, 6);
    }
  });

  it('starts two hundred jobs for two hundred messages, none twice', async () => {
    const flow = await Flow.start({ type: 'stash-scan', server: server() });
    const ids = Array.from({ length: 200 }, () => flow.send());
    await flow.until(() => ids.every((id) => flow.hasEnded(id)));

    const jobs = new Set(ids.map((id) => (flow.endOf(id).msg.payload as { id: string }).id));
    assert.equal(jobs.size, 200);
    assert.equal(sent().filter((operation) => operation === 'metadataScan').length, 200);
  });

  it('keeps the properties of other nodes and replaces msg.stash', async () => {
    const properties = { fields: ['status'] };
    const flow = await Flow.start({ type: 'stash-status', properties, server: server() });
    const { msg } = await flow.ask({ req: { any: 'thing' }, stash: { error: 'of an earlier node', job: 1 } });

    assert.deepEqual(msg['req'], { any: 'thing' });
    assert.deepEqual(Object.keys(msg.stash ?? {}), ['server', 'operation', 'summary']);
  });

  it('leaves payload and topic unchanged on an error', async () => {
    const flow = await Flow.start({ type: 'stash-scan', server: { url: 'http://127.0.0.1:1' } });
    const { msg } = await flow.ask({
      payload: 'mine',
      topic: 'kept',
      stash: { summary: 'of an earlier node' },
    });

    assert.equal(msg.payload, 'mine');
    assert.equal(msg['topic'], 'kept');
    assert.deepEqual(msg.stash, {
      server: { name: 'nas', url: 'http://127.0.0.1:1' },
      summary: `@stash-flows/node-red-stash/server:preface.failedOnServer ${msg.error?.message}`,
      error: {
        code: 'UNREACHABLE',
        status: null,
        remedy: '@stash-flows/node-red-stash/server:errors.UNREACHABLE.refusedHere.remedy',
        retry: true,
      },
    });
    assert.equal(msg.error?.code, 'UNREACHABLE');
    assert.equal(msg.error.source.id, 'tested');
  });

  it('shows the whole error in the debug sidebar if there is no Catch node', async () => {
    const options = { type: 'stash-scan', server: { url: 'http://127.0.0.1:1' } };
    const flow = await Flow.start({ ...options, withoutCatch: true });
    flow.send();
    const logged = () =>
      helper
        .log()
        .args.flat()
        .find(({ level }) => level === helper.log().ERROR)?.msg;
    await flow.until(() => logged() !== undefined);

    const words = '@stash-flows/node-red-stash/server:errors.UNREACHABLE.refusedHere';
    // Does what the debug node does with a logged error before it goes to the browser as JSON.
    const { util } = createRequire(nodeRedProgram)('@node-red/util') as { util: Encoding };
    const { msg } = util.encodeObject({ msg: logged() });
    assert.equal(JSON.parse(JSON.stringify(msg)), `${words}.text ${words}.remedy`);
  });

  it('sends no request for a message with reset, and drops the message', async () => {
    const flow = await Flow.start({ type: 'stash-scan', server: server() });
    const id = flow.send({ reset: true });
    await flow.until(() => flow.isDropped(id));

    assert.deepEqual(sent(), []);
  });

  for (const type of ['nodes', 'full'] as const) {
    it(`goes on in the next node if it arrives while its node closes (${type})`, async () => {
      const options = { type: 'stash-scan', server: server() };
      const flow = await Flow.start(options);
      const node = helper.getNode('tested');
      node.on('close', () => {
        node.receive({ _msgid: 'late' });
      });
      await flow.redeploy({ ...options, properties: { name: 'changed' } }, type);
      await flow.until(() => flow.sent.length > 0);

      assert.deepEqual(
        flow.sent.map(({ _msgid }) => _msgid),
        ['late'],
      );
    });
  }

  for (const type of ['stash-jobs', 'stash-new']) {
    it(`${type} reports to a Catch node, once, that its server cannot be used`, async () => {
      const flow = await Flow.start({ type, server: { url: 'http://nas', auth: 'apiKey' } });
      await flow.until(() => flow.ownErrors.length > 0);
      await flow.redeploy({ type, server: { url: 'http://nas', auth: 'apiKey' }, properties: {} });

      const codes = flow.ownErrors.map(({ error, stash }) => [error?.code, stash?.error?.code]);
      assert.deepEqual(codes, [['UNAUTHORIZED', 'UNAUTHORIZED']]);
      assert.equal(flow.firstStatus?.fill, 'red');
    });
  }

  describe('ends in one error that a Catch node receives', () => {
    const mistakes: [what: string, type: string, code: string, properties: object, server: object | null][] =
      [
        ['no server is chosen', 'stash-scan', 'NO_SERVER', {}, null],
        ['the address is empty', 'stash-scan', 'NO_SERVER', {}, { url: '' }],
        [
          'a time limit is not a number',
          'stash-scan',
          'NO_SERVER',
          {},
          { url: 'http://nas', timeout: 'long' },
        ],
        ['the address is not text', 'stash-scan', 'NO_SERVER', {}, { url: 5 }],
        ['the way to sign in is unknown', 'stash-scan', 'UNAUTHORIZED', {}, { url: 'http://nas', auth: 'x' }],
        ['the server is not an id', 'stash-scan', 'NO_SERVER', { server: 5 }, { url: 'http://nas' }],
        ['the key is missing', 'stash-scan', 'UNAUTHORIZED', {}, { url: 'http://nas', auth: 'apiKey' }],
        ['no kind is ticked', 'stash-generate', 'BAD_INPUT', {}, { url: 'http://nas' }],
        ['a field is unknown', 'stash-status', 'BAD_INPUT', { fields: ['secret'] }, { url: 'http://nas' }],
      ];
    for (const [what, type, code, properties, settings] of mistakes) {
      it(`if ${what}; a red ring and a warning in the log say so as soon as it is deployed`, async () => {
        const flow = await Flow.start({ type, properties, server: settings });
        const { args, WARN } = helper.log();
        const warnings = args.flat().filter(({ id, level }) => id === 'tested' && level === WARN);
        assert.equal(warnings.length, 1);
        assert.match(String(warnings[0]?.msg), new RegExp(`errors\\.${code}\\.\\w+\\.remedy$`));
        const ends = [await flow.ask({ payload: 'Robin' }), await flow.ask({ payload: 'Robin' })];

        for (const { msg } of ends) {
          assert.equal(msg.error?.code, code);
          assert.equal(msg.stash?.error?.code, code);
          assert.equal(msg.stash.error.retry, false);
        }
        assert.deepEqual(flow.firstStatus, {
          fill: 'red',
          shape: 'ring',
          text: `@stash-flows/node-red-stash/server:errors.${code}.label`,
        });
      });
    }

    const faults: [what: string, code: string, fail: () => void, isPending?: () => boolean][] = [
      [
        'a web page arrives',
        'NOT_STASH',
        () => {
          stash().answerWith(html(200, '<html>hello</html>'));
        },
      ],
      [
        'the server requires a key',
        'UNAUTHORIZED',
        () => {
          stash().apiKey = 'abc';
        },
      ],
      [
        'the server is not set up',
        'SERVER_STATE',
        () => {
          stash().status = 'SETUP';
        },
      ],
      [
        'the server is silent before the mutation',
        'TIMEOUT',
        () => {
          stash().answerWith(silence);
        },
        () => stash().requests.length > 0,
      ],
      [
        'the server is silent after the mutation',
        'OUTCOME_UNKNOWN',
        () => {
          stash().answerWith(silence, { field: 'metadataScan' });
        },
        () => sent().includes('metadataScan'),
      ],
      [
        'the connection breaks each time',
        'UNREACHABLE',
        () => {
          stash().answerWith(cut);
        },
      ],
      [
        'the server reports an error',
        'GRAPHQL',
        () => {
          stash().answerWith(json({ errors: [{ message: 'no' }], data: null }));
        },
      ],
    ];
    for (const [what, code, fail, isPending] of faults) {
      it(`if ${what}; the mutation is sent at most once, and the next message works`, async () => {
        const flow = await Flow.start({ type: 'stash-scan', server: server() });
        fail();
        const ask = () => flow.ask();
        const { msg } = await (isPending ? passTimeLimit(30, ask, isPending) : ask());

        assert.equal(msg.error?.code, code);
        assert.ok(sent().filter((operation) => operation === 'metadataScan').length <= 1);
        stash().answerNormally();
        stash().apiKey = '';
        stash().status = 'OK';
        assert.equal((await flow.ask()).output, 1);
      });
    }
  });

  describe('at a redeploy', () => {
    it('holds up nothing although the server does not respond', async () => {
      const options = { type: 'stash-scan', server: server() };
      const flow = await Flow.start(options);
      stash().answerWith(silence);
      flow.send();
      await flow.until(() => stash().requests.length > 0);
      const start = performance.now();
      await flow.redeploy({ ...options, properties: { name: 'changed' } });

      assert.ok(performance.now() - start < 1000);
    });

    it('of the config node alone goes on, and the next request uses the new settings', async () => {
      const flow = await Flow.start({ type: 'stash-status', server: server({ timeout: 20 }) });
      const { handler, answer } = answerWhenTold();
      stash().answerWith(handler);
      const id = flow.send();
      await flow.until(() => stash().requests.length === 1);
      const signsIn = { auth: 'apiKey', timeout: 10 };
      stash().apiKey = 'abc';
      await flow.redeploy({ type: 'stash-status', server: server(signsIn), credentials: { apiKey: 'abc' } });
      answer();
      await flow.until(() => flow.hasEnded(id));

      assert.equal(flow.endOf(id).output, 1);
      assert.equal((await flow.ask()).output, 1);
      const keys = stash().requests.map(({ headers }) => headers['apikey']);
      assert.deepEqual([keys[0], keys.at(-1)], [undefined, 'abc']);
    });
  });

  describe('shows under the node', () => {
    it('"busy", and then the result', async () => {
      const flow = await Flow.start({ type: 'stash-studios', server: server() });
      await flow.ask();
      await flow.until(() => flow.statuses.length === 2);

      assert.deepEqual(flow.statuses, [
        { fill: 'blue', shape: 'dot', text: 'status.busy' },
        { fill: 'green', shape: 'dot', text: 'status.listed' },
      ]);
    });

    it('whether the server is reachable, if the node is idle', async () => {
      const { port } = stash();
      const flow = await Flow.start({ type: 'stash-scan', server: server(), idle: 'stash-status' });
      await flow.ask();
      await flow.until(() => flow.idleStatuses.length === 1);
      await stash().stop();
      assert.equal((await flow.ask()).msg.error?.code, 'UNREACHABLE');
      await flow.until(() => flow.idleStatuses.length === 2);
      const again = await FakeStash.start({ port });
      await flow.ask();
      await flow.until(() => flow.idleStatuses.length === 3);

      assert.deepEqual(
        flow.idleStatuses.map(({ fill, shape }) => `${fill ?? ''} ${shape ?? ''}`),
        ['green ring', 'red ring', 'green ring'],
      );
      await again.stop();
    });
  });
});
