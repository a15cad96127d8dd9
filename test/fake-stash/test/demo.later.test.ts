import assert from 'node:assert/strict';
import sinon from 'sinon';
import { bringToLife, TITLES } from '../demo';
import { FOLDER } from '../library';
import { type Client, servers } from './client';
import { run } from './run';

describe('Fake server: the demo', () => {
  const start = servers();
  let end: AbortController;
  beforeEach(() => {
    end = new AbortController();
  });
  afterEach(() => {
    end.abort();
    sinon.restore();
  });

  async function demo(): Promise<Client> {
    const client = await start({ release: 'v0.30.1' });
    bringToLife(client.stash, end.signal);
    return client;
  }

  const titles = async ({ value }: Client) => {
    const query = '{ findScenes(filter: { per_page: -1, sort: "id" }) { scenes { title } } }';
    const { scenes } = (await value(query)) as { scenes: { title: string }[] };
    return scenes.map(({ title }) => title);
  };

  it('finds a new file with each scan, in the folder that it covers, or the file that it names', async () => {
    const client = await demo();
    const { stash } = client;
    const scanned = async (paths: string) => {
      await run(client, `mutation { metadataScan(input: { paths: [${paths}] }) }`);
      return stash.library.all('scene').at(-1)?.path;
    };
    assert.equal(await scanned(''), `${FOLDER}/${TITLES[0] ?? ''}.mp4`);
    assert.equal(await scanned(`"${FOLDER}/Holiday"`), `${FOLDER}/Holiday/${TITLES[1] ?? ''}.mp4`);
    assert.equal(await scanned(`"${FOLDER}/Holiday/beach.mp4"`), `${FOLDER}/Holiday/beach.mp4`);
    await scanned(`"${FOLDER}/Holiday/beach.mp4", "/elsewhere"`);
    assert.equal(stash.library.all('scene').length, 8);
    await scanned('"/media/pictures"');
    assert.equal(stash.library.all('image').at(-1)?.path, `/media/pictures/${TITLES[3] ?? ''}.jpg`);
  });

  it('scans by itself every minute, and never repeats a title', async () => {
    const client = await demoFor(70);
    const all = await titles(client);
    assert.equal(all.length, 5 + 56);
    assert.equal(client.stash.library.all('image').length, 1 + 14);
    assert.equal(new Set(all).size, all.length);
    assert.deepEqual(all.slice(5, 7), TITLES.slice(0, 2));
    assert.ok(all.includes(`${TITLES[1] ?? ''} 2`));
  });

  it('has somebody watch the newest scene for a minute, every two minutes', async () => {
    const { value } = await demoFor(5);
    const found =
      '{ findScenes(filter: { sort: "id" }, scene_filter: { play_count: { value: 0, modifier: GREATER_THAN } })';
    const fields = 'scenes { title play_count play_duration last_played_at }';
    const { scenes } = (await value(`${found} { ${fields} } }`)) as { scenes: object[] };
    const played = (title: string | undefined, time: string) => ({
      title,
      play_count: 1,
      play_duration: 60,
      last_played_at: `1970-01-01T00:${time}Z`,
    });
    assert.deepEqual(scenes, [
      played('Window Seat', '00:10'),
      played(TITLES[1], '02:10'),
      played(TITLES[3], '04:10'),
    ]);
  });

  it('has filters that somebody has saved', async () => {
    const { value } = await demo();
    assert.deepEqual(await value('{ findSavedFilters { mode name } }'), [
      { mode: 'SCENES', name: 'Unwatched' },
      { mode: 'SCENES', name: 'Without a studio' },
      { mode: 'STUDIOS', name: 'Most scenes' },
    ]);
  });

  it('removes the disk with the videos and brings it back, on request', async () => {
    const { stash } = await demo();
    const hasVideos = () => stash.library.filesBelow([FOLDER]).length > 0;
    assert.equal((await fetch(`${stash.url}/demo/unmount`, { method: 'POST' })).status, 200);
    assert.ok(!hasVideos());
    assert.equal((await fetch(`${stash.url}/demo/mount`, { method: 'POST' })).status, 200);
    assert.ok(hasVideos());
  });

  /** Returns a demo that has lived for some minutes, in no time. */
  async function demoFor(minutes: number): Promise<Client> {
    const client = await start({ release: 'v0.30.1', jobSeconds: 8 });
    const clock = sinon.useFakeTimers({
      now: 0,
      toFake: ['setInterval', 'clearInterval', 'setTimeout', 'clearTimeout', 'performance'],
    });
    bringToLife(client.stash, end.signal);
    await clock.tickAsync(minutes * 60_000 + 9_000);
    end.abort();
    clock.restore();
    return client;
  }
});
