import * as graphql from 'graphql';
import assert from 'node:assert/strict';
import { checkDocument } from '../../../src/graphql/checked-document';
import { firstPageOf, pagesOf } from '../../../src/operations/query/pages';
import {
  query,
  type QueryAnswer,
  type QueryInput,
  startsJob,
  tryQuery,
} from '../../../src/operations/query/query';
import type { FakeStash } from '../../fake-stash/fake-stash';
import { schemaOf } from '../../fake-stash/schema';
import { failure, Message, options, TestServer, timeLimits, useServer } from '../../support/connect';

const SCENES = 'query ($filter: FindFilterType) { findScenes(filter: $filter) { scenes { id } } }';
const MORE = 'query ($filter: FindFilterType, $other: FindFilterType)';

describe('A query', () => {
  let stash: FakeStash;
  let server: TestServer;
  useServer(
    (...both) => {
      [stash, server] = both;
    },
    { release: 'v0.30.1', jobSeconds: 0.01 },
  );
  const input: QueryInput = { document: '', variables: {}, pages: false, perPage: 2, partial: false };

  const once = async (document: string, changes: Partial<QueryInput> = {}) =>
    (await query(server, { ...input, document, ...changes }, new Message())) as QueryAnswer;
  const attempt = (document: string, changes: Partial<QueryInput> = {}) =>
    tryQuery(server, { ...input, document, ...changes }, new Message());
  /** Returns the bodies of the requests for a root field. */
  const bodies = (field: string) =>
    stash.requests.filter(({ operation }) => operation === field).map(({ body }) => body);

  describe('that is tried', () => {
    it('is not sent if it changes something', async () => {
      assert.equal(
        (await failure(attempt('mutation { metadataScan(input: {}) }'))).case,
        'BAD_INPUT.mutation',
      );
      assert.deepEqual(stash.requests, []);
    });

    it('is sent as it is without pages', async () => {
      const { data } = await attempt(SCENES, { variables: { filter: { per_page: 3, sort: 'id' } } });
      assert.deepEqual(data, { findScenes: { scenes: [{ id: '1' }, { id: '2' }, { id: '3' }] } });
    });

    it('requests only the first of its pages, with the variables of the user', async () => {
      const { data } = await attempt(SCENES, { pages: true, variables: { filter: { q: 'a', page: 3 } } });
      assert.deepEqual(Object.keys(data), ['findScenes']);
      assert.deepEqual(
        bodies('findScenes').map((body) => body?.variables),
        [{ filter: { q: 'a', page: 1, per_page: 2, sort: 'id', direction: 'ASC' } }],
      );
    });
  });

  it('without variables is sent without any', async () => {
    await once('{ systemStatus { status } }', { variables: { filter: 1 } });
    assert.deepEqual(bodies('systemStatus').at(-1), { query: '{ systemStatus { status } }' });
  });

  it('names its first root field', async () => {
    const call = new Message();
    const document = '{ first: version { version } systemStatus { status } }';
    const { operation } = (await query(server, { ...input, document }, call)) as QueryAnswer;
    assert.equal(operation, 'version');
    assert.deepEqual(new Set(call.operations), new Set(['version']));
  });

  it('that backs up the database beside another change has the time limit of backups', async () => {
    const limited = new TestServer(options(stash.url, { backupTimeout: 1234 }), null);
    const limits = timeLimits();
    const document = 'mutation { performerCreate(input: { name: "x" }) { id } backupDatabase(input: {}) }';
    const answer = (await query(limited, { ...input, document }, new Message())) as QueryAnswer;
    assert.ok('backupDatabase' in answer.data);
    assert.equal(limits().filter((seconds) => seconds === 1234).length, 1);
    await limited.close();
  });

  it('with a task beside another change returns no job', async () => {
    const document = 'mutation { one: metadataScan(input: {}) two: metadataScan(input: {}) }';
    const answer = await once(document);
    assert.deepEqual(answer, {
      operation: 'metadataScan',
      type: 'mutation',
      data: { one: '1', two: '2' },
    });
  });

  it('whose job takes too long ends with TIMEOUT', async () => {
    const document = 'mutation { metadataScan(input: {}) }';
    stash.jobs.seconds = 60;
    assert.equal((await failure(once(document, { reply: 'finished', waitLimit: 30 }))).code, 'TIMEOUT');
  });

  describe('before the migration of the database', () => {
    beforeEach(() => {
      stash.status = 'NEEDS_MIGRATION';
    });

    for (const document of [
      'mutation { metadataScan(input: {}) }',
      'mutation { performerCreate(input: { name: "x" }) { id } metadataScan(input: {}) }',
    ]) {
      it(`is not sent if it starts a job: ${document}`, async () => {
        assert.equal((await failure(once(document))).code, 'SERVER_STATE');
        assert.deepEqual([...bodies('performerCreate'), ...bodies('metadataScan')], []);
      });
    }
  });

  it('starts a job if its field is a task', () => {
    for (const [name, type, expected] of [
      ['metadataScan', 'ID!', true],
      ['anyTask', 'ID!', true],
      ['stashBoxBatchPerformerTag', 'String!', true],
      ['metadataScan', 'String!', false],
      ['stashBoxSubmit', 'ID', false],
      ['sceneUpdate', 'Scene', false],
      // The schema is unknown.
      ['metadataScan', null, true],
      ['stashBoxBatchPerformerTag', null, true],
      ['metadata', null, false],
      ['sceneUpdate', null, false],
    ] as const) {
      const field = { name, type, responseName: name } as Parameters<typeof startsJob>[0];
      assert.equal(startsJob(field), expected, `${name}: ${String(type)}`);
    }
  });
});

