import assert from 'node:assert/strict';
import { FakeStash } from '../fake-stash/fake-stash';
import { certificate } from '../support/certificate';
import { GOOD, RawServer } from '../support/raw-server';
import { words } from '../support/words';
import { KEY, SERVER, type Stage } from './stage';

/** The text beside the Test button after a successful test. */
export const READY = words('server', 'doctor.end.ok');

/** The text after any other. */
export const FAILED = words('server', 'doctor.end.failed');

/** A well-formed key that the server refuses. */
const WRONG_KEY = 'an-0utd4ted-k3y';

/** A TLS configuration and a proxy with a server that uses them, because a deploy warns about unused config nodes. */
const TLS = { id: 'servers-tls', name: 'our authority' };
const PROXY = { id: 'servers-proxy', name: 'our proxy' };
const BEHIND = { id: 'servers-behind', tls: TLS.id, proxy: PROXY.id };
export const networkNodes: object[] = [
  { ...TLS, type: 'tls-config', cert: '', key: '', ca: '', certname: '', keyname: '', caname: '' },
  { ...PROXY, type: 'http proxy', url: 'http://127.0.0.1:9', noproxy: [] },
  { ...BEHIND, type: 'stash-server', name: 'far', url: 'https://127.0.0.1:9', auth: 'none' },
  {
    id: 'servers-far',
    type: 'stash-status',
    z: 'servers',
    d: true,
    server: BEHIND.id,
    x: 500,
    y: 400,
    wires: [[]],
  },
];

/** The tab with the nodes of these tests. */
export const tab = { id: 'servers', type: 'tab', label: 'servers', disabled: false, info: '' };

/** The jQuery of the editor. */
declare const $: { (selector: string): { trigger(event: string): void }; fx: { off: boolean } };

/** The part of the editor's API that saves a dialog of Node-RED's own. */
declare const RED: { nodes: { node(id: string): object } };

