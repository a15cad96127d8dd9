import assert from 'node:assert/strict';
import { documentedFields, performerFields } from '../../src/contract/performers';
import { useFakeTimers } from 'sinon';
import { backup } from '../../src/operations/backup';
import { status, statusFields } from '../../src/operations/library/status';
import { documentedStudioFields, studios } from '../../src/operations/library/studios';
import type { MatchReason } from '../../src/operations/performers/match';
import {
  type Scraped,
  type ScrapeInput,
  scrapePerformer,
  type WantedPerformer,
} from '../../src/operations/performers/scrape';
import { searchPerformers } from '../../src/operations/performers/search';
import { scan } from '../../src/operations/scan/scan';
import { generate } from '../../src/operations/tasks/generate';
import { readId } from '../../src/jobs/documents';
import { timing } from '../../src/timing';
import { json, send, text } from '../fake-stash/answers';
import { FakeStash } from '../fake-stash/fake-stash';
import { loseAnswer } from '../fake-stash/faults';
import { LOCAL_PERFORMERS, PERFORMERS } from '../fake-stash/performers';
import type { Release } from '../fake-stash/releases';
import { isRecord } from '../fake-stash/variables';
import { failure, Message, options, TestServer } from '../support/connect';
import { fetchBackup, leaveBackup } from './inputs';

