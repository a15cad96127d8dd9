import assert from 'node:assert/strict';
import { eventually } from '../browser/eventually';
import { Broker } from '../support/broker';
import { until } from '../support/waiting';
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
      await shows(['Without studio', 4, 1], ['Without performers', 5, 0], ['Without tags', 5, 0]);
      await shows(['Not rated', 4, 1], ['Not organized', 4, 1]);
      const html = await page();
      assert.match(html, /<h1>5 scenes<\/h1>\s+<p>6 GB on nas · /);
      assert.match(html, /name="viewport"/);
      assert.equal(requests('stats').length, 1);
    });

    it('publishes each number with a topic of its own', async () => {
      const broker = await Broker.start();
      try {
        example = await runExample(NAME, stash.url, { 'mqtt-broker': broker.address });
        for (const name of [
          'scenes',
          'withoutStudio',
          'withoutPerformers',
          'withoutTags',
          'notRated',
          'notOrganized',
        ]) {
          await broker.has(`stash/nas/library/${name}`, (payload) => {
            assert.equal(payload, '5');
          });
        }
      } finally {
        await broker.stop();
      }
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
      await shows(['Without studio', 5, 0]);
      const { port } = stash;
      await stash.stop();
      await example.press('every few minutes');
      await eventually(page, (html) => {
        assert.match(html, /class="problem">Nothing answers at /);
      });
      await shows(['Without studio', 5, 0]);
      stash = await FakeStash.start({ release: 'v0.30.1', port });
      stash.library.studioOf.set(scene('Low Tide'), '1');
      await example.press('every few minutes');
      await shows(['Without studio', 4, 1]);
      assert.doesNotMatch(await page(), /class="problem"/);
    });

    for (const release of ['v0.9.0', 'v0.11.0', 'v0.17.2', 'v0.23.1'] as const) {
      it(`asks a server of ${release} for the same numbers`, async () => {
        await stash.stop();
        stash = await FakeStash.start({ release });
        await start(NAME);
        await shows(['Not rated', 5, 0], ['Not organized', 5, 0]);
      });
    }

    async function page(): Promise<string> {
      const response = await fetch(`${example.nodeRed.url}/library`);
      assert.equal(response.status, 200);
      assert.equal(response.headers.get('content-type'), 'text/html; charset=utf-8');
      return await response.text();
    }

    async function shows(...rows: [label: string, left: number, done: number][]): Promise<void> {
      await eventually(page, (html) => {
        const shown = html.matchAll(
          /<th scope="row">(.*?)<\/th><td>(\d+)<\/td><td><progress max="5" value="(\d+)"/g,
        );
        const found = [...shown].map(([, label, left, done]) => [label, Number(left), Number(done)]);
        for (const row of rows)
          assert.deepEqual(
            found.find(([label]) => label === row[0]),
            row,
          );
      });
    }
  });

  describe('Duplicates, every week', () => {
    const NAME = 'Duplicates, every week';

    it('lists the scenes of each group, with the size of the file and the page', async () => {
      stash.library.add({ path: '/media/videos/Untitled.mp4' }, '2024-01-01T10:00:00Z');
      const pages = `${stash.url}/scenes`;
      stash.library.duplicates = [['1', '6']];
      await start(NAME);
      await example.press('on Sundays');
      const first = `Low Tide (1 MB)  ${pages}/1\nUntitled.mp4 (1 MB)  ${pages}/6`;
      await logs(`1 scene is on nas more than once:\n\n${first}\n`);
      stash.library.duplicates = [
        ['1', '6'],
        ['2', '3'],
      ];
      await example.press('on Sundays');
      const second = `Morning Ferry (1 MB)  ${pages}/2\nPaper Moon (1 MB)  ${pages}/3`;
      await logs(`2 scenes are on nas more than once:\n\n${first}\n\n${second}\n`);
    });

    it('lists twenty groups at most, and counts all', async () => {
      stash.library.duplicates = Array.from({ length: 21 }, () => ['1', '2']);
      await start(NAME);
      await example.press('on Sundays');
      const group = `Low Tide (1 MB)  ${stash.url}/scenes/1\nMorning Ferry (1 MB)  ${stash.url}/scenes/2`;
      await logs(`21 scenes are on nas more than once:\n\n${`${group}\n\n`.repeat(19)}${group}\n`);
      assert.equal(log().split('Low Tide').length, 21);
    });

    it('says that there are none, or what went wrong', async () => {
      await start(NAME);
      await example.press('on Sundays');
      assert.equal(await example.next(NOTIFICATION), 'No scene is on nas more than once.');
      stash.status = 'SETUP';
      await example.press('on Sundays');
      assert.match(await example.next(NOTIFICATION), /not set up yet/);
    });

    const log = () => `${example.log.join('\n')}\n`;

    /** A text of several lines is no output by itself. */
    const logs = async (text: string) => {
      await until(() => log().includes(text));
    };
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
});
