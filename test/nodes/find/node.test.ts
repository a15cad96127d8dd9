import assert from 'node:assert/strict';
import { send } from '../../fake-stash/answers';
import type { Item } from '../../../src/operations/items';
import { askedWords, Flow, type Message, useFakeStash } from '../../support/flow';
import { helper } from '../../support/runtime';

describe('stash-find', () => {
  const stash = useFakeStash({ release: 'v0.30.1' });
  const start = (properties: object) =>
    Flow.start({ type: 'stash-find', properties, server: { url: stash().url } });
  const ask = async (properties: object, msg: object = {}) => {
    const { msg: end } = await (await start(properties)).ask(msg);
    await helper.unload();
    return end;
  };
  /** Returns the messages for one that gives each item a message of its own. */
  const askEach = async (properties: object) => {
    const flow = await start({ each: true, ...properties });
    const id = flow.send();
    await flow.until(() => flow.hasEnded(id));
    return flow.sentOn(id);
  };
  const items = ({ payload }: Message) => payload as Item[];
  const titles = (msg: Message) => items(msg).map(({ title }) => title);

  /** Returns the variables of the requests for lists of scenes. */
  const lists = () =>
    stash().requests.flatMap(({ operation, body }) =>
      operation === 'findScenes'
        ? [body?.variables as { filter: Record<string, unknown>; criteria?: object }]
        : [],
    );

  function addScenes(count: number): void {
    for (let number = 1; number <= count; number++) {
      stash().library.add({ path: `/media/videos/${number}.mp4` }, '2026-01-11T04:41:59Z');
    }
  }

  const unorganized = {
    mode: 'SCENES',
    name: 'To do',
    find_filter: { q: 'a', sort: 'title', direction: 'DESC' as const, per_page: 40 },
    object_filter: { organized: { modifier: 'EQUALS', value: 'false' } },
  };

  it('lists items with how many fit in all', async () => {
    const msg = await ask({ sort: 'title', limit: '2' });

    assert.deepEqual(titles(msg), ['First Snow', 'Low Tide']);
    assert.equal(msg.stash?.['count'], 5);
    assert.equal(msg.stash.operation, 'findScenes');
  });

  for (const each of [false, true]) {
    it(`shows in yellow that more fit than it sends: ${each ? 'each' : 'a list'}`, async () => {
      for (const [limit, fill, status, values] of [
        ['2', 'yellow', 'status.some', [2, 5]],
        ['5', 'green', 'status.found', [5, 5]],
      ] as const) {
        const flow = await start({ each, limit });
        const id = flow.send();
        await flow.until(() => flow.hasEnded(id) && flow.statuses.some(({ text }) => text === status));
        assert.equal(flow.statuses.at(-1)?.fill, fill);
        const { count, total } = askedWords.filter(({ key }) => key === status).at(-1)?.values ?? {};
        assert.deepEqual([count, total], values);
        await helper.unload();
      }
    });
  }

  it('finds what a filter saved in Stash shows, with its search, sort and direction', async () => {
    stash().filters.add(unorganized);
    const [first] = stash().library.all('scene');
    if (first) stash().library.changes.set(first, { organized: true });
    const msg = await ask({ filter: 'To do', filterType: 'saved' });

    assert.deepEqual(titles(msg), ['Window Seat', 'Paper Moon', 'Morning Ferry', 'First Snow']);
    assert.deepEqual(lists(), [
      {
        filter: { page: 1, per_page: 25, q: 'a', sort: 'title', direction: 'DESC' },
        criteria: { organized: false },
      },
    ]);
  });

  it('finds a saved filter by its ID, and reads it with each message', async () => {
    const [first] = stash().library.all('scene');
    if (first) stash().library.changes.set(first, { organized: true });
    const { id } = stash().filters.add(unorganized);
    const flow = await start({ filter: id, filterType: 'saved' });
    assert.equal(items((await flow.ask()).msg).length, 4);
    stash().filters.all.splice(0, 1, { ...unorganized, id, object_filter: {}, find_filter: {} });
    assert.equal(items((await flow.ask()).msg).length, 5);
  });

  it('finds a saved filter by its name also if that is the ID of another one', async () => {
    const other = stash().filters.add({ ...unorganized, name: 'Other', find_filter: { q: 'Low' } });
    stash().filters.add({ ...unorganized, name: other.id, find_filter: { q: 'Ferry' } });
    const msg = await ask({ filter: other.id, filterType: 'saved' });
    assert.deepEqual(titles(msg), ['Morning Ferry']);
  });

  it('prefers its own search and sort to those of the filter', async () => {
    stash().filters.add(unorganized);
    await ask({ filter: 'To do', filterType: 'saved', search: 'Low', searchType: 'str', sort: 'date' });

    assert.deepEqual(lists()[0]?.filter, { page: 1, per_page: 25, q: 'Low', sort: 'date' });
  });

  it('finds what is on a list page whose address was pasted', async () => {
    const criterion = encodeURI('("type":"title","value":"Low (1) Tide","modifier":"NOT_EQUALS")');
    const msg = await ask({
      filter: `http://nas:9999/stash/scenes?c=${criterion}&sortby=title&sortdir=desc&perPage=20&p=3&disp=1`,
      filterType: 'url',
    });

    assert.equal(items(msg).length, 5);
    assert.deepEqual(lists()[0], {
      filter: { page: 1, per_page: 25, sort: 'title', direction: 'DESC' },
      criteria: { title: { value: 'Low (1) Tide', modifier: 'NOT_EQUALS' } },
    });
  });

  it('finds what is on the page of a studio, a tag, a performer or a group whose address was pasted', async () => {
    const { library, groups, people } = stash();
    const [one, other] = library.all('scene');
    assert.ok(one && other);
    stash().tags = [{ id: '3', name: 'Night' }];
    groups.add({ name: 'Harbours', scenes: [one.id] });
    const { id } = people.add({ name: 'Hana Sato' });
    library.studioOf.set(one, '2');
    library.changes.set(other, { tags: ['3'], performers: [id] });

    for (const [page, title] of [
      ['/studios/2', one.title],
      ['/groups/1/scenes', one.title],
      [
        `/tags/3/scenes?c=${encodeURI('("type":"organized","value":"false","modifier":"EQUALS")')}`,
        other.title,
      ],
      [`/stash/performers/${id}/scenes?sortby=date&sortdir=desc`, other.title],
    ]) {
      const msg = await ask({ filter: `http://nas:9999${page}`, filterType: 'url' });
      assert.deepEqual([page, ...titles(msg)], [page, title]);
    }
  });

  it('takes criteria of the API from the message, also as JSON', async () => {
    const [first] = stash().library.all('scene');
    if (first) stash().library.changes.set(first, { organized: true });
    const from = { filter: 'payload', filterType: 'msg' };

    assert.equal(items(await ask(from, { payload: { organized: true } })).length, 1);
    assert.equal(items(await ask(from, { payload: '{"organized": false}' })).length, 4);
  });

  describe('finds nothing with', () => {
    const refusals: Record<string, [properties: object, error: RegExp]> = {
      'a criterion that it cannot translate': [
        { filter: 'Odd', filterType: 'saved' },
        /BAD_INPUT\.criterion\.text/,
      ],
      'a filter that is not there': [{ filter: 'Gone', filterType: 'saved' }, /BAD_INPUT\.noFilter\.text/],
      'the address of a single scene': [
        { filter: 'http://nas:9999/scenes/12', filterType: 'url' },
        /BAD_INPUT\.notListPage\.text/,
      ],
      'the address of a list of other items': [
        { filter: 'http://nas:9999/images?q=a', filterType: 'url' },
        /BAD_INPUT\.notListPage\.text/,
      ],
      'the address of a list of other items on the page of a performer': [
        { filter: 'http://nas:9999/performers/3/images', filterType: 'url' },
        /BAD_INPUT\.notListPage\.text/,
      ],
      'the address of the page of a performer, which shows scenes': [
        { kind: 'performer', filter: 'http://nas:9999/performers/3', filterType: 'url' },
        /BAD_INPUT\.notListPage\.text/,
      ],
      'a criterion of the API that the release lacks': [
        { filter: '{"mood": "calm"}', filterType: 'json' },
        /UNSUPPORTED\.unknown\.text/,
      ],
      'a criterion of the API with a wrong value': [
        { filter: '{"organized": "no"}', filterType: 'json' },
        /BAD_INPUT\.wrongType\.text/,
      ],
      'criteria that are no object': [{ filter: '[1]', filterType: 'json' }, /BAD_INPUT\.notCriteria\.text/],
      'an empty search': [{ search: 'payload', searchType: 'msg' }, /BAD_INPUT\.empty\.text/],
    };
    for (const [title, [properties, error]] of Object.entries(refusals)) {
      it(title, async () => {
        stash().filters.add({
          ...unorganized,
          name: 'Odd',
          object_filter: {
            organized: { modifier: 'EQUALS', value: 'perhaps' },
            title: { value: 'a', modifier: 'EQUALS' },
          },
        });
        const msg = await ask(properties, { payload: '' });

        assert.match(msg.error?.message ?? '', error);
        assert.deepEqual(lists(), []);
      });
    }
  });

  it('names the candidates if several filters have the name', async () => {
    stash().filters.add(unorganized);
    stash().filters.add(unorganized);
    const msg = await ask({ filter: 'To do', filterType: 'saved' });

    assert.match(msg.error?.message ?? '', /BAD_INPUT\.severalFilters\.text/);
  });

  it('gives other items each time in a random order', async () => {
    addScenes(100);
    const flow = await start({ sort: 'random', limit: '5' });
    const first = titles((await flow.ask()).msg);
    const second = titles((await flow.ask()).msg);

    assert.notDeepEqual(first, second);
    assert.ok(lists().every(({ filter }) => /^random_\d{8}$/.test(String(filter['sort']))));
  });

  it('sends one message for each item, the last one with the number of all', async () => {
    const sent = await askEach({ sort: 'title', limit: '3' });

    assert.deepEqual(
      sent.map(({ payload }) => (payload as Item).title),
      ['First Snow', 'Low Tide', 'Morning Ferry'],
    );
    const parts = sent.map((msg) => msg['parts'] as { id: string; index: number; count?: number });
    assert.deepEqual(
      parts.map(({ index, count }) => [index, count]),
      [
        [0, undefined],
        [1, undefined],
        [2, 3],
      ],
    );
    assert.equal(new Set(parts.map(({ id }) => id)).size, 1);
  });

  it('completes the message without sending any if nothing fits', async () => {
    const flow = await start({ each: true, search: 'nothing like this', searchType: 'str' });
    const id = flow.send();
    await flow.until(() => flow.isDropped(id));

    assert.deepEqual(flow.sentOn(id), []);
    await flow.until(() => flow.statuses.at(-1)?.text === 'status.nothing');
  });

  it('sends no item of a long list twice and leaves none out while others come and go', async () => {
    addScenes(500);
    const before = stash()
      .library.all('scene')
      .map(({ id }) => id);
    let isFirst = true;
    stash().answerWith(
      async (request, response, _body, execute) => {
        const answer = await execute();
        if (isFirst) addScenes(50);
        isFirst = false;
        send(request, response, answer);
      },
      { field: 'findScene' },
    );
    const sent = await askEach({ sort: 'created_at', direction: 'DESC', limit: '0' });
    const ids = sent.map(({ payload }) => (payload as Item).id);

    assert.equal(new Set(ids).size, ids.length);
    assert.deepEqual([...ids].sort(), [...before].sort());
  });

  it('gives as many items as are wanted, also more than one request asks for', async () => {
    addScenes(1200);

    assert.equal(items(await ask({ limit: '450' })).length, 450);
    assert.equal(items(await ask({ limit: '1100' })).length, 1100);
  });

  it('adds the picture of each item', async () => {
    const msg = await ask({ limit: '1', picture: 'dataUrl' });

    assert.match(String((items(msg)[0] as { picture?: string }).picture), /^data:image\/\w+;base64,/);
  });

  it('describes performers, studios, tags, markers and groups', async () => {
    stash().people.add({
      name: 'Hana Sato',
      alias_list: ['H. S.'],
      gender: 'FEMALE',
      birthdate: '1990-05-01',
    });
    stash().markers.add({ title: 'The bridge', seconds: 90, scene: '1', tag: '1' });
    stash().groups.add({ name: 'Harbours', date: '2025-01-01', duration: 3600 });
    const { url } = stash();
    const found = async (kind: string) => items(await ask({ kind, limit: '1' }))[0] as object;
    const { name: studio } = stash().studios[0] ?? {};
    const { name: tag } = stash().tags[0] ?? {};

    assert.deepEqual(await found('performer'), {
      id: '1',
      kind: 'performer',
      name: 'Hana Sato',
      disambiguation: null,
      aliases: ['H. S.'],
      birthdate: '1990-05-01',
      gender: 'FEMALE',
      country: null,
      rating: null,
      favorite: false,
      scenes: 0,
      url: `${url}/performers/1`,
    });
    const { id: studioId = '', ...aStudio } = (await found('studio')) as { id?: string };
    assert.deepEqual(Object.keys(aStudio), ['kind', 'name', 'aliases', 'scenes', 'url']);
    assert.ok(
      stash().studios.some(({ id }) => id === studioId),
      studio,
    );
    const { id: tagId = '' } = (await found('tag')) as { id?: string };
    assert.ok(
      stash().tags.some(({ id }) => id === tagId),
      tag,
    );
    assert.deepEqual(await found('marker'), {
      id: '1',
      kind: 'marker',
      title: 'The bridge',
      tag,
      seconds: 90,
      scene: { id: '1', kind: 'scene', title: 'Low Tide' },
      url: `${url}/scenes/1?t=90`,
    });
    assert.deepEqual(await found('group'), {
      id: '1',
      kind: 'group',
      name: 'Harbours',
      date: '2025-01-01',
      seconds: 3600,
      scenes: 0,
      url: `${url}/groups/1`,
    });
  });

  it('reports a server that is not set up instead of an empty library', async () => {
    stash().status = 'SETUP';
    const msg = await ask({});

    assert.equal(msg.stash?.error?.code, 'SERVER_STATE');
  });
});
