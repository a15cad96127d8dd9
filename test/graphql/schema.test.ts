import { graphql } from 'graphql';
import assert from 'node:assert/strict';
import { INTROSPECTION, Schema } from '../../src/graphql/schema';
import { studios } from '../../src/operations/library/studios';
import { scan } from '../../src/operations/scan/scan';
import { redact } from '../../src/redact';
import { Server } from '../../src/server/server';
import { html, json, send, text, unauthorized } from '../fake-stash/answers';
import { FakeStash } from '../fake-stash/fake-stash';
import { cut, type Handler, silence } from '../fake-stash/faults';
import type { Release } from '../fake-stash/releases';
import { schemaOf } from '../fake-stash/schema';
import { failure, Message, options, TestServer } from '../support/connect';
import { GOOD, RawServer } from '../support/raw-server';
import { extendSchema } from '../support/schema';
import { until } from '../support/waiting';

/** The first field of the schema request. */
const SCHEMA = 'version';

describe('The schema of a server', () => {
  let stash: FakeStash;
  let server: Server;

  async function start(release: Release = 'v0.30.1', port?: number): Promise<void> {
    stash = await FakeStash.start({ release, ...(port !== undefined && { port }) });
  }

  /** Replaces the running server with another release. */
  async function upgrade(release: Release): Promise<void> {
    const { port } = stash;
    await stash.stop();
    await start(release, port);
  }

  beforeEach(async () => {
    await start();
    server = new Server(options(stash.url));
  });
  afterEach(async () => {
    await server.close();
    await stash.stop();
  });

  const list = (fields: readonly 'checksum'[] | readonly 'name'[] = ['name']) =>
    studios(server, { fields }, new Message());
  const rescan = () => scan(server, { paths: null, options: ['rescan'] }, new Message());
  const operations = () => stash.requests.map(({ operation }) => operation);

  it('is read only with the first message', async () => {
    await list();
    await list();

    assert.deepEqual(operations(), [SCHEMA, 'allStudios', 'allStudios']);
  });

  it('is read once for fifty simultaneous messages', async () => {
    await Promise.all(Array.from({ length: 50 }, () => list()));

    assert.equal(operations().filter((operation) => operation === SCHEMA).length, 1);
    assert.equal(operations().length, 51);
  });

  it('is read once even if the server refuses the request, and all messages fail', async () => {
    stash.answerWith(unauthorized());
    const errors = await Promise.all(Array.from({ length: 50 }, () => failure(list())));

    for (const error of errors) assert.equal(error.case, 'UNAUTHORIZED.keyNeeded');
    assert.deepEqual(operations(), [SCHEMA]);
  });

  it('is read again after the server was unreachable', async () => {
    await list();
    stash.answerWith(cut);
    assert.equal((await failure(list())).code, 'UNREACHABLE');
    stash.answerNormally();
    stash.requests.splice(0);
    await list();

    assert.deepEqual(operations(), [SCHEMA, 'allStudios']);
  });

  it('is read again if the server refuses a document that was valid before, and the document is rebuilt', async () => {
    await upgrade('v0.23.1');
    assert.match(String((await list(['checksum'])).studios[0]?.checksum), /^[0-9a-f]{32}$/);
    await upgrade('v0.30.1');
    assert.match(String((await list(['checksum'])).studios[0]?.checksum), /^[0-9a-f]{32}$/);

    assert.deepEqual(operations(), ['allStudios', SCHEMA, 'allStudios']);
    assert.deepEqual(
      stash.requests.map(({ body }) => body?.query).filter((query) => query?.includes('allStudios')),
      ['{ allStudios { checksum } }', '{ allStudios { name } }'],
    );
  });

  it('is read again only once if the server refuses the documents of several messages', async () => {
    await list();
    stash.requests.splice(0);
    const refusal = json({ errors: [{ message: 'no' }], data: null }, 422);
    let refuse: () => void = () => undefined;
    const refused = new Promise<void>((resolve) => (refuse = resolve));
    const late: Handler = async (request, response) => {
      await refused;
      send(request, response, refusal);
    };
    stash.answerWith(late, { field: 'allStudios', times: 1 });
    stash.answerWith(refusal, { field: 'allStudios' });
    const first = failure(list());
    await until(() => operations().length === 1);
    await failure(list());
    refuse();
    await first;

    assert.deepEqual(operations(), ['allStudios', 'allStudios', SCHEMA]);
  });

  it('is read again before UNSUPPORTED is reported, and no mutation is sent', async () => {
    await upgrade('v0.25.1');
    for (const what of ['at first', 'later']) {
      const error = await failure(rescan());
      assert.equal(error.case, 'UNSUPPORTED.lacking', what);
      assert.deepEqual(error.details, { name: 'rescan', since: 'v0.26.0', release: 'v0.25.1' });
    }
    assert.ok(!operations().includes('metadataScan'));
    await upgrade('v0.30.1');

    assert.equal((await rescan()).job.id, '1');
  });

  it('of a Stash before v0.8 ends each message with UNSUPPORTED, until the server is upgraded', async () => {
    await upgrade('v0.9.0');
    extendSchema(stash, { has: { Query: ['jobStatus'] } });
    for (const message of [list, rescan]) {
      const error = await failure(Promise.resolve(message()));
      assert.equal(error.case, 'UNSUPPORTED.tooOld');
      assert.deepEqual(error.details, { release: 'v0.9.0', since: 'v0.8.0' });
    }
    assert.deepEqual(new Set(operations()), new Set([SCHEMA]));
    await upgrade('v0.30.1');
    assert.equal((await rescan()).job.id, '1');
  });

  it('is that of a Stash before v0.8 only if it says so', () => {
    const isTooOld = (...names: string[]) =>
      Schema.read({ Query: { fields: names.map((name) => ({ name })) } }).isTooOld;
    assert.equal(isTooOld('jobStatus', 'scrapeFreeones'), true);
    assert.equal(isTooOld('jobQueue', 'scrapeFreeones'), false);
    assert.equal(isTooOld('allStudios'), false);
    assert.equal(isTooOld('jobStatus', 'scrapeSite'), false, 'the interface document');
    assert.equal(Schema.documented().isTooOld, false);
  });

  it('is read again after another refusal of a document, but the document is not sent again', async () => {
    await list();
    stash.answerWith(json({ errors: [{ message: 'no' }], data: null }, 422), { field: 'allStudios' });
    stash.requests.splice(0);
    assert.equal((await failure(list())).case, 'GRAPHQL.refused');

    assert.deepEqual(operations(), ['allStudios', SCHEMA]);
  });

  it('is that of the interface document if introspection is disabled', async () => {
    for (const [message, status] of [
      ['GraphQL introspection is not allowed', 400],
      ['Cannot query field "__type" on type "Query".', 422],
      ['introspection is disabled', 200],
    ] as const) {
      await upgrade('documented');
      stash.answerWith(json({ errors: [{ message }], data: null }, status), { field: SCHEMA });
      server = new Server(options(stash.url));
      await list();
      assert.deepEqual(operations(), [SCHEMA, 'allStudios']);
    }
  });

  it('is not cached after any other failure, which ends the message', async () => {
    for (const [answer, code] of [
      [html(200, '<html>'), 'NOT_STASH'],
      [text(503, 'starting'), 'HTTP'],
      [json({ errors: [{ message: 'panic' }], data: null }), 'GRAPHQL'],
      [json({ data: { version: null } }), 'NOT_STASH'],
    ] as const) {
      stash.answerWith(answer, { field: SCHEMA, times: 1 });
      assert.equal((await failure(list())).code, code);
    }
    assert.deepEqual(operations(), [SCHEMA, SCHEMA, SCHEMA, SCHEMA]);
    await list();
  });

  it('is read within the time limit of the message', async () => {
    stash.answerWith(silence, { field: SCHEMA });
    const impatient = new Server(options(stash.url, { timeout: 0.1 }));

    assert.equal((await failure(studios(impatient, { fields: ['name'] }, new Message()))).code, 'TIMEOUT');
    await impatient.close();
  });

  it('allows only known input fields, and adds required booleans as false', () => {
    const required = { kind: 'NON_NULL', ofType: { name: 'Boolean' } };
    const schema = Schema.read({
      Query: { fields: [{ name: 'x' }] },
      ScanMetadataInput: {
        fields: null,
        inputFields: [
          { name: 'useFileMetadata', type: required },
          { name: 'rescan', type: { kind: 'SCALAR', ofType: null } },
          { name: 'id', type: { kind: 'NON_NULL', ofType: { name: 'ID' } } },
          { name: 'list', type: { kind: 'LIST', ofType: { name: 'Boolean' } } },
          { name: 'cut', type: { kind: 'NON_NULL', ofType: null } },
          { name: 'untyped' },
        ],
      },
    });

    assert.deepEqual(schema.input('ScanMetadataInput', { rescan: true, nope: true }), {
      useFileMetadata: false,
      rescan: true,
    });
    assert.deepEqual(schema.input('GenerateMetadataInput', { sprites: true }), {});
    assert.deepEqual(Schema.documented().input('ScanMetadataInput', { rescan: true }), {});
  });

  it('needs queries: a server without them is not Stash', () => {
    const data = { Query: { fields: [] }, Mutation: { fields: [{ name: 'metadataScan' }] } };
    assert.throws(() => Schema.read(data), { case: 'NOT_STASH.notGraphQL' });
  });

  it('knows the fields, the choices and the arguments that the server has', () => {
    const schema = Schema.read({
      Query: {
        fields: [
          { name: 'x', args: [{ name: 'a' }, { name: 'b' }] },
          { name: 'y', args: null },
        ],
      },
      GenderEnum: { enumValues: [{ name: 'MALE' }] },
      ScanMetadataInput: null,
    });

    assert.deepEqual(
      [schema.has('Query', 'x'), schema.has('Query', 'z'), schema.has('GenderEnum', 'MALE')],
      [true, false, true],
    );
    assert.deepEqual([schema.has('ScanMetadataInput', 'rescan'), schema.has('Nothing', 'a')], [false, false]);
    const has = (field: string, argument: string) => schema.hasArgument('Query', field, argument);
    assert.deepEqual(
      [has('x', 'b'), has('x', 'c'), has('y', 'a'), has('z', 'a')],
      [true, false, false, false],
    );
    assert.equal(Schema.documented().hasArgument('Mutation', 'metadataScan', 'input'), false);
    assert.deepEqual([...(schema.fieldsOf('GenderEnum') ?? [])], [['MALE', null]]);
    for (const type of ['ScanMetadataInput', 'Nothing']) assert.equal(schema.fieldsOf(type), undefined);
  });

  it('of the interface document is what a server of that document has', async () => {
    const documented = Schema.documented();
    const { schema } = schemaOf('documented');
    const { data } = await graphql({ schema, source: INTROSPECTION, rootValue: { version: {} } });
    const offered = Schema.read({ ...data });
    for (const type of ['Query', 'Mutation', 'Studio', 'SystemStatus', 'ScrapedPerformer']) {
      const names = [...(documented.fieldsOf(type)?.keys() ?? [])];
      assert.ok(names.length > 0);
      assert.deepEqual(
        names.filter((name) => !offered.has(type, name)),
        [],
        type,
      );
    }
    assert.equal(documented.release, '');
  });

  it('names what the server lacks, with its release if that is known', () => {
    const known = Schema.read({ version: { version: 'v0.30.1' }, Query: { fields: [{ name: 'x' }] } });
    for (const [schema, release] of [
      [known, 'v0.30.1'],
      [Schema.documented(), '?'],
    ] as const) {
      const errors = [schema.lacks('rescan', 'v0.26.0'), schema.lacksName('n'.repeat(200))];
      assert.deepEqual(
        errors.map(({ case: which, details }) => [which, details]),
        [
          ['UNSUPPORTED.lacking', { name: 'rescan', since: 'v0.26.0', release }],
          ['UNSUPPORTED.unknown', { name: 'n'.repeat(100), release }],
        ],
      );
    }
  });

  it('is outdated if the server reports another release by now', () => {
    const isOutdated = (known: unknown, now: unknown) =>
      Schema.read({ version: { version: known }, Query: { fields: [{ name: 'x' }] } }).isOutdated(
        now,
        redact,
      );

    assert.equal(isOutdated('v0.30.1', { version: 'v0.30.1' }), false);
    assert.equal(isOutdated('v0.30.1', { version: 'v0.31.0' }), true);
    assert.equal(isOutdated(null, { version: 'v0.31.0' }), false);
  });
});

