import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { history } from '../quirks';
import { type Release, releases } from '../releases';
import { isRecord } from '../variables';
import { type Client, servers } from './client';
import { run } from './run';
import { handshake, Listener } from './socket';

/** The folder with the sources of the fake server: tests run from `dist/test/fake-stash/test`. */
const FOLDER = path.resolve(__dirname, '..', '..', '..', '..', 'test', 'fake-stash');

const MALFORMED = 'Invalid WebSocket frame: invalid status code 1006';
const VERSION = '{ version { version } }';
const SCAN = 'mutation { metadataScan(input: {}) }';
const GENERATE = `mutation { metadataGenerate(input: {
  sprites: true, previews: false, imagePreviews: false, markers: false, transcodes: false, phashes: false
}) }`;

/** Pairs each release with its expected behaviour, which is that of the latest listed release before it. */
function each<T>(...expected: [Release, T][]): [Release, T][] {
  const [, ...dated] = releases;
  return dated.flatMap((release) => {
    const found = expected.filter(([from]) => releases.indexOf(from) <= releases.indexOf(release)).at(-1);
    return found ? [[release, found[1]] satisfies [Release, T]] : [];
  });
}

it('Fake server: its README lists each quirk and the releases that changed it', () => {
  const readme = readFileSync(path.join(FOLDER, 'README.md'), 'utf8');
  const rows = [...readme.matchAll(/^\| `(\w+)` +\| [^|]+\| ([^|]+?) +\|/gm)].map(([, name, when]) => [
    name,
    when,
  ]);
  const expected = Object.entries(history).map(([name, values]) => {
    const changes = Object.keys(values).slice(1);
    return [name, changes.map((minor) => `v0.${minor}`).join(', ')];
  });
  assert.deepEqual(rows, expected);
});

