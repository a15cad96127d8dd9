import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { eventually } from '../browser/eventually';
import { send } from '../fake-stash/answers';
import { useUserDir } from '../support/user-dir';
import { FakeStash } from '../fake-stash/fake-stash';
import { type Example, useExamples } from '../support/example';

const NOTIFICATION = 'your notification';

describe('The examples of the query node in a real Node-RED', () => {
  const userDir = useUserDir();
  const runExample = useExamples(userDir);
  let stash: FakeStash;
  let example: Example;

  beforeEach(async () => {
    stash = await FakeStash.start({ release: 'v0.30.1' });
  });

  afterEach(async () => {
    await example.stop();
    await stash.stop();
  });

  const start = async (name: string) => {
    example = await runExample(name, stash.url);
  };

  /** Returns a scene of the library by a part of its path. */
  function scene(part: string) {
    const [found] = stash.library.all('scene').filter((entry) => entry.path.includes(part));
    assert.ok(found);
    return found;
  }

  /** Returns the GraphQL requests with this root field. */
  const requests = (field: string) => stash.requests.filter(({ operation }) => operation === field);

  describe('The library in numbers', () => {
    const NAME = 'The library in numbers';

    it('asks for all numbers at once, and shows them on its page', async () => {
      stash.library.studioOf.set(scene('Low Tide'), '1');
      stash.library.changes.set(scene('Paper Moon'), { rating: 80, organized: true });
      await start(NAME);
      await shows(['Without studio', '4 of 5'], ['Without performers', '5 of 5'], ['Without tags', '5 of 5']);
      await shows(['Not rated', '4 of 5'], ['Not organized', '4 of 5']);
      const html = await page();
      assert.match(html, /<h1>5 scenes<\/h1>\s+<p>6 GB on nas · /);
      assert.match(html, /name="viewport"/);
      assert.equal(requests('stats').length, 1);
    });

    it('sends each number with a topic of its own', async () => {
      await start(NAME);
      await eventually(
        () => Promise.resolve(topics()),
        (last) => {
          assert.deepEqual(last, {
            scenes: '5',
            withoutStudio: '5',
            withoutPerformers: '5',
            withoutTags: '5',
            notRated: '5',
            notOrganized: '5',
          });
        },
      );
    });

    it('says that there are no numbers yet, and why', async () => {
      stash.status = 'SETUP';
      await start(NAME);
      await eventually(page, (html) => {
        assert.match(html, /class="problem">.*Stash is not set up yet/);
      });
      assert.match(await page(), /No numbers yet/);
    });

    it('shows the last numbers and the problem while the server is off, and no problem when it is back', async () => {
      await start(NAME);
      await shows(['Without studio', '5 of 5']);
      const { port } = stash;
      await stash.stop();
      await example.press('every ten minutes');
      await eventually(page, (html) => {
        assert.match(html, /class="problem">Nothing answers at /);
      });
      await shows(['Without studio', '5 of 5']);
      stash = await FakeStash.start({ release: 'v0.30.1', port });
      stash.library.studioOf.set(scene('Low Tide'), '1');
      await example.press('every ten minutes');
      await shows(['Without studio', '4 of 5']);
      assert.doesNotMatch(await page(), /class="problem"/);
    });

    for (const release of ['v0.9.0', 'v0.11.0', 'v0.17.2', 'v0.23.1'] as const) {
      it(`asks a server of ${release} for the same numbers`, async () => {
        await stash.stop();
        stash = await FakeStash.start({ release });
        await start(NAME);
        await shows(['Not rated', '5 of 5'], ['Not organized', '5 of 5']);
      });
    }

    async function page(): Promise<string> {
      const response = await fetch(`${example.nodeRed.url}/library`);
      assert.equal(response.status, 200);
      assert.equal(response.headers.get('content-type'), 'text/html; charset=utf-8');
      return await response.text();
    }

    async function shows(...rows: [label: string, count: string][]): Promise<void> {
      await eventually(page, (html) => {
        const shown = html.matchAll(/<th scope="row">(.*?)<\/th>.*?<progress.*?>(.*?)<\/progress>/g);
        const found = Object.fromEntries([...shown].map(([, label = '', count]) => [label, count]));
        for (const [label, count] of rows) assert.equal(found[label], count, label);
      });
    }

    /** Returns the last value of each topic, as the debug node shows whole messages in the log. */
    function topics(): Record<string, string> {
      const log = example.log.join('\n');
      const found = log.matchAll(/topic: 'stash\/nas\/library\/(\w+)',\s+payload: (.*?),?\n/g);
      return Object.fromEntries([...found].map(([, topic = '', value = '']) => [topic, value]));
    }
  });

  describe('Rate a scene from a button', () => {
    const NAME = 'Rate a scene from a button';

    it('rates the scene that was played last', async () => {
      stash.library.changes.set(scene('Low Tide'), { plays: ['2024-03-01T20:00:00Z'], rating: 100 });
      stash.library.changes.set(scene('Paper Moon'), { plays: ['2024-03-02T20:00:00Z'], organized: true });
      await start(NAME);
      await example.press('5 stars');
      assert.equal(await example.next(NOTIFICATION), '“Paper Moon” has 5 of 5 stars.');
      await example.press('2 stars');
      assert.equal(await example.next(NOTIFICATION), '“Paper Moon” has 2 of 5 stars.');
      const { rating, organized } = stash.library.changes.get(scene('Paper Moon')) ?? {};
      assert.deepEqual([rating, organized], [40, true]);
      assert.equal(stash.library.changes.get(scene('Low Tide'))?.rating, 100);
    });

    it('makes a rating of Stash of any number of stars', async () => {
      stash.library.changes.set(scene('Paper Moon'), { plays: ['2024-03-02T20:00:00Z'] });
      await start(NAME);
      await example.deployNode('2 stars', { props: [{ p: 'stars', v: '700', vt: 'num' }] });
      await example.press('2 stars');
      assert.equal(await example.next(NOTIFICATION), '“Paper Moon” has 5 of 5 stars.');
      await example.deployNode('2 stars', { props: [{ p: 'stars', v: '3.5', vt: 'str' }] });
      await example.press('2 stars');
      assert.equal(await example.next(NOTIFICATION), '“Paper Moon” has 3.5 of 5 stars.');
    });

    it('names the file of a scene without a title', async () => {
      stash.library.add({ path: '/media/videos/Untitled.mp4' }, '2024-01-01T10:00:00Z');
      stash.library.changes.set(scene('Untitled'), { plays: ['2024-03-02T20:00:00Z'] });
      await start(NAME);
      await example.press('5 stars');
      assert.equal(await example.next(NOTIFICATION), '“Untitled.mp4” has 5 of 5 stars.');
    });

    it('rates nothing if nothing was played', async () => {
      await start(NAME);
      await example.press('5 stars');
      assert.equal(await example.next(NOTIFICATION), 'No scene was played yet.');
      assert.deepEqual(requests('sceneUpdate'), []);
    });

    it('says that an older server does not know what was played', async () => {
      await stash.stop();
      stash = await FakeStash.start({ release: 'v0.17.2' });
      await start(NAME);
      await example.press('5 stars');
      assert.match(await example.next(NOTIFICATION), /^The scene was not rated\. .*play_count/);
    });

    it('works with v0.23.1, which rates up to 5 as well', async () => {
      await stash.stop();
      stash = await FakeStash.start({ release: 'v0.23.1' });
      stash.library.changes.set(scene('Paper Moon'), { plays: ['2024-03-02T20:00:00Z'] });
      await start(NAME);
      await example.press('2 stars');
      assert.equal(await example.next(NOTIFICATION), '“Paper Moon” has 2 of 5 stars.');
    });
  });

  describe('Count a playback when the player stops', () => {
    const NAME = 'Count a playback when the player stops';
    const MOON = '/mnt/videos/Lanterna/Paper Moon.mp4';
    const NOT_COUNTED = 'not counted';

    it('counts what was watched for at least half of its length', async () => {
      await start(NAME);
      assert.equal(await stopped({ path: MOON, seconds: 1700 }), 202);
      assert.equal(await example.next(NOTIFICATION), '“Paper Moon” was played, for the first time.');
      assert.equal(await stopped({ path: MOON, seconds: '1700.5' }), 202);
      assert.equal(await example.next(NOTIFICATION), '“Paper Moon” was played, 2 times by now.');
      assert.equal(stash.library.changes.get(scene('Paper Moon'))?.plays?.length, 2);
    });

    it('does not count what was watched briefly, or for an unknown time', async () => {
      await start(NAME);
      await stopped({ path: MOON, seconds: 20 });
      assert.equal(await example.next(NOT_COUNTED), 'Only 20 s of “Paper Moon” were watched');
      await stopped({ path: MOON });
      await example.next(NOT_COUNTED);
      assert.deepEqual(requests('sceneAddPlay'), []);
    });

    it('counts only the scene with exactly this path', async () => {
      stash.library.add({ path: '/media/videos/a_b.mp4', title: 'Right' }, '2024-01-01T10:00:00Z');
      for (const name of ['aXb', 'A_B']) {
        stash.library.add({ path: `/media/videos/${name}.mp4`, title: 'Wrong' }, '2024-01-01T10:00:00Z');
      }
      await start(NAME);
      await stopped({ path: '/mnt/videos/a_b.mp4', seconds: 1700 });
      assert.equal(await example.next(NOTIFICATION), '“Right” was played, for the first time.');
      await stopped({ path: '/mnt/videos/a%b.mp4', seconds: 1700 });
      assert.equal(await example.next(NOT_COUNTED), 'Stash has no scene with the file /media/videos/a%b.mp4');
      assert.equal(requests('sceneAddPlay').length, 1);
    });

    it('finds what the player sees at the same path as Stash', async () => {
      await start(NAME);
      await stopped({ path: '/media/videos/Window Seat.mp4', seconds: 1700 });
      assert.equal(await example.next(NOTIFICATION), '“Window Seat” was played, for the first time.');
    });

    it('refuses a message without a path', async () => {
      await start(NAME);
      assert.equal(await stopped({ seconds: 1700 }), 400);
      assert.equal(await stopped({ path: 12, seconds: 1700 }), 400);
      assert.deepEqual(requests('findScenes'), []);
    });

    it('counts on v0.23.1 with the mutation that the comment names', async () => {
      await stash.stop();
      stash = await FakeStash.start({ release: 'v0.23.1' });
      await start(NAME);
      const document = 'mutation ($id: ID!) { sceneIncrementPlayCount(id: $id) }';
      await example.deployNode('count it', { document });
      await stopped({ path: MOON, seconds: 1700 });
      assert.equal(await example.next(NOTIFICATION), '“Paper Moon” was played, for the first time.');
      await stopped({ path: MOON, seconds: 1700 });
      assert.equal(await example.next(NOTIFICATION), '“Paper Moon” was played, 2 times by now.');
    });

    it('says that a playback was not counted', async () => {
      stash.answerWith({ status: 502, headers: {}, body: 'bad gateway' }, { field: 'sceneAddPlay' });
      await start(NAME);
      await stopped({ path: MOON, seconds: 1700 });
      assert.match(await example.next(NOTIFICATION), /^The playback was not counted\. /);
    });

    async function stopped(message: object): Promise<number> {
      const { status } = await fetch(`${example.nodeRed.url}/stash/stopped`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify(message),
      });
      return status;
    }
  });

  describe('Scenes without a studio to a CSV file', () => {
    const NAME = 'Scenes without a studio to a CSV file';
    const FILE = 'scenes-without-studio.csv';
    const HEADER = 'id,title,path';
    const file = () => path.join(userDir(), FILE);

    beforeEach(() => {
      rmSync(file(), { recursive: true, force: true });
      for (let number = 1; number <= 245; number++) {
        const title = number === 1 ? 'Comma, "quote"' : `Märchen ${number}`;
        stash.library.add({ path: `/media/videos/${number}.mp4`, title }, '2024-01-01T10:00:00Z');
      }
    });

    it('writes all pages below one header, in the order of IDs', async () => {
      await start(NAME);
      await example.press('write the file');
      assert.equal(await example.next(NOTIFICATION), `250 scenes without a studio are in ${FILE}.`);
      const [header, ...rows] = lines();
      assert.equal(header, HEADER);
      assert.deepEqual(
        rows.map((row) => Number(row.split(',')[0])),
        Array.from({ length: 250 }, (_, index) => index + 1),
      );
      assert.equal(rows[5], '6,"Comma, ""quote""",/media/videos/1.mp4');
      assert.equal(rows[6], '7,Märchen 2,/media/videos/2.mp4');
      assert.equal(requests('findScenes').length, 3);
    });

    it('leaves out scenes with a studio, and begins the file anew each time', async () => {
      await start(NAME);
      await example.press('write the file');
      await example.next(NOTIFICATION);
      for (const each of stash.library.all('scene').slice(2)) stash.library.studioOf.set(each, '1');
      await example.press('write the file');
      assert.equal(await example.next(NOTIFICATION), `2 scenes without a studio are in ${FILE}.`);
      assert.deepEqual(lines(), [
        HEADER,
        '1,Low Tide,/media/videos/Harbour Nine/Low Tide.mp4',
        '2,Morning Ferry,/media/videos/Harbour Nine/Morning Ferry.mp4',
      ]);
    });

    it('writes the header alone if every scene has a studio', async () => {
      for (const each of stash.library.all('scene')) stash.library.studioOf.set(each, '1');
      await start(NAME);
      await example.press('write the file');
      assert.equal(await example.next(NOTIFICATION), `0 scenes without a studio are in ${FILE}.`);
      assert.deepEqual(lines(), [HEADER]);
    });

    it('works with an older server whose scenes have a path', async () => {
      await stash.stop();
      stash = await FakeStash.start({ release: 'v0.11.0' });
      const document = `query ($filter: FindFilterType, $scenes: SceneFilterType) {
        findScenes(filter: $filter, scene_filter: $scenes) { count scenes { id title path } }
      }`;
      example = await runExample(NAME, stash.url, { 'stash-query': { document } });
      await example.press('write the file');
      assert.equal(await example.next(NOTIFICATION), `5 scenes without a studio are in ${FILE}.`);
      assert.equal(lines()[1], '1,Low Tide,/media/videos/Harbour Nine/Low Tide.mp4');
    });

    it('keeps the old file if the server is off', async () => {
      writeFileSync(file(), 'old');
      await start(NAME);
      await stash.stop();
      await example.press('write the file');
      assert.match(await example.next(NOTIFICATION), /^The CSV file is not complete\. Nothing answers at /);
      assert.equal(readFileSync(file(), 'utf8'), 'old');
    });

    it('ends an export whose file cannot be written, and is ready for the next one', async () => {
      mkdirSync(file());
      await start(NAME);
      await example.press('write the file');
      assert.match(await example.next(NOTIFICATION), /^The CSV file is not complete\. .*EISDIR/);
      // One page is always read ahead; the third one waits until the first one is written.
      assert.equal(requests('findScenes').length, 2);
      rmSync(file(), { recursive: true });
      await example.press('write the file');
      assert.equal(await example.next(NOTIFICATION), `250 scenes without a studio are in ${FILE}.`);
      assert.equal(lines().length, 251);
      assert.equal(example.outputs(NOTIFICATION).length, 2);
    });

    it('ends an export that runs when the button is pressed again, and drops its last page', async () => {
      let isHolding = true;
      const held: (() => void)[] = [];
      stash.answerWith(
        async (request, response, _body, execute) => {
          const answer = await execute();
          if (isHolding) await new Promise<void>((resolve) => held.push(resolve));
          send(request, response, answer);
        },
        { field: 'findScenes' },
      );
      const holds = (count: number) =>
        eventually(
          () => Promise.resolve(held.length),
          (length) => {
            assert.equal(length, count);
          },
        );
      await start(NAME);
      await example.press('write the file');
      // The third page is asked for when the first one has been written: one is always read ahead.
      for (const count of [1, 2]) {
        await holds(count);
        held[count - 1]?.();
      }
      await holds(3);
      isHolding = false;
      await example.press('write the file');
      assert.equal(await example.next(NOTIFICATION), `250 scenes without a studio are in ${FILE}.`);
      const written = lines();
      assert.equal(written.length, 251);

      isHolding = true;
      held[2]?.();
      await example.press('write the file');
      await holds(4);
      assert.deepEqual(lines(), written);
      assert.equal(example.outputs(NOTIFICATION).length, 1);
    });

    function lines(): string[] {
      const text = readFileSync(file(), 'utf8');
      assert.ok(text.endsWith('\r\n'));
      return text.slice(0, -2).split('\r\n');
    }
  });
});
