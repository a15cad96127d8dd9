import assert from 'node:assert/strict';
import { servers } from './client';

const SCENES = `mutation ($input: BulkSceneUpdateInput!) {
  bulkSceneUpdate(input: $input) { id title organized rating100 urls studio { name } tags { id name } }
}`;
const IMAGES = 'mutation ($input: BulkImageUpdateInput!) { bulkImageUpdate(input: $input) { id } }';
const GALLERY = 'mutation ($input: GalleryUpdateInput!) { galleryUpdate(input: $input) { id title } }';
const PERFORMERS = `mutation ($input: BulkPerformerUpdateInput!) {
  bulkPerformerUpdate(input: $input) { id favorite tags { name } }
}`;
const TAG = 'mutation ($name: String!) { tagCreate(input: { name: $name }) { id name aliases } }';
const STUDIO = 'mutation ($name: String!) { studioCreate(input: { name: $name }) { id name aliases } }';
const TAGGED = '{ tags: { value: ["2"], modifier: INCLUDES } }';

describe('Fake server: changes of items', () => {
  const start = servers();

  it('shows a change in the items by id and in lists with criteria', async () => {
    const { stash, value } = await start({ release: 'v0.30.1' });
    const changed = {
      title: 'New',
      organized: true,
      rating100: 60,
      urls: ['https://site.example/1'],
      studio: { name: 'Lanterna' },
      tags: [{ id: '2', name: 'Documentary' }],
    };
    const input = {
      ids: ['2', '3'],
      title: ' New ',
      organized: true,
      rating100: 60,
      urls: { values: ['https://site.example/1'], mode: 'ADD' },
      studio_id: '2',
      tag_ids: { ids: ['2', '2'], mode: 'SET' },
    };
    const both = ['2', '3'].map((id) => ({ id, ...changed }));
    assert.deepEqual(await value(SCENES, { input }), both);
    const fields = 'id title organized rating100 urls studio { name } tags { id name }';
    assert.deepEqual(await value(`{ findScene(id: "2") { ${fields} } }`), both[0]);
    for (const criteria of [
      TAGGED,
      '{ studios: { value: ["2"], modifier: INCLUDES } }',
      '{ title: { value: "New", modifier: EQUALS } }',
      '{ url: { value: "site", modifier: INCLUDES } }',
      '{ rating100: { value: 60, modifier: EQUALS } }',
      '{ organized: true }',
    ]) {
      const query = `{ findScenes(scene_filter: ${criteria}) { count scenes { ${fields} } } }`;
      assert.deepEqual(await value(query), { count: 2, scenes: both }, criteria);
    }
    assert.deepEqual(await value('{ findTag(id: "2") { scene_count } }'), { scene_count: 2 });
    const [, scene] = stash.library.all('scene');
    assert.equal(scene && stash.library.changes.get(scene)?.rating, 60);

    await value(SCENES, { input: { ids: ['2'], studio_id: null, tag_ids: { ids: ['2'], mode: 'REMOVE' } } });
    const left = await value(`{ findScenes(scene_filter: ${TAGGED}) { scenes { id } } }`);
    assert.deepEqual(left, { scenes: [{ id: '3' }] });
    assert.deepEqual(await value('{ findScene(id: "2") { studio { id } } }'), { studio: null });
  });

  it('adds ids to those that the details of an item name', async () => {
    const { stash, value } = await start({ release: 'v0.30.1' });
    const robin = stash.people.add({ name: 'Robin' });
    const details = { tags: ['Documentary'], studio: 'Lanterna' };
    stash.library.add({ path: '/media/pictures/One.png', details }, '2024-01-10T10:00:00Z');
    const input = {
      ids: ['2'],
      tag_ids: { ids: ['1'], mode: 'ADD' },
      performer_ids: { ids: [robin.id], mode: 'ADD' },
    };
    await value(IMAGES, { input });
    await value('mutation { imageIncrementO(id: "2") }');
    const criteria = `{
      tags: { value: ["1", "2"], modifier: INCLUDES_ALL }
      performers: { value: ["${robin.id}"], modifier: INCLUDES }
      o_counter: { value: 1, modifier: EQUALS }
    }`;
    const found = `{
      findImages(image_filter: ${criteria}) { images { studio { name } tags { name } performers { name } o_counter } }
    }`;
    const image = {
      studio: { name: 'Lanterna' },
      tags: [{ name: 'Documentary' }, { name: 'Black and white' }],
      performers: [{ name: 'Robin' }],
      o_counter: 1,
    };
    assert.deepEqual(await value(found), { images: [image] });
  });

  it('changes all items or none', async () => {
    const { stash, value, failure } = await start({ release: 'v0.30.1' });
    const unknown = { ids: ['2', '9'], organized: true };
    assert.equal(await failure(SCENES, { input: unknown }), 'sql: no rows in result set');
    const input = { ids: ['2', '3'], organized: true, studio_id: '1', tag_ids: { ids: ['9'], mode: 'ADD' } };
    assert.equal(await failure(SCENES, { input }), 'FOREIGN KEY constraint failed');
    const none = await value('{ findScenes(scene_filter: { organized: true }) { count } }');
    assert.deepEqual(none, { count: 0 });
    assert.deepEqual(await value('{ findScene(id: "2") { studio { id } } }'), { studio: null });
    assert.equal(await value(SCENES, { input: { ids: [], organized: true } }), null);

    const ids = ['Robin', 'Val'].map((name) => stash.people.add({ name }).id);
    const aliases = { ids, favorite: true, alias_list: { values: ['Val'], mode: 'ADD' } };
    assert.match(String(await failure(PERFORMERS, { input: aliases })), /duplicate alias 'Val'/);
    assert.ok(stash.people.all.every((one) => !('favorite' in one)));
    const tags = { ids, favorite: true, tag_ids: { ids: ['2'], mode: 'ADD' } };
    const changed = ids.map((id) => ({ id, favorite: true, tags: [{ name: 'Documentary' }] }));
    assert.deepEqual(await value(PERFORMERS, { input: tags }), changed);
    const list = `{ findPerformers(performer_filter: ${TAGGED}) { performers { id favorite tags { name } } } }`;
    assert.deepEqual(await value(list), { performers: changed });
  });

  for (const [release, scene, performer] of [
    ['v0.11.0', 'id 9 does not exist in scenes', 'id 9 does not exist in performers'],
    [
      'v0.17.2',
      'getting scene by id 9: sql: no rows in result set',
      'getting scene by id 9: sql: no rows in result set',
    ],
    ['v0.25.1', 'sql: no rows in result set', 'performer with id 9 not found'],
  ] as const) {
    it(`reports as ${release} that an item to change is unknown`, async () => {
      const { failure } = await start({ release });
      const change = (name: string) => `mutation { ${name}(input: { ids: ["9"] }) { id } }`;
      assert.equal(await failure(change('bulkSceneUpdate')), scene);
      assert.equal(await failure(change('bulkPerformerUpdate')), performer);
    });
  }

  for (const [release, image, gallery, added] of [
    ['v0.11.0', 'id 9 does not exist in images', 'not found', 'id 9 does not exist in scenes'],
    ['v0.17.2', 'image not found 9', 'not found', 'FOREIGN KEY constraint failed'],
    ['v0.30.1', 'image with id 9 not found', 'gallery with id 9 not found', 'FOREIGN KEY constraint failed'],
  ] as const) {
    it(`reports as ${release} that an image or a gallery is unknown, and a scene that gets a tag`, async () => {
      const { failure } = await start({ release });
      assert.equal(await failure('mutation { bulkImageUpdate(input: { ids: ["9"] }) { id } }'), image);
      assert.equal(await failure('mutation { galleryUpdate(input: { id: "9" }) { id } }'), gallery);
      const tagged = 'ids: ["9"], tag_ids: { ids: ["1"], mode: ADD }';
      assert.equal(await failure(`mutation { bulkSceneUpdate(input: { ${tagged} }) { id } }`), added);
    });
  }

  it('ignores null as the title of a gallery', async () => {
    const { stash, value } = await start({ release: 'v0.30.1' });
    stash.library.add({ path: '/media/pictures/Trip', title: 'Trip' }, '2024-01-10T10:00:00Z');
    assert.deepEqual(await value(GALLERY, { input: { id: '1', title: null } }), { id: '1', title: 'Trip' });
    assert.deepEqual(await value(GALLERY, { input: { id: '1', title: 'Sea' } }), { id: '1', title: 'Sea' });
    const list = '{ findGalleries(filter: { q: "sea" }) { count galleries { title } } }';
    assert.deepEqual(await value(list), { count: 1, galleries: [{ title: 'Sea' }] });
  });

  it('creates tags and studios of unique names, which lists have', async () => {
    const { value, failure } = await start({ release: 'v0.30.1' });
    assert.deepEqual(await value(TAG, { name: ' Sea ' }), { id: '3', name: 'Sea', aliases: [] });
    assert.equal(await failure(TAG, { name: 'sea' }), "tag with name 'sea' already exists");
    assert.equal(await failure(TAG, { name: 'B/W' }), "name 'B/W' is used as alias for 'Black and white'");
    assert.deepEqual(await value('{ findTags(filter: { q: "sea" }) { tags { id } } }'), {
      tags: [{ id: '3' }],
    });
    assert.deepEqual(await value(STUDIO, { name: 'Sea' }), { id: '7', name: 'Sea', aliases: [] });
    assert.equal(await failure(STUDIO, { name: 'sea' }), "studio with name 'sea' already exists");
    await value(SCENES, { input: { ids: ['1'], studio_id: '7', tag_ids: { ids: ['3'], mode: 'SET' } } });
    assert.deepEqual(await value('{ findScene(id: "1") { studio { name } tags { name } } }'), {
      studio: { name: 'Sea' },
      tags: [{ name: 'Sea' }],
    });
    const old = await start({ release: 'v0.17.2' });
    await old.value(STUDIO, { name: 'sea' });
    assert.equal(await old.failure(STUDIO, { name: 'sea' }), 'UNIQUE constraint failed: studios.checksum');
  });

  it('adds to counters, also in the statistics', async () => {
    const { value, failure } = await start({ release: 'v0.25.1' });
    const total = async () => (await value('{ stats { total_o_count } }')) as { total_o_count: number };
    const { total_o_count: before } = await total();
    assert.equal(await value('mutation { sceneIncrementO(id: "2") }'), 1);
    assert.deepEqual(await value('mutation { sceneAddO(id: "2") { count } }'), { count: 2 });
    assert.equal(await failure('mutation { sceneAddO(id: "9") { count } }'), 'id 9 does not exist in scenes');
    assert.deepEqual(await total(), { total_o_count: before + 2 });
    const list =
      '{ findScenes(filter: { sort: "o_counter", direction: DESC, per_page: 1 }) { scenes { id o_counter } } }';
    assert.deepEqual(await value(list), { scenes: [{ id: '2', o_counter: 2 }] });
  });
});
