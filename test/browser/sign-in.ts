import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { root } from '../support/root';
import { pickerFlows, PICTURED } from './pickers';
import { READY, tab } from './servers';
import { Sidebar, startElsewhere } from './sidebar';
import { SERVER, Stage } from './stage';

/** Describes the Test button in an editor with users, at another path than the root. */
export function describeSignIn(this: Mocha.Suite): void {
  const stage = new Stage();

  before(() =>
    stage.start({
      settings: path.join(root, 'test', 'support', 'node-red-settings-users.js'),
      flows: [tab, ...pickerFlows],
    }),
  );
  afterEach(async function () {
    await stage.recover(this.currentTest);
  });
  after(() => stage.end());

  it('the Test button works for a user who may change flows', async () => {
    const { editor, nodeRed } = stage;
    await editor.signIn('full', 'full');
    await editor.ready();
    const server = await editor.openServer(SERVER.id);
    const question = editor.page.waitForRequest((request) => request.method() === 'POST');
    assert.equal(await server.test(), READY);
    assert.equal((await question).url(), `${nodeRed.url}/stash-server/test`);
    assert.match(nodeRed.url, /\/red$/);
    assert.match((await question).headers()['authorization'] ?? '', /^Bearer /);
    assert.deepEqual(editor.hosts(), ['127.0.0.1']);
    await server.cancel();
  });

  it('the Test button works for nobody else, and sends no request', async () => {
    const { stash } = stage;
    stash.requests.splice(0);
    assert.equal(await ask(await token('full')), 200);
    const tested = sent();
    assert.ok(tested.includes('systemStatus'));
    stash.requests.splice(0);
    assert.equal(await ask(await token('read')), 401);
    assert.equal(await ask(), 401);
    assert.deepEqual(sent(tested), []);
  });

  it('each route requires the permission that SECURITY.md names', async () => {
    const full = await token('full');
    const read = await token('read');
    const page = readFileSync(path.join(root, 'SECURITY.md'), 'utf8');
    const rows = [...page.matchAll(/^\| (GET|POST) `([^`]+)` +\| `stash-server\.(read|write)`/gm)];
    assert.ok(rows.length > 10);
    for (const [, method = '', route = '', permission] of rows) {
      // No server has this ID, so nothing is sent to one.
      const ask = (given?: string, more = {}) =>
        statusOf(method, `${route}${method === 'GET' ? '?id=none' : ''}`, { id: 'none', ...more }, given);
      assert.notEqual(await ask(full), 401, route);
      assert.notEqual(await ask(full), 404, route);
      assert.equal((await ask(read)) === 401, permission === 'write', route);
      // What was entered, but is not deployed.
      if (method === 'POST') assert.equal(await ask(read, { content: {} }), 401, route);
      assert.equal(await ask(), 401, route);
    }
  });

  it('nobody else can try a dialog either', async () => {
    const { stash } = stage;
    const tryAs = async (given?: string) => {
      const answer = await post('stash-server/try/studios', { id: SERVER.id }, given);
      return [answer.status, (await answer.text()).includes('Blue Kettle')];
    };
    assert.deepEqual(await tryAs(await token('full')), [200, true]);
    stash.requests.splice(0);
    assert.deepEqual(await tryAs(await token('read')), [401, false]);
    assert.deepEqual(await tryAs(), [401, false]);
    assert.deepEqual(sent(['allStudios']), []);
  });

  it('the Stash tab has no buttons for a user who may only view flows', async () => {
    const { stash } = stage;
    stash.jobs.hold();
    await startElsewhere(stash);
    for (const [user, buttons] of [
      ['read', 0],
      ['full', 1],
    ] as const) {
      const editor = await stage.open();
      await editor.signIn(user, user);
      await editor.ready();
      const sidebar = await Sidebar.open(editor.page);
      await sidebar.jobs.first().waitFor();
      assert.equal(await sidebar.stopButtons.count(), buttons, user);
      await editor.page.context().close();
    }
    stash.jobs.release();
  });

  it('only users who may change flows can look for Stash', async () => {
    const find = async (token?: string) => (await post('stash-server/find', {}, token)).status;
    assert.equal(await find(await token('full')), 200);
    assert.equal(await find(await token('read')), 401);
    assert.equal(await find(), 401);
  });

  it('only users who may read the flows get what the server has, and its pictures', async () => {
    const readers = [await token('full'), await token('read')];
    const items = { id: SERVER.id, kind: 'tag', text: '' };
    for (const ask of [
      (token?: string) => picture(token),
      async (token?: string) => (await post('stash-server/capabilities', { id: SERVER.id }, token)).status,
      async (token?: string) => (await post('stash-server/items', items, token)).status,
    ]) {
      stage.stash.requests.splice(0);
      for (const reader of readers) assert.equal(await ask(reader), 200);
      // The tab in the sidebar of an earlier test may still follow the jobs.
      const asked = sent().filter((one) => one !== 'jobQueue');
      stage.stash.requests.splice(0);
      assert.equal(await ask(), 401);
      assert.deepEqual(sent(asked), []);
    }
  });

  it('a picker shows pictures to a user who has signed in', async () => {
    const { editor } = stage;
    await editor.show(PICTURED.tab);
    const dialog = await editor.openDialog(editor.node(PICTURED.node));
    await dialog.offered('sceneIDs');
    await editor.page.locator('.stash-option-picture img[src^="blob:"]').first().waitFor();
    await dialog.cancel();
  });

  async function picture(token?: string): Promise<number> {
    const { status } = await fetch(
      `${stage.nodeRed.url}/stash-server/picture?id=${SERVER.id}&path=/scene/1/screenshot`,
      {
        headers: token === undefined ? {} : { Authorization: `Bearer ${token}` },
      },
    );
    return status;
  }

  /** Returns the operations of the requests, or their paths: only these, because others may send requests meanwhile. */
  function sent(only?: readonly string[]): string[] {
    const all = stage.stash.requests.map(({ operation, path }) => operation ?? path);
    return all.filter((one) => !only || only.includes(one));
  }

  async function token(user: string): Promise<string> {
    const answer = await post('auth/token', {
      client_id: 'node-red-editor',
      grant_type: 'password',
      scope: '',
      username: user,
      password: user,
    });
    return ((await answer.json()) as { access_token: string }).access_token;
  }

  async function ask(token?: string): Promise<number> {
    const answer = await post(
      'stash-server/test',
      { id: SERVER.id, content: { url: stage.stash.url, auth: 'apiKey' } },
      token,
    );
    // The test ends when nobody reads the lines.
    await answer.text();
    return answer.status;
  }

  /** Resolves with the status as soon as it has arrived: some responses have no end. */
  async function statusOf(method: string, route: string, body: object, given?: string): Promise<number> {
    const gone = new AbortController();
    const { status } = await fetch(`${stage.nodeRed.url}/${route}`, {
      method,
      signal: gone.signal,
      headers: {
        'Content-Type': 'application/json',
        ...(given !== undefined && { Authorization: `Bearer ${given}` }),
      },
      ...(method === 'POST' && { body: JSON.stringify(body) }),
    });
    gone.abort();
    return status;
  }

  async function post(where: string, body: object, token?: string): Promise<Response> {
    return await fetch(`${stage.nodeRed.url}/${where}`, {
      method: 'POST',
      headers: {
        'Content-Type': 'application/json',
        ...(token !== undefined && { Authorization: `Bearer ${token}` }),
      },
      body: JSON.stringify(body),
    });
  }
}
