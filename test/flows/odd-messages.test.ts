import assert from 'node:assert/strict';
import { Flow, type Message, useFakeStash } from '../support/flow';
import { silence } from '../fake-stash/faults';

/** Messages that a function node may create, each with a given id. */
const throwing: Record<string, (id: string) => object> = {
  'a getter that throws': (_msgid) => withGetter({ _msgid }, 'extra', new Error('no')),
  'a getter that throws something without a text': (_msgid) =>
    withGetter({ _msgid }, 'extra', Object.create(null)),
  'a getter that throws deep inside': (_msgid) => ({
    _msgid,
    extra: [withGetter({}, 'inner', new Error('no'))],
  }),
  'objects nested 100,000 deep': (_msgid) => ({ _msgid, extra: nested(100_000) }),
  'a payload that throws': (_msgid) => withGetter({ _msgid }, 'payload', new Error('no')),
  'a stash that throws': (_msgid) => withGetter({ _msgid }, 'stash', new Error('no')),
};

/** Node-RED does not copy an HTTP request: neither a getter that throws nor a large object in it matters. */
const request = (_msgid: string) => ({ _msgid, req: withGetter({}, 'session', new Error('no')) });

/** Messages whose properties can be read and copied, but not set. */
const readOnly: Record<string, (id: string) => object> = {
  'a payload that has only a getter': (_msgid) =>
    Object.defineProperty({ _msgid }, 'payload', { get: () => 'Hana', enumerable: true, configurable: true }),
  'a payload from a class': (_msgid) => Object.assign(new Payload(), { _msgid }),
  'a stash that cannot be set': (_msgid) =>
    Object.defineProperty({ _msgid, payload: 'Hana' }, 'stash', { value: {}, enumerable: true }),
  'nothing that can be set, as it is frozen': (_msgid) => Object.freeze({ _msgid, payload: 'Hana' }),
  'no prototype': (_msgid) => Object.assign(Object.create(null) as object, { _msgid, payload: 'Hana' }),
  'a proxy that refuses to be set': (_msgid) => new Proxy({ _msgid, payload: 'Hana' }, { set: () => false }),
};

class Payload {
  get payload(): string {
    return 'Hana';
  }
}

