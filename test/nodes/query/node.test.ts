import assert from 'node:assert/strict';
import { Flow, type FlowOptions, type Message, useFakeStash } from '../../support/flow';
import { helper } from '../../support/runtime';
import { hasten } from '../../support/tempo';
import { json, send } from '../../fake-stash/answers';
import { loseAnswer } from '../../fake-stash/faults';
import type { JobRecord } from '../../../src/records';
import { timing } from '../../../src/timing';

/** Lists the scenes of a page. */
const SCENES = 'query ($filter: FindFilterType) { findScenes(filter: $filter) { scenes { id } } }';
const SCAN = 'mutation { metadataScan(input: {}) }';

type Scenes = { findScenes: { scenes: { id: string }[] } };

describe('stash-query', () => {
  hasten();
  const stash = useFakeStash({ release: 'v0.30.1' });
  const start = (properties: object, server: object = {}, more: Partial<FlowOptions> = {}) =>
    Flow.start({
      type: 'stash-query',
      properties,
      server: { url: stash().url, pause: 0, ...server },
      ...more,
    });
  const ask = async (properties: object, msg: object = {}) => await (await start(properties)).ask(msg);

  /** Returns the variables of the requests with this root field. */
  const sent = (field: string) =>
    stash().requests.flatMap(({ operation, body }) => (operation === field ? [body?.variables] : []));

  it('sends a document, and puts the data of the response into the message', async () => {
    const { output, msg } = await ask({ document: '{ version { version } }' }, { topic: 'kept' });

    assert.equal(output, 1);
    assert.deepEqual(msg.payload, { version: { version: 'v0.30.1' } });
    assert.equal(msg['topic'], 'kept');
    assert.equal(msg.stash?.operation, 'version');
  });

  it('takes the document from the message', async () => {
    const { msg } = await ask(
      { document: 'payload', documentType: 'msg' },
      { payload: '{ version { version } }' },
    );

    assert.deepEqual(msg.payload, { version: { version: 'v0.30.1' } });
  });

  it('uses the first document of the dialog if the flow file has none', async () => {
    const { msg } = await ask({});

    assert.equal((msg.payload as { stats: { scene_count: number } }).stats.scene_count, 5);
  });

  describe('refuses before anything is sent', () => {
    const refusals: Record<string, [document: string, which: string]> = {
      'a field that the server lacks': ['{ version { versio } }', 'document'],
      'several look-ups at once': [
        '{ a: scrapePerformerURL(url: "http://x.example/a") { name } b: scrapePerformerURL(url: "http://x.example/b") { name } }',
        'severalLookUps',
      ],
    };
    for (const [title, [document, which]] of Object.entries(refusals)) {
      it(title, async () => {
        const { msg } = await ask({ document });

        assert.equal(msg.stash?.error?.code, 'BAD_INPUT');
        assert.match(msg.error?.message ?? '', new RegExp(`BAD_INPUT\\.${which}\\.text`));
        assert.ok(
          stash().requests.every(({ operation }) => ['version', '__schema'].includes(String(operation))),
        );
      });
    }

    it('a variable that comes out empty', async () => {
      const document = 'query ($id: ID!) { findScene(id: $id) { id } }';
      for (const [which, row] of [
        ['empty', { name: 'id', value: 'id', type: 'msg' }],
        ['notEntered', { name: 'id', value: '', type: 'str' }],
      ] as const) {
        const { msg } = await ask({ document, values: [row] });
        assert.match(msg.error?.message ?? '', new RegExp(`BAD_INPUT\\.${which}\\.text`));
        await helper.unload();
      }
    });

    it('an empty number, which would be 0', async () => {
      const document = 'query ($page: Int!) { findScenes(filter: { page: $page }) { count } }';
      const { msg } = await ask({ document, values: [{ name: 'page', value: '', type: 'num' }] });

      assert.match(msg.error?.message ?? '', /BAD_INPUT\.notEntered\.text/);
    });

    it('a value that JSON cannot hold', async () => {
      const document = 'query ($filter: FindFilterType) { findScenes(filter: $filter) { count } }';
      const payload: Record<string, unknown> = {};
      payload['q'] = payload;
      const { msg } = await ask(
        { document, values: [{ name: 'filter', value: 'payload', type: 'msg' }] },
        { payload },
      );

      assert.equal(msg.error?.code, 'BAD_INPUT');
    });

    it('a wrong variable, without quoting its value', async () => {
      const document = 'query ($filter: FindFilterType) { findScenes(filter: $filter) { count } }';
      const flow = await start({ document, variables: 'payload', variablesType: 'msg' });
      const secret = 'hunter2';
      for (const filter of [{ page: secret }, { q: secret, nonsense: 1 }, { direction: secret }, secret]) {
        const { msg } = await flow.ask({ payload: { filter } });
        assert.equal(msg.error?.code, 'BAD_INPUT');
        assert.ok(!JSON.stringify([msg.error, msg.stash, helper.log().args]).includes(secret));
      }
    });

    it('pages without a variable for them, or without a valid size', async () => {
      for (const [properties, which] of [
        [{ document: '{ findScenes { count } }' }, 'noPages'],
        [
          {
            document:
              'query ($filter: FindFilterType) { version @include(if: true) { version } findScenes { count } }',
          },
          'document',
        ],
        [{ document: SCENES, perPage: '0' }, 'pageSize'],
        [{ document: SCENES, perPage: '1001' }, 'pageSize'],
      ] as const) {
        const { msg } = await ask({ ...properties, pages: true });
        assert.match(msg.error?.message ?? '', new RegExp(`BAD_INPUT\\.${which}\\.text`));
        await helper.unload();
      }
    });
  });

  describe('sends variables', () => {
    const document =
      'query ($filter: FindFilterType, $other: SceneFilterType) { findScenes(filter: $filter, scene_filter: $other) { count } }';

    it('one by one, without those that are not given', async () => {
      const values = [
        { name: 'filter', value: 'payload', type: 'msg' },
        { name: 'other', value: '', type: 'none' },
      ];
      await ask({ document, values }, { payload: { q: 'a' } });

      assert.deepEqual(sent('findScenes'), [{ filter: { q: 'a' } }]);
    });

    it('as IDs that were chosen from the library: one, or a list of them', async () => {
      await ask({
        document: 'query ($id: ID!) { findScene(id: $id) { title } }',
        values: [{ name: 'id', value: '2', type: 'scene' }],
      });
      assert.deepEqual(sent('findScene'), [{ id: '2' }]);
      await helper.unload();
      const document =
        'mutation ($ids: [ID!]) { performerCreate(input: { name: "R", tag_ids: $ids }) { id } }';
      await ask({ document, values: [{ name: 'ids', value: '["1", "2"]', type: 'tag' }] });
      assert.deepEqual(sent('performerCreate'), [{ ids: ['1', '2'] }]);
      await helper.unload();

      for (const type of ['scene', 'studio', 'performer', 'tag']) {
        const { msg } = await ask({ document, values: [{ name: 'ids', value: '', type }] });
        assert.match(msg.error?.message ?? '', /BAD_INPUT\.notEntered/);
        await helper.unload();
      }
      assert.equal(sent('performerCreate').length, 1);
    });

    it('from an object, without those that the document does not declare', async () => {
      await ask(
        { document, variables: 'payload', variablesType: 'msg' },
        { payload: { filter: { per_page: 1 }, secret: 'not sent' } },
      );

      assert.deepEqual(sent('findScenes'), [{ filter: { per_page: 1 } }]);
    });

    it('with null where JSON says so', async () => {
      await ask({ document, values: [{ name: 'filter', value: 'null', type: 'json' }] });

      assert.deepEqual(sent('findScenes'), [{ filter: null }]);
    });
  });

  describe('with a mutation', () => {
    it('sends it once, also if the response is lost', async () => {
      stash().answerWith(loseAnswer, { field: 'stopAllJobs' });
      const { msg } = await ask({ document: 'mutation { stopAllJobs }' });

      assert.equal(msg.error?.code, 'OUTCOME_UNKNOWN');
      assert.equal(sent('stopAllJobs').length, 1);
    });

    it('starts no job before the migration of the database, but sends all others', async () => {
      stash().status = 'NEEDS_MIGRATION';
      const flow = await start({ document: 'payload', documentType: 'msg' });
      const scan = await flow.ask({ payload: SCAN });
      const stop = await flow.ask({ payload: 'mutation { stopAllJobs }' });

      assert.equal(scan.msg.error?.code, 'SERVER_STATE');
      assert.deepEqual(stop.msg.payload, { stopAllJobs: true });
      assert.deepEqual(sent('metadataScan'), []);
    });

    it('that starts a job names the job, and does not wait for it', async () => {
      stash().jobs.hold();
      const { msg } = await ask({ document: SCAN });

      assert.deepEqual(msg.payload, { metadataScan: '1' });
      assert.deepEqual(msg.stash?.job, { id: '1', status: 'STARTED' });
    });

    it('that starts a job waits for its end if the dialog says so, and tells the progress', async () => {
      stash().jobs.hold();
      const flow = await start({ document: SCAN, reply: 'finished', outputs: 2 });
      const id = flow.send();
      await flow.until(() => flow.progressOf(id).length > 0);
      assert.ok(!flow.hasEnded(id));
      stash().jobs.release();
      await flow.until(() => flow.hasEnded(id));
      const { msg } = flow.endOf(id);

      assert.deepEqual(msg.payload, { metadataScan: '1' });
      assert.equal(msg.stash?.job?.status, 'FINISHED');
    });

    it('that starts a job ends with the error of the job, unless failed jobs are results', async () => {
      stash().jobs.failure = 'the disk is full';
      const failed = await ask({ document: SCAN, reply: 'finished' });
      await helper.unload();
      const kept = await ask({ document: SCAN, reply: 'finished', sendFailed: true });

      assert.equal(failed.msg.error?.code, 'JOB_FAILED');
      assert.equal(kept.msg.stash?.job?.status, 'FAILED');
    });
  });

  it('waits in the queue of the external site with a look-up', async () => {
    const document =
      'query ($name: String!) { scrapeSinglePerformer(source: { scraper_id: "builtin_freeones" }, input: { query: $name }) { name } }';
    const flow = await start(
      { document, values: [{ name: 'name', value: 'payload', type: 'msg' }] },
      { pause: 0.05 },
    );
    const ends = await Promise.all(['Robin', 'Hana'].map((payload) => flow.ask({ payload })));

    for (const { output } of ends) assert.equal(output, 1);
    const [first, second] = stash().site.calls;
    assert.ok((second?.startedAt ?? 0) - (first?.endedAt ?? 0) >= 45);
  });

  describe('with data beside errors', () => {
    const both = json({
      data: { findScene: null },
      errors: [{ message: 'no such scene', path: ['findScene'] }],
    });
    const properties = { document: '{ findScene(id: 99) { id } }' };

    it('ends with the error', async () => {
      stash().answerWith(both, { field: 'findScene' });
      const { msg } = await ask(properties);

      assert.equal(msg.error?.code, 'GRAPHQL');
    });

    it('sends the data and the texts of the errors if the dialog says so', async () => {
      stash().answerWith(both, { field: 'findScene' });
      const { msg } = await ask({ ...properties, partial: true });

      assert.deepEqual(msg.payload, { findScene: null });
      assert.deepEqual(msg.stash?.['errors'], ['no such scene']);
    });

    it('ends with the error if there is no data at all', async () => {
      stash().answerWith(json({ data: null, errors: [{ message: 'no' }] }), { field: 'findScene' });
      const { msg } = await ask({ ...properties, partial: true });

      assert.equal(msg.error?.code, 'GRAPHQL');
    });
  });

  it('migrates a server that has to be migrated, and runs no other task on it before', async () => {
    const status = (): string => stash().status;
    stash().status = 'NEEDS_MIGRATION';
    const both = 'mutation { migrate(input: { backupPath: "" }) optimiseDatabase }';
    for (const document of ['mutation { optimiseDatabase }', both]) {
      const { msg } = await ask({ document });
      assert.equal(msg.error?.code, 'SERVER_STATE');
      await helper.unload();
    }
    const { msg } = await ask({
      document: 'mutation { migrate(input: { backupPath: "" }) }',
      reply: 'finished',
    });
    assert.deepEqual(msg.payload, { migrate: '1' });
    assert.equal((msg.stash?.job as JobRecord).status, 'FINISHED');
    assert.equal(status(), 'OK');
    assert.deepEqual(sent('optimiseDatabase'), []);
  });

  describe('page by page', () => {
    const pages = (more: object = {}) => ({ document: SCENES, pages: true, perPage: '2', ...more });
    const idsOf = ({ payload }: Message) => (payload as Scenes).findScenes.scenes.map(({ id }) => id);

    /** Sends a message back to the node, as the end of a flow does. */
    const comesBack = (msg: Message | undefined, change: object = {}) => {
      helper.getNode('tested').receive({ ...structuredClone(msg), _msgid: 'back', ...change });
    };

    async function asked(properties: object): Promise<{ flow: Flow; id: string }> {
      const flow = await start(properties);
      const id = flow.send({ topic: 'kept' });
      await flow.until(() => flow.hasEnded(id));
      return { flow, id };
    }

    it('sends one message for each page, which a join node can put together', async () => {
      const { flow, id } = await asked(pages());
      const messages = flow.sentOn(id);

      assert.deepEqual(messages.map(idsOf), [['1', '2'], ['3', '4'], ['5']]);
      const parts = messages.map(({ parts }) => parts as { id: string; index: number; count?: number });
      assert.equal(new Set(parts.map(({ id: sequence }) => sequence)).size, 1);
      assert.deepEqual(
        parts.map(({ index, count }) => [index, count]),
        [
          [0, undefined],
          [1, undefined],
          [2, 3],
        ],
      );
      for (const { topic } of messages) assert.equal(topic, 'kept');
    });

    it('sends no empty last page', async () => {
      const { flow, id } = await asked(pages({ perPage: '5' }));

      assert.deepEqual(flow.sentOn(id).map(idsOf), [['1', '2', '3', '4', '5']]);
    });

    it('sends one empty page if nothing was found at all', async () => {
      const values = [{ name: 'filter', value: '{"q": "no such scene"}', type: 'json' }];
      const { flow, id } = await asked(pages({ values }));

      assert.deepEqual(flow.sentOn(id).map(idsOf), [[]]);
      assert.deepEqual((flow.sentOn(id)[0]?.['parts'] as { count: number }).count, 1);
    });

    it('ends with an error on a later page, after the pages that have left', async () => {
      stash().answerWith(
        (_request, response, body, execute) =>
          void execute().then(({ status, headers, body: content }) => {
            const { filter } = (body?.variables ?? {}) as { filter?: { page: number } };
            if (filter?.page === 3) response.destroy();
            else response.writeHead(status, headers).end(content);
          }),
        { field: 'findScenes' },
      );
      const flow = await start(pages());
      const id = flow.send();
      await flow.until(() => flow.caught(id).length > 0);

      assert.deepEqual(flow.sentOn(id).map(idsOf), [
        ['1', '2'],
        ['3', '4'],
      ]);
      const [caught = {}] = flow.caught(id) as [Message?];
      assert.equal(caught.error?.code, 'UNREACHABLE');
      assert.equal((caught['parts'] as { index: number }).index, 2);
    });

    it('keeps the parts of the message inside its own', async () => {
      const flow = await start(pages());
      const parts = { id: 'outer', index: 3, count: 9 };
      const id = flow.send({ parts });
      await flow.until(() => flow.hasEnded(id));

      for (const msg of flow.sentOn(id)) assert.deepEqual((msg['parts'] as { parts: object }).parts, parts);
    });

    it('a message with reset ends it between two pages, without an error', async () => {
      const flow = await start(pages({ nextPage: 'returned' }));
      const id = flow.send();
      await flow.until(() => flow.sentOn(id).length === 1);
      flow.send({ reset: true });
      await flow.until(() => flow.hasEnded(id));

      assert.deepEqual([flow.sentOn(id).length, flow.caught(id).length], [1, 0]);
    });

    it('a message with reset ends it while a page is requested, which is not sent then', async () => {
      let release = () => {};
      const released = new Promise<void>((resolve) => (release = resolve));
      stash().answerWith(
        async (request, response, body, execute) => {
          const { filter } = (body?.variables ?? {}) as { filter?: { page: number } };
          if (filter?.page === 3) await released;
          send(request, response, await execute());
        },
        { field: 'findScenes' },
      );
      const flow = await start(pages());
      const id = flow.send();
      await flow.until(() => flow.sentOn(id).length === 1 && sent('findScenes').length === 3);
      flow.send({ reset: true });
      release();
      await flow.until(() => flow.hasEnded(id));

      assert.deepEqual([flow.sentOn(id).length, flow.caught(id).length], [1, 0]);
    });

    describe('when the message comes back', () => {
      const paced = pages({ nextPage: 'returned' });

      it('asks for the next page, and not before', async () => {
        const flow = await start(paced);
        const id = flow.send();
        await flow.until(() => flow.sentOn(id).length === 1);
        const before = sent('findScenes').length;
        await new Promise((resolve) => setTimeout(resolve, 50));
        assert.deepEqual([flow.sentOn(id).length, sent('findScenes').length], [1, before]);
        for (const page of [2, 3]) {
          comesBack(flow.sentOn(id).at(-1));
          await flow.until(() => flow.sentOn(id).length === page);
        }
        comesBack(flow.sentOn(id).at(-1));
        await flow.until(() => flow.hasEnded(id));

        assert.deepEqual(flow.sentOn(id).map(idsOf), [['1', '2'], ['3', '4'], ['5']]);
      });

      it('asks once for a page that comes back in several parts', async () => {
        const flow = await start(paced);
        const id = flow.send();
        await flow.until(() => flow.sentOn(id).length === 1);
        const [first] = flow.sentOn(id);
        for (const index of [0, 1]) {
          comesBack(first, { parts: { id: 'split', index, count: 2, parts: first?.['parts'] } });
        }
        await flow.until(() => flow.sentOn(id).length === 2);
        await new Promise((resolve) => setTimeout(resolve, 50));

        assert.equal(flow.sentOn(id).length, 2);
      });

      it('starts nothing with the last page, or with one of an earlier message', async () => {
        const flow = await start({ ...paced, perPage: '10' });
        const id = flow.send();
        await flow.until(() => flow.hasEnded(id));
        const before = sent('findScenes').length;
        comesBack(flow.sentOn(id)[0]);
        await new Promise((resolve) => setTimeout(resolve, 50));

        assert.equal(sent('findScenes').length, before);
      });

      it('takes a message with parts in circles for one from elsewhere', async () => {
        const flow = await start(paced);
        const parts: Record<string, unknown> = { id: 'other' };
        parts['parts'] = parts;
        const id = flow.deliver((_msgid) => ({ _msgid, parts }));
        await flow.until(() => flow.sentOn(id).length === 1 || flow.caught(id).length === 1);
      });

      it('ends with TIMEOUT if none comes back', async () => {
        const { longestPause } = timing.pages;
        timing.pages.longestPause = 20;
        try {
          const flow = await start(paced);
          const id = flow.send();
          await flow.until(() => flow.caught(id).length > 0);

          assert.equal(flow.caught(id)[0]?.error?.code, 'TIMEOUT');
        } finally {
          timing.pages.longestPause = longestPause;
        }
      });

      it('goes on with the next page at a redeploy, because whoever had the last one may have been closed', async () => {
        const flow = await start(paced);
        const id = flow.send();
        await flow.until(() => flow.sentOn(id).length === 1);
        await flow.redeploy({
          type: 'stash-query',
          properties: { ...paced, perPage: '3' },
          server: { url: stash().url, pause: 0 },
        });
        await flow.until(() => flow.sentOn(id).length === 2);
      });
    });
  });
});

