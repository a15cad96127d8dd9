import assert from 'node:assert/strict';
import { Flow, type Message, useFakeStash } from '../support/flow';
import { silence } from '../fake-stash/faults';

/** Messages that Node-RED cannot copy, each with a given id. */
const uncopyable: Record<string, (id: string) => object> = {
  'a getter that throws': (_msgid) => withThrowingGetter({ _msgid }, 'extra'),
  'objects nested 100,000 deep': (_msgid) => ({ _msgid, extra: nested(100_000) }),
};

/** Node-RED does not copy an HTTP request: neither a getter that throws nor a large object in it matters. */
const request = (_msgid: string) => ({ _msgid, req: withThrowingGetter({}, 'session') });

/** A message that a function node has frozen. */
const frozen = (_msgid: string) => Object.freeze({ _msgid, payload: 'Hana' });

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

  for (const [what, make] of Object.entries(uncopyable)) {
    it(`with ${what} gets its result although Node-RED cannot copy it for a Complete node`, async () => {
      const flow = await Flow.start({ type: 'stash-scan', server: server() });
      const id = flow.deliver(make);
      await flow.until(() => flow.sentOn(id).length > 0);
      // When a later message has ended, the first one would have ended a second time.
      assert.equal((await flow.ask()).output, 1);

      const [msg] = flow.sentOn(id);
      assert.deepEqual([flow.caught(id).length, flow.sentOn(id).length], [0, 1]);
      assert.equal((msg?.payload as { id: string }).id, '1');
      assert.equal(msg?.stash?.operation, 'metadataScan');
      assert.equal(scans(), 2);
    });

    it(`with ${what} ends once although Node-RED cannot copy it for a second wire`, async () => {
      const flow = await Flow.start({
        type: 'stash-status',
        server: server(),
        wires: ['output1', 'elsewhere'],
        withoutComplete: true,
      });
      const id = flow.deliver(make);
      await flow.until(() => flow.sentOn(id).length > 0);
      // When a later message has ended, the first one would have ended a second time.
      const next = flow.send();
      await flow.until(() => flow.sentOn(next).length > 0);

      assert.deepEqual([flow.caught(id).length, flow.sentOn(id).length], [0, 1]);
    });

    it(`with ${what} reaches the Catch node with its code if the server is unreachable`, async () => {
      await caughtWithoutServer(make);
    });

    it(`with ${what} does not prevent other messages from ending with CLOSED if a deploy takes the server away`, async () => {
      const options = { type: 'stash-scan', server: server() };
      const flow = await Flow.start(options);
      stash().answerWith(silence);
      const ids = [flow.send(), flow.deliver(make), flow.send(), flow.send()];
      await flow.until(() => stash().requests.length > 0);
      await flow.redeploy({ ...options, server: null });
      await flow.until(() => ids.every((id) => flow.hasEnded(id)));

      for (const id of ids) assert.equal(flow.endOf(id).msg.stash?.error?.code, 'CLOSED');
    });

    it(`with ${what} and reset does not block the next message`, async () => {
      const flow = await Flow.start({ type: 'stash-scan', server: server() });
      flow.deliver((id) => Object.assign(make(id), { reset: true }));

      assert.equal((await flow.ask()).output, 1);
      assert.equal(scans(), 1);
    });
  }

  it('that is frozen gets its result', async () => {
    const flow = await Flow.start({ type: 'stash-performer-search', server: server() });
    const id = flow.deliver(frozen);
    await flow.until(() => flow.hasEnded(id));

    const { output, msg } = flow.endOf(id);
    assert.deepEqual([output, msg.payload], [1, ['Hana Mori']]);
    assert.equal(msg.stash?.operation, 'scrapeSitePerformerList');
  });

  it('that is frozen reaches the Catch node with msg.stash', async () => {
    assert.equal((await caughtWithoutServer(frozen)).payload, 'Hana');
  });

  for (const name of ['payload', 'stash']) {
    it(`with a ${name} that throws ends once, and holds up no other message at a deploy`, async () => {
      const options = { type: 'stash-scan', server: server() };
      const flow = await Flow.start(options);
      const ended = flow.deliver((_msgid) => withThrowingGetter({ _msgid }, name));
      await flow.until(() => flow.caught(ended).length > 0);
      stash().answerWith(silence);
      const before = stash().requests.length;
      const ids = [flow.send(), flow.deliver((_msgid) => withThrowingGetter({ _msgid }, name)), flow.send()];
      await flow.until(() => stash().requests.length > before);
      await flow.redeploy({ ...options, server: null });
      await flow.until(() => ids.every((id) => flow.caught(id).length === 1));
      assert.equal(flow.caught(ended).length, 1);
    });

    it(`with a ${name} that cannot be set ends with an error, and holds up no deploy`, async () => {
      const options = { type: 'stash-status', server: server() };
      const flow = await Flow.start(options);
      const get = () => 'Hana';
      const id = flow.deliver((_msgid) =>
        Object.defineProperty({ _msgid }, name, { get, enumerable: true, configurable: true }),
      );
      await flow.until(() => flow.hasEnded(id));

      assert.match(String(flow.endOf(id).msg.error?.message), new RegExp(`Cannot set property ${name}`));
      await flow.redeploy({ ...options, properties: { name: 'changed' } });
    });
  }

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
});

function withThrowingGetter(object: object, name: string): object {
  const get = () => {
    throw new Error('no');
  };
  return Object.defineProperty(object, name, { get, enumerable: true, configurable: true });
}

function nested(depth: number): object {
  let inner: object = {};
  for (let level = 0; level < depth; level++) inner = { inner };
  return inner;
}
