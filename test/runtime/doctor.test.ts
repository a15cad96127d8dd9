import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import fs from 'node:fs/promises';
import { createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { stub, useFakeTimers } from 'sinon';
import { surroundings } from '../../src/operations/connection-test/find-stash';
import { plugin } from '../../src/contract/plugin';
import { timing } from '../../src/timing';
import { html, json, redirect } from '../fake-stash/answers';
import { FakeStash } from '../fake-stash/fake-stash';
import { words } from '../support/words';
import { certificate } from '../support/certificate';
import { portOf } from '../support/connect';
import { Flow } from '../support/flow';
import { passOn } from '../support/gateway';
import { linesOf } from '../support/lines';
import { RawServer } from '../support/raw-server';
import { type Line, type Remedy, Results } from '../support/results';
import { helper } from '../support/runtime';
import { extendSchema } from '../support/schema';
import { checkTable } from '../support/table';
import { passTimeLimit } from '../support/time-limit';
import { type SetUp, setUps, type Step, TLS, type Typed, World } from './doctor-set-ups';

/** When something runs out of time that would do so anyway, in milliseconds. */
const SOON = 500;

/** A file for a table with all lines of all set-ups. */
const REPORT = process.env['STASH_DOCTOR_REPORT'];

const MARKS: Readonly<Record<string, string>> = { ok: '✓', hint: '!', failed: '✗', neutral: '–' };

/** The labels of fields that a button leads to. */
const LABELS: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    ['apiKey', 'tls', 'proxy', 'headers'].map((field) => [field, words('server', `field.${field}`)]),
  ),
  // Node-RED's own.
  password: 'Password',
  pathMap: words('server', 'section.pathMap'),
};

describe('The Test button finds what is wrong, and the way out:', () => {
  const rows = [['what is wrong', 'the line that says so', 'its button']];
  const report = [['set-up', 'what it said', 'remedy', 'connected']];
  const usual = { ...surroundings, diagnosis: { ...timing.diagnosis }, editor: timing.editor };
  let world: World;

  before(() => helper.startServer());
  after(() => helper.stopServer());
  beforeEach(() => {
    world = new World();
  });
  afterEach(async () => {
    Object.assign(surroundings, usual);
    restoreTimes();
    await helper.unload();
    await world.end();
  });

  for (const setUp of setUps) {
    it(setUp.title, async function () {
      if (setUp.isOfLinux && process.platform !== 'linux') this.skip();
      await follow(setUp);
    });
  }

  it('the table in docs/connection-test.md lists all of them', () => {
    checkTable('docs/connection-test.md', 'set-ups', rows);
    if (REPORT !== undefined) writeFileSync(REPORT, report.map((row) => `| ${row.join(' | ')} |\n`).join(''));
  });

  function restoreTimes(): void {
    Object.assign(timing.diagnosis, usual.diagnosis);
    timing.editor = usual.editor;
  }

  /** Sets something up, and follows what the tests say until the connection works. */
  async function follow({ title, runsOut, start }: SetUp): Promise<void> {
    const { typed, steps } = await start(world);
    if (world.port !== undefined) surroundings.port = world.port;
    surroundings.hosts = () => Promise.resolve(world.hosts);
    await deploy();
    let values: Typed = { auth: 'none', ...typed } as Typed;
    if (runsOut === 'connection') timing.diagnosis.connection = SOON;
    if (runsOut === 'request') timing.editor = SOON;
    let results = await press(values);
    restoreTimes();
    const said = [described(results)];
    const remedies: string[] = [];
    for (const [index, step] of steps.entries()) {
      const line = found(results, step);
      const button = line.remedies.find(({ kind }) => kind === step.press);
      assert.equal(button?.kind, step.press, JSON.stringify(line));
      if (index === 0) addRow(title, line, button);
      remedies.push(button ? labelOf(button) : 'by hand');
      values = { ...values, ...(await changesOf(button)) };
      values = { ...values, ...(await step.then?.(values)) };
      results = await press(values);
      said.push(described(results));
    }
    assert.ok(results.isReady, JSON.stringify(results.all, null, 1));
    report.push([title, shown(said.join('<br>→ ')), remedies.map(shown).join('<br>'), 'yes']);
  }

  /** Returns the line with the finding of a step. The others have not failed. */
  function found(results: Results, { finds: [check, which] }: Step): Line {
    const line = results.at(check);
    assert.ok([line.text, line.case].includes(which), JSON.stringify(results.all, null, 1));
    const failed = results.all.filter(({ state }) => state === 'failed').map((one) => one.check);
    assert.deepEqual(failed, line.state === 'failed' ? [check] : []);
    return line;
  }

  /** Returns what a button changes in the dialog. */
  async function changesOf(button: Remedy | undefined): Promise<Partial<Typed>> {
    if (button?.kind === 'address') return { url: button.url ?? '' };
    if (button?.kind === 'auth') return { auth: button.auth ?? '' };
    if (button?.kind !== 'find') return {};
    const { body } = await helper.request().post('/stash-server/find').send({}).expect(200);
    const [first] = (body as { found: { url: string }[] }).found;
    assert.ok(first, JSON.stringify(body));
    return { url: first.url };
  }

  async function deploy(): Promise<void> {
    const tls = Object.entries(TLS).map(([id, credentials]) => ({
      ...{ id, type: 'tls-config', cert: '', key: '', ca: '', verifyservercert: true, credentials },
      servername: id === 'named' ? 'nas.example' : '',
    }));
    const proxy = {
      id: 'proxy1',
      type: 'http proxy',
      url: world.proxyUrl || 'http://127.0.0.1:1',
      noproxy: [],
    };
    await Flow.start({ type: 'stash-scan', server: { url: '' }, configs: [...tls, proxy] });
  }

  function addRow(title: string, { check }: Line, button: Remedy | undefined): void {
    rows.push([title, words('server', `doctor.check.${check}`), button ? shown(labelOf(button)) : '']);
  }

  function described({ all }: Results): string {
    return all.map((line) => `${MARKS[line.state] ?? '?'} ${line.check}: ${sentences(line)}`).join('<br>');
  }

  /** Replaces the addresses of the servers, which differ each time. */
  function shown(text: string): string {
    const named = [...world.names].reduce((rest, [host, name]) => rest.replaceAll(host, name), text);
    return named.replaceAll('|', '\\|');
  }
});