describe('The release of a server', () => {
  const KEY = 'v0.30.1-secret-key';
  const schemaOf = (version: unknown) => ({
    version: { version },
    Query: { fields: [{ name: 'systemStatus' }] },
  });
  for (const [reported, known] of [
    ['v0.30.1', 'v0.30.1'],
    ['0.2.1', '0.2.1'],
    ['v0.28.1-57-g5cfe5d9e', 'v0.28.1-57-g5cfe5d9e'],
    ['v0.27.0+local.1', 'v0.27.0+local.1'],
    ['v10.2', 'v10.2'],
    [`v0.30.1-${'x'.repeat(32)}`, `v0.30.1-${'x'.repeat(32)}`],
    [`v0.30.1-${'x'.repeat(33)}`, ''],
    ['Stash v0.30.1', ''],
    ['v0.30.1 beta', ''],
    ['', ''],
    [null, ''],
    [`canary-${KEY}`, ''],
    [KEY, ''],
    ['v0.30.1\n[error] forged', ''],
    ['v0.30.1 \u001b[2J', ''],
    ['v0.30.1\u202e', 'v0.30.1'],
    [`v0.30.1-${'x'.repeat(100_000)}`, ''],
    ['v'.repeat(100_000), ''],
    ['<b>v0.30.1</b>', ''],
  ] as const) {
    it(`is read as ${known || 'none'} from ${JSON.stringify(reported).slice(0, 40)}`, async () => {
      const origin = await RawServer.open(() => ({
        ...GOOD,
        body: JSON.stringify({ data: schemaOf(reported) }),
      }));
      const server = new TestServer(options(origin.url, { auth: 'apiKey', apiKey: KEY }), null);
      const reports: unknown[] = [];
      server.reachability.subscribe((reach) => reports.push(reach));
      await server.query().catch(() => undefined);
      assert.deepEqual(reports, [{ reachable: true, release: known, back: false }]);
      await server.close();
      await origin.close();
    });
  }
});
