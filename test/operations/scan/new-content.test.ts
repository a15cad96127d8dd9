import assert from 'node:assert/strict';
import { newContent } from '../../../src/operations/scan/new-content';
import { json } from '../../fake-stash/answers';
import type { FakeStash } from '../../fake-stash/fake-stash';
import { failure, Message, type TestServer, useServer } from '../../support/connect';

const FOLDER = '/media/videos/New';
/** A job that took one minute. */
const START = '2026-01-11T04:41:00.25Z';
const END = '2026-01-11T04:42:00.75Z';

describe('The new items of a scan', () => {
  let stash: FakeStash;
  let server: TestServer;
  const connect = useServer((...both) => {
    [stash, server] = both;
  });

  const found = (most = 5, period = { start: START, end: END }, paths: readonly string[] | null = null) =>
    newContent(server, period, paths, most, new Message());
  const foundIn = (paths: readonly string[], most = 5) => found(most, undefined, paths);

  /** Adds files to the library at this time. */
  function addFiles(time: string, ...files: string[]): void {
    for (const file of files) stash.library.add({ path: `${FOLDER}/${file}` }, time);
  }

  it('are those added during the scan, newest first', async () => {
    addFiles('2026-01-11T04:40:59Z', 'Before.mp4', 'Before.jpg');
    addFiles('2026-01-11T04:41:00Z', 'First.mp4');
    addFiles('2026-01-11T04:41:30Z', 'Second.mp4', 'Picture.jpg');
    addFiles('2026-01-11T04:42:00Z', 'Last.mp4');
    addFiles('2026-01-11T04:42:01Z', 'After.mp4', 'After.zip');

    const { scenes, images, galleries } = await found(2);
    assert.deepEqual(scenes, {
      count: 3,
      first: [
        { id: '9', kind: 'scene', title: 'Last.mp4', path: `${FOLDER}/Last.mp4` },
        { id: '8', kind: 'scene', title: 'Second.mp4', path: `${FOLDER}/Second.mp4` },
      ],
      ids: ['9', '8', '7'],
    });
    assert.equal(images?.count, 1);
    assert.deepEqual(galleries, { count: 0, first: [], ids: [] });
  });

  it('are empty if nothing was added', async () => {
    const none = { count: 0, first: [], ids: [] };
    assert.deepEqual(await found(), { scenes: none, images: none, galleries: none });
    // One request for each kind of item, and one for the schema.
    assert.equal(stash.requests.length, 4);
  });

  it('have their title, or their file name if they have none', async () => {
    stash.library.add({ path: `${FOLDER}/one.mp4`, title: 'First Snow' }, END);
    stash.library.add({ path: `${FOLDER}/two.mp4`, title: '' }, END);
    stash.library.add({ path: 'C:\\Videos\\three.mp4' }, END);

    const { scenes } = await found();
    assert.deepEqual(
      scenes?.first.map(({ title }) => title),
      ['three.mp4', 'two.mp4', 'First Snow'],
    );
  });

  it('include galleries with a folder, with a file or with neither', async () => {
    addFiles(END, 'Pictures', 'Pictures.zip');

    const { galleries } = await found();
    assert.deepEqual(
      galleries?.first.map(({ path }) => path),
      [`${FOLDER}/Pictures.zip`, `${FOLDER}/Pictures`],
    );

    const nowhere = { id: '7', title: null, created_at: END, files: [], folder: null };
    stash.answerWith(json({ data: { findGalleries: { count: 1, galleries: [nowhere] } } }), {
      field: 'findGalleries',
    });
    assert.deepEqual((await found()).galleries, {
      count: 1,
      first: [{ id: '7', kind: 'gallery', title: null, path: null }],
      ids: ['7'],
    });
  });

  it('are all counted, and have their ids, with few requests', async () => {
    for (let index = 1; index <= 1234; index++) addFiles('2026-01-11T04:41:30Z', `${index}.jpg`);

    const { images } = await found(3);
    assert.equal(images?.count, 1234);
    assert.deepEqual([images.ids.length, images.ids.at(-1)], [1234, '2']);
    assert.deepEqual(
      images.first.map(({ title }) => title),
      ['1234.jpg', '1233.jpg', '1232.jpg'],
    );
    assert.ok(stash.requests.length < 20, `${stash.requests.length} requests`);
  });

  it('take one request for each kind if the first hundred items reach back to before the scan', async () => {
    for (let index = 1; index <= 150; index++) addFiles('2026-01-11T04:40:59Z', `${index}.mp4`);
    addFiles('2026-01-11T04:41:30Z', 'New.mp4');

    assert.equal((await found()).scenes?.count, 1);
    // One more for the schema.
    assert.equal(stash.requests.length, 4);
  });

  it('are all counted if more than a hundred came in the second in which the scan started', async () => {
    for (let index = 1; index <= 150; index++) addFiles('2026-01-11T04:41:00Z', `${index}.mp4`);

    assert.equal((await found()).scenes?.count, 150);
  });

  it('exclude items that later jobs have found', async () => {
    addFiles('2026-01-11T04:41:30Z', 'First.mp4', 'Second.mp4');
    for (let index = 1; index <= 150; index++) addFiles('2026-01-11T04:43:00Z', `${index}.mp4`);

    const { scenes } = await found(1);
    assert.deepEqual([scenes?.count, scenes?.first[0]?.title], [2, 'Second.mp4']);
  });

  it('are found across time zones and the end of summer time', async () => {
    addFiles('2026-10-25T02:20:00+02:00', 'Before.mp4');
    addFiles('2026-10-25T02:50:00+02:00', 'Summer.mp4');
    addFiles('2026-10-25T02:10:00+01:00', 'Winter.mp4');
    addFiles('2026-10-25T02:40:00+01:00', 'After.mp4');

    const night = { start: '2026-10-25T02:30:00+02:00', end: '2026-10-25T02:15:00+01:00' };
    const { scenes } = await found(5, night);
    assert.deepEqual(
      scenes?.first.map(({ title }) => title),
      ['Winter.mp4', 'Summer.mp4'],
    );
  });

  for (const release of ['v0.11.0', 'v0.17.2', 'v0.23.1', 'v0.28.1', 'v0.30.1'] as const) {
    it(`are listed by ${release} with the path of each file`, async () => {
      await connect({ release });
      addFiles(END, 'one.mp4', 'two.jpg', 'three.zip');

      const { scenes, images, galleries } = await found();
      assert.deepEqual(
        [scenes, images, galleries].map((kind) => kind?.first[0]?.path),
        [`${FOLDER}/one.mp4`, `${FOLDER}/two.jpg`, `${FOLDER}/three.zip`],
      );
    });
  }

  it('are not requested from a server that does not say when it has added an item', async () => {
    stash.answerWith(json({ errors: [{ message: 'introspection disabled' }], data: null }), {
      field: '__type',
    });

    assert.deepEqual(await found(), {});
    assert.equal(stash.requests.length, 1, 'the request for the schema');
  });

  it('lead to an error if the response has another shape', async () => {
    for (const wrong of [null, {}, { scenes: null }, { scenes: [{ id: 1 }] }]) {
      stash.answerNormally();
      stash.answerWith(json({ data: { findScenes: wrong } }), { field: 'findScenes' });
      assert.equal((await failure(found())).case, 'GRAPHQL.form', JSON.stringify(wrong));
    }
  });

  describe('in a folder', () => {
    const names = (items: { first: { title: string | null }[] } | undefined) =>
      items?.first.map(({ title }) => title);

    it('exclude items that another scan has found elsewhere in the same second', async () => {
      addFiles(END, 'a/One.mp4', 'b/Two.mp4', 'a/Three.mp4', 'a2/Four.mp4', 'a/Five.jpg', 'b/Six.jpg');

      const { scenes, images } = await foundIn([`${FOLDER}/a`]);
      assert.deepEqual([scenes?.count, names(scenes)], [2, ['Three.mp4', 'One.mp4']]);
      assert.deepEqual([images?.count, names(images)], [1, ['Five.jpg']]);
    });

    it('include single files and several folders', async () => {
      addFiles(END, 'a/One.mp4', 'b/Two.mp4', 'c/Three.mp4', 'a/Four.mp4');

      const { scenes } = await foundIn([`${FOLDER}/b/`, `${FOLDER}/a/../a/One.mp4`]);
      assert.deepEqual([scenes?.count, names(scenes)], [2, ['Two.mp4', 'One.mp4']]);
    });

    it('ignore letter case in Windows paths', async () => {
      stash.library.add({ path: 'D:\\Media\\New\\One.mp4' }, END);
      stash.library.add({ path: 'D:\\Media\\Old\\Two.mp4' }, END);

      const { scenes } = await foundIn(['d:/media/new']);
      assert.deepEqual([scenes?.count, names(scenes)], [1, ['One.mp4']]);
    });

    it('include galleries by file or folder, but not those with neither', async () => {
      addFiles(END, 'a/Pictures.zip', 'a/Folder', 'b/Others.zip');
      assert.deepEqual(names((await foundIn([`${FOLDER}/a`])).galleries), ['Folder', 'Pictures.zip']);

      const nowhere = { id: '7', title: null, created_at: END, files: [], folder: null };
      stash.answerWith(json({ data: { findGalleries: { count: 1, galleries: [nowhere] } } }), {
        field: 'findGalleries',
      });
      assert.deepEqual((await foundIn([`${FOLDER}/a`])).galleries, { count: 0, first: [], ids: [] });
    });

    it('are all counted although many items were added elsewhere', async () => {
      addFiles('2026-01-11T04:40:59Z', 'a/Before.mp4');
      for (let index = 1; index <= 700; index++) addFiles(END, `a/${index}.mp4`, `b/${index}.mp4`);
      addFiles('2026-01-11T04:42:01Z', 'a/After.mp4');

      const { scenes } = await foundIn([`${FOLDER}/a`], 2);
      assert.deepEqual([scenes?.count, names(scenes)], [700, ['700.mp4', '699.mp4']]);
      assert.ok(stash.requests.length < 10, `${stash.requests.length} requests`);
    });
  });

  it('lead to TOO_LARGE if the server repeats a page for ever', async () => {
    const item = { id: '1', title: 'x', created_at: END, files: [{ path: `${FOLDER}/x.mp4` }] };
    const scenes = Array.from({ length: 1000 }, () => item);
    stash.answerWith(json({ data: { findScenes: { scenes } } }), { field: 'findScenes' });
    for (const paths of [null, [FOLDER]]) {
      assert.equal((await failure(found(5, undefined, paths))).case, 'TOO_LARGE.answer');
    }
    assert.ok(stash.requests.length < 20, `${stash.requests.length} requests`);
  });
});