describe('The Test button', () => {
  let stash: FakeStash;
  const opened: { close: () => Promise<void> }[] = [];

  before(() => helper.startServer());
  after(() => helper.stopServer());
  beforeEach(async () => {
    stash = await FakeStash.start({ release: 'v0.25.1' });
    const tls = { type: 'tls-config', cert: '', key: '', ca: '' };
    await Flow.start({
      type: 'stash-scan',
      server: { url: stash.url },
      configs: [
        { id: 'any', ...tls, verifyservercert: false },
        { id: 'own', ...tls, verifyservercert: true, credentials: { cadata: certificate.cert } },
      ],
    });
  });
  afterEach(async () => {
    for (const one of opened.splice(0)) await one.close();
    await helper.unload();
    await stash.stop();
  });

  async function at(check: string, typed: Partial<Typed> = {}): Promise<Line> {
    return (await press({ url: stash.url, auth: 'none', ...typed })).at(check);
  }

  function answerFolders(...folders: string[]): void {
    const stashes = folders.map((path) => ({ path }));
    stash.answerNormally();
    stash.answerWith(json({ data: { configuration: { general: { stashes } } } }), { field: 'configuration' });
  }

  it('has a hint about a release before v0.26 that is older than a year', async () => {
    stash.built = '2024-03-13 02:04:05';
    const { state, text, details } = await at('release');
    assert.deepEqual([state, text, details['release']], ['hint', 'oldRelease', 'v0.25.1']);
    assert.ok(Number(details['days']) > 365);
    stash.built = new Date().toISOString().replace('T', ' ');
    assert.deepEqual((await at('release')).details, { release: 'v0.25.1', days: 0 });
  });

  it('has no hint about a release of unknown age', async () => {
    for (const unknown of ['', 'Unknown', '2999-01-01 00:00:00']) {
      stash.built = unknown;
      const { state, text, details } = await at('release');
      assert.deepEqual([state, text, details], ['ok', 'undatedRelease', { release: 'v0.25.1' }], unknown);
    }
  });

  it('has a hint about a certificate that ends soon, and says who has issued it', async () => {
    const secure = await RawServer.open((request) => passOn(stash, request), certificate);
    opened.push(secure);
    const { state, text, details } = await at('tls', { url: secure.url, tls: 'own' });
    assert.deepEqual([state, text, details['issuer']], ['ok', 'certificate', 'localhost']);
    const clock = useFakeTimers({ now: Date.parse('2119-12-22T12:00:00Z'), toFake: ['Date'] });
    try {
      const soon = await at('tls', { url: secure.url, tls: 'own' });
      assert.deepEqual(
        [soon.state, soon.text, soon.details],
        ['hint', 'certificateEnds', { issuer: 'localhost', count: 9 }],
      );
    } finally {
      clock.restore();
    }
    assert.equal((await at('tls', { url: secure.url, tls: 'any' })).text, 'unverified');
  });

  it('checks each row of the path map against the library folders', async () => {
    const row = (there: string) => ({ here: '/downloads', there });
    for (const there of ['/media/videos', '/media/videos/new/', '/media']) {
      const { state, text, details } = await at('folders', { pathMap: [row(there)] });
      assert.deepEqual([state, text, details], ['ok', 'foldersMapped', { count: 2 }], there);
    }
    for (const there of ['/media/video', '/elsewhere', 'videos', '']) {
      const { state, text, details } = await at('folders', { pathMap: [row('/media'), row(there)] });
      assert.deepEqual([state, text, details], ['hint', 'rowOutside', { row: 2 }], there);
    }
  });

  it('says which library folder this machine does not see, if it sees others', async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'doctor-'));
    const missing = path.join(folder, 'missing');
    const found = async (...folders: string[]) => {
      answerFolders(...folders);
      const { state, text, details } = await at('folders');
      return [state, text, details];
    };
    assert.deepEqual(await found(folder), ['ok', 'foldersSeen', { count: 1 }]);
    assert.deepEqual(await found(folder, missing), ['hint', 'folderUnseen', { count: 2, folder: missing }]);
    assert.deepEqual(await found(missing, 'C:\\films'), ['neutral', 'foldersElsewhere', { count: 2 }]);
    // On Windows, that would be another machine.
    assert.deepEqual(await found(`/${folder}`), ['neutral', 'foldersElsewhere', { count: 1 }]);
    assert.deepEqual(await found(), ['hint', 'noFolders', {}]);
    rmSync(folder, { recursive: true });
  });

  it('does not wait for a share that does not answer', async () => {
    const { folders } = timing.diagnosis;
    timing.diagnosis.folders = 50;
    let answer = () => {};
    const hangs = stub(fs, 'stat').callsFake(
      () =>
        new Promise(
          (_, reject) =>
            (answer = () => {
              reject(new Error('gone'));
            }),
        ),
    );
    try {
      answerFolders('/media/videos');
      const { state, text, details } = await at('folders');
      assert.deepEqual([state, text, details], ['ok', 'folders', { count: 1 }]);
    } finally {
      answer();
      hangs.restore();
      timing.diagnosis.folders = folders;
    }
  });

  it('has a hint if there is only the built-in scraper', async () => {
    assert.deepEqual((await at('scrapers')).details, { count: 1 });
    stash.answerWith(json({ data: { listScrapers: [] } }), { field: 'listScrapers' });
    const { state, text } = await at('scrapers');
    assert.deepEqual([state, text], ['hint', 'onlyBuiltIn']);
  });

  it('says whether Stash has the plugin, and what is heard without it, and leads to its installation', async () => {
    const install = [{ kind: 'field', field: 'plugin' }];
    const unheard = await at('plugin');
    assert.deepEqual([unheard.state, unheard.text, unheard.remedies], ['hint', 'noHistory', install]);
    stash.ui = { trackActivity: true };
    const missing = await at('plugin');
    assert.deepEqual([missing.state, missing.text, missing.remedies], ['neutral', 'pluginMissing', install]);
    const has = (version: string, enabled: boolean) => {
      stash.plugins = [{ id: plugin.id, name: 'Node-RED', version, enabled, tasks: [] }];
    };
    has('0.9.0', true);
    const outdated = await at('plugin');
    assert.deepEqual([outdated.state, outdated.text, outdated.remedies], ['hint', 'pluginOutdated', install]);
    has(plugin.version, false);
    assert.equal((await at('plugin')).text, 'pluginDisabled');
    has(plugin.version, true);
    const { state, text, details } = await at('plugin');
    assert.deepEqual([state, text, details], ['ok', 'pluginReady', { version: plugin.version }]);
    // The newest release of the plugin may be newer than this package.
    has('10.0.0', true);
    assert.equal((await at('plugin')).text, 'pluginReady');
  });

  it('says that Stash reports an error, but not its text', async () => {
    stash.answerWith(json({ errors: [{ message: 'a text of the server' }], data: null }), {
      field: 'listScrapers',
    });
    const line = await at('scrapers');
    assert.deepEqual([line.state, line.text, line.case], ['failed', 'serverError', 'GRAPHQL.failed']);
    assert.deepEqual(line.details, {});
    assert.equal(sentences(line), 'Stash reports an error. See the log in Stash under Settings → Logs.');
  });

  it('has a hint about a server that hides its schema', async () => {
    stash.answerWith(json({ errors: [{ message: 'introspection disabled' }], data: null }), {
      field: '__type',
    });
    const { state, text } = await at('graphql');
    assert.deepEqual([state, text], ['hint', 'noSchema']);
  });

  it('ends within its time limit, and checks nothing that depends on what failed', async () => {
    const { editor } = timing;
    timing.editor = 60_000;
    const silent = await RawServer.open(() => undefined);
    opened.push(silent);
    try {
      const pressed = () => press({ url: silent.url, auth: 'none' });
      const results = await passTimeLimit(15, pressed, () => silent.requests.length > 0);
      assert.deepEqual(results.at('stash', 'TIMEOUT.test').details, { seconds: 15 });
      assert.deepEqual(
        results.all.map(({ state }) => state),
        ['neutral', 'ok', 'neutral', 'failed'],
      );
      assert.equal(silent.requests.length, 1);
    } finally {
      timing.editor = editor;
    }
  });

  it('offers the addresses that it has found when its time ends', async () => {
    const usual = { ...timing.diagnosis, editor: timing.editor, port: surroundings.port };
    timing.editor = 200;
    Object.assign(timing.diagnosis, { all: 3_000, otherAddress: 60_000 });
    surroundings.port = stash.port;
    // It says nothing, with https:// either.
    const sockets: Socket[] = [];
    const silent = createServer((socket) => sockets.push(socket)).listen(0, '127.0.0.1');
    await once(silent, 'listening');
    try {
      const results = await press({ url: `http://127.0.0.1:${portOf(silent)}`, auth: 'none' });
      const { remedies } = results.at('stash', 'TIMEOUT.test');
      assert.deepEqual(remedies, [{ kind: 'address', url: stash.url }]);
    } finally {
      for (const socket of sockets) socket.destroy();
      silent.close();
      const { editor, port, ...diagnosis } = usual;
      timing.editor = editor;
      surroundings.port = port;
      Object.assign(timing.diagnosis, diagnosis);
    }
  });

  it('says that a server before v0.8 is too old', async () => {
    const old = await FakeStash.start({ release: 'v0.9.0' });
    opened.push({ close: () => old.stop() });
    extendSchema(old, { has: { Query: ['jobStatus'] } });
    const results = await press({ url: old.url, auth: 'none' });
    assert.equal(results.isReady, false);
    assert.deepEqual(
      [results.at('graphql').state, results.at('graphql').case],
      ['failed', 'UNSUPPORTED.tooOld'],
    );
  });

  for (const [release, expected] of [
    ['v0.11.0', { state: ['ok', 'ready'], socket: ['ok', 'polledByRelease'] }],
    ['v0.17.2', { state: ['ok', 'ready'], socket: ['ok', 'live'] }],
  ] as const) {
    it(`alarms nobody about what ${release} does not have`, async () => {
      const old = await FakeStash.start({ release });
      opened.push({ close: () => old.stop() });
      old.built = new Date().toISOString();
      const results = await press({ url: old.url, auth: 'none' });
      assert.ok(results.isReady);
      for (const [check, [state, text]] of Object.entries(expected)) {
        assert.deepEqual([results.at(check).state, results.at(check).text], [state, text], check);
      }
      assert.deepEqual(
        results.all.filter(({ state }) => state === 'hint').map(({ check }) => check),
        [],
      );
    });
  }
});