describe('An operation', () => {
  let stash: FakeStash;
  let server: TestServer;
  let call: Message;

  async function connect(
    settings: Parameters<typeof FakeStash.start>[0] = {},
    schema?: null,
    changes: Parameters<typeof options>[1] = {},
  ): Promise<void> {
    stash = await FakeStash.start(settings);
    server = new TestServer(options(stash.url, changes), schema);
    call = new Message();
  }

  async function disconnect(): Promise<void> {
    await server.close();
    await stash.stop();
  }

  const { rest } = timing.downloads;
  before(() => {
    // Several backups fail here, one after the other.
    timing.downloads.rest = 0;
  });
  after(() => {
    timing.downloads.rest = rest;
  });
  beforeEach(() => connect());
  afterEach(disconnect);

  const everything = { paths: null, options: [] };
  const generateAll = { paths: null, options: [], sceneIDs: null };

  /** Returns the posted bodies, without the requests for state, schema and jobs. */
  function bodies(): unknown[] {
    const before = ['systemStatus', 'version', 'jobQueue'];
    return stash.requests
      .filter(({ operation }) => !before.includes(operation ?? ''))
      .map(({ body }) => body);
  }

  describe('with a response of another shape', () => {
    const fields = ['name'] as const;
    const operations: [field: string, ask: () => Promise<unknown>, wrong: unknown[]][] = [
      ['metadataScan', () => scan(server, everything, call), [null, 12, {}, []]],
      ['metadataGenerate', () => generate(server, { ...generateAll, kinds: ['sprites'] }, call), [null, 12]],
      ['backupDatabase', () => backup(server, fetchBackup, call), [12, {}, true]],
      ['allStudios', () => studios(server, { fields }, call), [null, 5, 'x', {}, [null]]],
      ['systemStatus', () => status(server, { fields: ['status'] }, call), [null, [], 'OK']],
      [
        'scrapeSitePerformerList',
        () => searchPerformers(server, { query: 'x', source: '' }, call),
        [null, {}, [1]],
      ],
      [
        'scrapeSite',
        () => scrapePerformer(server, { performer: 'Robin Vale', fields, source: '', listMaxAge: 0 }, call),
        [5, [], 'x'],
      ],
    ];
    const mutations = ['metadataScan', 'metadataGenerate', 'backupDatabase'];
    for (const [field, ask, wrong] of operations) {
      const expected = mutations.includes(field) ? 'OUTCOME_UNKNOWN.form' : 'GRAPHQL.form';
      it(`leads to an error, and not to a success: ${field}`, async () => {
        for (const value of wrong) {
          stash.answerNormally();
          stash.answerWith(json({ data: { [field]: value } }), { field });
          const error = await failure(ask());
          assert.equal(error.case, expected, JSON.stringify(value));
          assert.equal(error.details['name'], field);
        }
      });
    }
  });

  describe('scan', () => {
    it('starts a scan of the whole library and returns the job', async () => {
      assert.deepEqual(await scan(server, everything, call), {
        operation: 'metadataScan',
        job: { id: '1', status: 'STARTED' },
      });
      assert.deepEqual(bodies(), [
        {
          query: 'mutation ($input: ScanMetadataInput!) { metadataScan(input: $input) }',
          variables: { input: {} },
        },
      ]);
      assert.equal(stash.jobs.find('1')?.description, 'Scanning...');
    });

    it('returns a job without an id if the server gives none', async () => {
      stash.answerWith(json({ data: { metadataScan: 'todo' } }), { field: 'metadataScan' });
      assert.deepEqual((await scan(server, everything, call)).job, {
        id: null,
        status: 'STARTED',
        behind: null,
      });
    });

    it('is not sent for a path outside the library; the error names the library folders', async () => {
      await disconnect();
      await connect({ release: 'v0.30.1' }, null);
      const error = await failure(
        scan(server, { ...everything, paths: ['/media/videos', '/media/video'] }, call),
      );
      assert.equal(error.code, 'PATH_NOT_IN_LIBRARY');
      assert.deepEqual(error.details, { path: '/media/video', folders: '/media/videos, /media/pictures' });
      assert.ok(!stash.requests.some(({ operation }) => operation === 'metadataScan'));
    });

    describe('with a path map', () => {
      const pathMap = [{ here: '/downloads', there: '/media/videos/new' }];
      const scanOf = (...paths: string[]) => scan(server, { ...everything, paths }, call);

      beforeEach(async () => {
        await disconnect();
        await connect({ release: 'v0.30.1' }, null, { pathMap });
      });

      it('reports the path before and after it, if that is outside the library', async () => {
        const error = await failure(scanOf('/downloads/../downloads2', '/downloads/../../other'));
        assert.equal(error.case, 'PATH_NOT_IN_LIBRARY.outside');
        const wrong = new TestServer(
          options(stash.url, { pathMap: [{ here: '/downloads', there: '/new' }] }),
          null,
        );
        const mapped = await failure(scan(wrong, { ...everything, paths: ['/downloads/a'] }, call));
        assert.equal(mapped.case, 'PATH_NOT_IN_LIBRARY.mapped');
        assert.deepEqual(mapped.details, {
          given: '/downloads/a',
          path: '/new/a',
          folders: '/media/videos, /media/pictures',
        });
        await wrong.close();
      });

      it('names the missing row for a path with the name of a library folder', async () => {
        const error = await failure(scanOf('/volume1/Videos/a.mp4'));
        assert.equal(error.case, 'PATH_NOT_IN_LIBRARY.unmapped');
        assert.deepEqual(error.details, {
          path: '/volume1/Videos/a.mp4',
          folders: '/media/videos, /media/pictures',
          here: '/volume1/Videos',
          there: '/media/videos',
        });
      });
    });

    it('of some paths never becomes a scan of the whole library, even if the schema is lost', async () => {
      await disconnect();
      await connect({ release: 'v0.30.1' }, null);
      await studios(server, { fields: ['name'] }, call);
      const refusal = json({ errors: [{ message: 'introspection disabled' }], data: null }, 422);
      for (const field of ['metadataScan', 'version']) stash.answerWith(refusal, { field, times: 1 });
      const error = await failure(scan(server, { ...everything, paths: ['/media/videos'] }, call));

      assert.equal(error.code, 'UNSUPPORTED');
      assert.equal(stash.jobs.find('1'), null);
    });
  });

  it('names what a server lacks as the dialog does, with the first release that can do it', async () => {
    for (const [release, ask, details] of [
      [
        'v0.11.0',
        () => scan(server, { ...everything, minModTime: 0 }, call),
        { name: 'minModTime', since: 'v0.12.0', release: 'v0.11.0' },
      ],
      [
        'v0.23.1',
        () => generate(server, { ...generateAll, kinds: ['markers'], markerIDs: ['1'] }, call),
        { name: 'markerIDs', since: 'v0.24.0', release: 'v0.23.1' },
      ],
    ] as const) {
      await disconnect();
      await connect({ release });
      const error = await failure(ask());
      assert.equal(error.case, 'UNSUPPORTED.lacking');
      assert.deepEqual(error.details, details);
      assert.equal(stash.died, false);
    }
  });

  it('generates nothing at all for empty lists', async () => {
    const { job } = await generate(
      server,
      { ...generateAll, kinds: ['markers'], sceneIDs: [], markerIDs: [] },
      call,
    );
    assert.equal(job.status, 'SKIPPED');
    const others = await generate(server, { ...generateAll, kinds: ['markers'], markerIDs: [] }, call);
    assert.equal(others.job.status, 'SKIPPED');
  });

  describe('generate', () => {
    for (const [name, choice] of [
      ['sceneIDs', { sceneIDs: ['1'] }],
      ['previewOptions', { previewOptions: { previewSegments: 5 } }],
    ] as const) {
      it(`is not sent with ${name} to a server that shows no such field, and the error names the first release with it`, async () => {
        await disconnect();
        await connect({}, null);
        stash.answerWith(json({ errors: [{ message: 'introspection disabled' }], data: null }), {
          field: '__type',
        });
        const error = await failure(
          generate(server, { ...generateAll, ...choice, kinds: ['previews'] }, call),
        );
        assert.equal(error.case, 'UNSUPPORTED.lacking');
        assert.deepEqual([error.details['name'], error.details['since']], [name, 'v0.8.0']);
        assert.ok(!stash.requests.some(({ operation }) => operation === 'metadataGenerate'));
      });
    }
  });

  it('that starts a job accepts only digits as the id', () => {
    for (const [answer, id] of [
      ['1', '1'],
      ['1234567', '1234567'],
      ['todo', null],
      ['', null],
      ['12a', null],
      ['-1', null],
      [' 1', null],
    ] as const) {
      assert.equal(readId(answer), id);
    }
  });

  describe('backup', () => {
    it('that rests after a failed one does not count the rest', async () => {
      // Time stands still but for the rest.
      const clock = useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
      timing.downloads.rest = 60_000;
      try {
        stash.answerWith(text(504, ''), { field: 'backupDatabase', times: 1 });
        await failure(backup(server, leaveBackup, call));
        const next = backup(server, leaveBackup, call);
        await clock.tickAsync(60_000);
        assert.equal((await next).seconds, 0);
      } finally {
        clock.restore();
        timing.downloads.rest = 0;
      }
    });

    for (const link of [null, '', 'http://evil/x', 'done']) {
      it(`without a usable link (${JSON.stringify(link)}) leads to BACKUP_INVALID`, async () => {
        stash.answerWith(json({ data: { backupDatabase: link } }), { field: 'backupDatabase' });
        assert.equal((await failure(backup(server, fetchBackup, call))).case, 'BACKUP_INVALID.noLink');
      });
    }

    it('ignores a link that it did not request', async () => {
      stash.answerWith(json({ data: { backupDatabase: 'http://evil/x' } }), { field: 'backupDatabase' });
      assert.equal((await backup(server, leaveBackup, call)).fetched, null);
    });

    for (const message of [
      'vacuum failed: output file already exists',
      'vacuum failed: table schema_migrations already exists',
      'Vacuum failed: output file already exists',
    ]) {
      it(`leads to GRAPHQL.backupTwice although the data looks like success: "${message}"`, async () => {
        const failed = { errors: [{ message }], data: { backupDatabase: null } };
        stash.answerWith(json(failed), { field: 'backupDatabase' });
        const error = await failure(backup(server, leaveBackup, call));
        assert.deepEqual([error.case, error.status, error.retry], ['GRAPHQL.backupTwice', 200, true]);
      });
    }

    it('with a lost response may be retried if it is a download', async () => {
      stash.answerWith(loseAnswer, { field: 'backupDatabase' });
      for (const [input, which, retry] of [
        [fetchBackup, 'OUTCOME_UNKNOWN.download', true],
        [leaveBackup, 'OUTCOME_UNKNOWN.lost', false],
      ] as const) {
        const error = await failure(backup(server, input, call));
        assert.deepEqual([error.case, error.retry], [which, retry]);
      }
    });

    it('that fails as on v0.29.0 to v0.29.3 leads to GRAPHQL.backupMove', async () => {
      const message =
        "moving database backup failed: copying file during SaveMove failed with: 'open /generated/x: file exists'";
      stash.answerWith(json({ errors: [{ message }], data: { backupDatabase: null } }), {
        field: 'backupDatabase',
      });
      const error = await failure(backup(server, fetchBackup, call));
      assert.equal(error.case, 'GRAPHQL.backupMove');
      assert.deepEqual(error.details, { text: message });
    });

    it('that fails for any other reason leads to GRAPHQL.failed', async () => {
      const message = 'vacuum failed: database or disk is full';
      stash.answerWith(json({ errors: [{ message }], data: { backupDatabase: null } }), {
        field: 'backupDatabase',
      });
      const error = await failure(backup(server, fetchBackup, call));
      assert.equal(error.case, 'GRAPHQL.failed');
      assert.equal(error.details['text'], message);
    });
  });

  describe('studios', () => {
    it('returns all studios with the selected fields', async () => {
      const result = await studios(server, { fields: ['name', 'scene_count'] }, call);
      assert.equal(result.operation, 'allStudios');
      assert.deepEqual(
        result.studios,
        stash.studios.map(({ name, sceneCount }) => ({ name, scene_count: sceneCount })),
      );
      assert.deepEqual(bodies(), [{ query: '{ allStudios { name scene_count } }' }]);
    });

    it('returns every field of the interface document, or null if the server has no value', async () => {
      const { studios: found } = await studios(server, { fields: documentedStudioFields }, call);
      for (const studio of found) assert.deepEqual(Object.keys(studio), [...documentedStudioFields]);
      assert.equal(found.find(({ name }) => name === 'Old Mill & Sons')?.url, null);
    });

    it('returns null as the checksum if the name is not text', async () => {
      await disconnect();
      await connect({ release: 'v0.30.1' }, null);
      const name = { toString: 1, valueOf: 1 };
      stash.answerWith(json({ data: { allStudios: [{ name }, { name: null }] } }), { field: 'allStudios' });
      const { studios: found } = await studios(server, { fields: ['checksum'] }, call);
      assert.deepEqual(found, [{ checksum: null }, { checksum: null }]);
    });

    it('returns an empty list for a library without studios', async () => {
      stash.studios = [];
      assert.deepEqual((await studios(server, { fields: ['id'] }, call)).studios, []);
    });
  });

  describe('status', () => {
    it('returns the selected fields', async () => {
      assert.deepEqual(await status(server, { fields: ['status', 'appSchema'] }, call), {
        operation: 'systemStatus',
        status: { status: 'OK', appSchema: 75 },
        missing: [],
      });
      assert.deepEqual(stash.requests[0]?.body, { query: '{ systemStatus { status appSchema } }' });
    });

    it('returns every field of the interface document', async () => {
      assert.deepEqual((await status(server, { fields: statusFields }, call)).status, {
        databaseSchema: 75,
        databasePath: '/config/stash-go.sqlite',
        configPath: '/config/config.yml',
        appSchema: 75,
        status: 'OK',
      });
    });

    it('is requested each time, in any state of the server', async () => {
      for (const state of ['OK', 'NEEDS_MIGRATION', 'SETUP'] as const) {
        stash.status = state;
        assert.deepEqual((await status(server, { fields: ['status'] }, call)).status, { status: state });
      }
      assert.equal(stash.requests.length, 3);
    });
  });

  describe('performer search', () => {
    const query = 'query ($query: String!) { scrapeSitePerformerList(query: $query) }';

    it('returns matching names', async () => {
      assert.deepEqual(await searchPerformers(server, { query: 'robin', source: '' }, call), {
        operation: 'scrapeSitePerformerList',
        matches: [
          { name: 'Robin Vale', score: 0.6, reason: 'part' },
          { name: 'Robin Valentine', score: 0.42, reason: 'part' },
        ],
      });
      assert.deepEqual(bodies(), [{ query, variables: { query: 'robin' } }]);
    });

    it('also finds an alias', async () => {
      const { matches } = await searchPerformers(server, { query: 'Wren Vale', source: '' }, call);
      assert.deepEqual(matches, [{ name: 'Robin Vale', score: 0.48, reason: 'similar' }]);
    });

    it('keeps joiners that some scripts need, and removes other zero-width characters', async () => {
      await searchPerformers(server, { query: '\u200fپری\u200cسا\u200b', source: '' }, call);
      assert.deepEqual(bodies(), [{ query, variables: { query: 'پری\u200cسا' } }]);
    });

    it('returns an empty list without a match', async () => {
      assert.deepEqual((await searchPerformers(server, { query: 'nobody', source: '' }, call)).matches, []);
    });
  });

  describe('performer scrape', () => {
    const fields = ['name'] as const;

    /** Scrapes a performer with a new list, whatever other tests have cached. */
    function scrape(performer: WantedPerformer, changes: Partial<ScrapeInput> = {}): Promise<Scraped> {
      return scrapePerformer(
        server,
        { performer, fields, source: '', listMaxAge: 0, ...changes },
        new Message(),
      );
    }

    function siteCalls(site = stash.site): string[] {
      return site.calls.map(({ operation, name }) => `${operation} ${name}`);
    }

    async function reconnect(release: Release): Promise<void> {
      await disconnect();
      await connect({ release }, null);
    }

    it('requests the list first, then the exact name from it', async () => {
      assert.deepEqual(await scrape('Robin Vale', { fields: ['country', 'tattoos'] }), {
        operation: 'scrapeSite',
        name: 'Robin Vale',
        byAlias: false,
        performer: { country: 'CA', tattoos: 'A swallow on the left wrist' },
        missing: [],
      });
      assert.deepEqual(siteCalls(), ['scrapeSitePerformerList Robin Vale', 'scrapeSite Robin Vale']);
      assert.deepEqual(bodies()[1], {
        query:
          'query ($performer_name: String!) { scrapeSite(performer_name: $performer_name) { country tattoos } }',
        variables: { performer_name: 'Robin Vale' },
      });
    });

    it('returns every attribute of the interface document, or null if the site has no value', async () => {
      const result = await scrape('Juniper Lake', { fields: documentedFields });
      assert.ok('performer' in result);
      assert.deepEqual(result.performer, { ...PERFORMERS.find(({ name }) => name === 'Juniper Lake') });
      assert.deepEqual(Object.keys(result.performer), [...documentedFields]);
    });

    for (const [release, missing] of [
      ['v0.9.0', ['disambiguation', 'urls', 'penis_length', 'circumcised', 'career_start', 'career_end']],
      ['v0.17.2', ['disambiguation', 'urls', 'penis_length', 'circumcised', 'career_start', 'career_end']],
      ['v0.25.1', ['urls', 'career_start', 'career_end']],
      ['v0.30.1', ['career_start', 'career_end']],
      ['v0.31.0', []],
    ] as const) {
      it(`returns all that a site knows beyond that, as far as ${release} has it`, async () => {
        await reconnect(release);
        const url = 'https://localtest.example/noor-haddad';
        const found = { name: 'Noor Haddad', url };
        const result = await scrape(found, { fields: performerFields, source: 'localtest' });
        assert.ok('performer' in result);
        const known = LOCAL_PERFORMERS.find(({ name }) => name === 'Noor Haddad');
        const { images: [picture] = [], ...attributes } = known ?? {};
        const [home] = known?.urls ?? [];
        const all: Record<string, unknown> = {
          ...attributes,
          picture,
          career_start: '2005',
          career_end: '2018',
          url: ['v0.30.1', 'v0.31.0'].includes(release) ? home : url,
        };
        for (const field of missing) Reflect.deleteProperty(all, field);
        assert.deepEqual(result.performer, all);
        assert.deepEqual(result.missing, missing);
      });
    }

    it('returns the address of a picture that the server has not fetched', async () => {
      await reconnect('v0.30.1');
      const [alex] = LOCAL_PERFORMERS;
      assert.ok(alex?.url);
      stash.localSite.performers = [{ ...alex, images: ['https://localtest.example/1.jpg'] }];
      const result = await scrape(
        { name: alex.name, url: alex.url },
        { fields: ['picture'], source: 'localtest' },
      );
      assert.ok('performer' in result);
      assert.deepEqual(result.performer, { picture: 'https://localtest.example/1.jpg' });
    });

    it('finds no performer on a page that gives empty lists only', async () => {
      await reconnect('v0.30.1');
      const empty = { name: null, aliases: null, urls: [], images: [] };
      stash.answerWith(json({ data: { scrapeSinglePerformer: [empty] } }), {
        field: 'scrapeSinglePerformer',
      });
      const result = await scrape(
        { name: 'Alex Moreno', url: 'https://localtest.example/alex-moreno' },
        { fields: ['urls', 'picture'], source: 'localtest' },
      );
      assert.ok('reason' in result);
      assert.equal(result.reason, 'NOT_FOUND');
    });

    const notExact: [what: string, performer: string, candidates: [string, number, MatchReason][]][] = [
      ['is not on the site', 'Nobody Known', []],
      ['is part of one name', 'Hana', [['Hana Mori', 0.54, 'part']]],
      [
        'is part of several, best first',
        'Robin',
        [
          ['Robin Vale', 0.6, 'part'],
          ['Robin Valentine', 0.42, 'part'],
        ],
      ],
      [
        'is one that the list does not explain',
        'Val',
        [
          ['Robin Vale', 0.36, 'listed'],
          ['Robin Valentine', 0.24, 'listed'],
        ],
      ],
    ];
    for (const [what, performer, candidates] of notExact) {
      it(`returns the candidates without another request if the name ${what}`, async () => {
        assert.deepEqual(await scrape(performer), {
          operation: 'scrapeSitePerformerList',
          reason: 'NOT_FOUND',
          candidates: candidates.map(([name, score, reason]) => ({ name, score, reason })),
          fitting: 0,
        });
        assert.deepEqual(siteCalls(), [`scrapeSitePerformerList ${performer}`]);
      });
    }

    const spellings: [what: string, performer: string, sent: string][] = [
      ['in small letters', "maeve o'connell", "maeve o'connell"],
      ['in capitals', 'ZOË LINDSTRÖM', 'ZOË LINDSTRÖM'],
      ['with its accents apart, as in the names of files', 'Zoe\u0308 Lindstro\u0308m', 'Zoë Lindström'],
      ['with a no-break space', 'Zoë\u00a0Lindström', 'Zoë Lindström'],
      ['with several spaces', 'Zoë \t Lindström', 'Zoë Lindström'],
      ['with invisible characters', 'Zoë Lind\u00adström\u200b', 'Zoë Lindström'],
    ];
    for (const [what, performer, sent] of spellings) {
      it(`finds a name written ${what}, and requests it as the list spells it`, async () => {
        const result = await scrape(performer);
        const [name] = ["Maeve O'Connell", 'Zoë Lindström'].filter(
          (one) => one[0] === sent[0]?.toUpperCase(),
        );
        assert.deepEqual(result, {
          operation: 'scrapeSite',
          name,
          byAlias: false,
          performer: { name },
          missing: [],
        });
        assert.deepEqual(siteCalls(), [`scrapeSitePerformerList ${sent}`, `scrapeSite ${name ?? ''}`]);
      });
    }

    it('finds a performer by a listed alias', async () => {
      await reconnect('v0.30.1');
      listing([
        { name: 'Inês Duarte', url: 'https://localtest.example/ines-duarte', aliases: 'Ines; IN\u00caS' },
      ]);
      assert.deepEqual(await scrape('inês', { source: 'localtest' }), {
        operation: 'scrapeSinglePerformer',
        name: 'Inês Duarte',
        byAlias: true,
        performer: { name: 'Inês Duarte' },
        missing: [],
      });
      assert.deepEqual(siteCalls(stash.localSite), [
        'scrapeSinglePerformer https://localtest.example/ines-duarte',
      ]);
    });

    it('prefers a name to an alias of another performer', async () => {
      await reconnect('v0.30.1');
      const ines = { name: 'Inês Duarte', url: 'https://localtest.example/ines-duarte' };
      listing([{ name: 'Alex Moreno', aliases: 'Inês Duarte' }, ines]);
      const result = await scrape('Inês Duarte', { source: 'localtest' });
      assert.ok('performer' in result);
      assert.deepEqual([result.name, result.byAlias], ['Inês Duarte', false]);
    });

    for (const [what, listed] of [
      ['two have that name', [{ name: 'Alex Moreno', country: 'ES' }, { name: 'alex moreno' }]],
      [
        'it is an alias of two',
        [
          { name: 'Alejandra Moreno', aliases: 'Alex Moreno' },
          { name: 'Alexander Moreno', aliases: 'Sasha, Alex Moreno' },
        ],
      ],
    ] as const) {
      it(`returns the candidates without another request if ${what}`, async () => {
        await reconnect('v0.30.1');
        listing([{ name: 'Alex Morenos' }, ...listed]);
        const result = await scrape('Alex Moreno', { source: 'localtest' });
        assert.ok('reason' in result);
        assert.deepEqual([result.reason, result.fitting], ['AMBIGUOUS', 2]);
        assert.deepEqual(
          result.candidates.map(({ name }) => name),
          [...listed.map(({ name }) => name), 'Alex Morenos'],
        );
        assert.deepEqual(siteCalls(stash.localSite), []);
      });
    }

    it('merges list entries with the same address', async () => {
      await reconnect('v0.30.1');
      stash.localSite.performers = LOCAL_PERFORMERS.flatMap((performer) => [performer, performer]);
      assert.ok('performer' in (await scrape('Inês Duarte', { source: 'localtest' })));
      const result = await scrape('Inês', { source: 'localtest' });
      assert.ok('reason' in result);
      assert.deepEqual(
        result.candidates.map(({ name }) => name),
        ['Inês Duarte'],
      );
    });

    it('does not merge list entries that have only a name', async () => {
      stash.site.performers = PERFORMERS.filter(({ name }) => name === 'Hana Mori').flatMap((performer) => [
        performer,
        performer,
      ]);
      const result = await scrape('Hana Mori');
      assert.ok('reason' in result);
      assert.deepEqual([result.reason, result.fitting], ['AMBIGUOUS', 2]);
    });

    describe('of a list with shifted columns', () => {
      const anna = 'https://localtest.example/anna';
      const page = { name: 'Anna', country: 'NO', aliases: 'Annie' };

      /** Scrapes a name. The first response is the list, and the second one the page of its first address. */
      async function ask(name: string, list: object[], found: object) {
        await reconnect('v0.30.1');
        for (const performers of [list, [found]]) {
          stash.answerWith(json({ data: { scrapeSinglePerformer: performers } }), {
            field: 'scrapeSinglePerformer',
            times: 1,
          });
        }
        const result = await scrape(name, { source: 'localtest', fields: ['country'] });
        return 'reason' in result ? [result.reason, result.fitting] : [result.name, result.performer];
      }

      it('does not trust the address beside a name', async () => {
        const list = [{ name: 'Bea', urls: [anna], url: anna }, { name: 'Anna' }];
        assert.deepEqual(await ask('Bea', list, page), ['AMBIGUOUS', 1]);
      });

      it('accepts a page with the name', async () => {
        const list = [{ name: 'anna', urls: [anna], url: anna }, { name: 'Bea' }];
        assert.deepEqual(await ask('ANNA', list, page), ['anna', { country: 'NO' }]);
      });

      it('does not trust the alias beside a name', async () => {
        const list = [
          { name: 'Anna', urls: [anna], url: anna, aliases: 'Flora' },
          { name: 'Bea', urls: [`${anna}-2`], url: `${anna}-2` },
        ];
        assert.deepEqual(await ask('Flora', list, page), ['AMBIGUOUS', 1]);
        assert.deepEqual(await ask('Anna', list, { ...page, name: 'Anna B.' }), ['Anna', { country: 'NO' }]);
      });

      it('accepts a page with the alias', async () => {
        const list = [
          { name: 'Anna', urls: [anna], url: anna, aliases: 'Annie' },
          { name: 'Bea', urls: [`${anna}-2`], url: `${anna}-2` },
        ];
        assert.deepEqual(await ask('annie', list, page), ['Anna', { country: 'NO' }]);
      });

      it('trusts aliases if every entry has one', async () => {
        const list = [{ name: 'Anna', urls: [anna], url: anna, aliases: 'Flora' }];
        assert.deepEqual(await ask('Flora', list, { ...page, aliases: null }), ['Anna', { country: 'NO' }]);
      });
    });

    for (const release of ['v0.11.0', 'v0.30.1'] as const) {
      it(`leads to NOT_FOUND if the server reads nothing from the page: ${release}`, async () => {
        await reconnect(release);
        const found = (performers: object[]) => json({ data: { scrapeSinglePerformer: performers } });
        const url = 'https://localtest.example/hana-mori';
        stash.answerWith(found([{ name: 'Hana Mori', url, urls: [url] }]), {
          field: 'scrapeSinglePerformer',
          times: 1,
        });
        stash.answerWith(found([{ name: null, country: null }]), { field: 'scrapeSinglePerformer' });
        const result = await scrape('Hana Mori', { source: 'localtest', fields: ['country'] });
        assert.ok('reason' in result);
        assert.deepEqual([result.reason, result.fitting], ['NOT_FOUND', 1]);
      });
    }

    it('returns the candidates if the listed name has no page', async () => {
      stash.answerWith(json({ data: { scrapeSite: null } }), { field: 'scrapeSite' });
      assert.deepEqual(await scrape('Robin Vale'), {
        operation: 'scrapeSite',
        reason: 'NOT_FOUND',
        candidates: [
          { name: 'Robin Vale', score: 1, reason: 'name' },
          { name: 'Robin Valentine', score: 0.69, reason: 'similar' },
        ],
        fitting: 1,
      });
    });

    for (const release of ['v0.9.0', 'v0.11.0', 'v0.17.2'] as const) {
      it(`requests no page if two performers share a name: ${release}`, async () => {
        await reconnect(release);
        const result = await scrape('Alex Moreno', { source: 'localtest' });
        const isMixed = release !== 'v0.17.2';
        assert.ok('reason' in result);
        assert.deepEqual([result.reason, result.fitting], ['AMBIGUOUS', isMixed ? 1 : 2]);
        const [first] = result.candidates;
        assert.deepEqual(
          [first?.name, first?.url === undefined, first?.reason],
          ['Alex Moreno', isMixed, 'name'],
        );
        assert.equal(stash.localSite.calls.length, 1);
      });
    }

    for (const release of ['v0.9.0', 'v0.11.0', 'v0.17.2'] as const) {
      it(`does not confuse performers whose shared address is listed once: ${release}`, async () => {
        await reconnect(release);
        const [, , ines] = LOCAL_PERFORMERS;
        assert.ok(ines);
        const url = 'https://localtest.example/anna-duarte';
        stash.localSite.performers = [
          { ...ines, name: 'Anna Duarte', url, aliases: 'Duarte, A.' },
          { ...ines, name: 'Duarte, A.', url },
          { ...ines, aliases: 'Duarte, A.' },
        ];
        const result = await scrape('Duarte, A.', { source: 'localtest' });
        const pages = stash.localSite.calls.slice(1).map(({ name }) => name);
        if (release === 'v0.17.2') {
          assert.deepEqual(pages, [url]);
          return;
        }
        assert.deepEqual(pages, []);
        assert.ok('reason' in result);
        assert.equal(result.reason, 'AMBIGUOUS');
        assert.ok(result.candidates.every(({ url, birthdate }) => (url ?? birthdate) === undefined));
      });
    }

    for (const release of ['v0.11.0', 'v0.17.2'] as const) {
      it(`gives no candidate the birthdate of another one: ${release}`, async () => {
        await reconnect(release);
        const [alex, , ines] = LOCAL_PERFORMERS;
        assert.ok(alex && ines);
        stash.localSite.performers = [
          { ...ines, name: 'Anna Duarte', url: `${ines.url}-1` },
          { ...ines, name: 'Bea Duarte', url: `${ines.url}-2` },
          { ...ines, name: 'Cleo Duarte', url: `${ines.url}-3`, birthdate: alex.birthdate },
        ];
        const result = await scrape('Duarte', { source: 'localtest' });
        assert.ok('reason' in result);
        const { birthdate: shared } = ines;
        assert.deepEqual(
          result.candidates.map(({ birthdate }) => birthdate),
          release === 'v0.17.2' ? [shared, shared, alex.birthdate] : [undefined, undefined, undefined],
        );
        assert.ok(result.candidates.every(({ url }) => url !== undefined));
      });
    }

    describe('for a candidate', () => {
      it('requests the page without the list', async () => {
        await reconnect('v0.30.1');
        const ambiguous = await scrape('Alex Moreno', { source: 'localtest' });
        assert.ok('reason' in ambiguous);
        const [, second] = ambiguous.candidates;
        assert.ok(second);
        stash.localSite.calls.splice(0);
        const result = await scrape(second, { source: 'localtest', fields: ['birthdate'] });
        assert.ok('performer' in result);
        assert.deepEqual(result.performer, { birthdate: '1996-08-17' });
        assert.deepEqual(siteCalls(stash.localSite), [`scrapeSinglePerformer ${second.url ?? ''}`]);
      });

      for (const fields of [['url'], ['name', 'url', 'country']] as const) {
        it(`returns the requested address if the page has none: ${fields.join(', ')}`, async () => {
          await reconnect('v0.30.1');
          const url = 'https://localtest.example/ines-duarte';
          for (const who of [{ name: 'Inês Duarte', url }, 'Inês Duarte']) {
            const result = await scrape(who, { source: 'localtest', fields });
            assert.ok('performer' in result);
            assert.equal(result.performer.url, url);
          }
        });
      }

      it('returns no address that was not requested', async () => {
        const url = 'https://performers.example/made-up';
        stash.answerWith(json({ data: { scrapeSite: { url: null } } }), { field: 'scrapeSite' });
        const result = await scrape({ name: 'Hana Mori', url }, { fields: ['url'] });
        assert.ok('performer' in result);
        assert.deepEqual(result.performer, { url: null });
      });

      it('requests the name if the list has no addresses', async () => {
        const result = await scrape({ name: 'Hana Mori', score: 0.54 });
        assert.ok('performer' in result);
        assert.deepEqual(siteCalls(), ['scrapeSite Hana Mori']);
      });

      it('requests the list for a candidate that has only a name', async () => {
        await scrape({ name: 'Hana Mori' });
        assert.deepEqual(siteCalls(), ['scrapeSitePerformerList Hana Mori', 'scrapeSite Hana Mori']);
      });

      it('sends the address as a variable', async () => {
        await reconnect('v0.30.1');
        const url = 'https://elsewhere.example/") { id } } mutation { metadataScan(input: {}) }';
        assert.deepEqual(await scrape({ name: 'x', url }, { source: 'localtest' }), {
          operation: 'scrapeSinglePerformer',
          reason: 'NOT_FOUND',
          candidates: [],
          fitting: 1,
        });
        const { query = '', variables } = stash.requests.at(-1)?.body ?? {};
        assert.ok(!query.includes('elsewhere'));
        assert.deepEqual(variables, {
          source: { scraper_id: 'localtest' },
          input: { performer_input: { name: 'x', url } },
        });
      });

      it('leads to UNSUPPORTED for a source on a server without scrapers', async () => {
        const error = await failure(scrape({ name: 'Hana Mori', score: 1 }, { source: 'films' }));
        assert.equal(error.case, 'UNSUPPORTED.lacking');
        assert.equal(error.details['name'], 'scrapeSinglePerformer');
        assert.deepEqual(siteCalls(), []);
      });
    });

    it('fails if the site fails', async () => {
      stash.site.failure = 'http error 500:Internal Server Error';
      assert.equal((await failure(scrape('Robin Vale'))).case, 'GRAPHQL.failed');
      assert.equal(siteCalls().length, 1);
    });

    it('shares the queue of the built-in site if the dialog names its scraper', async () => {
      await reconnect('v0.11.0');
      stash.site.delay = 50;
      await Promise.all([
        scrape('Hana Mori'),
        scrape('Amara Osei', { source: 'builtin_freeones' }),
        searchPerformers(server, { query: 'Robin', source: 'builtin_freeones' }, call),
        searchPerformers(server, { query: 'Robin', source: '' }, call),
      ]);
      assert.equal(stash.site.calls.length, 6);
      for (const [index, { startedAt }] of stash.site.calls.slice(1).entries()) {
        assert.ok(startedAt >= (stash.site.calls[index]?.endedAt ?? NaN), 'calls do not overlap');
      }
    });

    /** Makes the site return this list for every name, but leaves its pages as they are. */
    function listing(listed: readonly object[]): void {
      stash.answerWith(
        async (request, response, body, execute) => {
          const input = body?.variables?.['input'];
          const isList = isRecord(input) && 'query' in input;
          const answer = isList ? json({ data: { scrapeSinglePerformer: listed } }) : await execute();
          send(request, response, answer);
        },
        { field: 'scrapeSinglePerformer' },
      );
    }
  });
});
