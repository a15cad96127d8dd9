import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Release } from '../releases';
import { servers } from './client';

const ROBIN = 'https://performers.example/robin-vale';
const ALEX = 'https://localtest.example/alex-moreno';
const INPUT = '$source: ScraperSourceInput!, $input: ScrapeSinglePerformerInput!';
const oldest = ['v0.9.0', 'v0.11.0'] as const satisfies Release[];
const older = [...oldest, 'v0.17.2', 'v0.23.1'] as const satisfies Release[];
const newer = ['v0.11.0', 'v0.17.2', 'v0.23.1', 'v0.25.1', 'v0.28.1', 'v0.30.1'] as const satisfies Release[];

function single(fields: string): string {
  return `query (${INPUT}) { scrapeSinglePerformer(source: $source, input: $input) { ${fields} } }`;
}

function fragment(id: string, fields: string): string {
  return `query ($p: ScrapedPerformerInput!) { scrapePerformer(scraper_id: "${id}", scraped_performer: $p) { ${fields} } }`;
}

describe('Fake server: scrapers', () => {
  const start = servers();
  const built = { scraper_id: 'builtin_freeones' };
  const local = { scraper_id: 'localtest' };

  for (const release of oldest) {
    it(`find nothing with scrapeFreeones, and do not call the site, as ${release}`, async () => {
      const { value, stash } = await start({ release });
      assert.equal(await value('{ scrapeFreeones(performer_name: "Robin Vale") { name } }'), null);
      assert.equal(stash.site.calls.length, 0);
    });
  }

  for (const release of older) {
    it(`list names, and names with addresses of pages, as ${release}`, async () => {
      const { value, stash } = await start({ release });
      assert.deepEqual(await value('{ scrapeFreeonesPerformerList(query: "robin") }'), [
        'Robin Vale',
        'Robin Valentine',
      ]);
      const list = (query: string) =>
        value(
          `{ scrapePerformerList(scraper_id: "builtin_freeones", query: "${query}") { name url country } }`,
        );
      assert.deepEqual(await list("o'conn"), [
        { name: "Maeve O'Connell", url: "https://performers.example/maeve-o'connell", country: null },
      ]);
      assert.deepEqual(await list('nobody'), []);
      assert.deepEqual(
        stash.site.calls.map(({ operation, name }) => `${operation} ${name}`),
        ['scrapeFreeonesPerformerList robin', "scrapePerformerList o'conn", 'scrapePerformerList nobody'],
      );
    });

    it(`read only pages of their own site, as ${release}`, async () => {
      const { value, failure } = await start({ release });
      const query = fragment('builtin_freeones', 'name url country');
      assert.deepEqual(await value(query, { p: { name: 'Robin Vale', url: ROBIN } }), {
        name: 'Robin Vale',
        url: ROBIN,
        country: 'CA',
      });
      assert.equal(await value(query, { p: { name: 'Alex Moreno', url: ALEX } }), null);
      const nameOnly = { p: { name: 'Robin Vale' } };
      if ((oldest as readonly Release[]).includes(release)) assert.equal(await value(query, nameOnly), null);
      else {
        assert.equal(
          await failure(query, nameOnly),
          'error while fragment scraping with scraper builtin_freeones: scraper operation not supported',
        );
      }
    });
  }

  for (const release of newer) {
    it(`return hits with name and address, and one performer with all attributes, as ${release}`, async () => {
      const { value, stash } = await start({ release });
      const fields = 'name url country gender remote_site_id images';
      const ask = (source: object, input: object) => value(single(fields), { source, input });
      const rest = { country: null, gender: null, remote_site_id: null, images: null };
      assert.deepEqual(await ask(local, { query: 'alex' }), [
        { name: 'Alex Moreno', url: ALEX, ...rest },
        // The list contains the name of two people only once.
        { name: release === 'v0.11.0' ? null : 'Alex Moreno', url: `${ALEX}-2`, ...rest },
      ]);
      assert.deepEqual(await ask(built, { query: 'nobody' }), []);
      assert.deepEqual(await ask(local, { query: '' }), []);

      const found = await ask(local, { performer_input: { name: 'Alex Moreno', url: ALEX } });
      const [{ images, ...one }] = found as [{ images: string[] }];
      assert.deepEqual(one, {
        name: 'Alex Moreno',
        url: null,
        country: 'ES',
        gender: 'MALE',
        remote_site_id: '1044',
      });
      assert.match(images[0] ?? '', /^data:image\/png;base64,/);
      assert.deepEqual(await ask(built, { performer_input: { name: 'Alex Moreno', url: ALEX } }), []);
      assert.deepEqual(
        stash.localSite.calls.map(({ operation, name }) => `${operation} ${name}`),
        ['scrapeSinglePerformer alex', `scrapeSinglePerformer ${ALEX}`],
      );
    });

    it(`report an unsupported operation, as ${release}`, async () => {
      const { value, failure } = await start({ release });
      const ask = (source: object, input: object) => failure(single('name'), { source, input });
      const old = release === 'v0.11.0';
      if (old) {
        const variables = { source: built, input: { performer_input: { name: 'Robin Vale' } } };
        assert.deepEqual(await value(single('name'), variables), []);
      } else {
        assert.equal(
          await ask(built, { performer_input: { name: 'Robin Vale' } }),
          'error while fragment scraping with scraper builtin_freeones: scraper operation not supported',
        );
      }
      assert.equal(
        await ask({ scraper_id: 'nope' }, { query: 'x' }),
        old ? 'Scraper with ID nope not found' : 'scraper not found: id nope',
      );
      assert.equal(await ask({}, { query: 'x' }), 'scraper_id or stash_box_index must be set');
      assert.equal(await ask(built, {}), 'not implemented');
    });
  }

  for (const release of ['v0.28.1', 'v0.30.1'] as const) {
    it(`accept several addresses and distinguish namesakes, as ${release}`, async () => {
      const { value } = await start({ release });
      const input = { performer_input: { urls: [ALEX] } };
      assert.deepEqual(await value(single('name disambiguation urls'), { source: local, input }), [
        { name: 'Alex Moreno', disambiguation: 'actor', urls: null },
      ]);
    });
  }

  describe('lists', () => {
    const actor = { name: 'Alex Moreno', birthdate: '1979-05-30' };
    const other = { name: 'Alex Moreno', birthdate: '1996-08-17' };

    it('shift the columns of a list with equal values, as v0.9.0', async () => {
      const { value, stash } = await start({ release: 'v0.9.0' });
      const list =
        '{ scrapePerformerList(scraper_id: "localtest", query: "alex") { name birthdate country } }';
      assert.deepEqual(await value(list), [
        { ...actor, country: null },
        { ...other, name: null, country: null },
      ]);
      stash.localSite.performers = stash.localSite.performers.map((one) => ({
        ...one,
        birthdate: '1990',
      }));
      assert.deepEqual(await value(list), [
        { name: 'Alex Moreno', birthdate: '1990', country: null },
        { name: null, birthdate: null, country: null },
      ]);
    });

    it('list dates of birth, as v0.17.2', async () => {
      const { value } = await start({ release: 'v0.17.2' });
      const variables = { source: local, input: { query: 'alex' } };
      assert.deepEqual(await value(single('name birthdate'), variables), [actor, other]);
    });

    it('list disambiguations, as v0.25.1', async () => {
      const { value } = await start({ release: 'v0.25.1' });
      const variables = { source: local, input: { query: 'alex' } };
      assert.deepEqual(await value(single('name birthdate disambiguation'), variables), [
        { ...actor, disambiguation: 'actor' },
        { ...other, disambiguation: null },
      ]);
    });

    it('list the address as url and as urls, as v0.30.1', async () => {
      const { value } = await start({ release: 'v0.30.1' });
      const variables = { source: local, input: { query: 'ines' } };
      assert.deepEqual(await value(single('url urls birthdate'), variables), [
        {
          url: 'https://localtest.example/ines-duarte',
          urls: ['https://localtest.example/ines-duarte'],
          birthdate: '1990-01-08',
        },
      ]);
    });
  });

  describe('disconnected clients', () => {
    const newest =
      '{ scrapeSinglePerformer(source: { scraper_id: "localtest" }, input: { query: "x" }) { name } }';
    const oldest = '{ scrapePerformerList(scraper_id: "localtest", query: "x") { name } }';
    const releases: [Release, query: string, goesOn: boolean][] = [
      ['v0.9.0', oldest, true],
      ['v0.11.0', newest, true],
      ['v0.17.2', newest, false],
      ['v0.25.1', newest, false],
      ['v0.30.1', newest, false],
      // Unknown, so the fake server does what is harder for a client.
      ['documented', '{ scrapeSitePerformerList(query: "x") }', true],
    ];
    for (const [release, query, goesOn] of releases) {
      it(`${goesOn ? 'await' : 'abort'} the request to the site when the client disconnects, as ${release}`, async () => {
        const { stash } = await start({ release });
        const site = release === 'documented' ? stash.site : stash.localSite;
        site.delay = 100;
        const client = new AbortController();
        const answer = fetch(`${stash.url}/graphql`, {
          method: 'POST',
          headers: { 'Content-Type': 'application/json' },
          body: JSON.stringify({ query }),
          signal: client.signal,
        });
        while (!site.calls[0]) await sleep(1);
        client.abort();
        await assert.rejects(answer, { name: 'AbortError' });
        const [call] = site.calls;
        while (call.endedAt === Infinity) await sleep(1);
        assert.equal(
          call.failure,
          goesOn ? undefined : 'Get "https://localtest.example/search?q=x": context canceled',
        );
      });
    }
  });

  describe('errors of the site', () => {
    const words: [Release, RegExp][] = [
      ['v0.9.0', /^http error 429:Too Many Requests$/],
      ['v0.11.0', /^http error 429:Too Many Requests$/],
      [
        'v0.17.2',
        /^error while name scraping with scraper builtin_freeones: http error 429:Too Many Requests$/,
      ],
      [
        'v0.23.1',
        /^error while name scraping with scraper builtin_freeones: http error 429:Too Many Requests$/,
      ],
    ];
    for (const [release, message] of words) {
      it(`report the refusal of the built-in site, as ${release}`, async () => {
        const { stash, post, failure } = await start({ release });
        stash.site.failure = 'http error 429:Too Many Requests';
        const query = '{ scrapeFreeonesPerformerList(query: "x") }';
        assert.match(String(await failure(query)), message);
        const answer = await post(query);
        assert.deepEqual([answer.status, /"data":null/.test(await answer.text())], [200, true]);
      });
    }
    for (const [release, page] of [
      ['v0.28.1', ''],
      ['v0.30.1', 'failed to load URL "https://localtest.example/search?q=x": '],
    ] as const) {
      it(`report the failure of an added site, as ${release}`, async () => {
        const { stash, failure } = await start({ release });
        stash.localSite.failure = 'http error 503:Service Unavailable';
        assert.equal(
          await failure(single('name'), { source: local, input: { query: 'x' } }),
          `error while name scraping with scraper localtest: ${page}http error 503:Service Unavailable`,
        );
      });
    }
  });

  it('read a page with nothing but its address', async () => {
    const { value, failure } = await start({ release: 'v0.28.1' });
    const query = (url: string) => `{ scrapePerformerURL(url: "${url}") { name } }`;
    assert.deepEqual(await value(query(ROBIN)), { name: 'Robin Vale' });
    assert.equal(await failure(query('https://performers.example/nobody')), 'http error 404:Not Found');
    assert.match(String(await failure(query('https://nas/x'))), /index out of range/);
  });

  it('do not exist in SETUP', async () => {
    const { stash, value, failure } = await start({ release: 'v0.30.1' });
    stash.status = 'SETUP';
    assert.deepEqual(await value('{ listScrapers(types: [PERFORMER]) { id } }'), []);
    const variables = { source: built, input: { query: 'x' } };
    assert.equal(await failure(single('name'), variables), 'scraper not found: id builtin_freeones');
  });
});