describe('Fake server: quirks', () => {
  const start = servers();

  for (const [release, expected] of each(
    ['v0.9.0', 25],
    ['v0.11.0', 28],
    ['v0.17.2', 36],
    ['v0.23.1', 52],
    ['v0.25.1', 55],
    ['v0.28.1', 72],
    ['v0.30.1', 75],
    ['v0.31.0', 85],
  )) {
    it(`${release} reports its version and its status`, async () => {
      const { value } = await start({ release });
      assert.deepEqual(await value(VERSION), { version: release });
      const query = '{ systemStatus { databaseSchema appSchema status } }';
      assert.deepEqual(await value(query), { databaseSchema: expected, appSchema: expected, status: 'OK' });
    });
  }

  describe('API keys', () => {
    for (const [release, expected] of each<[number, string, string | null]>(
      ['v0.9.0', [401, '', 'FormBased']],
      ['v0.11.0', [500, 'unauthorized', null]],
      ['v0.28.1', [401, '', 'FormBased']],
    )) {
      it(`${release} without credentials answers ${expected[0]} to a key`, async () => {
        const { post } = await start({ release });
        const answer = await post(VERSION, { ApiKey: 'any' });
        const how = answer.headers.get('www-authenticate');
        assert.deepEqual([answer.status, await answer.text(), how], expected);
      });
    }
    for (const [release, [wrong, right, none]] of each<[number, number, number]>(
      ['v0.9.0', [401, 200, 401]],
      ['v0.11.0', [500, 200, 401]],
      ['v0.28.1', [401, 200, 401]],
    )) {
      it(`${release} answers ${wrong} to a wrong key`, async () => {
        const { post } = await start({ release, apiKey: 'secret' });
        assert.equal((await post(VERSION, { ApiKey: 'other' })).status, wrong);
        assert.equal((await post(VERSION, { ApiKey: 'secret' })).status, right);
        assert.equal((await post(VERSION)).status, none);
      });
    }
  });

  describe('invalid documents', () => {
    for (const [release, [status, type]] of each(
      ['v0.9.0', [422, 'application/json']],
      ['v0.30.1', [400, 'application/graphql-response+json']],
    )) {
      it(`${release} answers ${status} to an invalid document, unless the client accepts JSON only`, async () => {
        const { post } = await start({ release });
        const answer = await post('{ nope }', { Accept: '*/*' });
        assert.deepEqual([answer.status, answer.headers.get('content-type')], [status, type]);
        assert.equal((await post('{ nope }')).status, 422);
      });
    }
  });

  describe('missing operations', () => {
    for (const [release, [status, nothing]] of each(
      ['v0.9.0', [200, 'operation  not found']],
      ['v0.28.1', [422, 'no operation provided']],
    )) {
      it(`${release} answers ${status} if there is no operation to run`, async () => {
        const { post, failure, stash } = await start({ release });
        assert.equal((await post('')).status, status);
        assert.equal(await failure(''), nothing);
        const body = JSON.stringify({ query: VERSION.replace('{', 'query A {'), operationName: 'B' });
        const headers = { 'Content-Type': 'application/json' };
        const answer = await fetch(`${stash.url}/graphql`, { method: 'POST', headers, body });
        assert.match(await answer.text(), /operation B not found/);
      });
    }
  });

  describe('null for an option', () => {
    const scan = 'mutation ($i: ScanMetadataInput!) { metadataScan(input: $i) }';
    for (const [release, refused] of each(['v0.9.0', false], ['v0.17.2', true], ['v0.28.1', false])) {
      it(`${release} ${refused ? 'refuses' : 'accepts'} null for an option`, async () => {
        const { value, failure } = await start({ release });
        const i = { paths: null, scanGenerateSprites: null };
        if (refused) assert.equal(await failure(scan, { i }), '<nil> is not a bool');
        else assert.match(String(await value(scan, { i })), /^1$/);
        assert.match(String(await value(scan, { i: { paths: null } })), /^[12]$/);
      });
    }
  });

  describe('null for a kind of content', () => {
    for (const [release, refused] of each(['v0.11.0', false], ['v0.23.1', true], ['v0.28.1', false])) {
      it(`${release} ${refused ? 'refuses' : 'accepts'} null for a kind of content`, async () => {
        const { value, failure } = await start({ release });
        const generate = 'mutation { metadataGenerate(input: { sprites: null }) }';
        if (refused) assert.equal(await failure(generate), '<nil> is not a bool');
        else assert.equal(await value(generate), '1');
      });
    }
  });

  describe('one path for a list', () => {
    const scan = 'mutation ($paths: [String!]) { metadataScan(input: { paths: $paths }) }';
    for (const [release, taken] of each(['v0.9.0', false], ['v0.17.2', true])) {
      it(`${release} ${taken ? 'accepts' : 'refuses'} one path for a list of paths`, async () => {
        const { value, failure } = await start({ release });
        const variables = { paths: '/media/videos' };
        if (taken) assert.equal(await value(scan, variables), '1');
        else assert.equal(await failure(scan, variables), 'must be an array');
      });
    }
  });

  describe('studios', () => {
    for (const [release, url] of each<string | null>(['v0.9.0', ''], ['v0.30.1', null])) {
      it(`${release} gives ${JSON.stringify(url)} for a studio without a web address`, async () => {
        const { value } = await start({ release });
        const studios = await value('{ allStudios { name url scene_count } }');
        assert.ok(Array.isArray(studios));
        assert.deepEqual(studios[3], { name: 'Old Mill & Sons', url, scene_count: 0 });
      });
    }
  });

  it('reports checksums of studios as v0.23.1, none as v0.25.1, and several web addresses as v0.30.1', async () => {
    const { value } = await start({ release: 'v0.23.1' });
    assert.ok(await value('{ allStudios { checksum } }'));
    const { failure } = await start({ release: 'v0.25.1' });
    assert.match(String(await failure('{ allStudios { checksum } }')), /^Cannot query field "checksum"/);
    const newest = await start({ release: 'v0.30.1' });
    const studios = await newest.value('{ allStudios { urls } }');
    assert.ok(Array.isArray(studios));
    assert.deepEqual(studios.slice(2, 4), [{ urls: ['https://lanterna.example/films'] }, { urls: [] }]);
  });

  it('v0.9.0 reports the folders of its library', async () => {
    const { value } = await start({ release: 'v0.9.0' });
    const query = '{ configuration { general { databasePath stashes { path excludeVideo excludeImage } } } }';
    assert.deepEqual(await value(query), {
      general: {
        databasePath: '/config/stash-go.sqlite',
        stashes: [
          { path: '/media/videos', excludeVideo: false, excludeImage: true },
          { path: '/media/pictures', excludeVideo: true, excludeImage: false },
        ],
      },
    });
  });

  describe('tasks', () => {
    async function ended({ value }: Client, id: unknown): Promise<unknown> {
      for (;;) {
        const job = await value('query ($id: ID!) { findJob(input: { id: $id }) { status progress } }', {
          id,
        });
        if (isRecord(job) && ['FINISHED', 'CANCELLED', 'FAILED'].includes(String(job['status']))) return job;
        await sleep(2);
      }
    }

    it('v0.9.0 requires a sixth kind of content', async () => {
      const { value, failure } = await start({ release: 'v0.9.0' });
      assert.match(
        String(await failure(GENERATE.replace(', phashes: false', ''))),
        /"?phashes"? of required/,
      );
      assert.equal(await value(GENERATE), '1');
    });

    for (const [release] of each(['v0.9.0', true])) {
      it(`${release} finishes a scan outside the library with progress null`, async () => {
        const client = await start({ release });
        const scan = (path: string) => client.value(SCAN.replace('{}', `{ paths: ["${path}"] }`));
        assert.deepEqual(await ended(client, await scan('/elsewhere')), {
          status: 'FINISHED',
          progress: null,
        });
        assert.deepEqual(await ended(client, await scan('/media/pictures')), {
          status: 'FINISHED',
          progress: 1,
        });
        assert.deepEqual(await ended(client, await scan('/media/videos/Lanterna')), {
          status: 'FINISHED',
          progress: 1,
        });
      });
    }

    for (const [release, status] of each(['v0.9.0', 'FINISHED'], ['v0.17.2', 'FAILED'])) {
      it(`${release} reports ${status} for a task that fails`, async () => {
        const client = await start({ release });
        client.stash.jobs.failure = 'disk full';
        assert.deepEqual(await ended(client, await client.value(SCAN)), { status, progress: 1 });
      });
    }

    it('v0.30.1 stops all jobs', async () => {
      const client = await start({ release: 'v0.30.1', jobSeconds: 60 });
      await client.value(SCAN);
      await client.value(SCAN);
      assert.equal(await client.value('mutation { stopAllJobs }'), true);
      assert.deepEqual(await client.value('{ jobQueue { id status } }'), [{ id: '1', status: 'STOPPING' }]);
    });
  });

  for (const [release, expected] of each(['v0.9.0', 'image/png'], ['v0.23.1', 'image/svg+xml'])) {
    it(`${release} has ${expected} as the cover of a scene that a scan without covers added`, async () => {
      const { stash, value } = await start({ release });
      stash.library.arrive({ path: '/media/videos/new.mp4' });
      await value(SCAN);
      while (stash.library.all('scene').length < 6) await sleep(2);
      const { headers } = await fetch(`${stash.url}/scene/6/screenshot`);
      assert.equal(headers.get('content-type'), expected);
    });
  }

  describe('clean', () => {
    const clean = 'mutation { metadataClean(input: { dryRun: false }) }';
    const path = '/media/videos/Window Seat.mp4';
    for (const [release, lines] of each<string[]>(
      ['v0.9.0', [`File not found. Cleaning: "${path}"`, 'Finished Cleaning']],
      ['v0.11.0', [`File not found. Marking to clean: "${path}"`, 'Finished Cleaning']],
      [
        'v0.17.2',
        [
          `File not found. Marking to clean: "${path}"`,
          'Deleting scene "Window Seat" since it has no other related files',
          'Finished Cleaning (…)',
        ],
      ],
    )) {
      it(`${release} logs in its own words what a clean removes`, async () => {
        const client = await start({ release });
        client.stash.library.vanish(path);
        const told = await run(client, clean);
        assert.deepEqual(told.lines, ['Starting cleaning of tracked files', ...lines]);
        assert.equal(told.progress, 1);
        assert.deepEqual(await client.value('{ findScenes { count } }'), { count: 4 });
      });
    }
  });

  describe('plugins', () => {
    const task = 'mutation { runPluginTask(plugin_id: "tidy", task_name: "Tidy up") }';
    for (const [release, id] of each(['v0.9.0', 'todo'], ['v0.25.1', '1'])) {
      it(`${release} answers "${id}" to a plugin's task`, async () => {
        const client = await start({ release });
        assert.equal(await client.value(task), id);
        if (id === '1')
          assert.equal(client.stash.jobs.find('1')?.description, 'Running plugin task: Tidy up');
      });
    }
    for (const [release, runs] of each(['v0.9.0', 1], ['v0.25.1', 0])) {
      it(`${release} ${runs === 1 ? 'runs' : 'refuses to run'} a disabled plugin`, async () => {
        const client = await start({ release });
        client.stash.plugins = client.stash.plugins.map((plugin) => ({ ...plugin, enabled: false }));
        const { lines } = await run(client, task);
        assert.equal(client.stash.pluginRuns.length, runs);
        if (runs === 0) assert.match(String(lines), /Error creating plugin task: plugin tidy is disabled$/);
      });
    }
    for (const [release, dies] of each(['v0.9.0', true], ['v0.17.2', false])) {
      it(`${release} in SETUP ${dies ? 'dies of' : 'survives'} a plugin's task`, async () => {
        const client = await start({ release });
        client.stash.status = 'SETUP';
        if (dies) {
          await client.value(task);
          while (!client.stash.died) await sleep(2);
        } else assert.equal((await run(client, task)).status, 'FAILED');
      });
    }
  });

  describe('the disk', () => {
    const directory = (path: string) => `{ directory(path: "${path}") { parent directories } }`;
    for (const [release, all] of each(['v0.9.0', true], ['v0.25.1', false])) {
      it(`${release} lists ${all ? 'all folders' : 'similar folders'} in the place of a missing one`, async () => {
        const { value } = await start({ release });
        const found = (await value(directory('/media/P'))) as { directories: unknown };
        assert.deepEqual(found.directories, ['/media/pictures', ...(all ? ['/media/videos'] : [])]);
        const folder = (await value(directory('/media/videos/'))) as { parent: unknown };
        assert.equal(folder.parent, all ? null : '/media');
      });
    }
    it('v0.9.0 reports that the folder of a folder is missing', async () => {
      const { failure } = await start({ release: 'v0.9.0' });
      const expected = 'open /nowhere: no such file or directory';
      assert.equal(await failure(directory('/nowhere/else')), expected);
    });
    for (const [release, expected] of each<[number, string]>(
      ['v0.9.0', [404, '404 page not found\n']],
      ['v0.17.2', [500, 'open /media/pictures/Harbour Nine/Poster.jpg: no such file or directory\n']],
    )) {
      it(`${release} answers ${expected[0]} for an image whose file has gone`, async () => {
        const { stash } = await start({ release });
        stash.library.vanish('/media/pictures');
        const answer = await fetch(`${stash.url}/image/1/image`);
        assert.deepEqual([answer.status, await answer.text()], expected);
      });
    }
  });

  describe('lists', () => {
    for (const [release, expected] of each(['v0.9.0', 1000], ['v0.23.1', 1001])) {
      it(`${release} has at most ${expected} of 1001 tags on a page`, async () => {
        const { stash, value } = await start({ release });
        stash.tags = Array.from({ length: 1001 }, (_, index) => ({
          id: String(index),
          name: `tag ${index}`,
        }));
        const { count, tags } = (await value(
          '{ findTags(filter: { per_page: 1001 }) { count tags { id } } }',
        )) as {
          count: number;
          tags: object[];
        };
        assert.deepEqual([count, tags.length], [1001, expected]);
      });
    }
    for (const [release, expected] of each(['v0.9.0', ['1', '2']], ['v0.23.1', ['4', '1']])) {
      it(`${release} sorts scenes that are equal by their ${expected[0] === '1' ? 'ids' : 'titles'}`, async () => {
        const { value } = await start({ release });
        const query =
          '{ findScenes(filter: { sort: "organized", direction: DESC, per_page: 2 }) { scenes { id } } }';
        assert.deepEqual(await value(query), { scenes: expected.map((id) => ({ id })) });
      });
    }
  });

  describe('SETUP', () => {
    for (const [release, expected] of each<RegExp>(
      ['v0.9.0', /^database not initialized$/],
      ['v0.17.2', /^Internal system error\. Error <runtime error: invalid memory/],
    )) {
      it(`${release} has no database in SETUP`, async () => {
        const { stash, failure } = await start({ release });
        stash.status = 'SETUP';
        assert.match(String(await failure('{ allStudios { id } }')), expected);
      });
    }
    for (const [release, scan] of each(
      ['v0.9.0', 'dies of a scan'],
      ['v0.17.2', 'takes a scan'],
      ['v0.28.1', 'refuses to scan'],
    )) {
      it(`${release} in SETUP ${scan}`, async () => {
        const { stash, post } = await start({ release });
        stash.status = 'SETUP';
        const answer = await (await post(SCAN)).text();
        assert.equal(answer.includes('missing ffmpeg'), scan === 'refuses to scan', answer);
        if (scan === 'dies of a scan') while (!stash.died) await sleep(2);
        await sleep(5);
        assert.equal(stash.died, scan === 'dies of a scan');
      });
    }
  });

  describe('performers', () => {
    const CREATE = 'mutation ($input: PerformerCreateInput!) { performerCreate(input: $input) { id } }';
    const input = { name: 'Jane Doe' };
    for (const [release, expected] of each(
      ['v0.9.0', 'UNIQUE constraint failed: performers.checksum'],
      ['v0.23.1', 'UNIQUE constraint failed: performers.name'],
      ['v0.25.1', "performer with name 'Jane Doe' already exists"],
    )) {
      it(`${release} refuses a second performer of a name: ${expected}`, async () => {
        const { value, failure } = await start({ release });
        await value(CREATE, { input });
        assert.equal(await failure(CREATE, { input }), expected);
      });
    }
    for (const [release, expected] of each<string | null>(['v0.9.0', null], ['v0.23.1', ''])) {
      it(`${release} gives ${JSON.stringify(expected)} for an unknown text`, async () => {
        const { value } = await start({ release });
        await value(CREATE, { input });
        assert.deepEqual(await value('{ findPerformer(id: "1") { country } }'), { country: expected });
      });
    }
    for (const [release, birthdate] of each<string | null | RegExp>(
      ['v0.9.0', null],
      ['v0.17.2', /^/],
      ['v0.23.1', /ParseDateStringAsTime failed: dateString <1990>$/],
      ['v0.30.1', '1990'],
    )) {
      it(`${release} reads a year as a date: ${String(birthdate)}`, async () => {
        const { value, failure } = await start({ release });
        const born = { input: { ...input, birthdate: '1990' } };
        if (birthdate instanceof RegExp) assert.match(String(await failure(CREATE, born)), birthdate);
        else {
          await value(CREATE, born);
          assert.deepEqual(await value('{ findPerformer(id: "1") { birthdate } }'), { birthdate });
        }
      });
    }
    it('v0.30.1 refuses an alias that is the name, and v0.31.0 drops it', async () => {
      const named = { input: { ...input, alias_list: ['A', 'JANE DOE'] } };
      const { failure } = await start({ release: 'v0.30.1' });
      assert.match(String(await failure(CREATE, named)), /contains duplicate alias 'JANE DOE'$/);
      const { value } = await start({ release: 'v0.31.0' });
      await value(CREATE, named);
      assert.deepEqual(await value('{ findPerformer(id: "1") { alias_list } }'), { alias_list: ['A'] });
    });
    it('v0.31.0 derives the start and the end of a career from its length', async () => {
      const { value } = await start({ release: 'v0.31.0' });
      await value(CREATE, { input: { ...input, career_length: '2012 - 2020' } });
      const career = await value('{ findPerformer(id: "1") { career_start career_end } }');
      assert.deepEqual(career, { career_start: '2012', career_end: '2020' });
    });
  });

  describe('items', () => {
    for (const [release, expected] of each(
      ['v0.9.0', 'id 9 does not exist in scenes'],
      ['v0.17.2', 'getting scene by id 9: sql: no rows in result set'],
      ['v0.23.1', 'scene with id 9 not found'],
    )) {
      it(`${release} reports that a scene to change is unknown: ${expected}`, async () => {
        const { failure } = await start({ release });
        assert.equal(await failure('mutation { sceneUpdate(input: { id: "9" }) { id } }'), expected);
      });
    }
    it('v0.17.2 rates up to 5, and v0.23.1 converts that', async () => {
      const rate = 'mutation { sceneUpdate(input: { id: "3", rating: 4 }) { id } }';
      const older = await start({ release: 'v0.17.2' });
      await older.value(rate);
      assert.deepEqual(await older.value('{ findScene(id: "3") { rating } }'), { rating: 4 });
      const { value } = await start({ release: 'v0.23.1' });
      await value(rate);
      assert.deepEqual(await value('{ findScene(id: "3") { rating rating100 } }'), {
        rating: 4,
        rating100: 80,
      });
    });
    for (const [release, expected] of each(
      ['v0.9.0', ['New.mp4', 'New.jpg']],
      ['v0.17.2', ['', 'New.jpg']],
      ['v0.28.1', ['', '']],
    )) {
      it(`${release} names files without a title "${expected.join('" and "')}"`, async () => {
        const { stash, value } = await start({ release });
        const time = '2026-01-11T04:41:59Z';
        for (const path of ['/media/videos/New.mp4', '/media/pictures/New.jpg'])
          stash.library.add({ path }, time);
        const titles = [
          await value('{ findScene(id: "6") { title } }'),
          await value('{ findImage(id: "2") { title } }'),
        ];
        assert.deepEqual(
          titles,
          expected.map((title) => ({ title })),
        );
      });
    }
    for (const [release, isWhole] of each(['v0.9.0', true], ['v0.23.1', false])) {
      it(`${release} sends an image in an archive ${isWhole ? 'whole, without its length' : 'as any other'}`, async () => {
        const { stash } = await start({ release });
        stash.library.add({ path: '/media/pictures/set.zip/1.jpg' }, '2026-01-11T04:41:59Z');
        const answer = await fetch(`${stash.url}/image/2/image`, { headers: { Range: 'bytes=0-0' } });
        assert.deepEqual(
          [answer.status, answer.headers.get('content-length')],
          isWhole ? [200, null] : [206, '1'],
        );
      });
    }
  });

  describe('WebSockets', () => {
    for (const [release, expected] of each<string>(
      ['v0.9.0', 'Server sent an invalid subprotocol'],
      ['v0.17.2', 'graphql-transport-ws'],
    )) {
      it(`${release} answers to the newer protocol: ${expected}`, async () => {
        const { stash } = await start({ release });
        assert.equal(await handshake(stash), expected);
      });
    }
    for (const [release, [times, atPong, atText]] of each<[number, string | undefined, string]>(
      ['v0.17.2', [2, MALFORMED, MALFORMED]],
      ['v0.28.1', [1, undefined, '1000 terminated']],
    )) {
      it(`${release} completes ${times === 1 ? 'once' : 'twice'}, and ${atPong ? 'closes' : 'stays open'} at a pong`, async () => {
        const { stash } = await start({ release });
        const socket = await Listener.start(stash);
        socket.say({ type: 'complete', id: 'jobs' });
        await socket.pong();
        assert.deepEqual(socket.for('jobs'), Array(times).fill('complete'));
        socket.say({ type: 'pong' });
        if (atPong) assert.equal(await socket.closed, atPong);
        else await socket.pong();
        const other = await Listener.start(stash);
        other.say('hello');
        assert.equal(await other.closed, atText);
      });
    }
    for (const [release, finishes] of each(['v0.17.2', false], ['v0.25.1', true])) {
      it(`${release} ${finishes ? 'finishes' : 'cuts'} a running request when it shuts down`, async () => {
        const { stash, value } = await start({ release, backupSeconds: 0.3 });
        const backup = value('mutation { backupDatabase(input: { download: false }) }');
        while (stash.requests.length === 0) await sleep(2);
        const down = stash.shutDown();
        if (finishes) assert.equal(await backup, null);
        else await assert.rejects(backup);
        await down;
      });
    }
  });

  describe('scrapers', () => {
    const single = `query ($source: ScraperSourceInput!, $input: ScrapeSinglePerformerInput!) {
      scrapeSinglePerformer(source: $source, input: $input) { name }
    }`;
    const input = { query: 'alex' };
    for (const [release, expected] of each(
      ['v0.11.0', 'Scraper with ID nope not found'],
      ['v0.17.2', 'scraper not found: id nope'],
    )) {
      it(`${release} reports an unknown scraper: ${expected}`, async () => {
        const { failure } = await start({ release });
        assert.equal(await failure(single, { source: { scraper_id: 'nope' }, input }), expected);
      });
    }
    for (const [release, name] of each<string | null>(['v0.11.0', null], ['v0.17.2', 'Alex Moreno'])) {
      it(`${release} lists a namesake as ${name}`, async () => {
        const { value } = await start({ release });
        const source = { scraper_id: 'localtest' };
        assert.deepEqual(await value(single, { source, input }), [{ name: 'Alex Moreno' }, { name }]);
      });
    }
    for (const [release, page] of each(
      ['v0.17.2', ''],
      ['v0.30.1', 'failed to load URL "https://localtest.example/search?q=alex": '],
    )) {
      it(`${release} reports the failure of a site ${page ? 'with' : 'without'} its page`, async () => {
        const { stash, failure } = await start({ release });
        stash.localSite.failure = 'http error 503:Service Unavailable';
        assert.equal(
          await failure(single, { source: { scraper_id: 'localtest' }, input }),
          `error while name scraping with scraper localtest: ${page}http error 503:Service Unavailable`,
        );
      });
    }
    for (const [release, failure] of each<string | undefined>(
      ['v0.11.0', undefined],
      ['v0.17.2', 'Get "https://localtest.example/search?q=alex": context canceled'],
    )) {
      it(`${release} ${failure ? 'aborts' : 'awaits'} the request to the site when its client has gone`, async () => {
        const { stash } = await start({ release });
        const { localSite: site } = stash;
        site.delay = 100;
        const client = new AbortController();
        const variables = { source: { scraper_id: 'localtest' }, input };
        const answer = fetch(`${stash.url}/graphql`, {
          method: 'POST',
          headers: { 'Content-Type': 'application/json' },
          body: JSON.stringify({ query: single, variables }),
          signal: client.signal,
        });
        while (!site.calls[0]) await sleep(1);
        client.abort();
        await assert.rejects(answer, { name: 'AbortError' });
        const [call] = site.calls;
        while (call.endedAt === Infinity) await sleep(1);
        assert.equal(call.failure, failure);
      });
    }
  });
});