describe('an unusual message of a function node', () => {
  const stash = useFakeStash();
  const server = () => ({ url: stash().url, pause: 0 });
  const scans = () => stash().requests.filter(({ operation }) => operation === 'metadataScan').length;

  for (const wires of [['output1'], ['output1', 'elsewhere']]) {
    it(`with an HTTP request goes on to ${wires.length} nodes, which all get the same request`, async () => {
      const flow = await Flow.start({ type: 'stash-status', server: server(), wires });
      const id = flow.deliver(request);
      await flow.until(() => flow.hasEnded(id));
      const { output, msg } = flow.endOf(id);

      assert.equal(output, 1);
      assert.throws(() => (msg['req'] as { session: unknown }).session, /no/);
    });
  }

  for (const times of [1, 2, 3, 4, 5, 6]) {
    it(`with a getter that throws after ${times} reads ends once`, async () => {
      const flow = await Flow.start({
        type: 'stash-status',
        server: server(),
        wires: ['output1', 'elsewhere'],
        withoutComplete: true,
      });
      let read = 0;
      const id = flow.deliver((_msgid) =>
        Object.defineProperty({ _msgid }, 'extra', {
          get: () => {
            assert.ok(++read <= times, 'read too often');
          },
          enumerable: true,
        }),
      );
      await flow.until(() => flow.caught(id).length + flow.sentOn(id).length > 0);
      const next = flow.send();
      await flow.until(() => flow.sentOn(next).length > 0);

      assert.equal(flow.caught(id).length + flow.sentOn(id).length, 1);
    });
  }

  for (const [what, make] of Object.entries(throwing)) {
    it(`with ${what} ends once, and the next message works`, async () => {
      const flow = await Flow.start({ type: 'stash-scan', server: server() });
      const id = flow.deliver(make);
      await flow.until(() => flow.hasEnded(id));
      const { output, msg } = flow.endOf(id);

      if (output === undefined) {
        assert.equal(msg.error?.code, 'BAD_INPUT');
        assert.equal(msg.stash?.error?.code, 'BAD_INPUT');
        assert.equal(msg.stash.operation, 'metadataScan');
      }
      assert.equal(scans(), 1);
      assert.equal((await flow.ask()).output, 1);
    });

    it(`with ${what} reaches the Catch node with its code if the server is unreachable`, async () => {
      await caughtWithoutServer(make);
    });

    it(`with ${what} does not prevent other messages from ending with CLOSED at a deploy`, async () => {
      const options = { type: 'stash-scan', server: server() };
      const flow = await Flow.start(options);
      stash().answerWith(silence);
      const ids = [flow.send(), flow.deliver(make), flow.send(), flow.send()];
      await flow.until(() => stash().requests.length > 0);
      await flow.redeploy({ ...options, properties: { name: 'changed' } });
      await flow.until(() => ids.every((id) => flow.hasEnded(id)));

      for (const id of ids) assert.equal(flow.endOf(id).msg.stash?.error?.code, 'CLOSED');
      assert.deepEqual(flow.statuses.slice(1), [{ fill: undefined, shape: undefined, text: undefined }]);
    });

    it(`with ${what} ends once although Node-RED cannot copy it for a second wire`, async () => {
      const flow = await Flow.start({
        type: 'stash-status',
        server: server(),
        wires: ['output1', 'elsewhere'],
        withoutComplete: true,
      });
      const id = flow.deliver(make);
      await flow.until(() => flow.caught(id).length + flow.sentOn(id).length > 0);
      // When a later message has ended, the first one would have ended a second time.
      const next = flow.send();
      await flow.until(() => flow.sentOn(next).length > 0);

      assert.equal(flow.caught(id).length + flow.sentOn(id).length, 1);
    });
  }

  for (const [what, make] of Object.entries(readOnly)) {
    it(`with ${what} gets its result`, async () => {
      const flow = await Flow.start({ type: 'stash-performer-search', server: server() });
      const id = flow.deliver(make);
      await flow.until(() => flow.hasEnded(id));

      const { output, msg } = flow.endOf(id);
      assert.deepEqual([output, msg.payload], [1, ['Hana Mori']]);
      assert.equal(msg.stash?.operation, 'scrapeSitePerformerList');
    });

    it(`with ${what} reaches the Catch node with msg.stash`, async () => {
      assert.equal((await caughtWithoutServer(make)).payload, 'Hana');
    });
  }

  it('that another node spoils during the request ends with an error, and holds up no redeploy', async () => {
    const options = { type: 'stash-status', server: server() };
    const flow = await Flow.start(options);
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();
    const msg = { payload: 'Hana' };
    const id = flow.deliver((_msgid) => Object.assign(msg, { _msgid }));
    const set = () => {
      // A revoked proxy throws even at `instanceof`.
      throw proxy as unknown as Error;
    };
    const get = () => 'Hana';
    Object.defineProperty(msg, 'payload', { set, get, enumerable: true, configurable: true });
    await flow.until(() => flow.hasEnded(id));
    assert.match(String(flow.endOf(id).msg.error?.message), /instanceof|proxy/i);
    await flow.redeploy({ ...options, properties: { name: 'changed' } });
  });

  it('with reset does not block the next message, although Node-RED cannot copy it for a Complete node', async () => {
    const flow = await Flow.start({ type: 'stash-scan', server: server() });
    flow.deliver((_msgid) => withGetter({ _msgid, reset: true }, 'extra', new Error('no')));

    assert.equal((await flow.ask()).output, 1);
    assert.equal(scans(), 1);
  });
});

/** Returns what the Catch node receives for a message to an unreachable server. */
async function caughtWithoutServer(make: (id: string) => object): Promise<Message> {
  const flow = await Flow.start({ type: 'stash-scan', server: { url: 'http://127.0.0.1:1' } });
  const id = flow.deliver(make);
  await flow.until(() => flow.hasEnded(id));

  const { msg } = flow.endOf(id);
  assert.equal(msg.error?.code, 'UNREACHABLE');
  assert.equal(msg.stash?.error?.code, 'UNREACHABLE');
  return msg;
}

function withGetter(object: object, name: string, thrown: unknown): object {
  const get = () => {
    throw thrown;
  };
  return Object.defineProperty(object, name, { get, enumerable: true, configurable: true });
}

function nested(depth: number): object {
  let inner: object = {};
  for (let level = 0; level < depth; level++) inner = { inner };
  return inner;
}
