import assert from 'node:assert/strict';
import { chosenItems, type InputDetails, markerIds, sceneIds } from '../../../src/flow/inputs';
import type { ErrorCase, StashError } from '../../../src/errors';

describe('A typed input for scenes', () => {
  const scenes = sceneIds('sceneIDs', 'all');

  async function read(result: unknown): Promise<readonly string[] | null> {
    return await scenes.read({ sceneIDs: 'payload', sceneIDsType: 'msg' }, () => Promise.resolve(result));
  }

  const first = [{ id: '981', kind: 'scene', title: 'b.mp4', path: '/media/b.mp4' }, { id: 982 }];
  const found = { scenes: { count: 2, first, ids: ['981', 982] }, images: { ids: ['5'] } };
  const good: [what: string, result: unknown, ids: string[]][] = [
    ['an id', '12', ['12']],
    ['a number', 12, ['12']],
    ['an id with zeros', '0012', ['12']],
    ['a list of ids and numbers', [12, '13'], ['12', '13']],
    ['an id with white space around it', ' 12\n', ['12']],
    ['an object with nothing but an id', { id: '12' }, ['12']],
    ['a scene', { id: '12', kind: 'scene', title: 'x' }, ['12']],
    ['a scene as a query returns it', { __typename: 'Scene', id: '12', title: 'x' }, ['12']],
    ['the scenes that a scan lists as new', first, ['981', '982']],
    ['everything that a scan lists as new', found, ['981', '982']],
    ['the record of the scan', { id: '3', status: 'FINISHED', new: found }, ['981', '982']],
    [
      'more new scenes than the scan lists',
      { new: { scenes: { count: 3, first, ids: ['3', '2', '1'] } } },
      ['3', '2', '1'],
    ],
    ['a scan for which nothing was left', { id: null, status: 'SKIPPED' }, []],
    ['a scan that has found none', { id: '3', new: { scenes: { count: 0, ids: [] } } }, []],
  ];
  for (const [what, result, ids] of good) {
    it(`accepts ${what}`, async () => {
      assert.deepEqual(await read(result), ids);
    });
  }

  const gallery = { id: '12', kind: 'gallery', images: 3 };
  const lists = { scenes: { ids: ['3'] } };
  const wrong: [what: string, result: unknown, error: ErrorCase][] = [
    ['a word', 'abc', 'BAD_INPUT.notIds'],
    ['several ids in one text', '1, 2', 'BAD_INPUT.notIds'],
    ['a fraction', 1.5, 'BAD_INPUT.notIds'],
    ['a number that is too long', '9'.repeat(19), 'BAD_INPUT.notIds'],
    ['a number of 4 MiB', '0'.repeat(4 * 2 ** 20), 'BAD_INPUT.notIds'],
    ['an object without an id', { title: 'x' }, 'BAD_INPUT.notIds'],
    ['a list within a list', [['12']], 'BAD_INPUT.notIds'],
    ['an image, which is not the scene with its id', { id: '12', kind: 'image' }, 'BAD_INPUT.otherKind'],
    ['a list with a scene and a gallery', [{ id: '1', kind: 'scene' }, gallery], 'BAD_INPUT.otherKind'],
    ['a performer as a query returns it', { id: '12', __typename: 'Performer' }, 'BAD_INPUT.otherKind'],
    ['a marker as a query returns it', { id: '12', __typename: 'SceneMarker' }, 'BAD_INPUT.otherKind'],
    ['a performer with a list of scenes', { id: '1', kind: 'performer', ...lists }, 'BAD_INPUT.otherKind'],
    ['what a performer save sends', { id: '1', created: true, changed: [] }, 'BAD_INPUT.noKind'],
    ['a studio with some of its fields', { id: '1', name: 'Lanterna' }, 'BAD_INPUT.noKind'],
    ['an item with a list of scenes, but without a kind', { id: '1', ...lists }, 'BAD_INPUT.noKind'],
    ['an item whose kind is null', { id: '1', kind: null }, 'BAD_INPUT.noKind'],
    ['an item whose kind is a number', { id: '1', kind: 5, __typename: 'Scene' }, 'BAD_INPUT.noKind'],
    ['a job that was only started', { id: '2', status: 'STARTED' }, 'BAD_INPUT.noNew'],
    ['a scan that lists nothing', { id: '2', status: 'FINISHED' }, 'BAD_INPUT.noNew'],
    ['a scan whose new items are unknown', { id: '2', status: 'FINISHED', new: null }, 'BAD_INPUT.noNew'],
    ['a scan that lists no scenes', { id: '2', status: 'FINISHED', new: { images: {} } }, 'BAD_INPUT.noNew'],
    ['a scan that lists something else', { new: { scenes: { ids: [{ title: 'x' }] } } }, 'BAD_INPUT.notIds'],
    ['new scenes without their ids', { new: { scenes: { count: 2, first } } }, 'BAD_INPUT.noNew'],
    ['an empty list', [], 'BAD_INPUT.empty'],
    ['an empty text', ' ', 'BAD_INPUT.empty'],
  ];
  it('rejects an item of another kind', async () => {
    const details = { property: 'sceneIDs', source: 'msg.payload', kind: 'image' };
    await assert.rejects(read({ id: '12', kind: 'image' }), { case: 'BAD_INPUT.otherKind', details });
    assert.deepEqual(await read({ id: '12', kind: 'scene' }), ['12']);
  });

  for (const [what, result, error] of wrong) {
    it(`of ${what} leads to BAD_INPUT`, async () => {
      await assert.rejects(read(result), (thrown: StashError) => {
        assert.equal(thrown.case, error);
        const { property, source } = thrown.details as InputDetails;
        assert.deepEqual({ property, source }, { property: 'sceneIDs', source: 'msg.payload' });
        return true;
      });
    });
  }
});

