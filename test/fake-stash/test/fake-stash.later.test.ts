import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import type { GraphQLFormattedError } from 'graphql';
import { isRecord } from '../variables';
import { FakeStash, type FakeStashOptions } from '../fake-stash';

const STORE = 'mutation { backupDatabase(input: { download: false }) }';
const SCAN = 'mutation { metadataScan(input: {}) }';
const NIL = 'Internal system error. Error <runtime error: invalid memory address or nil pointer dereference>';

describe('Fake server', () => {
  let stash: FakeStash;

  async function start(options: FakeStashOptions = {}): Promise<void> {
    await stash.stop();
    stash = await FakeStash.start({ jobSeconds: 0.05, ...options });
  }

  beforeEach(async () => {
    stash = await FakeStash.start({ jobSeconds: 0.05 });
  });
  afterEach(() => stash.stop());

  function post(body: string, headers: Record<string, string> = {}, path = '/graphql'): Promise<Response> {
    const all = { 'Content-Type': 'application/json', Accept: 'application/json', ...headers };
    return fetch(stash.url + path, { method: 'POST', headers: all, body, redirect: 'manual' });
  }

  async function ask(query: string, variables?: object): Promise<unknown> {
    return await (await post(JSON.stringify({ query, variables }))).json();
  }

  /** Returns the one field of a response without errors. */
  async function value(query: string, variables?: object): Promise<unknown> {
    const answer = await ask(query, variables);
    assert.ok(isRecord(answer) && isRecord(answer['data']), JSON.stringify(answer));
    return Object.values(answer['data'])[0];
  }

  async function failure(query: string, variables?: object): Promise<unknown> {
    const answer = await ask(query, variables);
    assert.ok(isRecord(answer) && Array.isArray(answer['errors']), JSON.stringify(answer));
    const [error] = answer['errors'] as unknown[];
    return isRecord(error) ? error['message'] : error;
  }

  async function jobIs(id: unknown, status: string): Promise<Record<string, unknown>> {
    for (;;) {
      const job = await value(
        'query ($id: ID!) { findJob(input: { id: $id }) { status progress endTime error } }',
        { id },
      );
      assert.ok(isRecord(job));
      if (job['status'] === status) return job;
      await sleep(2);
    }
  }

  describe('GraphQL over HTTP', () => {
    it('answers the seven documented operations', async () => {
      const answer = await value('{ allStudios { id checksum url name image_path scene_count } }');
      assert.ok(Array.isArray(answer));
      assert.equal(answer.length, 6);
      assert.deepEqual(await value('{ scrapeSitePerformerList(query: "robin") }'), [
        'Robin Vale',
        'Robin Valentine',
      ]);
      assert.deepEqual(await value('{ scrapeSite(performer_name: "Robin Vale") { name country } }'), {
        name: 'Robin Vale',
        country: 'CA',
      });
      assert.deepEqual(
        await value('{ systemStatus { databaseSchema databasePath configPath appSchema status } }'),
        {
          databaseSchema: 75,
          databasePath: '/config/stash-go.sqlite',
          configPath: '/config/config.yml',
          appSchema: 75,
          status: 'OK',
        },
      );
      assert.equal(await value(SCAN), '1');
      const kinds = 'sprites: true, previews: false, imagePreviews: false, markers: false, transcodes: false';
      assert.equal(await value(`mutation { metadataGenerate(input: { ${kinds} }) }`), '2');
      assert.equal(await value(STORE), null);
    });

    it('sends a response as application/json and forbids caching it', async () => {
      const { status, headers } = await post('{"query":"{ version { version } }"}', {}, '/graphql/');
      assert.equal(status, 200);
      assert.equal(headers.get('content-type'), 'application/json');
      assert.equal(headers.get('cache-control'), 'no-store');
    });

    it('refuses a body without the content type of JSON, with JSON labelled as text', async () => {
      const answer = await post('{"query":"{ version { hash } }"}', { 'Content-Type': 'text/plain' });
      assert.equal(answer.status, 400);
      assert.match(answer.headers.get('content-type') ?? '', /^text\/plain/);
      assert.equal(await answer.text(), '{"errors":[{"message":"transport not supported"}],"data":null}');
    });

    it('responds with 400 to an invalid body, and repeats the body', async () => {
      const answer = await post('<html>');
      assert.equal(answer.status, 400);
      assert.match(await answer.text(), /json request body could not be decoded: .* body:<html>/);
    });

    const id = 'query ($i: ID!) { findJob(input: { id: $i }) { id } }';
    const scan = 'mutation ($i: ScanMetadataInput!) { metadataScan(input: $i) }';
    const refused: [what: string, body: object, message: RegExp][] = [
      ['a field it does not know', { query: '{ allStudios { ids } }' }, /^Cannot query field "ids" on type/],
      [
        'an input field it does not know',
        { query: SCAN.replace('{}', '{ nope: 1 }') },
        /"nope" is not defined/,
      ],
      ['a missing argument', { query: '{ scrapeSitePerformerList }' }, /type "String!" is required/],
      ['a body without a query', {}, /^no operation provided$/],
      ['a missing operation', { query: SCAN, operationName: 'B' }, /^operation B not found$/],
      ['a missing variable', { query: id }, /^must be defined$/],
      ['a variable of a wrong type', { query: id, variables: { i: {} } }, /^cannot use map as ID$/],
      ['a variable with an unknown field', { query: scan, variables: { i: { nope: 1 } } }, /^unknown field$/],
      ['a syntax error', { query: '{ allStudios { id }' }, /^Expected Name, found <EOF>/],
    ];
    for (const [what, body, message] of refused) {
      it(`answers 422 to ${what}`, async () => {
        const answer = await post(JSON.stringify(body));
        assert.equal(answer.status, 422);
        const { errors, data } = (await answer.json()) as { errors: GraphQLFormattedError[]; data: unknown };
        assert.match(errors[0]?.message ?? '', message);
        const code = what === 'a syntax error' ? 'GRAPHQL_PARSE_FAILED' : 'GRAPHQL_VALIDATION_FAILED';
        assert.deepEqual(errors[0]?.extensions, { code });
        assert.equal(data, null);
      });
    }

    it('responds with 400 and the newer media type to a client that accepts anything', async () => {
      const answer = await post('{"query":"{ nope }"}', { Accept: '*/*' });
      assert.equal(answer.status, 400);
      assert.equal(answer.headers.get('content-type'), 'application/graphql-response+json');
    });

    it('accepts one path instead of a list of paths, and null for an option', async () => {
      assert.equal(await value(scan, { i: { paths: '/media/videos', rescan: null } }), '1');
    });

    it('keeps the effect of a mutation although a later error makes data null', async () => {
      const both = 'mutation { metadataScan(input: {}) stopJob(job_id: "abc") }';
      const message = 'converting id: strconv.Atoi: parsing "abc": invalid syntax';
      assert.deepEqual(await ask(both), { errors: [{ message, path: ['stopJob'] }], data: null });
      assert.equal((await jobIs('1', 'FINISHED'))['progress'], 1);
    });

    it('shows its schema by introspection and in the playground', async () => {
      assert.deepEqual(await value('{ __type(name: "BackupDatabaseInput") { inputFields { name } } }'), {
        inputFields: [{ name: 'download' }],
      });
      const page = await fetch(`${stash.url}/playground`);
      assert.match(await page.text(), /scrapeSitePerformerList\(query: String!\)/);
    });

    it('responds to any unknown path with the web interface', async () => {
      const answer = await post('{}', {}, '/GraphQL');
      assert.equal(answer.status, 200);
      assert.match(answer.headers.get('content-type') ?? '', /^text\/html/);
    });
  });

  describe('credentials', () => {
    beforeEach(() => start({ apiKey: 'secret' }));

    it('redirects other paths than /graphql and /healthz to the login page', async () => {
      const answer = await post('{}', {}, '/graphql/');
      assert.equal(answer.status, 302);
      assert.equal(answer.headers.get('location'), '/login?returnURL=%2Fgraphql%2F');
      assert.equal(await (await fetch(`${stash.url}/healthz`)).text(), '.');
    });
  });

  it('refuses every key if it has no credentials', async () => {
    assert.equal((await post('{"query":"{ version { hash } }"}', { ApiKey: 'any' })).status, 401);
  });

  it('responds only below its base path', async () => {
    await start({ basePath: '/stash' });
    assert.deepEqual(await value('{ version { version } }'), { version: 'v0.30.1' });
    assert.equal((await fetch(new URL('/graphql', stash.url), { method: 'POST' })).status, 404);
  });

  describe('backups', () => {
    it('fails to make a second backup in the same second', async () => {
      stash.clock.stop(); // at the same time, because a new second may begin between two requests
      const answers = [await ask(STORE), await ask(STORE)];
      const message = 'vacuum failed: output file already exists';
      const failed = { errors: [{ message, path: ['backupDatabase'] }], data: { backupDatabase: null } };
      assert.deepEqual(answers, [{ data: { backupDatabase: null } }, failed]);
      stash.clock.ahead += 1000;
      assert.deepEqual(await ask(STORE), answers[0]);
    });
  });

  describe('states', () => {
    it('refuses to scan without ffmpeg', async () => {
      await start({ ffmpeg: false });
      assert.equal(await failure(SCAN), 'missing ffmpeg and/or ffprobe');
    });

    it('in SETUP refuses to scan, and reports success for a backup', async () => {
      stash.status = 'SETUP';
      assert.deepEqual(await value('{ systemStatus { databaseSchema databasePath status } }'), {
        databaseSchema: 0,
        databasePath: '',
        status: 'SETUP',
      });
      assert.equal(await failure(SCAN), 'missing ffmpeg and/or ffprobe');
      assert.equal(await failure('{ allStudios { id } }'), NIL);
      assert.equal(await value(STORE), null);
    });

    it('in NEEDS_MIGRATION answers a scan with a job id, and then crashes', async () => {
      stash.status = 'NEEDS_MIGRATION';
      assert.equal(await failure('{ allStudios { id } }'), NIL);
      assert.equal(await value(SCAN), '1');
      await assert.rejects(ask(SCAN));
      assert.equal(stash.died, true);
    });

    it('restarts at the same address and counts its jobs from 1 again', async () => {
      await value(SCAN);
      const { port } = stash;
      await stash.stop();
      await assert.rejects(ask(SCAN));
      await start({ port });
      assert.equal(await value(SCAN), '1');
    });
  });
});