describe('The search for Stash', () => {
  const usual = { ...surroundings };
  let stash: FakeStash;

  before(() => helper.startServer());
  after(() => helper.stopServer());
  beforeEach(async () => {
    stash = await FakeStash.start({ apiKey: 'a-key' });
    await Flow.start({
      type: 'stash-scan',
      server: { url: stash.url, auth: 'apiKey' },
      credentials: { apiKey: 'a-key' },
    });
    surroundings.port = stash.port;
    surroundings.hosts = () => Promise.resolve(['127.0.0.1']);
  });
  afterEach(async () => {
    Object.assign(surroundings, usual);
    await helper.unload();
    await stash.stop();
  });

  it('tries the usual addresses, without credentials, and offers those at which Stash answers', async () => {
    const { body } = await helper
      .request()
      .post('/stash-server/find')
      .send({ url: 'http://elsewhere' })
      .expect(200);
    const urls = ['localhost', 'stash', '127.0.0.1'].map((host) => `http://${host}:${stash.port}`);
    assert.deepEqual(body, {
      tried: urls,
      found: [urls[0], urls[2]].map((url) => ({ url, needsSignIn: true })),
    });
    assert.equal(stash.requests.length, 2);
    for (const { headers } of stash.requests) assert.equal(headers['apikey'], undefined);
  });

  it('finds nothing where something else answers', async () => {
    for (const answer of [
      html(200, 'a page'),
      redirect('/login?returnURL=%2F'),
      json({ data: {} }),
      { status: 401, headers: {}, body: '' },
    ]) {
      stash.answerNormally();
      stash.answerWith(answer);
      const { body } = await helper.request().post('/stash-server/find').send({}).expect(200);
      assert.deepEqual((body as { found: unknown }).found, [], JSON.stringify(answer));
    }
  });
});