describe('A typed input for items', () => {
  const items = chosenItems('sceneIDs', 'all');
  const read = (result: unknown) =>
    items.read({ sceneIDs: 'payload', sceneIDsType: 'msg' }, () => Promise.resolve(result));
  const kind = (...ids: string[]) => ({ count: ids.length, first: [], ids });

  it('accepts everything that a scan found, by its kinds', async () => {
    const found = { scenes: kind('3', '2'), images: kind('7'), galleries: kind() };
    assert.deepEqual(await read({ id: '1', status: 'FINISHED', new: found }), {
      scene: ['3', '2'],
      image: ['7'],
      gallery: [],
    });
  });

  it('accepts IDs of scenes', async () => {
    assert.deepEqual(await read([12, '13']), { scene: ['12', '13'], image: [], gallery: [] });
  });

  it('accepts items of all its kinds, each as what it is', async () => {
    const given = [
      { id: '3', kind: 'scene' },
      { id: 3, kind: 'image', title: 'x' },
      { id: '3', kind: 'gallery' },
    ];
    assert.deepEqual(await read([...given, { id: '4' }]), {
      scene: ['3', '4'],
      image: ['3'],
      gallery: ['3'],
    });
  });

  it('of a performer leads to BAD_INPUT, which names the kind', async () => {
    await assert.rejects(read({ id: '3', kind: 'performer', name: 'Hana', scenes: 4 }), {
      case: 'BAD_INPUT.otherKind',
      details: { property: 'sceneIDs', source: 'msg.payload', kind: 'performer' },
    });
  });

  it('accepts a scan that found pictures alone', async () => {
    assert.deepEqual((await read({ new: { images: kind('7') } }))?.image, ['7']);
  });
});

describe('A typed input for markers', () => {
  const markers = markerIds('markerIDs', 'none');

  async function read(result: unknown): Promise<readonly string[] | null> {
    return await markers.read({ markerIDs: 'payload', markerIDsType: 'msg' }, () => Promise.resolve(result));
  }

  it('evaluates nothing and is null if its type says so, or is missing', async () => {
    const unused = () => assert.fail('nothing is evaluated');
    assert.equal(await markers.read({}, unused), null);
    assert.equal(await markers.read({ markerIDs: '1', markerIDsType: 'none' }, unused), null);
  });

  for (const [what, result, ids] of [
    ['an id', '012', ['12']],
    ['a list of ids, numbers and objects with an id', ['12', 13, { id: '14' }], ['12', '13', '14']],
    ['a marker', { id: '14', kind: 'marker', title: 'x' }, ['14']],
    ['a marker as a query returns it', { id: '14', __typename: 'SceneMarker' }, ['14']],
  ] as const) {
    it(`accepts ${what}`, async () => {
      assert.deepEqual(await read(result), ids);
    });
  }

  for (const [what, result, error] of [
    ['a word', 'intro', 'BAD_INPUT.notMarkers'],
    ['an object without an id', { title: 'intro' }, 'BAD_INPUT.notMarkers'],
    ['a scan, whose id is that of its job', { id: '14', status: 'FINISHED' }, 'BAD_INPUT.noNew'],
    ['an empty list', [], 'BAD_INPUT.empty'],
    ['an empty text', '', 'BAD_INPUT.empty'],
    ['nothing', undefined, 'BAD_INPUT.empty'],
  ] as const) {
    it(`of ${what} leads to BAD_INPUT`, async () => {
      await assert.rejects(read(result), {
        case: error,
        details: { property: 'markerIDs', source: 'msg.payload' },
      });
    });
  }

  it('of a scene leads to BAD_INPUT, because it is not the marker with its id', async () => {
    await assert.rejects(read({ id: '14', kind: 'scene' }), { case: 'BAD_INPUT.otherKind' });
  });
});
