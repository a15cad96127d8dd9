import assert from 'node:assert/strict';
import { query, type QueryInput } from '../../../src/operations/query/query';
import { finished, mistakes } from '../../browser/fields';
import { words } from '../../support/words';
import { type Ask, releaseColumn, type Sample } from '../../support/sample';
import { replyFinished } from '../../contract/stage';
import { json } from '../../fake-stash/answers';

const SCENES =
  'query ($filter: FindFilterType) { findScenes(filter: $filter) { count scenes { id title } } }';

const plain: QueryInput = { document: '', variables: {}, pages: false, perPage: 100, partial: false };

const ask: Ask<Partial<QueryInput>> = async (server, call, input) => {
  const answers = query(server.asServer, { ...plain, ...input }, call);
  if (!(Symbol.asyncIterator in answers)) return [await answers];
  const pages: unknown[] = [];
  for await (const page of answers) pages.push(page);
  return pages;
};

export const sample: Sample = {
  readme: 'sends any query or mutation',
  // The document of the interface has no statistics.
  asDragged: { code: 'BAD_INPUT' },
  releases: {
    query: releaseColumn('stash-query', {
      ways: [
        { properties: { document: '{ allStudios { id name } }' } },
        {
          properties: { document: 'payload', documentType: 'msg' },
          msg: { payload: '{ allStudios { name } }' },
        },
      ],
      holds: ({ payload }, stash) => {
        const { allStudios } = payload as { allStudios: object[] };
        assert.equal(allStudios.length, stash.studios.length);
      },
    }),
    'query by pages': releaseColumn('stash-query', {
      ways: [{ properties: { document: SCENES, pages: true, perPage: '1000' } }],
      holds: ({ payload, parts }, { library }) => {
        const { findScenes } = payload as { findScenes: { scenes: object[] } };
        assert.equal(findScenes.scenes.length, library.all('scene').length);
        assert.equal((parts as { count: number }).count, 1);
      },
    }),
    mutation: releaseColumn('stash-query', {
      ways: [{ properties: { document: 'mutation { backupDatabase(input: { download: true }) }' } }],
      holds: ({ payload }) => {
        assert.match((payload as { backupDatabase: string }).backupDatabase, /\/downloads\//);
      },
    }),
  },
  documents: {
    'a document of the user, whole and page by page': async (server, call) => {
      await ask(server, call, { document: '{ version { version } }' });
      await ask(server, call, { document: SCENES, pages: true, perPage: 2 });
    },
  },
  messages: {
    data: ({ ask }) => ask({ document: '{ version { version } }' }),
    'data with errors': async ({ stash, ask }) => {
      const errors = [{ message: 'no such scene' }];
      stash.answerWith(json({ data: { findScene: null }, errors }), { field: 'findScene' });
      return await ask({ document: '{ findScene(id: 1) { title } }', partial: true });
    },
    'one of several pages': async ({ start }) => {
      const document = 'query ($filter: FindFilterType) { findScenes(filter: $filter) { scenes { id } } }';
      const flow = await start({ document, pages: true, perPage: '2' });
      const id = flow.send();
      await flow.until(() => flow.hasEnded(id));
      return flow.sentOn(id).map((msg) => ({ output: 1, msg }));
    },
    'a job that FINISHED': ({ ask }) =>
      ask({ document: 'mutation { metadataScan(input: {}) }', ...replyFinished }),
    'GRAPHQL, as an error': async ({ stash, ask }) => {
      stash.answerWith(json({ data: null, errors: [{ message: 'no' }] }), { field: 'findScene' });
      return await ask({ document: '{ findScene(id: 1) { title } }' });
    },
    'BAD_INPUT, as an error': ({ ask }) => ask({ document: '{ version { versio } }' }),
    'HTTP, as an error': async ({ stash, ask }) => {
      stash.answerWith({ status: 500, headers: {}, body: 'broken' }, { field: 'version' });
      return await ask({ document: '{ version { version } }' });
    },
  },
  byHand: {
    mistake: async (dialog) => {
      await dialog.openSection('more');
      await dialog.tick('pages');
      await dialog.type('perPage', '0');
      await dialog.tells('perPage', words('query', 'invalid.perPage'));
    },
    reasons: [words('query', 'invalid.perPage')],
    correct: async (dialog) => {
      await dialog.openSection('more');
      await dialog.type('perPage', '50');
      await dialog.isSilent('perPage');
      await dialog.tick('pages');
    },
    kept: {
      perPage: '50',
    },
    shown: {
      nextPage: words('query', 'nextPage.atOnce'),
      reply: words('server', 'reply.started'),
      outputs: '1',
    },
    answers: [{ payload: /stats: object/, summary: /home answered “stats”\./ }],
    status: /^answered$/,
  },
  states: [
    { ...finished, ...mistakes, document: ['msg', 'payload'], variables: ['msg', 'payload'] },
    { pages: true, perPage: '0', nextPage: 'returned', document: ['graphql', ''] },
    { variables: ['json', '['] },
  ],
};
