import assert from 'node:assert/strict';
import { Flow, useStandIn } from '../flow';
import { json, text } from '../stand-in/answers';
import { StandIn } from '../stand-in/stand-in';
import { helper } from '../runtime';

const KEY = 'stored-key';

describe('the Test button of stash-server', () => {
  const stash = useStandIn({ apiKey: KEY });
  let elsewhere: StandIn;

  before(() => helper.startServer());
  after(() => helper.stopServer());
  beforeEach(async () => {
    elsewhere = await StandIn.start({ apiKey: KEY });
    await Flow.start({
      type: 'stash-scan',
      server: { url: `${stash().url}/`, auth: 'apiKey' },
      credentials: { apiKey: KEY },
    });
  });
  afterEach(() => elsewhere.stop());

  /** What the dialog is told. */
  async function press(asked: object): Promise<Record<string, unknown>> {
    const body = { id: 'server1', auth: 'apiKey', ...asked };
    const response = await helper.request().post('/stash-server/test').send(body).expect(200);
    return response.body as Record<string, unknown>;
  }

  it('tells the release, the state and the time of an answer', async () => {
    const { milliseconds, ...rest } = await press({ url: stash().url });

    assert.deepEqual(rest, { version: 'v0.30.1', status: 'OK' });
    assert.ok(Number.isInteger(milliseconds));
  });

  it('works before the first deploy, with what was typed', async () => {
    const { status } = await press({ id: 'not-deployed', url: elsewhere.url, apiKey: KEY });

    assert.equal(status, 'OK');
  });

  it('changes nothing at the server', async () => {
    await press({ url: stash().url });

    const asked = stash().requests.map(({ operation }) => operation);
    assert.deepEqual(asked, ['version', 'version', 'systemStatus']);
  });

  it('sends the stored key to the address only that it was stored for', async () => {
    const told = await press({ url: elsewhere.url });

    assert.deepEqual(told, { case: 'UNAUTHORIZED.credentialsKept', details: {} });
    assert.deepEqual(elsewhere.requests, []);
  });

  it('wants a key typed for a node that has none', async () => {
    assert.equal((await press({ id: 'not-deployed', url: stash().url }))['case'], 'UNAUTHORIZED.keyMissing');
    assert.equal((await press({ url: stash().url, apiKey: '' }))['case'], 'UNAUTHORIZED.keyMissing');
  });

  it('sends no key where none is needed', async () => {
    assert.equal((await press({ url: stash().url, auth: 'none' }))['case'], 'UNAUTHORIZED.keyNeeded');
    assert.equal(stash().requests[0]?.headers['apikey'], undefined);
  });

  it('takes values from the environment as a deployed node does', async () => {
    process.env['TEST_BUTTON_URL'] = elsewhere.url;
    process.env['TEST_BUTTON_KEY'] = KEY;
    const { status } = await press({ url: '${TEST_BUTTON_URL}', apiKey: '${TEST_BUTTON_KEY}' });
    delete process.env['TEST_BUTTON_URL'];
    delete process.env['TEST_BUTTON_KEY'];

    assert.equal(status, 'OK');
  });

  it('tells a category and never what an address answered', async () => {
    const secret = 'what only Node-RED can reach';
    for (const [answer, expected] of [
      [text(200, secret), 'NOT_STASH.page'],
      [json({ data: { version: secret } }), 'NOT_STASH.notGraphQL'],
      [json({ errors: [{ message: secret }], data: null }), 'GRAPHQL.failed'],
      [json({ errors: [{ message: secret }], data: null }, 422), 'GRAPHQL.refused'],
      [text(500, secret), 'HTTP.status'],
    ] as const) {
      stash().answerNormally();
      stash().answerWith(answer);
      const told = await press({ url: stash().url });
      assert.equal(told['case'], expected);
      assert.ok(!JSON.stringify(told).includes(secret));
    }
  });

  it('gets along with anything that is posted', async () => {
    for (const body of [{}, { url: 5, id: {}, auth: [], apiKey: 7 }, { url: 'nas' }]) {
      const told = (await helper.request().post('/stash-server/test').send(body)).body as object;
      assert.ok('case' in told);
    }
  });
});