describe("the questions of stash-query's dialog", () => {
  const stash = useFakeStash({ release: 'v0.30.1' });

  before(() => helper.startServer());
  after(() => helper.stopServer());
  beforeEach(() => Flow.start({ type: 'stash-query', server: { url: stash().url } }));

  const question = (body: object) =>
    helper
      .request()
      .post('/stash-server/document')
      .send({ id: 'server1', ...body });

  it('are answered with mistakes and variables of the document', async () => {
    const document =
      'query ($filter: FindFilterType, $order: SortDirectionEnum!) {\n  findScenes(filter: $filter) { cont }\n}';
    const { body } = await question({ document, ask: 'state' }).expect(200);
    const state = body as {
      release: string;
      mistakes: { text: string; from: object }[];
      variables: object[];
    };

    assert.equal(state.release, 'v0.30.1');
    assert.match(state.mistakes[0]?.text ?? '', /Cannot query field "cont"/);
    assert.deepEqual(state.mistakes[0]?.from, { line: 1, column: 32 });
    assert.deepEqual(state.variables, [
      { name: 'filter', type: 'FindFilterType', namedType: 'FindFilterType', isRequired: false, choices: [] },
      {
        name: 'order',
        type: 'SortDirectionEnum!',
        namedType: 'SortDirectionEnum',
        isRequired: true,
        choices: ['ASC', 'DESC'],
      },
    ]);
  });

  it('are answered with what fits at a place, and with its documentation', async () => {
    const document = '{ findScenes { count } }';
    const completions = await question({ document, ask: 'completions', line: 0, column: 15 }).expect(200);
    const hover = await question({ document, ask: 'hover', line: 0, column: 4 }).expect(200);

    const { completions: found } = completions.body as { completions: { label: string; type: string }[] };
    assert.ok(found.some(({ label, type }) => label === 'scenes' && type === '[Scene!]!'));
    assert.match((hover.body as { hover: string }).hover, /findScenes: FindScenesResultType!/);
  });

  it('are refused for a server that is not deployed', async () => {
    const { body } = await question({ id: 'other', document: '{ a }' }).expect(200);

    assert.deepEqual(body, { case: 'NO_SERVER.none', details: {} });
  });

  it('may contain anything', async () => {
    for (const body of [
      {},
      { document: 1, ask: [], line: -1 },
      { document: '{', ask: 'hover', line: 1e9, column: 1e9 },
    ]) {
      await question(body).expect(200);
    }
    // The time of a check grows with the square of the fields.
    for (const document of ['x'.repeat(200_000), `{ ${'version { version } '.repeat(4_000)} }`]) {
      const { body } = await question({ document }).expect(200);
      assert.equal((body as { case: string }).case, 'BAD_INPUT.longDocument');
    }
  });
});