/** Describes the dialog of stash-server by hand. */
export function describeServers(stage: Stage): void {
  it('stash-server: can be added from a node, and its dialog explains each mistake', async () => {
    const { editor, stash } = stage;
    await editor.show(tab.id);
    const node = await editor.drag('stash-scan', 300, 100);
    const dialog = await editor.openDialog(node);
    const server = await editor.openServerOf('add');
    await server.type('name', 'made by hand');
    await server.type('url', 'nas 9999');
    await server.tells('url', words('server', 'invalid.url'));
    assert.equal(await server.startPage.isVisible(), false);
    await server.type('url', `${stash.url}/scenes?sortby=date`);
    assert.equal(await server.startPage.getAttribute('href'), stash.url);
    for (const property of ['apiKey', 'username', 'password']) {
      assert.equal(await server.input(property).isVisible(), false);
    }
    await server.choose('auth', words('server', 'auth.session'));
    assert.equal(await server.input('apiKey').isVisible(), false);
    for (const property of ['username', 'password']) {
      await server.tells(property, words('server', `invalid.${property}`));
      await server.type(property, 'amy');
      assert.equal(await server.isFlagged(property), false);
    }
    await server.choose('auth', words('server', 'auth.apiKey'));
    assert.equal(await server.input('password').isVisible(), false);
    await server.tells('apiKey', words('server', 'invalid.apiKey'));
    await server.type('apiKey', KEY);
    await server.openSection('network');
    await server.type('headers', '{"X-Gate": 1}');
    await server.tells('headers', words('server', 'invalid.headers'));
    await server.type('headers', '{"X-Gate": "1"}');
    assert.equal(await server.isFlagged('headers'), false);
    assert.equal(await server.input('headers').getAttribute('type'), 'text', 'visible while the user types');
    await server.type('url', `${stash.url.replace('//', '//am%C3%BD:pass:w%3Frd@')}/scenes`);
    await server.type('name', 'made by hand');
    const { url, headers } = await server.values();
    const basic = Buffer.from('amý:pass:w?rd').toString('base64');
    assert.deepEqual([url, headers], [stash.url, `{"x-gate":"1","authorization":"Basic ${basic}"}`]);
    await server.openSection('limits');
    for (const [property, wrong, right, reason] of [
      ['pause', 'soon', '0', 'invalid.pause'],
      ['retryFor', '', '0', 'invalid.retryFor'],
      ['retryFor', '-1', '0.5', 'invalid.retryFor'],
      ['timeout', '0', '20', 'invalid.timeout'],
      ['lookupTimeout', '', '60', 'invalid.timeout'],
      ['backupTimeout', '-1', '600', 'invalid.timeout'],
    ] as const) {
      await server.type(property, wrong);
      await server.tells(property, words('server', reason));
      await server.type(property, right);
      assert.equal(await server.isFlagged(property), false);
    }
    assert.equal(await server.isFlagged('url'), false);
    await server.close();
    assert.equal((await dialog.values())['server'], 'made by hand');
    await dialog.close();
    await editor.deploy();

    const again = await editor.openDialog(node);
    const kept = await editor.openServerOf('edit');
    assert.deepEqual(await kept.values(), {
      name: 'made by hand',
      url: stash.url,
      auth: words('server', 'auth.apiKey'),
      apiKey: '__PWRD__',
      username: 'amy',
      password: '__PWRD__',
      tls: 'none',
      proxy: 'none',
      headers: '__PWRD__',
      pause: '0',
      retryFor: '0.5',
      timeout: '20',
      lookupTimeout: '60',
      backupTimeout: '600',
    });
    assert.equal(await kept.input('headers').getAttribute('type'), 'password');
    // Stored headers are unknown here, so that nothing can be added to them.
    await kept.type('url', 'http://user:password@nas:9999');
    await kept.tells('url', words('server', 'invalid.credentials'));
    await kept.type('url', stash.url);
    // Nodes of the other server also send requests.
    const atGate = () => stash.requests.filter(({ headers }) => headers['x-gate'] === '1').length;
    const before = atGate();
    assert.equal(await kept.test(), READY);
    assert.ok(atGate() > before);
    await kept.cancel();
    await again.close();
  });

  it("stash-server: the path map offers the library's folders, explains mistakes, and is saved", async () => {
    const { editor, nodeRed } = stage;
    const { page } = editor;
    const server = await editor.openServer(SERVER.id);
    const problem = page.locator('#stash-path-problem');
    assert.equal(
      await page.locator('#node-config-input-pathMap-container').isVisible(),
      false,
      'the section is closed',
    );
    await server.openSection('pathMap');
    await server.addPathRow('/downloads', '/media/videos');
    const folders = page.locator('#stash-library-folders option[value="/media/videos"]');
    await folders.waitFor({ state: 'attached' });
    await server.addPathRow('downloads', '/media/pictures');
    await problem.getByText(words('server', 'invalid.pathMap')).waitFor();
    assert.deepEqual(
      await page
        .locator('.stash-path-row [aria-invalid="true"]')
        .evaluateAll((inputs) =>
          inputs.map((input) => [input.getAttribute('aria-label'), input.getAttribute('aria-describedby')]),
        ),
      [['Node-RED 2', 'stash-path-problem']],
    );
    await server.removePathRow(2);
    assert.equal(await problem.innerText(), '');
    await server.addPathRow('', '');
    await server.addPathRow('D:\\New', '${FOLDER}');
    await server.close();
    await editor.deploy();
    const pathMap = async () => {
      const flows = (await nodeRed.get('flows')) as { id: string; pathMap?: unknown }[];
      return flows.find(({ id }) => id === SERVER.id)?.pathMap;
    };
    assert.deepEqual(await pathMap(), [
      { here: '/downloads', there: '/media/videos' },
      { here: 'D:\\New', there: '${FOLDER}' },
    ]);

    const again = await editor.openServer(SERVER.id);
    assert.deepEqual(await again.pathRows(), [
      ['/downloads', '/media/videos'],
      ['D:\\New', '${FOLDER}'],
    ]);
    await again.movePathRow(2, 1);
    assert.deepEqual(await again.pathRows(), [
      ['D:\\New', '${FOLDER}'],
      ['/downloads', '/media/videos'],
    ]);
    const controls = page.locator('#node-config-input-pathMap-container :is(input, a)');
    assert.deepEqual(
      await controls.evaluateAll((all) => all.map((control) => control.getAttribute('aria-label'))),
      [1, 2].flatMap((row) => [
        `Node-RED ${row}`,
        `Stash ${row}`,
        words('server', 'button.removeRow', { row }),
      ]),
    );
    await again.removePathRow(1);
    assert.deepEqual(await again.pathRows(), [['/downloads', '/media/videos']]);
    assert.equal((await page.locator(':focus').innerText()).trim(), words('server', 'button.addRow'));
    // A removed row fades, in which time a person may be done.
    await page.evaluate(() => {
      $.fx.off = false;
      $('#node-config-input-pathMap-container a').trigger('click');
      $('#node-config-dialog-ok').trigger('click');
      $.fx.off = true;
    });
    await page.locator('#node-config-dialog-edit-form').waitFor({ state: 'detached' });
    await editor.deploy();
    assert.deepEqual(await pathMap(), []);
  });

  it('stash-server: the Test button works before the first deploy', async () => {
    const { editor, stash } = stage;
    await editor.show(tab.id);
    const dialog = await editor.openDialog(await editor.drag('stash-scan', 300, 200));
    const server = await editor.openServerOf('add');
    await server.type('url', stash.url);
    await server.choose('auth', words('server', 'auth.apiKey'));
    await server.type('apiKey', KEY);
    assert.equal(await server.test(), READY);
    await server.type('apiKey', WRONG_KEY);
    assert.equal(await server.test(), FAILED);
    assert.equal(await server.line('signIn'), sentences('UNAUTHORIZED.keyRefused'));
    const url = await addressOfNobody();
    await server.type('url', url);
    assert.equal(await server.test(), FAILED);
    assert.equal(await server.line('port'), sentences('UNREACHABLE.refusedHere', { url }));
    await server.cancel();
    await dialog.cancel();
  });

  it('stash-server: the Test button uses a TLS configuration that is not deployed', async () => {
    const { editor } = stage;
    const gateway = await RawServer.open(() => GOOD, certificate);
    const server = await editor.openServer(SERVER.id);
    await server.choose('auth', words('server', 'auth.none'));
    await server.type('url', gateway.url);
    await server.openSection('network');
    await server.choose('tls', TLS.name);
    assert.equal(await server.test(), FAILED);
    assert.match(await server.row('tls').innerText(), new RegExp(words('server', 'doctor.state.failed')));
    const change = (values: object) =>
      editor.page.evaluate(([id, values]) => Object.assign(RED.nodes.node(id), values), [
        TLS.id,
        values,
      ] as const);
    // As its dialog leaves it.
    await change({ changed: true, credentials: { cadata: certificate.cert } });
    await server.test();
    assert.match(await server.row('tls').innerText(), new RegExp(words('server', 'doctor.state.ok')));
    await change({ changed: false, credentials: undefined });
    await server.cancel();
    await gateway.close();
  });

  it('stash-server: the Test button works with a username and a password', async () => {
    const { editor } = stage;
    const credentials = { username: 'amy', password: 'right' };
    const stash = await FakeStash.start({ release: 'v0.30.1', credentials });
    try {
      const server = await editor.openServer(SERVER.id);
      await server.type('url', stash.url);
      await server.choose('auth', words('server', 'auth.session'));
      await server.type('username', 'amy');
      await server.type('password', 'wrong');
      assert.equal(await server.test(), FAILED);
      assert.equal(await server.line('signIn'), sentences('UNAUTHORIZED.signInRefused'));
      await server.type('password', 'right');
      assert.equal(await server.test(), READY);
      await server.cancel();
    } finally {
      await stash.stop();
    }
  });

  it('stash-server: the Test button sends the stored key to no other address', async () => {
    const { editor, stash } = stage;
    const elsewhere = await FakeStash.start({ apiKey: KEY });
    try {
      const server = await editor.openServer(SERVER.id);
      assert.equal((await server.values())['apiKey'], '__PWRD__');
      assert.equal(await server.test(), READY);
      await server.type('url', elsewhere.url);
      assert.equal(await server.test(), FAILED);
      assert.equal(await server.line(), sentences('UNAUTHORIZED.credentialsKept'));
      assert.deepEqual(elsewhere.requests, []);
      await server.type('url', stash.url);
      assert.equal(await server.test(), READY);
      await server.cancel();
    } finally {
      await elsewhere.stop();
    }
  });

  it('stash-server: the result of the test disappears when the dialog changes', async () => {
    const { editor } = stage;
    const server = await editor.openServer(SERVER.id);
    const changes: [string, () => Promise<void>][] = [
      ['url', () => server.type('url', 'http://nas')],
      ['auth', () => server.choose('auth', words('server', 'auth.session'))],
      ['username', () => server.type('username', 'a')],
      ['password', () => server.type('password', 'a')],
      ['auth, back', () => server.choose('auth', words('server', 'auth.apiKey'))],
      ['apiKey', () => server.type('apiKey', 'a')],
      ['headers', () => server.type('headers', '{}')],
      ['timeout', () => server.type('timeout', '20')],
      ['tls', () => server.choose('tls', TLS.name)],
      ['proxy', () => server.choose('proxy', PROXY.name)],
    ];
    // An empty address gives a result without a request.
    await server.type('url', '');
    await server.openSection('network');
    await server.openSection('limits');
    for (const [what, change] of changes) {
      await server.test();
      await change();
      assert.equal(await server.result(), '', what);
      assert.equal(await server.row().count(), 0, what);
    }
    await server.cancel();
  });

  it('stash-server: a running test is aborted when the dialog changes', async () => {
    const { editor } = stage;
    const silent = await RawServer.open(() => undefined);
    const server = await editor.openServer(SERVER.id);
    await server.choose('auth', words('server', 'auth.none'));
    await server.type('url', silent.url);
    const ended = editor.page.waitForEvent('requestfailed', (request) => request.url().endsWith('/test'));
    await server.pressTest();
    await server.type('url', 'http://nas');
    await ended;
    assert.equal(await server.result(), '');
    await server.cancel();
    await silent.close();
  });

  it('stash-server: validates at once what arrives without a key, as from a password manager', async () => {
    const { editor } = stage;
    const server = await editor.openServer(SERVER.id);
    await server.type('url', '');
    await server.tells('url', words('server', 'invalid.url'));
    await editor.page.keyboard.insertText('http://nas:9999');
    assert.equal(await editor.page.locator('#node-config-input-url-problem').innerText(), '');
    await server.cancel();
  });

  it('stash-server: an address with the path of the API or the playground works', async () => {
    const { editor, stash } = stage;
    const server = await editor.openServer(SERVER.id);
    for (const path of ['/graphql', '/playground#query']) {
      await server.type('url', stash.url + path);
      assert.equal(await server.startPage.getAttribute('href'), stash.url);
      assert.equal(await server.test(), READY);
    }
    await server.cancel();
  });

  it('stash-server: the Test button suggests a remedy in the dialog, and names unset variables', async () => {
    const { editor, stash } = stage;
    const server = await editor.openServer(SERVER.id);
    for (const [url, key, expected, check] of [
      ['', 'a-key', /has no address\. /],
      [stash.url, 'two words', /^The API key contains characters/, 'signIn'],
      ['${STASH_UNSET}', 'a-key', /^The environment variable STASH_UNSET is not set/],
      ['http://nas:9999', '${STASH_UNSET}', /^The test sends credentials from the environment only to/],
    ] as const) {
      await server.type('url', url);
      await server.type('apiKey', key);
      assert.equal(await server.test(), FAILED);
      const sentence = await server.line(check);
      assert.match(sentence, expected);
      assert.doesNotMatch(sentence, /[Oo]pen the server|stored/);
    }
    await server.cancel();
  });

  it('stash-server: the API key is neither in an export nor in the flows that the editor loads', async () => {
    const { editor, nodeRed } = stage;
    const exported = await editor.exported();
    const flows = JSON.stringify(await nodeRed.get('flows'));
    for (const text of [exported, flows]) {
      assert.ok(text.includes(SERVER.id));
      for (const key of [KEY, WRONG_KEY, '__PWRD__', 'credentials":{"']) assert.ok(!text.includes(key), key);
    }
  });
}

/** Returns the text and the remedy of an error, as the dialog shows them. */
function sentences(which: string, values = {}): string {
  const [text, remedy] = ['text', 'remedy'].map((part) => words('server', `errors.${which}.${part}`, values));
  return `${text ?? ''} ${remedy ?? ''}`;
}

/** Returns an address where a server has stopped. */
async function addressOfNobody(): Promise<string> {
  const somebody = await FakeStash.start();
  const { url } = somebody;
  await somebody.stop();
  return url;
}
