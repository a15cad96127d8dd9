import assert from 'node:assert/strict';
import { Flow, useFakeStash } from '../support/flow';
import { helper } from '../support/runtime';
import { hasten } from '../support/tempo';
import { type Line, press, Press } from '../support/trial';
import { until } from '../support/waiting';
import { json } from '../fake-stash/answers';
import { silence } from '../fake-stash/faults';
import { otherTask } from '../fake-stash/tasks';
import { timing } from '../../src/timing';

/** A key that URL-encoding and JSON change. */
const KEY = 'canary+key/with="signs".0123456789';

const SCENES = 'query ($filter: FindFilterType) { findScenes(filter: $filter) { scenes { id title } } }';
const names = ['status', 'studios', 'performer-search', 'query', 'new', 'update', 'performer-save'];

describe('Try it', () => {
  hasten();
  const stash = useFakeStash({ release: 'v0.30.1', apiKey: KEY, jobSeconds: 0.1 });
  before(() => helper.startServer());
  after(() => helper.stopServer());

  const start = (type = 'stash-studios', properties: object = {}, server: object = {}) =>
    Flow.start({
      type,
      properties,
      server: { url: stash().url, auth: 'apiKey', pause: 0, ...server },
      credentials: { apiKey: KEY },
    });
  const query = (properties: object, more: object = {}) => press('query', { properties, ...more });
  const search = (payload: string) => ({ message: [{ property: 'payload', value: payload, type: 'str' }] });
  /** Returns the requests with this root field. */
  const sent = (field: string) => stash().requests.filter(({ operation }) => operation === field);

  describe('shows', () => {
    beforeEach(() => start());

    it('the first three studios, and how many there are', async () => {
      const { milliseconds, ...table } = await press('studios', { properties: { fields: ['name', 'url'] } });

      assert.deepEqual(table, {
        shape: 'list',
        columns: ['url', 'name'],
        rows: [
          ['https://bluekettle.example', 'Blue Kettle'],
          ['https://harbournine.example', 'Harbour Nine'],
          ['https://lanterna.example/films', 'Lanterna'],
        ],
        count: 6,
        missing: [],
        errors: [],
      });
      assert.ok(Number.isInteger(milliseconds));
    });

    it('the fields of the status one below the other, with those of the objects in it', async () => {
      const { shape, columns, rows } = await press('status', { properties: { fields: ['status', 'stats'] } });

      assert.deepEqual([shape, columns], ['fields', ['field', 'value']]);
      assert.deepEqual(rows?.slice(0, 2), [
        ['status', 'OK'],
        ['stats.scene_count', '5'],
      ]);
      assert.equal(rows.length, 15);
    });

    it('what the numbers of the status count, and the jobs by their names', async () => {
      const properties = { fields: ['stats', 'jobs'] };
      const idle = await press('status', { properties });
      assert.deepEqual(idle.rows?.at(-1), ['jobs', '0']);
      assert.deepEqual(
        ['scene_count', 'scenes_size', 'total_play_duration'].map((field) => idle.units?.[`stats.${field}`]),
        ['count', 'bytes', 'seconds'],
      );
      for (const name of ['Scanning...', 'Generating...']) stash().jobs.add(otherTask(name, 'a step'));
      const { rows } = await press('status', { properties });
      assert.deepEqual(rows?.at(-1), ['jobs', 'Scanning, Generating']);
    });

    it('the performers that match a value for the message', async () => {
      const { columns, rows, count } = await press('performer-search', search('Robin'));

      assert.deepEqual(columns?.slice(0, 2), ['name', 'url']);
      assert.deepEqual(
        rows?.map(([name]) => name),
        ['Robin Vale', 'Robin Valentine'],
      );
      assert.equal(count, 2);
      assert.equal(stash().site.calls.length, 1);
    });

    describe('of an update', () => {
      const byFolder = [{ field: 'tags', action: 'add', value: '', valueType: 'folder' }];
      const given = (value: string) => ({ message: [{ property: 'payload', value, type: 'json' }] });
      const update = (properties: object, value: string) =>
        press('update', { properties: { create: true, ...properties }, ...given(value) });

      it('what each item would get, those that would change first, and what would be created', async () => {
        const changes = [...byFolder, { field: 'rating', action: 'clear' }];
        const { milliseconds, ...table } = await update({ changes }, '[5, 1, "3", 4]');
        assert.deepEqual(table, {
          shape: 'changes',
          columns: ['item', 'tags', 'rating'],
          rows: [
            ['Low Tide', '+ Harbour Nine', ''],
            ['Paper Moon', '+ Lanterna', ''],
            ['First Snow', '+ Quiet Hill', ''],
          ],
          count: 4,
          changing: 3,
          created: [{ kind: 'tag', names: ['Harbour Nine', 'Lanterna', 'Quiet Hill'], count: 3 }],
          missing: [],
          errors: [],
        });
        assert.ok(Number.isInteger(milliseconds));
      });

      it('an item that would stay as it is, without cells', async () => {
        const { rows, count, changing } = await update({ changes: byFolder }, '5');
        assert.deepEqual([rows, count, changing], [[['Window Seat']], 1, 0]);
      });

      it('the values of an expression, which is evaluated for each item', async () => {
        const value = 'item.id = "2" ? 40 : 80';
        const changes = [{ field: 'rating', action: 'set', value, valueType: 'jsonata' }];
        const { rows } = await update({ changes }, '[1, 2]');
        assert.deepEqual(rows, [
          ['Low Tide', '= 80'],
          ['Morning Ferry', '= 40'],
        ]);
      });

      it('performers by their names, and items that were chosen in the dialog', async () => {
        stash().people.add({ name: 'Robin Vale' });
        const changes = [
          { field: 'favorite', action: 'set', value: 'true', valueType: 'bool' },
          { field: 'tags', action: 'set', value: '["1"]', valueType: 'tag' },
        ];
        const properties = { kind: 'performer', items: '["1"]', itemsType: 'chosen', changes };
        const { rows } = await press('update', { properties });
        const [tag] = stash().tags;
        assert.deepEqual(rows, [['Robin Vale', '= true', `= ${tag?.name}`]]);
      });

      it('nothing for a list without items', async () => {
        const { rows, count } = await update({ changes: byFolder }, '[]');
        assert.deepEqual([rows, count], [[], 0]);
      });

      it('and sends no mutation', async () => {
        for (const dryRun of [false, true]) await update({ changes: byFolder, dryRun }, '[1, 2]');
        assert.ok(!stash().requests.some(({ body }) => body?.query?.startsWith('mutation')));
      });
    });

    describe('of a performer to save', () => {
      const save = (performer: object, existing = 'fill') =>
        press('performer-save', {
          properties: { existing },
          message: [{ property: 'payload', value: JSON.stringify(performer), type: 'json' }],
        });
      const ofAll = ({ columns, rows, changing, created }: Line) => [
        columns,
        rows,
        changing,
        created?.map(({ names }) => names),
      ];

      it('what would be written to a new one, the start of a picture, and no mutation', async () => {
        const picture = `data:image/png;base64,iVBORw0KGgo${'A'.repeat(97)}`;
        const added = await save({ name: 'Robin  Vale', country: 'CA', picture });
        assert.deepEqual(ofAll(added), [
          ['item', 'name', 'country', 'picture'],
          [['Robin Vale', 'Robin Vale', 'CA', 'data:image/*;base64,iVBORw0KGgoAAAAAAAAA…']],
          1,
          [['Robin Vale']],
        ]);
        assert.ok(!stash().requests.some(({ body }) => body?.query?.startsWith('mutation')));
      });

      it('the values as Stash gets them, with those that a list keeps', async () => {
        stash().people.add({ name: 'Robin Vale', alias_list: ['A', 'B'] });
        const given = { name: 'Robin Vale', aliases: ['B', 'C'], gender: 'Woman', height: '5 ft 7 in' };
        const { columns, rows } = await save({ ...given, twitter: '@robin' });
        assert.deepEqual(columns, ['item', 'gender', 'height', 'urls', 'aliases']);
        assert.deepEqual(rows, [['Robin Vale', 'FEMALE', '170', 'https://twitter.com/robin', 'A, B, C']]);
      });

      it('which fields keep their values, and which are not usable', async () => {
        stash().people.add({ name: 'Robin Vale', country: 'CA' });
        const { changing, hints } = await save({
          name: 'Robin Vale',
          country: 'US',
          height: 'tall',
          picture: 'x',
        });
        assert.equal(changing, 0);
        assert.deepEqual(hints, [
          { key: 'kept', values: { fields: 'country' } },
          { key: 'unusable', values: { fields: 'height' } },
          { key: 'noPicture', values: {} },
        ]);
      });

      it('only what would change of one that is there, or that nothing would', async () => {
        stash().people.add({ name: 'Robin Vale', country: 'CA' });
        const given = { name: 'robin vale', country: 'US', gender: 'FEMALE' };
        assert.deepEqual(ofAll(await save(given)), [['item', 'gender'], [['Robin Vale', 'FEMALE']], 1, []]);
        assert.deepEqual(ofAll(await save({ name: 'Robin Vale', country: 'CA' })), [
          ['item', 'name', 'country'],
          [['Robin Vale']],
          0,
          [],
        ]);
      });

      it('the candidates, if several fit', async () => {
        stash().people.add({ name: 'Robin Vale', disambiguation: 'singer' });
        stash().people.add({ name: 'Robin Vale', disambiguation: 'actor' });
        const { shape, count } = await save({ name: 'Robin Vale' });
        assert.deepEqual([shape, count], ['list', 2]);
      });
    });

    it('the list in the answer to a query', async () => {
      const table = await query({
        document: '{ findScenes { count scenes { id studio { name } tags { name } } } }',
      });

      assert.deepEqual(table.columns, ['id', 'studio', 'tags']);
      assert.deepEqual(table.rows?.[0], ['1', '', '']);
      assert.equal(table.count, 5);
    });

    it('the fields in the answer to a query that lists nothing', async () => {
      const { shape, rows } = await query({
        document: '{ stats { scene_count } findScene(id: 1) { id tags { name } } }',
      });

      assert.equal(shape, 'fields');
      assert.deepEqual(rows, [
        ['stats.scene_count', '5'],
        ['findScene.id', '1'],
        ['findScene.tags', ''],
      ]);
    });

    it('three items of the first page of a query that asks page by page', async () => {
      const { rows, count } = await query({ document: SCENES, pages: true, perPage: '100' });

      assert.deepEqual(
        rows?.map(([id]) => id),
        ['1', '2', '3'],
      );
      assert.equal(count, null, 'there may be more');
      assert.deepEqual(
        sent('findScenes').map(({ body }) => body?.variables),
        [{ filter: { page: 1, per_page: 3, sort: 'id', direction: 'ASC' } }],
      );
    });

    it('how many items all pages have, if the document asks for that', async () => {
      const document = SCENES.replace('{ scenes', '{ count scenes');
      assert.equal((await query({ document, pages: true })).count, 5);
    });

    it('how many items there are, and how many of them the node would send', async () => {
      const found = await press('find', { properties: { kind: 'scene', limit: '4' } });
      assert.deepEqual([found.rows?.length, found.count, found.sent], [3, 5, 4]);
      const all = await press('find', { properties: { kind: 'scene', limit: '5' } });
      assert.deepEqual([all.count, all.sent], [5, undefined]);
      const document = '{ findScenes(filter: { per_page: 2 }) { count scenes { id } } }';
      const answered = await query({ document });
      assert.deepEqual([answered.rows?.length, answered.count, answered.sent], [2, 5, 2]);
    });

    it('errors beside the data of a query, if the dialog says so', async () => {
      const errors = [{ message: `no file for ${KEY}` }];
      stash().answerWith(json({ data: { stats: { scene_count: null } }, errors }), { field: 'stats' });
      const partial = await query({ partial: true });

      assert.deepEqual(partial.rows, [['stats.scene_count', '']]);
      assert.deepEqual(partial.errors, ['no file for •••']);
    });

    it('the newest items of the ticked kinds, one of each first, with where their pictures are', async () => {
      for (const path of ['one.jpg', 'two.jpg', 'a.mp4']) {
        stash().library.add({ path: `/media/videos/New/${path}` }, '2026-01-11T04:41:59Z');
      }
      const properties = { scenes: true, images: true, galleries: true, picture: 'buffer' };
      const { columns = [], rows = [], count } = await press('new', { properties });

      assert.deepEqual(columns.slice(0, 4), ['picture', 'id', 'kind', 'title']);
      const firsts = rows.map((row) => row.slice(0, 4));
      assert.deepEqual(firsts, [
        ['/scene/6/screenshot', '6', 'scene', 'a.mp4'],
        ['/scene/5/screenshot', '5', 'scene', 'Window Seat'],
        ['/image/3/thumbnail', '3', 'image', 'two.jpg'],
      ]);
      assert.equal(rows[2]?.[columns.indexOf('seconds')], '', 'images have no duration');
      assert.equal(count, 6 + 3);
      assert.ok(stash().requests.every(({ path }) => path === '/graphql'));
    });
  });

  it('sends nothing on, shows nothing under the node, and deploys nothing', async () => {
    const flow = await start('stash-status', { fields: ['status'] });
    const { rows } = await press('status', { node: 'tested', properties: { fields: ['version'] } });
    const { msg } = await flow.ask();

    assert.deepEqual(rows, [['version', 'v0.30.1']]);
    assert.deepEqual(msg.payload, { status: 'OK' }, 'the deployed fields');
    assert.equal(flow.sent.length, 1);
    assert.ok(flow.statuses.every(({ text }) => !/version/.test(String(text))));
  });

  it('moves no position: a deployed new node reports the same items afterwards', async () => {
    const flow = await start('stash-new');
    await flow.until(
      () => sent('findScenes').length >= 2 && stash().sockets.subscribed.includes('jobsSubscribe'),
    );
    stash().library.add({ path: '/media/videos/New/a.mp4' }, '2026-01-11T04:41:59Z');
    const { rows } = await press('new', { node: 'tested', properties: { scenes: true } });
    stash().jobs.add(otherTask('Scanning...', 'a step'));
    await flow.until(() => flow.sent.length > 0);

    assert.equal(rows?.[0]?.[2], 'a.mp4');
    assert.deepEqual(
      flow.sent.map(({ payload }) => (payload as { title: string }).title),
      ['a.mp4'],
    );
  });

  describe('refuses', () => {
    beforeEach(() => start());

    it('a document that changes the server, before any request', async () => {
      for (const document of ['mutation { stopAllJobs }', 'mutation { metadataScan(input: {}) }']) {
        for (const properties of [{ document }, { document, pages: true }]) {
          assert.deepEqual(await query(properties), { case: 'BAD_INPUT.mutation', details: {} });
        }
        const message = [{ property: 'payload', value: document, type: 'str' }];
        const fromMessage = await query({ document: 'payload', documentType: 'msg' }, { message });
        assert.equal(fromMessage.case, 'BAD_INPUT.mutation');
      }
      const subscription = await query({ document: 'subscription { jobsSubscribe { type } }' });
      assert.equal(subscription.case, 'BAD_INPUT.subscription');
      assert.deepEqual(stash().requests, []);
    });

    it('wrong values with the words of the node', async () => {
      for (const [name, properties, which] of [
        ['studios', { fields: [] }, 'notChosen'],
        ['studios', { fields: ['nonsense'] }, 'unknownChoice'],
        ['status', { fields: 'status' }, 'notChosen'],
        ['new', { scenes: false }, 'notChosen'],
        ['performer-search', {}, 'empty'],
        ['performer-search', { query: ' ', queryType: 'str' }, 'notEntered'],
        ['performer-search', { query: '$nonsense(', queryType: 'jsonata' }, 'expression'],
        ['performer-search', { query: 'x', queryType: 'nonsense' }, 'unknownChoice'],
        ['query', { document: '{ version ' }, 'document'],
        ['query', { document: '{ version { versio } }' }, 'document'],
        ['query', { document: '{ version { version } }', pages: true }, 'noPages'],
        ['query', { perPage: '0' }, 'pageSize'],
        ['update', {}, 'noChanges'],
        ['update', { changes: [{ field: 'rating', action: 'clear' }] }, 'empty'],
      ] as const) {
        const answer = await press(name, { properties });
        assert.equal(answer.case, `BAD_INPUT.${which}`, JSON.stringify(properties));
      }
      const { details } = await press('performer-search');
      assert.deepEqual(details, { property: 'query', source: 'msg.payload' });
      const mistake = await query({ document: '{ version { versio } }' });
      assert.match(String(mistake.details?.['text']), /Cannot query field "versio"/);
    });

    it('a wrong value of the message', async () => {
      for (const [value, which] of [
        [{ property: 'payload', value: '{', type: 'json' }, 'notEvaluated'],
        [{ property: 'payload', value: 'HOME', type: 'env' }, 'unknownChoice'],
        [{ property: '', value: '[]', type: 'json' }, 'notObject'],
      ] as const) {
        const { case: found, details } = await press('performer-search', { message: [value] });
        assert.equal(found, `BAD_INPUT.${which}`);
        if (which === 'notEvaluated') assert.equal(details?.['property'], 'msg.payload');
      }
    });

    it('a server that is not deployed', async () => {
      for (const name of names) {
        for (const id of ['not-deployed', 'tested', '', 5, null]) {
          assert.deepEqual(await press(name, { id }), { case: 'NO_SERVER.none', details: {} });
        }
      }
      assert.deepEqual(stash().requests, []);
    });
  });

  it('responds to anything that a browser may send', async () => {
    await start();
    for (const name of names) {
      for (const body of [
        { properties: 5 },
        { properties: [], message: 'x', node: {} },
        { message: [null, 5, {}, { property: '__proto__.x', value: '{}', type: 'json' }] },
      ]) {
        const { case: which, rows } = await press(name, body);
        assert.ok(rows ?? which, `${name} ${JSON.stringify(body)}`);
      }
    }
    assert.equal(({} as { x?: unknown }).x, undefined);
  });

  describe('evaluates', () => {
    const queryOf = (value: string, type: string) => ({ query: value, queryType: type });
    const found = ({ rows }: Line) => rows?.map(([name]) => name);

    it('values from the message, nested and in JSONata', async () => {
      await start();
      const message = [
        { property: '', value: '{"topic": "Robin"}', type: 'json' },
        { property: 'payload.who["first name"]', value: 'Vale', type: 'str' },
      ];
      const both = await press('performer-search', {
        properties: queryOf('topic & " " & payload.who.`first name`', 'jsonata'),
        message,
      });
      const nested = await press('performer-search', {
        properties: queryOf('payload.who["first name"]', 'msg'),
        message,
      });

      assert.deepEqual(found(both), ['Robin Vale', 'Robin Valentine']);
      assert.ok(found(nested)?.includes('Robin Vale'));
    });

    it('context and environment as the deployed node does', async () => {
      await start('stash-performer-search');
      const context = helper.getNode('tested').context();
      context.flow.set('who', 'Robin Vale');
      context.global.set('who', 'Hana');
      process.env['TRIAL_WHO'] = 'Maeve';
      try {
        for (const [value, type, name] of [
          ['who', 'flow', 'Robin Vale'],
          ['who', 'global', 'Hana'],
          ['TRIAL_WHO', 'env', 'Maeve'],
          ['${TRIAL_WHO}', 'str', 'Maeve'],
        ] as const) {
          const properties = queryOf(value, type);
          const answer = await press('performer-search', { node: 'tested', properties });
          assert.ok(
            found(answer)?.some((one) => one?.startsWith(name)),
            `${value}: ${JSON.stringify(answer)}`,
          );
          // A node that is not deployed has no flow.
          const elsewhere = await press('performer-search', { node: 'not-deployed', properties });
          if (type === 'flow') {
            assert.deepEqual(elsewhere, { case: 'BAD_INPUT.notDeployed', details: { source: 'flow.who' } });
          } else assert.deepEqual(found(elsewhere), found(answer));
        }
      } finally {
        Reflect.deleteProperty(process.env, 'TRIAL_WHO');
      }
    });
  });

  it('shows no table for an empty list', async () => {
    await start();
    stash().answerWith(json({ data: { allStudios: [] } }), { field: 'allStudios' });
    const empty = await press('studios');
    assert.deepEqual([empty.rows, empty.count, empty.columns], [[], 0, []]);
  });

  describe('with an older server', () => {
    const old = useFakeStash({ release: 'v0.17.2' });

    it('names the fields that the server cannot give', async () => {
      await Flow.start({ type: 'stash-status', server: { url: old().url } });
      const properties = { fields: ['status', 'latestVersion'] };
      const { rows, missing } = await press('status', { properties });

      assert.deepEqual(rows, [['status', 'OK']]);
      assert.deepEqual(missing, ['latestVersion']);
    });
  });

  describe('tells no secret, and no more of a text than a cell shows', () => {
    const forms = [KEY, JSON.stringify(KEY).slice(1, -1), encodeURIComponent(KEY), btoa(KEY)];
    const everything = (line: Line) => JSON.stringify(line);

    it('whatever the server sends', async () => {
      await start();
      const scene = {
        id: '1',
        [`key ${KEY}`]: 1,
        stream: `${stash().url}/scene/1/stream?apikey=${encodeURIComponent(KEY)}`,
        paths: [{ stream: KEY }, { [KEY]: btoa(KEY) }],
        text: `a\u0000b\u202e\nc${'x'.repeat(500)}`,
        list: Array.from({ length: 100_000 }, (_, index) => index),
        nothing: null,
        flag: false,
      };
      stash().answerWith(json({ data: { findScenes: { scenes: [scene] } } }), { field: 'findScenes' });
      const line = await query({ document: '{ findScenes { scenes { id } } }' });
      for (const form of forms) assert.ok(!everything(line).includes(form), form);
      const cells = Object.fromEntries(
        (line.columns ?? []).map((column, index) => [column, line.rows?.[0]?.[index]]),
      );
      assert.equal(cells['stream'], `${stash().url}/scene/1/stream?apikey=•••`);
      assert.equal(cells['paths'], '[{"stream":"•••"},{"•••":"•••"}]');
      assert.match(String(cells['text']), /^a b cx+…$/);
      for (const cell of [cells['text'], cells['list']]) assert.equal(cell?.length, 200);
      assert.equal(cells['nothing'], '');
      assert.equal(cells['flag'], 'false');
    });

    it('in an error', async () => {
      await start();
      for (const answer of [
        json({ errors: [{ message: `${forms.join(' ')} \u001b[2J` }], data: null }),
        json({ errors: [{ message: KEY }], data: null }, 422),
      ]) {
        stash().answerWith(answer, { field: 'allStudios', times: 2 });
        const line = await press('studios');
        assert.match(String(line.details?.['text']), /•••/);
        for (const form of forms) assert.ok(!everything(line).includes(form), form);
      }
    });

    it('of a result with many fields', async () => {
      await start();
      const fields = Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`f${index}`, index]));
      const scenes = [fields, { ...fields, other: 1 }];
      stash().answerWith(json({ data: { findScenes: { scenes } } }), { field: 'findScenes', times: 1 });
      const list = await query({ document: '{ findScenes { scenes { id } } }' });
      assert.deepEqual([list.columns?.length, list.rows?.map(({ length }) => length)], [30, [30, 30]]);

      stash().answerWith(json({ data: { findScene: { ...fields, title: 'a' } } }), { field: 'findScene' });
      const object = await query({ document: '{ findScene(id: 1) { id } }' });
      assert.equal(object.rows?.length, 30);
    });
  });

  describe('and messages', () => {
    it('share the rate limit of an external site', async () => {
      const flow = await start('stash-performer-search', {}, { pause: 0.3 });
      await flow.ask({ payload: 'Hana' });
      const trial = new Press('performer-search', search('Robin'));
      const { rows } = (await trial.end) ?? {};
      const [first, second] = stash().site.calls;

      assert.equal(rows?.length, 2);
      assert.deepEqual(trial.states, ['asking', 'waiting']);
      assert.ok((second?.startedAt ?? 0) - (first?.endedAt ?? 0) >= 290, 'after the pause');
      assert.equal(stash().site.calls.length, 2);
    });

    it('wait in one queue, and a trial that waits holds up no other one', async () => {
      const flow = await start('stash-performer-search', {}, { pause: 60 });
      await flow.ask({ payload: 'Hana' });
      const waiting = new Press('performer-search', search('Robin'));
      await until(() => waiting.states.includes('waiting'));
      const { count } = await press('studios');
      assert.equal(count, 6);

      const id = flow.send({ payload: 'Amara' });
      waiting.leave();
      assert.equal(await waiting.end, undefined);
      await press('studios');
      assert.equal(flow.hasEnded(id), false);
      assert.equal(stash().site.calls.length, 1, 'nothing of the trial was sent');
    });

    it('differ where a site blocks requests: a trial says so at once', async () => {
      await start('stash-performer-search');
      stash().site.failure = 'http error 429:Too Many Requests';
      const { case: which, details } = await press('performer-search', search('Robin'));

      assert.equal(which, 'SITE_REFUSED.refused');
      assert.match(String(details?.['text']), /429/);
      assert.equal(stash().site.calls.length, 1);
      const next = new Press('performer-search', search('Robin'));
      await until(() => next.states.includes('refused'));
      next.leave();
      await next.end;
      assert.equal(stash().site.calls.length, 1);
    });

    it('may wait long: a proxy hears from a trial meanwhile', async () => {
      const { silence: usual } = timing;
      timing.silence = 5;
      try {
        const flow = await start('stash-performer-search', {}, { pause: 60 });
        await flow.ask({ payload: 'Hana' });
        const trial = new Press('performer-search', search('Robin'));
        await until(() => trial.lines.length > 5);
        assert.deepEqual(trial.states, ['asking', 'waiting']);
        trial.leave();
        await trial.end;
      } finally {
        timing.silence = usual;
      }
    });
  });

  describe('is bounded', () => {
    /** In milliseconds. */
    const LIMIT = 500;

    it('by its own time limit', async () => {
      const { editor } = timing;
      timing.editor = LIMIT;
      try {
        await start();
        stash().answerWith(silence, { field: 'allStudios' });
        assert.deepEqual(await press('studios'), {
          case: 'TIMEOUT.test',
          details: { seconds: LIMIT / 1000 },
        });
      } finally {
        timing.editor = editor;
      }
    });

    it('by the same limit while the whole schema is read for a document', async () => {
      const { editor } = timing;
      timing.editor = LIMIT;
      try {
        await start();
        stash().answerWith(silence, { field: '__schema' });
        const document = '{ stats { scene_count } }';
        assert.deepEqual(await press('query', { properties: { document } }), {
          case: 'TIMEOUT.test',
          details: { seconds: LIMIT / 1000 },
        });
      } finally {
        timing.editor = editor;
      }
    });

    it('by turns: one at a time for each server, and fifty of a node at most', async () => {
      await start();
      await press('studios');
      stash().answerWith(silence, { field: 'allStudios', times: 1 });
      const before = sent('allStudios').length;
      const first = new Press('studios');
      await until(() => sent('allStudios').length === before + 1);
      const others = [...Array.from({ length: 49 }, () => new Press('studios')), new Press('status')];
      await until(() => others.every(({ states }) => states.includes('queued')));

      assert.deepEqual(await press('studios'), { case: 'QUEUE_FULL.tests', details: {} });
      assert.equal(sent('systemStatus').length, 0, 'they wait');
      first.leave();
      for (const { end } of others) assert.ok((await end)?.rows);
      assert.equal((await press('new')).count, 5);
    });

    it('by its browser: a request ends when nobody waits for it', async () => {
      await start();
      await press('studios');
      const closed = new Promise((resolve) => {
        stash().answerWith((_request, response) => void response.once('close', resolve), {
          field: 'allStudios',
        });
      });
      const before = sent('allStudios').length;
      const trial = new Press('studios');
      await until(() => sent('allStudios').length > before);
      trial.leave();
      await closed;
      assert.equal(await trial.end, undefined);
    });

    it('by the server: a deploy without it ends a trial', async () => {
      const flow = await start();
      await press('studios');
      stash().answerWith(silence, { field: 'allStudios' });
      const before = sent('allStudios').length;
      const trial = new Press('studios');
      await until(() => sent('allStudios').length > before);
      await flow.redeploy({ type: 'stash-studios', server: null });
      assert.equal((await trial.end)?.case, 'CLOSED.closed');
    });
  });
});
