import assert from 'node:assert/strict';
import { kindOfField, type UpdateField } from '../../../src/contract/update';
import { update, type UpdateInput } from '../../../src/operations/update/update';
import { type Change, FOLDER } from '../../../src/operations/update/field-edits';
import { timing } from '../../../src/timing';
import { json, send, text } from '../../fake-stash/answers';
import type { FakeStash } from '../../fake-stash/fake-stash';
import { cut, type Handler, loseAnswer } from '../../fake-stash/faults';
import { failure, Message, options, TestServer, useServer } from '../../support/connect';

describe('An update', () => {
  const usual = structuredClone(timing.lostSave);
  let stash: FakeStash;
  let server: TestServer;
  let call: Message;
  const connect = useServer((...both) => {
    [stash, server] = both;
    call = new Message();
  });

  beforeEach(() => {
    timing.lostSave = { first: 1, checks: 3 };
  });
  afterEach(() => {
    timing.lostSave = usual;
  });

  /** Returns a change. Where a field has other items, a text is a name, and a number is an id. */
  const change = (action: Change['action'], field: UpdateField, value: unknown): Change => {
    const referenceTo = (one: unknown) => (typeof one === 'number' ? { id: String(one) } : { name: one });
    const read = field in kindOfField ? (one: unknown) => referenceTo(one) : (one: unknown) => one;
    return { field, action, value: Array.isArray(value) ? value.map(read) : read(value) };
  };
  const add = (field: UpdateField, value: unknown) => change('add', field, value);
  const remove = (field: UpdateField, value: unknown) => change('remove', field, value);
  const set = (field: UpdateField, value: unknown) => change('set', field, value);
  const clear = (field: UpdateField): Change => ({ field, action: 'clear' });

  /** Wants the same of some items, unless `edits` says otherwise. */
  const run = (
    changes: readonly Change[],
    { ids = ['1', '2'], ...more }: Partial<UpdateInput> & { ids?: readonly string[] } = {},
  ) => {
    const edits = [{ ids, changes }];
    return update(
      server,
      { kind: 'scene', edits, create: false, atMost: Infinity, dryRun: false, ...more },
      call,
    );
  };
  /** Returns the inputs of each request for a root field, or the variables if there is no input. */
  const sent = (field: string) =>
    stash.requests
      .filter(({ operation }) => operation === field)
      .map(({ body }) => body?.variables?.['input'] ?? body?.variables);
  /** Returns the mutations that were sent, in order. */
  const mutations = () =>
    stash.requests
      .filter(({ body }) => body?.query?.startsWith('mutation'))
      .map(({ operation }) => operation);
  const unfinished = () => call.news.flatMap((news) => ('update' in news ? [news.update] : []));

  it('sends one mutation for all items that need the same, and nothing for one that has it', async () => {
    await run([set('rating', 80)], { ids: ['2'] });
    const updated = await run([set('rating', '80')], { ids: ['1', '2', '3'] });
    assert.deepEqual(updated, {
      operation: 'bulkSceneUpdate',
      ids: ['1', '3'],
      unchanged: ['2'],
      created: [],
      gone: [],
      changes: [{ field: 'rating', set: [80], add: [], remove: [] }],
    });
    assert.deepEqual(sent('bulkSceneUpdate'), [
      { ids: ['2'], rating100: 80 },
      { ids: ['1', '3'], rating100: 80 },
    ]);
    const { operation, ids, unchanged } = await run([set('rating', 80)]);
    assert.deepEqual([operation, ids, unchanged], ['findScene', [], ['1', '2']]);
  });

  it('sends some hundred items at a time', async () => {
    for (let number = 0; number < 400; number++) {
      stash.library.add({ path: `/media/videos/${number}.mp4` }, '2024-01-10T10:00:00Z');
    }
    const ids = Array.from({ length: 405 }, (_, index) => String(index + 1));
    assert.equal((await run([set('organized', true)], { ids })).ids.length, 405);
    assert.deepEqual(
      sent('bulkSceneUpdate').map((input) => (input as { ids: string[] }).ids.length),
      [200, 200, 5],
    );
  });

  it('sends only the fields that differ', async () => {
    await run([set('title', 'Low Tide'), set('organized', true)], { ids: ['1'] });
    await run([set('title', ' Low Tide '), set('organized', 'TRUE'), set('details', 'A film')], {
      ids: ['1'],
    });
    assert.deepEqual(sent('bulkSceneUpdate').at(-1), { ids: ['1'], details: 'A film' });
  });

  it('takes nothing for an empty list of items, and sends nothing', async () => {
    assert.deepEqual(await run([set('rating', 80)], { ids: [] }), {
      operation: 'bulkSceneUpdate',
      ids: [],
      unchanged: [],
      created: [],
      gone: [],
      changes: [],
      reason: 'SKIPPED',
    });
    assert.equal(stash.requests.length, 0);
  });

  it('is refused for more items than it may change, and sends nothing', async () => {
    const { case: found, details } = await failure(run([set('rating', 80)], { atMost: 1 }));
    assert.deepEqual([found, details], ['BAD_INPUT.tooManyItems', { count: 2, limit: 1 }]);
    assert.equal(stash.requests.length, 0);
  });

  it('waits for its turn, but not if too many wait', async () => {
    await server.close();
    server = new TestServer(options(stash.url, { maxQueued: 1 }), null);
    const [first, second, third] = [1, 2, 3].map(() => run([set('rating', 80)]));
    assert.ok(first && second && third);
    const { case: found, retry } = await failure(third);
    assert.deepEqual([found, retry], ['QUEUE_FULL.updates', true]);
    const both = await Promise.all([first, second]);
    assert.deepEqual(
      both.map(({ ids }) => ids.length),
      [2, 0],
    );
    await server.close();
  });

  it('is refused for items that are not there, of which it names five', async () => {
    const ids = ['1', '70', '71', '72', '73', '74', '75'];
    const { case: found, details } = await failure(run([set('rating', 80)], { ids }));
    assert.deepEqual([found, details], ['BAD_INPUT.noItems', { ids: '70, 71, 72, 73, 74, …' }]);
    assert.deepEqual(mutations(), []);
  });

  describe('of fields that name other items', () => {
    it('finds them by id, by name or by alias, in any spelling', async () => {
      stash.people.add({ name: 'Robin Vale', alias_list: ['Wren'] });
      await run([
        add('tags', [1, 'BLACK  and White', 'B/W']),
        add('performers', 'wren'),
        set('studio', 'lanterna'),
      ]);
      assert.deepEqual(sent('bulkSceneUpdate'), [
        {
          ids: ['1', '2'],
          tag_ids: { ids: ['1'], mode: 'ADD' },
          performer_ids: { ids: ['1'], mode: 'ADD' },
          studio_id: '2',
        },
      ]);
    });

    it('takes a name of digits for a name, and never for the id of another one', async () => {
      stash.tags = [
        { id: '5', name: '69' },
        { id: '69', name: 'Sea' },
        { id: '15', name: '2023', aliases: ['1999'] },
      ];
      await run([add('tags', ['69', '1999'])], { ids: ['1'] });
      assert.deepEqual(sent('bulkSceneUpdate'), [{ ids: ['1'], tag_ids: { ids: ['5', '15'], mode: 'ADD' } }]);
      const { details } = await failure(run([add('tags', '5')]));
      assert.deepEqual(details, { property: 'tags', names: '5' });
      const { created } = await run([add('tags', '2024')], { create: true });
      assert.deepEqual(created, [{ kind: 'tag', id: '70', name: '2024' }]);
    });

    it('is refused for a name or an id that is not there, before anything is created', async () => {
      const changes = [add('tags', ['New', 2, 99]), set('studio', 'Nowhere')];
      const { case: found, details } = await failure(run(changes, { create: true }));
      assert.deepEqual([found, details], ['BAD_INPUT.notThere', { property: 'tags', names: '#99' }]);
      const other = await failure(run([add('tags', ['Old', 'New'])]));
      assert.deepEqual(other.details, { property: 'tags', names: 'Old, New' });
      assert.deepEqual(mutations(), []);
    });

    it('is refused for a name that several have, with their ids and what tells them apart', async () => {
      stash.people.add({ name: 'Robin Vale', disambiguation: 'singer' });
      stash.people.add({ name: 'Robin Vale', birthdate: '1984-03-28' });
      const { case: found, details } = await failure(run([add('performers', 'robin vale')]));
      assert.deepEqual(
        [found, details],
        [
          'BAD_INPUT.severalFit',
          {
            property: 'performers',
            name: 'robin vale',
            candidates: 'Robin Vale (1, singer), Robin Vale (2, 1984-03-28)',
          },
        ],
      );
    });

    it('creates what is not there, each once, if it may', async () => {
      const changes = [
        add('tags', ['Sea ', 'sea', 'Ferry']),
        add('performers', 'Robin Vale'),
        set('studio', 'Pier'),
      ];
      assert.deepEqual((await run(changes, { create: true })).created, [
        { kind: 'tag', id: '3', name: 'Sea' },
        { kind: 'tag', id: '4', name: 'Ferry' },
        { kind: 'performer', id: '1', name: 'Robin Vale' },
        { kind: 'studio', id: '7', name: 'Pier' },
      ]);
      assert.deepEqual(sent('bulkSceneUpdate'), [
        {
          ids: ['1', '2'],
          tag_ids: { ids: ['3', '4'], mode: 'ADD' },
          performer_ids: { ids: ['1'], mode: 'ADD' },
          studio_id: '7',
        },
      ]);
    });

    it('creates nothing for two messages that name the same, but once', async () => {
      const changes = [add('tags', 'Sea')];
      const both = await Promise.all([1, 2].map(() => run(changes, { create: true })));
      assert.deepEqual(
        both.map(({ created, unchanged }) => [created.length, unchanged.length]),
        [
          [1, 0],
          [0, 2],
        ],
      );
    });

    it('takes what somebody else has created meanwhile', async () => {
      stash.answerWith(
        async (request, response, _body, execute) => {
          stash.tags = [...stash.tags, { id: '8', name: 'Sea' }];
          send(request, response, await execute());
        },
        { field: 'tagCreate', times: 1 },
      );
      assert.deepEqual((await run([add('tags', 'sea')], { create: true })).created, []);
      assert.deepEqual(sent('bulkSceneUpdate'), [{ ids: ['1', '2'], tag_ids: { ids: ['8'], mode: 'ADD' } }]);
    });

    it('never creates what is to be removed', async () => {
      const { created, unchanged } = await run([remove('tags', 'Sea')], { create: true });
      assert.deepEqual([created, unchanged], [[], ['1', '2']]);
      assert.equal((await failure(run([remove('tags', 'Sea')]))).case, 'BAD_INPUT.notThere');
      assert.deepEqual(mutations(), []);
    });

    for (const [what, both] of [
      ['the same item under two names', [add('tags', 'Black and white'), remove('tags', 'b/w')]],
      ['what is not there', [add('tags', 'Sea'), remove('tags', 'sea')]],
      ['an address', [add('urls', 'https://a.example'), remove('urls', 'https://a.example')]],
    ] as const) {
      it(`is refused if it both adds and removes ${what}`, async () => {
        assert.equal((await failure(run(both, { create: true }))).case, 'BAD_INPUT.addedAndRemoved');
        assert.deepEqual(mutations(), []);
      });
    }
  });

  describe('that adds to a list and removes from it', () => {
    /** Changes the library before a request for a root field is executed. */
    const meanwhile = (field: string, change: () => void) => {
      stash.answerWith(
        async (request, response, _body, execute) => {
          change();
          send(request, response, await execute());
        },
        { field, times: 1 },
      );
    };
    const tagsOf = (index: number) => {
      const entry = stash.library.all('scene')[index];
      return (entry && stash.library.changes.get(entry)?.tags) ?? [];
    };
    const addTag = (index: number, tag: string) => {
      const entry = stash.library.all('scene')[index];
      assert.ok(entry);
      const before = stash.library.changes.get(entry);
      stash.library.changes.set(entry, { ...before, tags: [...(before?.tags ?? []), tag] });
    };
    const changes = [add('tags', 'Documentary'), remove('tags', 'b/w')];

    it('first adds, then removes, so that an item is never without both, and sends what each item lacks', async () => {
      await run([set('tags', [1])], { ids: ['1', '2'] });
      await run([set('tags', [1, 2])], { ids: ['3'] });
      await run([set('tags', [2])], { ids: ['4'] });
      const { ids, unchanged } = await run(changes, { ids: ['1', '2', '3', '4'] });
      assert.deepEqual([ids, unchanged], [['1', '2', '3'], ['4']]);
      assert.deepEqual(sent('bulkSceneUpdate').slice(3), [
        { ids: ['1', '2'], tag_ids: { ids: ['2'], mode: 'ADD' } },
        { ids: ['1', '2'], tag_ids: { ids: ['1'], mode: 'REMOVE' } },
        { ids: ['3'], tag_ids: { ids: ['1'], mode: 'REMOVE' } },
      ]);
      assert.deepEqual([0, 1, 2, 3].map(tagsOf), [['2'], ['2'], ['2'], ['2']]);
    });

    it('keeps what others add meanwhile', async () => {
      stash.tags = [...stash.tags, { id: '9', name: 'Harbour' }];
      await run([set('tags', [1])], { ids: ['1'] });
      meanwhile('bulkSceneUpdate', () => {
        addTag(0, '9');
      });
      await run(changes, { ids: ['1'] });
      assert.deepEqual(new Set(tagsOf(0)), new Set(['2', '9']));
    });

    it('keeps what others add meanwhile to a gallery whose title changes, too', async () => {
      stash.library.add({ path: '/media/pictures/a.zip' }, '2024-01-10T10:00:00Z');
      const gallery = { kind: 'gallery', ids: ['1'] } as const;
      await run([set('urls', 'https://a.example')], gallery);
      meanwhile('galleryUpdate', () => {
        const [entry] = stash.library.all('gallery');
        assert.ok(entry);
        const urls = ['https://a.example', 'https://c.example'];
        stash.library.changes.set(entry, { ...stash.library.changes.get(entry), urls });
      });
      await run(
        [set('title', 'A'), add('urls', 'https://b.example'), remove('urls', 'https://a.example')],
        gallery,
      );
      const [entry] = stash.library.all('gallery');
      const { urls, texts } = (entry && stash.library.changes.get(entry)) ?? {};
      assert.deepEqual([urls, texts?.title], [['https://c.example', 'https://b.example'], 'A']);
    });

    it('is finished for no item while the second mutation has not run', async () => {
      await run([set('tags', [1])]);
      await run([set('tags', [2])], { ids: ['3'] });
      const refused = json({ errors: [{ message: 'database is locked' }], data: { bulkSceneUpdate: null } });
      stash.answerWith(
        async (request, response, body, execute) => {
          const isFirst = JSON.stringify(body).includes('"ADD"');
          send(request, response, isFirst ? await execute() : refused);
        },
        { field: 'bulkSceneUpdate' },
      );
      assert.equal((await failure(run(changes, { ids: ['1', '2', '3'] }))).case, 'GRAPHQL.failed');
      assert.deepEqual(unfinished().at(-1), {
        ...{ ids: [], unchanged: ['3'], created: [], gone: [], uncertain: [] },
        remaining: ['1', '2'],
      });
      assert.deepEqual(tagsOf(0), ['1', '2']);
    });

    for (const mode of ['ADD', 'REMOVE']) {
      it(`goes on after the lost response to a mutation that the server has run: ${mode}`, async () => {
        await run([set('tags', [1])]);
        let isLost = false;
        stash.answerWith(
          async (request, response, body, execute) => {
            const answer = await execute();
            if (!isLost && JSON.stringify(body).includes(`"${mode}"`)) response.destroy();
            else send(request, response, answer);
            isLost ||= response.destroyed;
          },
          { field: 'bulkSceneUpdate' },
        );
        assert.deepEqual((await run(changes)).ids, ['1', '2']);
        assert.deepEqual([isLost, sent('bulkSceneUpdate').length], [true, 3]);
      });

      it(`is of unknown outcome after the lost response to one that the server has not run: ${mode}`, async () => {
        await run([set('tags', [1])]);
        let isCut = false;
        stash.answerWith(
          async (request, response, body, execute) => {
            isCut ||= JSON.stringify(body).includes(`"${mode}"`);
            if (isCut) response.destroy();
            else send(request, response, await execute());
          },
          { field: 'bulkSceneUpdate' },
        );
        assert.equal((await failure(run(changes))).code, 'OUTCOME_UNKNOWN');
        assert.deepEqual(unfinished().at(-1)?.remaining, ['1', '2']);
      });
    }
  });

  it('lets the server add to a list, which others may change meanwhile', async () => {
    await run([set('urls', ['https://a.example', 'https://b.example'])], { ids: ['1'] });
    await run([add('urls', ['https://b.example', 'https://c.example'])]);
    await run([remove('urls', 'https://a.example')]);
    assert.deepEqual(sent('bulkSceneUpdate').slice(1), [
      { ids: ['1', '2'], urls: { values: ['https://b.example', 'https://c.example'], mode: 'ADD' } },
      { ids: ['1'], urls: { values: ['https://a.example'], mode: 'REMOVE' } },
    ]);
  });

  it('removes all of a list, and clears values with null', async () => {
    stash.people.add({ name: 'Robin Vale' });
    await run([
      set('tags', [1]),
      set('performers', [1]),
      set('urls', 'https://a.example'),
      set('studio', 1),
      set('rating', 20),
      set('date', '2024-03-28T10:00'),
      set('title', 'A'),
    ]);
    const cleared = ['tags', 'performers', 'urls', 'studio', 'rating', 'date', 'title'] as const;
    const { changes } = await run(cleared.map(clear));
    assert.deepEqual(
      changes,
      cleared.map((field) => ({ field, set: [null], add: [], remove: [] })),
    );
    assert.deepEqual(sent('bulkSceneUpdate').at(-1), {
      ids: ['1', '2'],
      ...{ tag_ids: { ids: [], mode: 'SET' }, performer_ids: { ids: [], mode: 'SET' } },
      ...{ urls: { values: [], mode: 'SET' }, studio_id: null, rating100: null, date: null, title: null },
    });
  });

  it('changes the titles of galleries one by one, for which there is no mutation for several', async () => {
    for (const name of ['a', 'b'])
      stash.library.add({ path: `/media/pictures/${name}.zip` }, '2024-01-10T10:00:00Z');
    const gallery = { kind: 'gallery' as const };
    await run([set('organized', true)], gallery);
    await run([set('title', 'A'), add('tags', 1)], gallery);
    await run([clear('title')], { ...gallery, ids: ['1'] });
    assert.deepEqual(sent('bulkGalleryUpdate'), [
      { ids: ['1', '2'], organized: true },
      { ids: ['1', '2'], tag_ids: { ids: ['1'], mode: 'ADD' } },
    ]);
    assert.deepEqual(sent('galleryUpdate'), [
      { id: '1', title: 'A' },
      { id: '2', title: 'A' },
      { id: '1', title: '' },
    ]);
  });

  it('changes images and performers', async () => {
    stash.people.add({ name: 'Robin Vale' });
    await run([set('favorite', true), set('rating', 40), add('tags', 'b/w')], {
      kind: 'performer',
      ids: ['1'],
    });
    await run([set('rating', 40), add('oCounter', 2)], { kind: 'image', ids: ['1'] });
    assert.deepEqual(sent('bulkPerformerUpdate'), [
      { ids: ['1'], favorite: true, rating100: 40, tag_ids: { ids: ['1'], mode: 'ADD' } },
    ]);
    assert.deepEqual(mutations().slice(1), ['bulkImageUpdate', 'imageIncrementO', 'imageIncrementO']);
  });

  it('says what it has changed as the server calls it, and not what was so already', async () => {
    stash.tags = [
      { id: '69', name: 'Sea', aliases: ['Ocean'] },
      { id: '5', name: 'Old' },
      { id: '6', name: 'Beach' },
    ];
    await run([add('tags', 'Beach')], { ids: ['2'] });
    await run([add('tags', 'Old'), set('rating', 20)], { ids: ['1'] });
    const edits = [
      { ids: ['1'], changes: [add('tags', [69, 'sea']), remove('tags', 'OLD'), clear('rating')] },
      { ids: ['2'], changes: [add('tags', 6)] },
      { ids: ['3'], changes: [set('organized', true), add('oCounter', 2), set('studio', 'lanterna')] },
    ];
    assert.deepEqual((await run([], { edits })).changes, [
      { field: 'tags', set: [], add: ['Sea'], remove: ['Old'] },
      { field: 'rating', set: [null], add: [], remove: [] },
      { field: 'organized', set: [true], add: [], remove: [] },
      { field: 'oCounter', set: [], add: [2], remove: [] },
      { field: 'studio', set: ['Lanterna'], add: [], remove: [] },
    ]);
    const { changes } = await run([], { edits: edits.slice(1, 2) });
    assert.deepEqual(changes, [{ field: 'tags', set: [], add: ['Beach'], remove: [] }]);
  });

  it('does not say that it has changed what all of its items had already', async () => {
    await run([set('organized', true), add('tags', 'b/w')]);
    const wanted = [set('organized', true), add('tags', [1, 2]), remove('tags', 'Old'), set('rating', 80)];
    stash.tags = [...stash.tags, { id: '5', name: 'Old' }];
    assert.deepEqual((await run(wanted)).changes, [
      { field: 'tags', set: [], add: ['Documentary'], remove: [] },
      { field: 'rating', set: [80], add: [], remove: [] },
    ]);
  });

  describe('of items of which not the same is wanted', () => {
    const rated = (id: string, tag: string, rating: number) => ({
      ids: [id],
      changes: [add('tags', tag), set('rating', rating)],
    });

    it('sends one mutation for all that need the same, and creates what is new once', async () => {
      const edits = [
        rated('1', 'Sea', 80),
        rated('2', 'Ship', 80),
        rated('3', ' SEA', 80),
        rated('4', '2024', 20),
      ];
      const { ids, created } = await run([], { edits, create: true });
      assert.deepEqual(ids, ['1', '2', '3', '4']);
      assert.deepEqual(
        created.map(({ name }) => name),
        ['Sea', 'Ship', '2024'],
      );
      assert.deepEqual(sent('bulkSceneUpdate'), [
        { ids: ['1', '3'], tag_ids: { ids: ['3'], mode: 'ADD' }, rating100: 80 },
        { ids: ['2'], tag_ids: { ids: ['4'], mode: 'ADD' }, rating100: 80 },
        { ids: ['4'], tag_ids: { ids: ['5'], mode: 'ADD' }, rating100: 20 },
      ]);
    });

    it('looks for all names in as few requests as for one item', async () => {
      const edits = [1, 2, 3, 4, 5].map((id) => ({ ids: [String(id)], changes: [add('tags', `Tag ${id}`)] }));
      await run([], { edits, create: true, dryRun: true });
      assert.deepEqual([sent('findTags').length, sent('findScene').length], [2, 1]);
    });

    it('changes nothing if one of them cannot be changed', async () => {
      const edits = [rated('1', 'Sea', 80), { ids: ['2'], changes: [set('date', 'soon')] }];
      assert.equal((await failure(run([], { edits, create: true }))).case, 'BAD_INPUT.notDate');
      assert.deepEqual(mutations(), []);
    });

    it('leaves an item as it is of which nothing is wanted', async () => {
      const edits = [
        { ids: ['1'], changes: [set('rating', 20)] },
        { ids: ['2'], changes: [] },
      ];
      const { ids, unchanged } = await run([], { edits });
      assert.deepEqual([ids, unchanged], [['1'], ['2']]);
    });

    it('reports in the order of the message what is left after an error', async () => {
      const refused = json({ errors: [{ message: 'database is locked' }], data: { bulkSceneUpdate: null } });
      const refuse: Handler = (request, response) => {
        send(request, response, refused);
      };
      stash.answerWith(refuse, { field: 'bulkSceneUpdate' });
      const edits = [rated('3', 'Sea', 80), rated('1', 'Ship', 20), rated('2', 'Sea', 80)];
      await failure(run([], { edits, create: true }));
      assert.deepEqual(unfinished()[0]?.remaining, ['3', '1', '2']);
    });
  });

  describe('by the name of the folder', () => {
    const item = (kind: UpdateInput['kind'], path: string, copies: string[] = []) =>
      ({ kind, ids: [stash.library.add({ path, details: { copies } }, '2024-01-10T10:00:00Z').id] }) as const;
    /** Returns what would change, and what would be created for it. */
    const dryRun = async (changes: readonly Change[], of: object) => {
      const { changes: found, unchanged } = await run(changes, { create: true, dryRun: true, ...of });
      const values = found.map(({ field, set: one, add: more, remove: less }) => [
        field,
        ...one,
        ...more,
        ...less,
      ]);
      return unchanged.length > 0 ? 'unchanged' : values.flat();
    };
    const added: Change = { field: 'tags', action: 'add', value: FOLDER };

    it('gives each item its own, and leaves one as it is that is directly in a folder of the library', async () => {
      const ids = ['1', '2', '3', '5'];
      const { ids: changed, unchanged, created } = await run([added], { ids, create: true });
      assert.deepEqual([changed, unchanged], [['1', '2', '3'], ['5']]);
      assert.deepEqual(
        created.map(({ name }) => name),
        ['Harbour Nine', 'Lanterna'],
      );
      assert.deepEqual(sent('bulkSceneUpdate'), [
        { ids: ['1', '2'], tag_ids: { ids: [created[0]?.id], mode: 'ADD' } },
        { ids: ['3'], tag_ids: { ids: [created[1]?.id], mode: 'ADD' } },
      ]);
      assert.deepEqual((await run([added], { ids })).unchanged, ids);
    });

    it('sets the studio and the title, too, and takes the folder of the first file', async () => {
      const by = (field: UpdateField): Change => ({ field, action: 'set', value: FOLDER });
      const changes = [by('studio'), by('title')];
      await run(changes, item('scene', '/media/videos/Lanterna/a.mp4', ['/media/videos/Quiet Hill/a.mp4']));
      assert.deepEqual(sent('bulkSceneUpdate'), [{ ids: ['6'], studio_id: '2', title: 'Lanterna' }]);
      await run([by('tags'), by('studio'), by('title'), set('rating', 20)], { ids: ['5'], create: true });
      assert.deepEqual(sent('bulkSceneUpdate')[1], { ids: ['5'], rating100: 20 });
    });

    for (const [what, kind, path, expected] of [
      ['of an image', 'image', '/media/pictures/Beach/a.jpg', 'Beach'],
      ['of an archive, for a gallery', 'gallery', '/media/pictures/Beach/set.zip', 'Beach'],
      ['of an archive, for what is in it', 'image', '/media/pictures/Beach/set.cbz/1/a.jpg', 'Beach'],
      ['that a gallery is itself', 'gallery', '/media/pictures/Beach', 'Beach'],
      ['of a server on Windows', 'scene', String.raw`D:\Films\Beach\a.mp4`, 'Beach'],
      ['outside the library', 'scene', '/old/Beach/a.mp4', 'Beach'],
      ['of the root, which has none', 'scene', '/a.mp4', 'unchanged'],
      ['that is one of the library: none', 'gallery', '/media/pictures', 'unchanged'],
      [
        'of an archive directly in one of the library: none',
        'image',
        '/media/pictures/set.zip/a.jpg',
        'unchanged',
      ],
    ] as const) {
      it(`takes the name of the folder ${what}`, async () => {
        await connect({ release: 'v0.30.1' });
        const found = await dryRun([added], item(kind, path));
        assert.deepEqual(found, expected === 'unchanged' ? expected : ['tags', expected]);
      });
    }

    it('takes the name of a gallery that is a folder although an archive could be called so', async () => {
      await connect({ release: 'v0.30.1' });
      const gallery = item('gallery', '/media/pictures/Beach');
      stash.answerWith(async (request, response, _body, execute) => {
        const answer = await execute();
        const body = String(answer.body).replaceAll('/media/pictures/Beach', '/media/pictures/Beach.cbz');
        send(request, response, { ...answer, body });
      });
      assert.deepEqual(await dryRun([added], gallery), ['tags', 'Beach.cbz']);
    });

    for (const release of ['v0.17.2', 'v0.11.0'] as const) {
      it(`takes that of galleries and archives also in ${release}`, async () => {
        await connect({ release });
        const between = release === 'v0.11.0' ? '\0' : '/';
        for (const [kind, path] of [
          ['gallery', '/media/pictures/Beach'],
          ['gallery', '/media/pictures/Beach/set.zip'],
          ['image', `/media/pictures/Beach/set.zip${between}a.jpg`],
        ] as const) {
          assert.deepEqual(await dryRun([added], item(kind, path)), ['tags', 'Beach']);
        }
      });
    }

    it('adds those of all files, and removes what else a row names', async () => {
      const scene = item('scene', '/media/videos/Sea/a.mp4', [
        '/media/videos/Ship/a.mp4',
        '/media/videos/b.mp4',
      ]);
      assert.deepEqual(await dryRun([added, remove('tags', 1)], scene), ['tags', 'Sea', 'Ship']);
      await run([add('tags', 1)], { ids: ['5'] });
      const { changes, unchanged } = await run([added, remove('tags', 1)], { ids: ['5'], dryRun: true });
      assert.deepEqual([changes[0]?.add, changes[0]?.remove.length, unchanged], [[], 1, []]);
    });

    it('lists what Stash does not have in one error, before it changes anything', async () => {
      const { case: found, details } = await failure(run([added], { ids: ['1', '2', '3', '4', '5'] }));
      assert.deepEqual(
        [found, details],
        ['BAD_INPUT.notThere', { property: 'tags', names: 'Harbour Nine, Lanterna, Quiet Hill' }],
      );
      assert.deepEqual(mutations(), []);
    });

    it('asks for the folders of the library only then', async () => {
      await run([add('tags', 1)]);
      assert.equal(sent('configuration').length, 0);
    });
  });

  it('finds out in a dry run what would change and be created', async () => {
    await run([set('rating', 80)], { ids: ['2'] });
    const before = mutations().length;
    assert.deepEqual(await run([set('rating', 80), add('tags', 'Sea')], { create: true, dryRun: true }), {
      operation: 'findScene',
      ids: ['1', '2'],
      unchanged: [],
      created: [{ kind: 'tag', id: null, name: 'Sea' }],
      gone: [],
      changes: [
        { field: 'rating', set: [80], add: [], remove: [] },
        { field: 'tags', set: [], add: ['Sea'], remove: [] },
      ],
      reason: 'DRY_RUN',
    });
    const { ids, unchanged } = await run([set('rating', 80)], { dryRun: true });
    assert.deepEqual([ids, unchanged], [['1'], ['2']]);
    assert.equal(mutations().length, before);
  });

  describe('of another release', () => {
    it('is refused for scenes of which none is there, where the server fails because of them', async () => {
      await connect({ release: 'v0.17.2' });
      const { case: found, details } = await failure(run([set('rating', 80)], { ids: ['70', '71'] }));
      assert.deepEqual([found, details], ['BAD_INPUT.noItems', { ids: '70, 71' }]);
    });

    it('rates with stars before v0.18', async () => {
      await connect({ release: 'v0.17.2' });
      await run([set('rating', 85)]);
      await run([set('rating', 20)], { ids: ['1'] });
      assert.deepEqual(sent('bulkSceneUpdate'), [
        { ids: ['1', '2'], rating: 4 },
        { ids: ['1'], rating: 1 },
      ]);
      assert.deepEqual((await run([set('rating', 75)], { ids: ['2'] })).unchanged, ['2']);
    });

    it('sets the only address of an item, where there is no list', async () => {
      await connect({ release: 'v0.17.2' });
      await run([add('urls', 'https://a.example')], { ids: ['1'] });
      const { case: found, details } = await failure(run([add('urls', 'https://b.example')]));
      assert.deepEqual([found, details['since']], ['UNSUPPORTED.lacking', 'v0.22.0']);
      await run([add('urls', 'https://b.example'), remove('urls', 'https://a.example')], { ids: ['1'] });
      await run([set('urls', [])], { ids: ['1'] });
      assert.deepEqual(sent('bulkSceneUpdate'), [
        { ids: ['1'], url: 'https://a.example' },
        { ids: ['1'], url: 'https://b.example' },
        { ids: ['1'], url: null },
      ]);
    });

    for (const [release, counters] of [
      ['v0.23.1', ['sceneIncrementPlayCount', 'sceneIncrementO']],
      ['v0.25.1', ['sceneAddPlay', 'sceneAddO']],
    ] as const) {
      it(`counts with ${counters.join(' and ')}: ${release}`, async () => {
        await connect({ release });
        await run([add('playCount', 1), add('oCounter', '2')], { ids: ['1'] });
        assert.deepEqual(mutations(), [counters[0], counters[1], counters[1]]);
      });
    }

    it('finds studios by their aliases only where they have some', async () => {
      await connect({ release: 'v0.9.0' });
      await run([set('studio', 'LANTERNA')]);
      assert.deepEqual(sent('bulkSceneUpdate'), [{ ids: ['1', '2'], studio_id: '2' }]);
      assert.equal((await failure(run([set('studio', 'x')]))).case, 'BAD_INPUT.notThere');
      assert.equal(sent('findStudios').length, 2);
    });

    for (const [release, kind, change, found, since] of [
      ['v0.17.2', 'scene', add('playCount', 1), 'UNSUPPORTED.lacking', 'v0.18.0'],
      ['v0.17.2', 'image', set('date', '2024-03-28'), 'UNSUPPORTED.lacking', 'v0.19.0'],
      ['v0.23.1', 'image', set('details', 'A'), 'UNSUPPORTED.lacking', 'v0.24.0'],
      ['v0.30.1', 'image', add('playCount', 1), 'UNSUPPORTED.unknown', undefined],
      ['v0.30.1', 'gallery', add('oCounter', 1), 'UNSUPPORTED.unknown', undefined],
      ['v0.30.1', 'performer', set('studio', 1), 'UNSUPPORTED.unknown', undefined],
      ['documented', 'scene', set('rating', 1), 'UNSUPPORTED.lacking', 'v0.8.0'],
      ['v0.25.1', 'scene', set('date', '2024'), 'BAD_INPUT.notDate', undefined],
    ] as const) {
      it(`is refused for a field that the kind or the release lacks: ${change.field} of ${kind}, ${release}`, async () => {
        await connect({ release });
        const { case: is, details } = await failure(run([change], { kind, ids: ['1'] }));
        assert.deepEqual([is, details['since']], [found, since]);
        assert.deepEqual(mutations(), []);
      });
    }
  });

  describe('after a lost response', () => {
    for (const [field, changes, expected] of [
      ['bulkSceneUpdate', [set('rating', 80), add('tags', 1)], ['bulkSceneUpdate']],
      ['tagCreate', [add('tags', 'Sea')], ['tagCreate', 'bulkSceneUpdate']],
      ['sceneAddO', [add('oCounter', 1)], ['sceneAddO', 'sceneAddO']],
    ] as const) {
      it(`goes on if the server has what was to be written: ${field}`, async () => {
        stash.answerWith(loseAnswer, { field, times: 1 });
        const { ids, created } = await run(changes, { create: true });
        assert.deepEqual([ids, created.length], [['1', '2'], field === 'tagCreate' ? 1 : 0]);
        assert.deepEqual(mutations(), expected);
      });

      it(`is of unknown outcome if the server does not have it, and is not repeated: ${field}`, async () => {
        stash.answerWith(cut, { field, times: 1 });
        assert.equal((await failure(run(changes, { create: true }))).code, 'OUTCOME_UNKNOWN');
        assert.deepEqual(mutations(), [field]);
        // Nobody knows whether the server counts all the same.
        const [uncertain, remaining] = field === 'sceneAddO' ? [['1'], ['2']] : [[], ['1', '2']];
        assert.deepEqual(unfinished(), [
          { ids: [], unchanged: [], created: [], gone: [], remaining, uncertain },
        ]);
      });
    }

    it('leaves out of its numbers what nobody can tell: the server ran it, and is unreachable since', async () => {
      for (let number = 0; number < 200; number++) {
        stash.library.add({ path: `/media/videos/${number}.mp4` }, '2024-01-10T10:00:00Z');
      }
      const ids = Array.from({ length: 201 }, (_, index) => String(index + 1));
      stash.answerWith(
        async (request, response, body, execute) => {
          await execute();
          stash.answerWith(cut);
          response.destroy();
        },
        { field: 'bulkSceneUpdate', times: 1 },
      );
      assert.equal((await failure(run([set('rating', 80)], { ids }))).code, 'OUTCOME_UNKNOWN');
      assert.deepEqual(unfinished(), [
        {
          ...{ ids: [], unchanged: [], created: [], gone: [] },
          remaining: ['201'],
          uncertain: ids.slice(0, 200),
        },
      ]);
    });

    it('is of unknown outcome if a counter has grown by more than it was to', async () => {
      const another: Handler = async (_request, response, _body, execute) => {
        await execute();
        await execute();
        response.destroy();
      };
      stash.answerWith(another, { field: 'sceneAddO', times: 1 });
      assert.equal((await failure(run([add('oCounter', 1)]))).code, 'OUTCOME_UNKNOWN');
      assert.deepEqual(mutations(), ['sceneAddO']);
    });
  });

  describe('whose answer is without an item', () => {
    /** Executes a mutation unless told otherwise, and answers with some of its items. */
    const answerWith = (items: readonly object[] | null, isExecuted = true) => {
      stash.answerWith(
        async (request, response, _body, execute) => {
          if (isExecuted) await execute();
          send(request, response, json({ data: { bulkSceneUpdate: items } }));
        },
        { field: 'bulkSceneUpdate', times: 1 },
      );
    };

    for (const items of [[], [{ id: '1' }], null]) {
      it(`does not believe that it was changed: ${JSON.stringify(items)}`, async () => {
        answerWith(items, false);
        assert.equal((await failure(run([set('rating', 80)]))).case, 'OUTCOME_UNKNOWN.form');
        assert.deepEqual(unfinished()[0]?.remaining, ['1', '2']);
      });
    }

    it('looks, and goes on if it was changed', async () => {
      answerWith([{ id: '1' }]);
      assert.deepEqual((await run([set('rating', 80)])).ids, ['1', '2']);
    });
  });

  describe('of items that somebody removes meanwhile', () => {
    /** Removes an item before the first request for a root field is executed. */
    const removeBefore = (field: string, kind: 'scene' | 'image' | 'gallery', id: string) => {
      const library = stash.library;
      stash.answerWith(
        async (request, response, _body, execute) => {
          const entry = library.all(kind).find((one) => one.id === id);
          if (entry) library.remove(entry);
          send(request, response, await execute());
        },
        { field, times: 1 },
      );
    };

    for (const release of ['v0.17.2', 'v0.30.1'] as const) {
      it(`changes the others: ${release}`, async () => {
        await connect({ release });
        removeBefore('bulkSceneUpdate', 'scene', '2');
        const changes = [set('rating', 80), add('tags', 1)];
        const { ids, unchanged, gone } = await run(changes, { ids: ['1', '2', '3'] });
        assert.deepEqual([ids, unchanged, gone], [['1', '3'], [], ['2']]);
        assert.deepEqual(
          sent('bulkSceneUpdate').map((input) => (input as { ids: string[] }).ids),
          [
            ['1', '2', '3'],
            ['1', '3'],
          ],
        );
      });
    }

    it('changes the others also if it adds, removes and counts', async () => {
      await run([set('tags', [1])], { ids: ['1', '2', '3'] });
      removeBefore('bulkSceneUpdate', 'scene', '2');
      const changes = [add('tags', 2), remove('tags', 1), add('oCounter', 1)];
      const { ids, gone } = await run(changes, { ids: ['1', '2', '3'] });
      assert.deepEqual([ids, gone, sent('sceneAddO').length], [['1', '3'], ['2'], 2]);
    });

    for (const [kind, field, changes] of [
      ['scene', 'sceneAddPlay', [add('playCount', 2)]],
      ['image', 'bulkImageUpdate', [set('organized', true)]],
      ['image', 'imageIncrementO', [add('oCounter', 2)]],
      ['gallery', 'galleryUpdate', [set('title', 'A')]],
    ] as const) {
      it(`leaves out the one of a ${field}`, async () => {
        for (const name of ['a', 'b'])
          stash.library.add({ path: `/media/pictures/${name}.zip` }, '2024-01-10T10:00:00Z');
        removeBefore(field, kind, '1');
        const all = stash.library.all(kind).map(({ id }) => id);
        const { ids, gone } = await run(changes, { kind, ids: all });
        assert.deepEqual([ids, gone], [all.slice(1), ['1']]);
      });
    }

    it('leaves out performers', async () => {
      for (const name of ['Robin', 'Wren']) stash.people.add({ name });
      stash.answerWith(
        async (request, response, _body, execute) => {
          stash.people.remove('1');
          send(request, response, await execute());
        },
        { field: 'bulkPerformerUpdate', times: 1 },
      );
      const { ids, gone } = await run([set('favorite', true)], { kind: 'performer' });
      assert.deepEqual([ids, gone], [['2'], ['1']]);
    });

    it('changes nothing if all are gone', async () => {
      removeBefore('bulkSceneUpdate', 'scene', '1');
      const { ids, gone } = await run([set('rating', 80)], { ids: ['1'] });
      assert.deepEqual([ids, gone, sent('bulkSceneUpdate').length], [[], ['1'], 1]);
    });

    it('takes for changed what the server has changed before it failed to read it', async () => {
      stash.answerWith(
        async (request, response, _body, execute) => {
          await execute();
          const [, second] = stash.library.all('scene');
          if (second) stash.library.remove(second);
          send(request, response, json({ errors: [{ message: 'must not be null' }], data: null }));
        },
        { field: 'bulkSceneUpdate', times: 1 },
      );
      const { ids, gone } = await run([set('rating', 80)]);
      assert.deepEqual([ids, gone, sent('bulkSceneUpdate').length], [['1'], ['2'], 1]);
    });

    it('sends nothing again after an error that is no refusal of Stash', async () => {
      stash.answerWith(
        (request, response) => {
          const [, second] = stash.library.all('scene');
          if (second) stash.library.remove(second);
          send(request, response, text(500, 'oops'));
        },
        { field: 'bulkSceneUpdate', times: 1 },
      );
      assert.equal((await failure(run([set('rating', 80)]))).code, 'HTTP');
      assert.deepEqual([unfinished()[0]?.gone, unfinished()[0]?.remaining], [['2'], ['1']]);
      assert.deepEqual(mutations(), ['bulkSceneUpdate']);
    });

    it('is not to be sent again as it was, after an error', async () => {
      removeBefore('bulkSceneUpdate', 'scene', '2');
      let hasChanged = false;
      stash.answerWith(
        async (request, response, _body, execute) => {
          if (hasChanged) response.destroy();
          else send(request, response, await execute());
          hasChanged ||= sent('bulkSceneUpdate').length > 0;
        },
        { field: 'systemStatus' },
      );
      const { code, retry } = await failure(run([set('rating', 80)]));
      assert.deepEqual([code, retry], ['UNREACHABLE', false]);
      assert.deepEqual(unfinished()[0], {
        ...{ ids: [], unchanged: [], created: [], gone: ['2'], remaining: ['1'], uncertain: [] },
      });
    });
  });

  describe('that an error ends', () => {
    /** Executes the first request, and gives all further ones to `handler`. */
    const afterFirst = (handler: Handler): Handler => {
      let isFirst = true;
      return async (request, response, body, execute) => {
        if (isFirst) send(request, response, await execute());
        else await handler(request, response, body, execute);
        isFirst = false;
      };
    };

    it('reports what was done before', async () => {
      await run([set('rating', 80)], { ids: ['4', '5'] });
      const refused = json({ errors: [{ message: 'database is locked' }], data: { bulkSceneUpdate: null } });
      stash.answerWith(
        afterFirst((request, response) => {
          send(request, response, refused);
        }),
        { field: 'bulkSceneUpdate' },
      );
      // The items need different fields, so there are two mutations.
      const changes = [set('rating', 80), add('tags', 'Sea')];
      const error = await failure(run(changes, { ids: ['4', '1', '5', '3'], create: true }));
      assert.equal(error.case, 'GRAPHQL.failed');
      assert.deepEqual(unfinished(), [
        {
          ids: ['4', '5'],
          unchanged: [],
          created: [{ kind: 'tag', id: '3', name: 'Sea' }],
          gone: [],
          remaining: ['1', '3'],
          uncertain: [],
        },
      ]);
    });

    for (const [what, handler] of [
      ['was refused', json({ errors: [{ message: 'database is locked' }], data: null })],
      ['may have run', cut],
    ] as const) {
      it(`leaves to be sent again no item that was counted in part, when the second time ${what}`, async () => {
        const third: Handler =
          typeof handler === 'function'
            ? handler
            : (request, response) => {
                send(request, response, handler);
              };
        stash.answerWith(afterFirst(third), { field: 'sceneAddO' });
        await failure(run([add('oCounter', 3)]));
        assert.deepEqual(unfinished(), [
          { ids: [], unchanged: [], created: [], gone: [], remaining: ['2'], uncertain: ['1'] },
        ]);
        stash.answerNormally();
        assert.deepEqual((await run([add('oCounter', 3)], { ids: ['2'] })).ids, ['2']);
        const counts = stash.library.all('scene').map((scene) => stash.library.changes.get(scene)?.oCounter);
        assert.deepEqual(counts.slice(0, 2), [1, 3]);
      });
    }

    it('leaves to be sent again an item whose first count was refused', async () => {
      const refused = json({ errors: [{ message: 'database is locked' }], data: null });
      stash.answerWith(refused, { field: 'sceneAddO' });
      await failure(run([add('oCounter', 2), set('rating', 80)]));
      assert.deepEqual(unfinished(), [
        { ids: [], unchanged: [], created: [], gone: [], remaining: ['1', '2'], uncertain: [] },
      ]);
    });

    it('names what failed and what was created before, if it cannot create something', async () => {
      const refused = json({ errors: [{ message: 'database is locked' }], data: null });
      stash.answerWith(
        afterFirst((request, response) => {
          send(request, response, refused);
        }),
        { field: 'performerCreate' },
      );
      await failure(run([add('performers', ['Robin', 'Wren'])], { create: true }));
      assert.deepEqual(unfinished()[0]?.created, [{ kind: 'performer', id: '1', name: 'Robin' }]);
      assert.equal(call.operations.at(-1), 'performerCreate');
    });

    it('reports nothing before its first mutation', async () => {
      stash.answerWith(cut, { field: 'findTags' });
      assert.equal((await failure(run([add('tags', 'Sea')], { create: true }))).code, 'UNREACHABLE');
      assert.deepEqual(unfinished(), []);
    });

    it('may be sent again, but not once it has counted', async () => {
      for (const [changes, retry] of [
        [[set('rating', 80), add('tags', 'Sea')], true],
        [[add('oCounter', 1)], false],
      ] as const) {
        stash.answerNormally();
        stash.answerWith(afterFirst(cut), { field: 'systemStatus' });
        const error = await failure(run(changes, { create: true }));
        assert.deepEqual([error.code, error.retry], ['UNREACHABLE', retry]);
      }
      assert.deepEqual(unfinished().at(-1)?.ids, ['1']);
    });
  });
});