/** Presses the button. */
async function press(typed: Typed): Promise<Results> {
  const request = helper.request().post('/stash-server/test').send({ content: typed });
  return new Results(await linesOf<Line>(request));
}

/** Returns the sentences of a line, as the dialog shows them. */
function sentences({ text, case: which, details }: Line): string {
  const count = typeof details['count'] === 'number' ? (details['count'] === 1 ? '_one' : '_other') : '';
  const values = { ...details, age: 'some time ago' };
  return [
    ...(text === undefined ? [] : [words('server', `doctor.text.${text}${count}`, values)]),
    ...(text === undefined && which !== undefined ? [words('server', `errors.${which}.text`, values)] : []),
    ...(which === undefined ? [] : [words('server', `errors.${which}.remedy`, values)]),
  ].join(' ');
}

/** Returns the text of a button. */
function labelOf({ kind, url, auth, field }: Remedy): string {
  switch (kind) {
    case 'address':
      return words('server', 'doctor.remedy.address', { url });
    case 'auth':
      return words('server', 'doctor.remedy.auth', { choice: words('server', `auth.${auth ?? ''}`) });
    case 'field':
      return words('server', 'doctor.remedy.field', { field: LABELS[field ?? ''] });
    case 'open':
      return words('server', 'link.stash');
    default:
      return words('server', 'doctor.find.button');
  }
}
