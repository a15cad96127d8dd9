import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { buffer } from 'node:stream/consumers';
import { FakeStash } from '../fake-stash/fake-stash';
import { type Example, useExamples } from '../support/example';
import { exampleNodes } from '../support/examples';
import { useUserDir } from '../support/user-dir';
import { until } from '../support/waiting';

const NOTIFICATION = 'your notification';

describe('The examples of the find node in a real Node-RED', () => {
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

  /** Gives each scene but some a studio. */
  function giveStudios(but: number): void {
    for (const each of stash.library.all('scene').slice(but)) stash.library.studioOf.set(each, '1');
  }

  describe('Scenes without a studio to a CSV file', () => {
    const NAME = 'Scenes without a studio to a CSV file';
    const FILE = 'scenes-without-studio.csv';
    const HEADER = 'id,title,path';
    const file = () => path.join(userDir(), FILE);

    beforeEach(() => {
      rmSync(file(), { recursive: true, force: true });
    });

    it('writes all scenes below a header, in the order of IDs', async () => {
      for (let number = 1; number <= 245; number++) {
        const title = number === 1 ? 'Comma, "quote"' : `Märchen ${number}`;
        stash.library.add({ path: `/media/videos/${number}.mp4`, title }, '2024-01-01T10:00:00Z');
      }
      await start(NAME);
      await example.press('export');
      assert.equal(await example.next(NOTIFICATION), `250 scenes without a studio are in ${FILE}.`);
      const [header, ...rows] = lines();
      assert.equal(header, HEADER);
      assert.deepEqual(
        rows.map((row) => Number(row.split(',')[0])),
        Array.from({ length: 250 }, (_, index) => index + 1),
      );
      assert.equal(rows[5], '6,"Comma, ""quote""",/media/videos/1.mp4');
      assert.equal(rows[6], '7,Märchen 2,/media/videos/2.mp4');
    });

    it('leaves out scenes with a studio, and begins the file anew each time', async () => {
      await start(NAME);
      await example.press('export');
      await example.next(NOTIFICATION);
      giveStudios(1);
      await example.press('export');
      assert.equal(await example.next(NOTIFICATION), `1 scene without a studio is in ${FILE}.`);
      assert.deepEqual(lines(), [HEADER, '1,Low Tide,/media/videos/Harbour Nine/Low Tide.mp4']);
    });

    it('writes the header alone if every scene has a studio', async () => {
      giveStudios(0);
      await start(NAME);
      await example.press('export');
      assert.equal(await example.next(NOTIFICATION), `0 scenes without a studio are in ${FILE}.`);
      assert.deepEqual(lines(), [HEADER]);
    });

    it('keeps the old file if the server is off', async () => {
      writeFileSync(file(), 'old');
      await start(NAME);
      await stash.stop();
      await example.press('export');
      assert.match(
        await example.next(NOTIFICATION),
        /^The CSV file is not written\. “find” on nas failed\. Nothing answers at /,
      );
      assert.equal(readFileSync(file(), 'utf8'), 'old');
    });

    it('reports a file that cannot be written', async () => {
      mkdirSync(file());
      await start(NAME);
      await example.press('export');
      assert.match(await example.next(NOTIFICATION), /^The CSV file is not written\. .*EISDIR/);
    });

    function lines(): string[] {
      const text = readFileSync(file(), 'utf8');
      assert.ok(text.endsWith('\r\n'));
      return text.slice(0, -2).split('\r\n');
    }
  });

  describe('What has no studio, every week', () => {
    const NAME = 'What has no studio, every week';

    it('lists the newest scenes without a studio with their pages, below how many there are', async () => {
      giveStudios(2);
      await start(NAME);
      await example.press('on Sundays');
      // A text of several lines begins in the line below.
      await example.next(NOTIFICATION);
      const lines = () =>
        example.log.join('\n').match(/Found on nas: 2 scenes\..*(?:\n.* {2}http.*){2}/)?.[0] ?? '';
      await until(() => lines() !== '');
      assert.deepEqual(
        lines()
          .match(/\/scenes\/\d+/g)
          ?.sort(),
        ['/scenes/1', '/scenes/2'],
      );
    });

    it('says that nothing is left to do', async () => {
      giveStudios(0);
      await start(NAME);
      await example.press('on Sundays');
      assert.equal(await example.next(NOTIFICATION), 'Nothing fits on nas.');
    });
  });

  describe('Suggest a scene to watch', () => {
    const NAME = 'Suggest a scene to watch';
    let ntfy: Server;
    /** All requests to ntfy. */
    let sent: { query: Record<string, string>; body: Buffer }[];

    beforeEach(async () => {
      sent = [];
      ntfy = createServer((request, response) => {
        void buffer(request).then((body) => {
          const { searchParams } = new URL(request.url ?? '', 'http://ntfy');
          sent.push({ query: Object.fromEntries(searchParams), body });
          response.writeHead(200, { 'Content-Type': 'application/json' }).end('{}');
        });
      }).listen(0, '127.0.0.1');
      await once(ntfy, 'listening');
    });

    afterEach(() => {
      ntfy.closeAllConnections();
      ntfy.close();
    });

    it('sends a scene that nobody has watched to the phone, with its picture and its page', async () => {
      const [first, ...others] = stash.library.all('scene');
      for (const each of others) stash.library.changes.set(each, { plays: ['2024-03-02T20:00:00Z'] });
      const { port } = ntfy.address() as AddressInfo;
      const [{ func } = { func: '' }] = exampleNodes(NAME).filter(({ type }) => type === 'function');
      const own = String(func)
        .replace("const TOPIC = '';", "const TOPIC = 'films';")
        .replace('https://ntfy.sh', `http://127.0.0.1:${port}`);
      example = await runExample(NAME, stash.url, { function: { func: own } });
      await example.press('suggest one');
      await until(() => sent.length > 0);
      const [{ query, body } = { query: {}, body: Buffer.alloc(0) }] = sent;
      assert.equal(query['click'], `${stash.url}/scenes/${first?.id ?? ''}`);
      assert.match(query['message'] ?? '', /^Found on nas: Low Tide/);
      assert.ok(body.length > 100);
    });
  });
});
