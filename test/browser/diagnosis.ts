import assert from 'node:assert/strict';
import { words } from '../support/words';
import { FakeStash } from '../fake-stash/fake-stash';
import { html, json, send } from '../fake-stash/answers';
import { STASHES } from '../fake-stash/library';
import { PLUGINS } from '../fake-stash/plugins';
import { inNewEditor } from './only-server';
import { READY } from './servers';
import { KEY, SERVER, type Stage } from './stage';

/** Describes the list of checks in the dialog of stash-server. */
export function describeDiagnosis(stage: Stage): void {
  it('stash-server: the list of checks fills line by line, and a screen reader hears each result', async () => {
    const { editor, stash } = stage;
    const server = await editor.openServer(SERVER.id);
    let goOn = (): void => undefined;
    const held = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    stash.answerWith(
      async (request, response, _body, execute) => {
        await held;
        send(request, response, await execute());
      },
      { field: 'systemStatus', times: 1 },
    );
    await server.pressTest();
    await server.row('state').locator('.fa-spinner').waitFor();
    assert.match(await server.line('release'), /^Stash v0\.30\.1, built .+ ago\.$/);
    assert.equal(await server.row('state').getAttribute('aria-hidden'), 'true');
    assert.equal(await server.row('folders').count(), 0);
    assert.equal(await server.result(), words('server', 'test.asking'));
    goOn();
    assert.equal(await server.conclusion(), READY);
    const region = editor.page.locator('#stash-diagnosis');
    assert.deepEqual(
      await region.evaluate((element) => [element.getAttribute('role'), element.getAttribute('aria-atomic')]),
      ['status', 'false'],
    );
    const rows = editor.page
      .getByRole('list', { name: words('server', 'doctor.list') })
      .getByRole('listitem');
    assert.equal(await rows.count(), 0, 'what has succeeded is one line');
    await server.tabTo('#stash-test ~ .stash-link');
    await editor.page.keyboard.press('Enter');
    const heard = (await rows.allInnerTexts()).map((text) => text.replace(/\s+/g, ' '));
    assert.equal(heard.length, 12);
    assert.equal(heard[4], 'Sign-in OK: Stash accepts the API key.');
    stash.answerNormally();
    await server.cancel();
  });

  it('stash-server: a button of the list corrects the address, and runs the checks again', async () => {
    const { editor, stash } = stage;
    const server = await editor.openServer(SERVER.id);
    await server.choose('auth', words('server', 'auth.none'));
    await server.type('url', `${stash.url.replace('http:', 'https:')}/somewhere`);
    assert.equal(await server.test(), words('server', 'doctor.end.failed'));
    await server.pressRemedy(words('server', 'doctor.remedy.address', { url: stash.url }));
    await server.row('signIn').locator('.stash-bad').waitFor();
    assert.equal(await server.input('url').inputValue(), stash.url);
    assert.equal(await editor.page.locator('#stash-test:focus').count(), 1, 'the focus is not lost');
    await server.conclusion();
    await server.pressRemedy(
      words('server', 'doctor.remedy.auth', { choice: words('server', 'auth.apiKey') }),
    );
    assert.equal((await server.values())['auth'], words('server', 'auth.apiKey'));
    assert.equal(await editor.page.locator('#node-config-input-apiKey:focus').count(), 1);
    await server.cancel();
  });

  it('stash-server: the list leads to the plugin, which Stash installs only when its button is pressed', async () => {
    const { editor, stash } = stage;
    const { page } = editor;
    const server = await editor.openServer(SERVER.id);
    await server.test();
    await server.tabTo('#stash-test ~ .stash-link');
    await page.keyboard.press('Enter');
    await server.pressRemedy(
      words('server', 'doctor.remedy.field', { field: words('server', 'section.plugin') }),
    );
    const state = page.locator('#stash-plugin-state');
    const install = page.getByRole('button', { name: words('server', 'plugin.install') });
    await state.getByText(words('server', 'plugin.missing')).waitFor();
    await install.click();
    await state.getByText(words('server', 'plugin.failed')).waitFor();
    await page.fill('#stash-plugin-source', 'https://plugins.test/10.0.0/index.yml');
    await install.click();
    await state.getByText(words('server', 'plugin.ready', { version: '10.0.0' })).waitFor();
    assert.ok(await install.isHidden());
    stash.plugins = PLUGINS;
    await server.cancel();
  });

  it('stash-server: the list leads to a field in a closed section, and to Stash', async () => {
    const { editor } = stage;
    const stash = await FakeStash.start({ release: 'v0.30.1', basePath: '/stash' });
    try {
      stash.status = 'SETUP';
      const server = await editor.openServer(SERVER.id);
      await server.choose('auth', words('server', 'auth.none'));
      await server.type('url', stash.url);
      await server.test();
      const link = server.row('state').getByRole('link', { name: words('server', 'link.stash') });
      assert.equal(await link.getAttribute('href'), stash.url);
      stash.answerWith(html(200, 'Sign in'));
      await server.test();
      const field = words('server', 'field.headers');
      await server.pressRemedy(words('server', 'doctor.remedy.field', { field }));
      assert.equal(await editor.page.locator('#node-config-input-headers:focus').count(), 1);
      await server.cancel();
    } finally {
      await stash.stop();
    }
  });

  it('stash-server: what an issue needs is copied in English, without addresses, folders, names and secrets', async () => {
    const editor = await stage.open();
    try {
      const { page } = editor;
      await page.evaluate(() => {
        localStorage.setItem('editor-language', 'de');
      });
      await page.reload();
      await editor.ready();
      await page.context().grantPermissions(['clipboard-read']);
      const server = await editor.openServer(SERVER.id);
      const copied = async (address: string) => {
        await server.type('url', address);
        const told = page.waitForResponse('**/diagnostics');
        await server.test();
        await told;
        await server.tabTo('#stash-copy');
        await page.keyboard.press('Enter');
        await page.getByText('Kopiert, ohne Adressen').waitFor();
        return await page.evaluate(() => navigator.clipboard.readText());
      };
      const { port } = new URL(stage.stash.url);
      await server.type('apiKey', KEY);
      const ready = await copied(`http://localhost:${port}`);
      assert.match(
        ready,
        /^- Versions: @stash-flows\/node-red-stash \d+\.\d+\.\d+, Node-RED \d\.\d\.\d+, Node\.js v\d+\.\d+\.\d+, \w+ \S+ \w+( \(container\))?\n/,
      );
      assert.ok(ready.includes(`\n- Server: http://…:${port}, sign-in: apiKey\n`), ready);
      assert.ok(ready.includes('\n- Host name (ok): … is ….\n'), ready);
      assert.match(ready, /\n- Release \(ok\): Stash v0\.30\.1, built \d+ \w+ ago\.\n/);
      stage.stash.answerWith(json({ data: { configuration: 5 } }), { field: 'configuration' });
      const odd = await copied(`http://localhost:${port}`);
      stage.stash.answerNormally();
      assert.ok(odd.includes('This server (v0.30.1) answers “configuration” in a form that'), odd);
      const lost = await copied('http://localhost:1/our/stash');
      assert.match(lost, /\n- Server: http:\/\/…:1\/…, .+\n(.+\n)+- Port \(failed, UNREACHABLE\.\w+\): /);
      for (const secret of [
        KEY,
        SERVER.name,
        'localhost:',
        '127.0.0.1',
        'our/stash',
        ...STASHES.map(({ path }) => path),
      ]) {
        assert.ok(!`${ready}\n${lost}`.includes(secret), `${secret} in ${ready}\n${lost}`);
      }
      await server.cancel();

      await editor.openServer('own-server');
      const inSubflow = await copied('${OUR_HOME}');
      assert.ok(
        inSubflow.endsWith(
          `correct its name. If a flow has it, limit the server to that flow. ${words('server', 'capabilities.subflow')}`,
        ),
        inSubflow,
      );
      assert.ok(!inSubflow.includes('OUR_HOME'));
      await server.cancel();
    } finally {
      await editor.page.context().close();
    }
  });

  it('stash-server: the test and the search end if something else than Node-RED responds, or a check has a bug', async () => {
    const { page } = stage.editor;
    const server = await stage.editor.openServer(SERVER.id);
    const page200 = { contentType: 'text/html', body: '<!doctype html>\n<title>Sign in</title>' };
    for (const body of [page200.body, '<title>Sign in</title>', '', '{"check":"name","state":"running"}\n']) {
      await page.route('**/stash-server/test', (route) => route.fulfill({ ...page200, body }));
      assert.equal(await server.test(), words('server', 'test.failed'), body);
      assert.equal(
        await page.locator('#stash-copy').count(),
        body.startsWith('{') ? 1 : 0,
        'only a result is copied',
      );
      await page.unroute('**/stash-server/test');
    }
    await page.route('**/stash-server/find', (route) => route.fulfill(page200));
    await page.locator('#stash-find').click();
    await page.locator('#stash-found').getByText(words('server', 'test.failed')).waitFor();
    await page.unroute('**/stash-server/find');

    await page.route('**/stash-server/test', (route) => route.fulfill({ body: '{"failed":true}\n' }));
    assert.equal(await server.test(), words('server', 'doctor.end.failed'));
    assert.equal(await server.line(), words('server', 'sidebar.errors.bug'));
    await page.unroute('**/stash-server/test');
    await server.cancel();
  });

  it('stash-server: each button that closes the dialog ends the test', async () => {
    await inNewEditor(stage, async (editor) => {
      const { page } = editor;
      // It does not end by itself.
      await page.route('**/stash-server/test', () => undefined);
      // The last one deletes the server.
      for (const button of ['#node-config-dialog-ok', '#node-config-dialog-cancel', 'button.leftButton']) {
        const server = await editor.openServer(SERVER.id);
        const ended = page.waitForEvent('requestfailed', (request) => request.url().endsWith('/test'));
        await server.pressTest();
        await page.locator(`.red-ui-tray-toolbar ${button}`).click();
        await ended;
        await page.locator('.red-ui-tray').waitFor({ state: 'detached' });
      }
    });
  });

  it('stash-server: the search offers the addresses at which Stash answers', async () => {
    const { editor } = stage;
    const { page } = editor;
    const server = await editor.openServer(SERVER.id);
    const found = [
      { url: 'http://stash:9999', needsSignIn: false },
      { url: 'http://172.17.0.1:9999', needsSignIn: true },
    ];
    const tried = ['http://localhost:9999', ...found.map(({ url }) => url)];
    let search: object = { tried, found: [] };
    await page.route('**/stash-server/find', (route) => route.fulfill({ json: search }));
    await server.tabTo('#stash-find');
    await page.keyboard.press('Enter');
    const result = page.locator('#stash-found');
    await result.getByText(words('server', 'doctor.find.none', { addresses: tried.join(', ') })).waitFor();
    // An empty address gives a reason to search.
    search = { tried, found };
    await server.type('url', '');
    await server.test();
    await result.getByText(words('server', 'doctor.find.signIn')).waitFor();
    await server.tabTo('#stash-found button');
    await page.keyboard.press('Enter');
    assert.equal(await server.input('url').inputValue(), found[0]?.url);
    assert.equal(await result.innerText(), '');
    search = { tried, found: found.slice(0, 1) };
    await page.locator('#stash-find').click();
    await result.getByText(words('server', 'doctor.find.here')).waitFor();
    assert.equal(await result.locator('button').count(), 0);
    assert.equal(await server.isFlagged('url'), false);
    await page.unroute('**/stash-server/find');
    await server.cancel();
  });
}
