import assert from 'node:assert/strict';
import { json } from '../fake-stash/answers';
import { answerLate, type Handler } from '../fake-stash/faults';
import { FakeStash } from '../fake-stash/fake-stash';
import type { Release } from '../fake-stash/releases';
import { type TestServer, failure, Message, useServer } from '../support/connect';
import { timing } from '../../src/timing';

const VALID = '{ version { version } }';

describe('The documents of a server', () => {
  let stash: FakeStash;
  let server: TestServer;
  useServer(
    (...both) => {
      [stash, server] = both;
    },
    { release: 'v0.25.1' },
  );
  // A test may have replaced it.
  afterEach(() => stash.stop());

  const check = (text: string) => server.client.checkDocument(text, new Message());
  const documents = () => server.client.documents(new Message());
  /** Returns how often the server was asked for its whole schema. */
  const reads = () => stash.requests.filter(({ body }) => String(body?.query).includes('queryType')).length;

  /** Replaces the running server with another release. */
  async function upgrade(release: Release): Promise<void> {
    const { port } = stash;
    await stash.stop();
    stash = await FakeStash.start({ release, port });
  }

  /** Runs `task` when the schema is old enough to be read again. */
  async function later<T>(task: () => Promise<T>): Promise<T> {
    const { schemaAge } = timing;
    timing.schemaAge = 0;
    try {
      return await task();
    } finally {
      timing.schemaAge = schemaAge;
    }
  }

  it('are checked against a schema that is read once, each text once', async () => {
    const [one, other] = await Promise.all([check(VALID), check(VALID), check('{ allStudios { id } }')]);

    assert.equal(one, other);
    assert.equal(await check(VALID), one);
    assert.equal(await documents(), await documents());
    assert.equal(reads(), 1);
  });

  it('are remembered, but at most fifty', async () => {
    const checked = await documents();
    const texts = Array.from({ length: 50 }, (_, index) => `{ alias${index}: version { version } }`);
    const [first, second] = texts.map((text) => checked.check(text));
    assert.equal(checked.check(texts[0] ?? ''), first);
    checked.check(VALID);

    assert.equal(checked.check(texts[1] ?? ''), second);
    assert.notEqual(checked.check(texts[0] ?? ''), first);
  });

  it('can be read even if they do not fit the schema', async () => {
    const { type, rootFields } = (await documents()).read('mutation { a: nothing stopAllJobs }');

    assert.equal(type, 'mutation');
    assert.deepEqual(rootFields, [
      { name: 'nothing', responseName: 'a', type: null },
      { name: 'stopAllJobs', responseName: 'stopAllJobs', type: 'Boolean!' },
    ]);
  });

  it('have the same help for every question of an editor', async () => {
    const asked = await documents();
    const help = await asked.help();

    assert.equal(await asked.help(), help);
    assert.equal(help.mistakes('{ versio }').length, 1);
  });

  it('are checked by their syntax alone if the server offers no introspection', async () => {
    const refused = json({ errors: [{ message: 'introspection disabled' }], data: null }, 422);
    stash.answerWith(refused, { field: '__schema' });
    const { schema } = await documents();

    assert.equal(schema, null);
    assert.equal((await check('{ nothing }')).type, 'query');
    assert.equal((await failure(check('{ nothing'))).case, 'BAD_INPUT.document');
  });

  it('fail with the error of the server if the schema cannot be read, and are read the next time', async () => {
    stash.answerWith(json({ errors: [{ message: 'busy' }], data: null }), { field: '__schema', times: 1 });

    assert.equal((await failure(check(VALID))).case, 'GRAPHQL.failed');
    assert.equal((await check(VALID)).type, 'query');
  });

  it('fail with NOT_STASH if the response describes no schema, or one that contradicts itself', async () => {
    const missing = { kind: 'OBJECT', name: 'Missing', ofType: null };
    const fields = [{ name: 'a', args: [], type: missing, isDeprecated: false }];
    const types = [{ kind: 'OBJECT', name: 'Query', fields, interfaces: [] }];
    for (const schema of [null, { queryType: { name: 'Query' }, types, directives: [] }]) {
      stash.answerWith(json({ data: { __schema: schema } }), { field: '__schema', times: 1 });
      assert.equal((await failure(check('{ a }'))).case, 'NOT_STASH.notGraphQL');
    }
  });

  it('fail with NOT_STASH if the schema has a type in thousands of lists', async () => {
    const depth = 20_000;
    const list = '{"kind":"LIST","name":null,"ofType":';
    const type = `${list.repeat(depth)}{"kind":"SCALAR","name":"Int","ofType":null}${'}'.repeat(depth)}`;
    const field = `{"name":"a","args":[],"isDeprecated":false,"type":${type}}`;
    const types = `{"kind":"OBJECT","name":"Query","interfaces":[],"fields":[${field}]},{"kind":"SCALAR","name":"Int"}`;
    const schema = `{"queryType":{"name":"Query"},"directives":[],"types":[${types}]}`;
    stash.answerWith({ ...json({}), body: `{"data":{"__schema":${schema}}}` }, { field: '__schema' });

    assert.equal((await failure(check('{ a }'))).case, 'NOT_STASH.notGraphQL');
  });

  it('are checked even against a schema that breaks a rule of GraphQL', async () => {
    const type = { kind: 'SCALAR', name: 'Int', ofType: null };
    const fields = [{ name: 'a', args: [], type, isDeprecated: false }];
    const types = [
      { kind: 'OBJECT', name: 'Query', fields, interfaces: [] },
      { kind: 'OBJECT', name: 'Empty', fields: [], interfaces: [] },
      type,
    ];
    const schema = { queryType: { name: 'Query' }, types, directives: [] };
    stash.answerWith(json({ data: { __schema: schema } }), { field: '__schema' });

    assert.equal((await check('{ a }')).type, 'query');
    assert.equal((await failure(check('{ b }'))).case, 'BAD_INPUT.document');
  });

  describe('after an upgrade of the server', () => {
    const NEW = '{ allStudios { urls } }';

    beforeEach(async () => {
      assert.equal((await failure(check(NEW))).case, 'BAD_INPUT.document');
      await upgrade('v0.30.1');
    });

    it('are checked against the schema that is known, for a minute', async () => {
      assert.equal((await failure(check(NEW))).case, 'BAD_INPUT.document');
      assert.equal(stash.requests.length, 0);
    });

    it('are checked against the new schema, which is read once', async () => {
      const [one, other] = await later(() => Promise.all([check(NEW), check(NEW)]));

      assert.equal(one, other);
      assert.equal(reads(), 1);
    });

    it('are refused if the new schema refuses them, too', async () => {
      const nowhere = '{ nothing { a } }';
      const errors = await later(() => Promise.all([failure(check(nowhere)), failure(check(nowhere))]));

      for (const { case: which } of errors) assert.equal(which, 'BAD_INPUT.document');
      assert.equal(reads(), 1);
    });

    it('are refused without reading the schema if any schema would refuse them', async () => {
      for (const text of [
        '{ version {',
        'fragment F on Query { version { version } }',
        'subscription { a }',
      ]) {
        assert.equal((await later(() => failure(check(text)))).code, 'BAD_INPUT');
      }
      assert.equal(stash.requests.length, 0);
    });
  });

  it('are checked against the new schema once the server was away', async () => {
    await check(VALID);
    const { port } = stash;
    await stash.stop();
    await failure(server.query());
    stash = await FakeStash.start({ release: 'v0.30.1', port });

    assert.equal((await check('{ allStudios { urls } }')).type, 'query');
    assert.equal((await documents()).of.release, 'v0.30.1');
  });

  it('are not affected by a message that ends while the schema is read', async () => {
    const late: Handler = answerLate(100);
    stash.answerWith(late, { field: '__schema' });
    const message = new Message();
    const ended = assert.rejects(server.client.checkDocument(VALID, message), { message: 'removed' });
    const other = check(VALID);
    message.end(new Error('removed'));

    await ended;
    assert.equal((await other).type, 'query');
  });
});