describe('Pages', () => {
  const { schema } = schemaOf('v0.30.1');
  type Values = Readonly<Record<string, unknown>>;
  type Data = Readonly<Record<string, unknown>>;

  /**
   * Asks for pages of two items.
   * @param respond returns the data for a page, counted from 1.
   */
  async function read(respond: (page: number) => Data, document = SCENES, variables: Values = {}) {
    const asked: Values[] = [];
    const sent: { data: Data; part: { index: number; count?: number } }[] = [];
    let error: unknown;
    try {
      const ask = (values: Values) => {
        asked.push(values);
        return Promise.resolve({ data: respond(asked.length) });
      };
      const checked = checkDocument(graphql, schema, document);
      for await (const page of pagesOf(checked, { variables, perPage: 2 }, ask)) sent.push(page);
    } catch (thrown) {
      error = thrown;
    }
    return { asked, sent, error };
  }

  const scenes = (...ids: unknown[]) => ({ findScenes: { scenes: ids.map((id) => ({ id })) } });
  /** Responds with one of these lists of IDs after another; the last one again and again. */
  const lists =
    (...all: unknown[][]) =>
    (page: number) =>
      scenes(...(all[page - 1] ?? all.at(-1) ?? []));
  const idsOf = ({ data }: { data: Data }) => {
    const { scenes } = data['findScenes'] as { scenes: { id: unknown }[] };
    return scenes.map(({ id }) => id);
  };

  for (const [what, filter, responses, expected] of [
    ['leave out what an earlier page had', {}, [['1', '2'], ['2', '3'], ['4']], [['1', '2'], ['3'], ['4']]],
    ['compare IDs as numbers', {}, [['8', '9'], ['9', '10'], ['11']], [['8', '9'], ['10'], ['11']]],
    [
      'leave out what an earlier page had in descending order',
      { sort: 'id', direction: 'DESC' },
      [['10', '9'], ['9', '8'], ['7']],
      [['10', '9'], ['8'], ['7']],
    ],
    [
      'leave out what an earlier page had in descending order without a field',
      { sort: '', direction: 'DESC' },
      [['10', '9'], ['9', '8'], ['7']],
      [['10', '9'], ['8'], ['7']],
    ],
    [
      'keep all items in another order',
      { sort: 'title' },
      [['2', '1'], ['1', '3'], ['1']],
      [['2', '1'], ['1', '3'], ['1']],
    ],
    [
      'end with a page that an earlier one was, in another order',
      { sort: 'title' },
      [
        ['2', '1'],
        ['4', '3'],
        ['2', '1'],
      ],
      [
        ['2', '1'],
        ['4', '3'],
        ['2', '1'],
      ],
    ],
    [
      'keep items without an ID that is a number',
      {},
      [['2', '3'], ['1x', 'x1'], [1, undefined], ['4', '1'], ['5']],
      [['2', '3'], ['1x', 'x1'], [1, undefined], ['4'], ['5']],
    ],
    [
      'go on after items without an ID',
      {},
      [['1', '2'], [undefined, undefined], [undefined, undefined], ['2']],
      [
        ['1', '2'],
        [undefined, undefined],
        [undefined, undefined],
      ],
    ],
    [
      'skip a page that an earlier one had',
      {},
      [['1', '2'], ['3', '4'], ['2', '4'], ['5']],
      [['1', '2'], ['3', '4'], ['5']],
    ],
  ] as [string, Values, unknown[][], unknown[][]][]) {
    it(what, async () => {
      const { asked, sent, error } = await read(lists(...responses), SCENES, { filter });
      assert.equal(error, undefined);
      assert.deepEqual(sent.map(idsOf), expected);
      assert.equal(asked.length, responses.length);
      assert.deepEqual(
        sent.map(({ part }) => part),
        expected.map((_, index, { length }) => (index < length - 1 ? { index } : { index, count: length })),
      );
    });
  }

  for (const [given, sent] of [
    [undefined, { sort: 'id', direction: 'ASC' }],
    [{ direction: 'DESC' }, { sort: 'id', direction: 'DESC' }],
    [
      { sort: null, direction: null },
      { sort: 'id', direction: 'ASC' },
    ],
    [{ sort: '' }, { sort: 'id', direction: 'ASC' }],
    [{ sort: 'title' }, { sort: 'title' }],
    [
      { sort: 'id', direction: 'DESC' },
      { sort: 'id', direction: 'DESC' },
    ],
  ]) {
    it(`of ${JSON.stringify(given)} are ordered by id, unless they have an order`, async () => {
      const { asked } = await read(lists(['1', '2'], ['3']), SCENES, { kept: 1, filter: given });
      assert.deepEqual(asked, [
        { kept: 1, filter: { ...sent, page: 1, per_page: 2 } },
        { kept: 1, filter: { ...sent, page: 2, per_page: 2 } },
      ]);
    });
  }

  it('end after the first one if all its lists are short, and go on while one is full', async () => {
    const document = `${MORE} { findScenes(filter: $filter) { scenes { id } } findTags(filter: $other) { tags { id } } }`;
    const tags = [['1', '2'], ['3', '4'], ['5']];
    const respond = (page: number) => ({
      ...scenes(...(page === 1 ? ['1'] : [])),
      findTags: { tags: tags[page - 1]?.map((id) => ({ id })) },
    });
    const { asked, sent } = await read(respond, document);
    assert.deepEqual(
      sent.map(({ data }) => data),
      [1, 2, 3].map(respond),
    );
    assert.equal(asked.length, 3);
    assert.equal((await read(lists(['1']))).asked.length, 1);
  });

  it('keep repeated items if the filters have different orders', async () => {
    const document = `${MORE} { findScenes(filter: $filter) { scenes { id } } findTags(filter: $other) { tags { id } } }`;
    const respond = (page: number) => ({ ...lists(['1', '2'], ['2', '3'], [])(page), findTags: null });
    const { sent } = await read(respond, document, { other: { sort: 'id', direction: 'DESC' } });
    assert.deepEqual(sent.map(idsOf), [
      ['1', '2'],
      ['2', '3'],
    ]);
  });

  it('end with the second of two that are the same', async () => {
    const { asked, sent } = await read(lists(['1', '2']));
    assert.deepEqual(sent.map(idsOf), [['1', '2']]);
    assert.equal(asked.length, 2);
  });

  it('go on after one that only starts as the one before', async () => {
    const { sent } = await read(lists(['1', '2'], ['1', '3'], ['4']));
    assert.deepEqual(sent.map(idsOf), [['1', '2'], ['3'], ['4']]);
  });

  it('have the order that the document gives to its filter', async () => {
    const document = SCENES.replace('FindFilterType', 'FindFilterType = { sort: "title" }');
    const { asked, sent } = await read(lists(['2', '1'], ['1', '3'], ['1']), document);
    assert.deepEqual(sent.map(idsOf), [['2', '1'], ['1', '3'], ['1']]);
    assert.deepEqual(asked[0], { filter: { sort: 'title', page: 1, per_page: 2 } });
  });

  it('end although a field without pages has a long list', async () => {
    const document = `query ($filter: FindFilterType, $id: ID!) {
      findScenes(filter: $filter) { scenes { id } } findPerformer(id: $id) { alias_list } }`;
    const respond = () => ({ ...scenes('1'), findPerformer: { alias_list: ['a', 'b', 'c'] } });
    const { asked, sent } = await read(respond, document, { id: '1' });
    assert.equal(asked.length, 1);
    assert.deepEqual(sent, [{ data: respond(), part: { index: 0, count: 1 } }]);
  });

  it('end after a hundred ones without a new item', async () => {
    const { asked, sent } = await read(
      lists(['1', '200'], ...Array.from({ length: 150 }, (_, n) => ['1', `${n}`])),
    );
    assert.deepEqual(sent.map(idsOf), [['1', '200']]);
    assert.deepEqual(sent[0]?.part, { index: 0, count: 1 });
    assert.equal(asked.length, 102);
  });

  it('that arrived before an error are not lost, and tell that they are not all', async () => {
    const broken = new Error('broken');
    const { sent, error } = await read((page) => {
      if (page === 3) throw broken;
      return lists(['1', '2'], ['3', '4'])(page);
    });
    assert.equal(error, broken);
    assert.deepEqual(
      sent.map(({ part }) => part),
      [{ index: 0 }, { index: 1 }],
    );
  });

  it('are refused for a mutation, and without a filter for them', async () => {
    for (const document of [
      '{ findScenes { scenes { id } } }',
      'query ($filter: Filter) { findScenes(filter: $filter) { scenes { id } } }',
      'mutation ($filter: FindFilterType) { removeAll(filter: $filter) }',
    ]) {
      // A server without introspection: its schema is unknown.
      const checked = checkDocument(graphql, null, document);
      const ask = () => assert.fail('nothing is requested');
      const input = { variables: {}, perPage: 2 };
      for (const answer of [pagesOf(checked, input, ask).next(), firstPageOf(checked, input, ask)]) {
        assert.equal((await failure(answer)).case, 'BAD_INPUT.noPages', document);
      }
    }
  });
});
