import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FakeStashOptions } from '../fake-stash';
import { servers } from './client';

const SCAN = 'mutation { metadataScan(input: {}) }';
const NEWEST = 'filter: { per_page: 2, sort: "created_at", direction: DESC }';

describe('Fake server: the library', () => {
  const start = servers();

  async function scanned(options: FakeStashOptions, ...paths: string[]) {
    const client = await start({ jobSeconds: 0, ...options });
    const { stash, value } = client;
    for (const path of paths) stash.arrive({ path });
    await value(SCAN);
    while (stash.jobs.queue !== null) await sleep(2);
    return client;
  }

  it('finds an item by any of its files, unless that one is excluded', async () => {
    const { stash, value } = await start({ release: 'v0.30.1' });
    const copies = ['/media/copies/One.mp4'];
    stash.library.add({ path: '/media/videos/One.mp4', details: { copies } }, '2026-01-11T04:41:59Z');
    const below = (folder: string) => `path: { value: "^/media/${folder}", modifier: MATCHES_REGEX }`;
    const find = async (filter: string) =>
      await value(`{ findScenes(scene_filter: { ${filter} }) { scenes { files { path } } } }`);
    const found = { scenes: [{ files: ['/media/videos/One.mp4', ...copies].map((path) => ({ path })) }] };
    assert.deepEqual(await find(below('copies')), found);
    assert.deepEqual(await find(`${below('')}, NOT: { ${below('videos/[HLQW]')} }`), found);
    assert.deepEqual(await find(`${below('copies')}, NOT: { ${below('copies')} }`), { scenes: [] });
  });

  it('has scenes, images and galleries', async () => {
    const { value } = await start();
    assert.deepEqual(await value('{ findScenes(filter: { per_page: 2 }) { count scenes { id title } } }'), {
      count: 5,
      scenes: [
        { id: '1', title: 'Low Tide' },
        { id: '2', title: 'Morning Ferry' },
      ],
    });
    const count = '{ findScenes(filter: { per_page: 0, page: 3 }) { count scenes { id } } }';
    assert.deepEqual(await value(count), { count: 5, scenes: [] });
    const named = '{ findScenes(filter: { q: "snow", per_page: -1 }) { scenes { files { path } } } }';
    const path = '/media/videos/Quiet Hill/First Snow.mkv';
    assert.deepEqual(await value(named), { scenes: [{ files: [{ path }] }] });
    assert.deepEqual(await value('{ findImages { count images { id } } }'), {
      count: 1,
      images: [{ id: '1' }],
    });
    assert.deepEqual(await value('{ findGalleries { count galleries { id } } }'), {
      count: 0,
      galleries: [],
    });
  });

  it('contains new files after a scan that covers them', async () => {
    const { stash, value } = await start({ jobSeconds: 0 });
    stash.arrive({ path: '/media/videos/Lanterna/Late Show.mp4', title: 'The Late Show' });
    stash.arrive({ path: '/media/pictures/Cat.jpg' });
    const all = '{ scenes: findScenes { count } }';
    const run = async (task: string) => {
      await value(task);
      while (stash.jobs.queue !== null) await sleep(2);
    };
    assert.deepEqual(await value(all), { count: 5 });
    await run('mutation { metadataScan(input: { paths: ["/media/pictures"] }) }');
    assert.deepEqual(await value(all), { count: 5 });
    assert.deepEqual(await value('{ findImages { count } }'), { count: 2 });
    await run(SCAN);
    await run(SCAN);
    assert.deepEqual(await value(`{ findScenes(${NEWEST}) { count scenes { id title files { path } } } }`), {
      count: 6,
      scenes: [
        { id: '6', title: 'The Late Show', files: [{ path: '/media/videos/Lanterna/Late Show.mp4' }] },
        // Of those that were created at the same time, the first one by its title.
        { id: '4', title: 'First Snow', files: [{ path: '/media/videos/Quiet Hill/First Snow.mkv' }] },
      ],
    });
  });

  it('contains only the files that a stopped scan has reached', async () => {
    const { stash, value } = await start({ jobSeconds: 60 });
    stash.arrive({ path: '/media/pictures/One.jpg' });
    stash.arrive({ path: '/media/pictures/Two.jpg' });
    stash.jobs.hold();
    await value('mutation { metadataScan(input: { paths: ["/media/pictures"] }) }');
    await stash.jobs.step();
    await value('mutation { stopJob(job_id: "1") }');
    await stash.jobs.step();
    assert.equal(stash.jobs.find('1')?.status, 'CANCELLED');
    const found = await value(
      '{ findImages(filter: { sort: "id" }) { images { visual_files { ... on ImageFile { path } } } } }',
    );
    assert.deepEqual(found, {
      images: [
        { visual_files: [{ path: '/media/pictures/Harbour Nine/Poster.jpg' }] },
        { visual_files: [{ path: '/media/pictures/One.jpg' }] },
      ],
    });
  });

  it('does not contain broken files', async () => {
    const path = '/media/videos/Broken.mp4';
    const { stash, value } = await start({ jobSeconds: 0 });
    stash.arrive({ path });
    stash.broken = [path];
    await value(SCAN);
    while (stash.jobs.queue !== null) await sleep(2);
    assert.equal(stash.jobs.find('1')?.status, 'FINISHED');
    assert.deepEqual(await value('{ findScenes { count } }'), { count: 5 });
  });

  for (const [release, scene, image, gallery] of [
    ['v0.11.0', 'New.mp4', 'New.jpg', 'New.zip'],
    ['v0.17.2', '', 'New.jpg', ''],
    ['v0.30.1', '', '', ''],
  ] as const) {
    it(`names untitled files "${scene}", "${image}" and "${gallery}" as ${release}`, async () => {
      const paths = ['/media/videos/New.mp4', '/media/pictures/New.jpg', '/media/pictures/New.zip'];
      const { value } = await scanned({ release }, ...paths);
      const last = 'filter: { per_page: 1, sort: "created_at", direction: DESC }';
      const path = release === 'v0.11.0' ? 'path' : 'files { path }';
      const newest = async (field: string, list: string) => {
        const found = await value(`{ ${field}(${last}) { ${list} { title ${path} } } }`);
        return (found as Record<string, Record<string, unknown>[]>)[list]?.[0];
      };
      const file = (of = '') => (path === 'path' ? { path: of } : { files: [{ path: of }] });
      assert.deepEqual(await newest('findScenes', 'scenes'), { title: scene, ...file(paths[0]) });
      assert.deepEqual(await newest('findImages', 'images'), { title: image, ...file(paths[1]) });
      assert.deepEqual(await newest('findGalleries', 'galleries'), { title: gallery, ...file(paths[2]) });
    });
  }

  it('contains a folder as a gallery', async () => {
    const { value } = await scanned({}, '/media/pictures/Summer');
    assert.deepEqual(await value('{ findGalleries { galleries { files { path } folder { path } } } }'), {
      galleries: [{ files: [], folder: { path: '/media/pictures/Summer' } }],
    });
  });

  it('lacks a file of which a scan has not walked through the folder', async () => {
    const { stash, value } = await start({ release: 'v0.30.1', jobSeconds: 0 });
    const file = '/media/videos/New_Series/Pilot.mp4';
    for (const path of [file, '/media/videos/New-Series/Pilot.mp4']) stash.arrive({ path });
    const run = async (path: string) => {
      await value(`mutation { metadataScan(input: { paths: ["${path}"] }) }`);
      while (stash.jobs.queue !== null) await sleep(2);
      return await value(
        `{ findScenes(scene_filter: { path: { value: "_Series", modifier: INCLUDES } }) { count } }`,
      );
    };
    assert.deepEqual(await run(file), { count: 0 });
    const logs = (await value('{ logs { message level } }')) as Record<string, string>[];
    const error = logs.find(({ level }) => level === 'Error');
    assert.equal(error?.['message'], `error processing "${file}": parent folder for "${file}" doesn't exist`);
    assert.deepEqual(await run('/media/videos/New_Series'), { count: 1 });
    await run('/media/videos/New-Series');
    const folders = `{ findFolders(folder_filter: { path: { value: "/media/VIDEOS/New_Series", modifier: EQUALS } }) { folders { path } } }`;
    assert.deepEqual(await value(folders), {
      folders: [{ path: '/media/videos/New_Series' }, { path: '/media/videos/New-Series' }],
    });
  });
});
