import assert from 'node:assert/strict';
import { edits } from '../../../nodes/update/inputs';
import type { ErrorCase, StashError } from '../../../src/errors';
import { FOLDER } from '../../../src/operations/update';

describe('The items to change', () => {
  const changes = [{ field: 'organized', action: 'set', value: 'true', valueType: 'bool' }];
  const read = async (kind: string, result: unknown) =>
    (await edits.read({ kind, changes }, () => Promise.resolve(result))).flatMap(({ ids }) => ids);
  const record = {
    id: '1',
    status: 'FINISHED',
    new: { scenes: { ids: ['3', '2'] }, images: { ids: ['7'] } },
  };

  const good: [what: string, kind: string, result: unknown, ids: string[]][] = [
    ['an id', 'performer', ' 012 ', ['12']],
    ['items of the kind, each once', 'image', [{ id: '7', kind: 'image' }, { id: 7 }, 7], ['7']],
    ['the record of a scan', 'image', record, ['7']],
    ['what a scan lists as new', 'scene', record.new, ['3', '2']],
    ['a scan for which nothing was left', 'scene', { id: null, status: 'SKIPPED' }, []],
    ['an empty list', 'scene', [], []],
    ['an item as a query returns it', 'gallery', { __typename: 'Gallery', id: '4', title: 'x' }, ['4']],
  ];
  for (const [what, kind, result, ids] of good) {
    it(`can be ${what}`, async () => {
      assert.deepEqual(await read(kind, result), ids);
    });
  }

  const wrong: [what: string, kind: string, result: unknown, error: ErrorCase][] = [
    ['an item of another kind', 'scene', { id: '7', kind: 'image' }, 'BAD_INPUT.otherKind'],
    ['an item without a kind', 'scene', { id: '7', created: false, changed: [] }, 'BAD_INPUT.noKind'],
    ['a text', 'scene', 'Low Tide', 'BAD_INPUT.notItems'],
    ['an item without an id', 'scene', { title: 'Low Tide' }, 'BAD_INPUT.notItems'],
    ['the record of a scan that lists none of the kind', 'performer', record, 'BAD_INPUT.noNew'],
  ];
  for (const [what, kind, result, error] of wrong) {
    it(`cannot be ${what}`, async () => {
      await assert.rejects(read(kind, result), { case: error });
    });
  }
});

describe('The value of a change', () => {
  /** Returns the changes of scene 1 with a value from somewhere. */
  const read = async (field: string, action: string, value: unknown, valueType = 'flow') => {
    const config = { items: '1', itemsType: 'str', changes: [{ field, action, value: 'a', valueType }] };
    const all = await edits.read(config, (entered) => Promise.resolve(entered === '1' ? '1' : value));
    return all.flatMap(({ changes }) => changes);
  };

  it('can be what another node sends: items of the kind that the field names', async () => {
    const tags = [
      { id: '4', kind: 'tag', name: 'Sea' },
      { id: 5 },
      { __typename: 'Tag', id: '6', name: 'A' },
    ];
    assert.deepEqual(await read('tags', 'add', tags), [
      { field: 'tags', action: 'add', value: [{ id: '4' }, { id: '5' }, { id: '6' }] },
    ]);
    const studio = { id: '3', kind: 'studio' };
    assert.deepEqual(await read('studio', 'set', studio), [
      { field: 'studio', action: 'set', value: { id: '3' } },
    ]);
  });

  for (const [what, given, valueType, expected] of [
    ['text of digits', ' 69\n2023', 'msg', [{ name: '69' }, { name: '2023' }]],
    ['text in a list', ['69', ' Sea '], 'json', [{ name: '69' }, { name: 'Sea' }]],
    ['an object with a name', { name: '69' }, 'jsonata', [{ name: '69' }]],
    ['what an update would create', { kind: 'tag', id: null, name: '69' }, 'msg', [{ name: '69' }]],
    ['text of the environment', '69', 'env', [{ name: '69' }]],
    ['a number', 69, 'num', [{ id: '69' }]],
    ['numbers in a list', [69, '69'], 'flow', [{ id: '69' }, { name: '69' }]],
    ['what a picker stores', ['69', '70'], 'tag', [{ id: '69' }, { id: '70' }]],
    ['a new name in a picker', ['69', { name: '70' }], 'tag', [{ id: '69' }, { name: '70' }]],
  ] as const) {
    it(`is a name if it is text, and an ID only if it says so: ${what}`, async () => {
      const [change] = await read('tags', 'add', given, valueType);
      assert.deepEqual(change?.value, expected);
    });
  }

  for (const [what, value] of [
    ['a fraction', 1.5],
    ['a boolean', true],
    ['an ID that is none', { id: 'Sea' }],
    ['an object without a name', { title: 'Sea' }],
  ] as const) {
    it(`cannot be ${what} where a name is meant`, async () => {
      await assert.rejects(read('tags', 'add', value), { case: 'BAD_INPUT.notItems' });
    });
  }

  it('cannot be a name of invisible characters, which a copy from a page may consist of', async () => {
    for (const value of ['\u200b', ['\u00ad', ' '], { name: '\u200b' }]) {
      await assert.rejects(read('tags', 'add', value), { case: 'BAD_INPUT.empty' });
    }
    assert.deepEqual(await read('tags', 'add', ['\u200b', 'Sea']), [
      { field: 'tags', action: 'add', value: [{ name: 'Sea' }] },
    ]);
  });

  it('cannot be an empty list: to remove all, there is an action', async () => {
    await assert.rejects(read('tags', 'set', []), { case: 'BAD_INPUT.setToNothing' });
    await assert.rejects(read('tags', 'set', [' ']), { case: 'BAD_INPUT.empty' });
    await assert.rejects(read('tags', 'add', []), { case: 'BAD_INPUT.empty' });
    assert.deepEqual(await read('tags', 'clear', undefined), [{ field: 'tags', action: 'clear' }]);
  });

  for (const [field, action] of [
    ['tags', 'add'],
    ['performers', 'remove'],
    ['studio', 'set'],
  ] as const) {
    it(`cannot be a scene for ${field}, because its ID means something else there`, async () => {
      const scene = { id: '4', kind: 'scene', title: 'Low Tide' };
      await assert.rejects(read(field, action, scene), {
        case: 'BAD_INPUT.otherKind',
        details: { property: field, source: 'flow.a', kind: 'scene' },
      });
    });
  }
});

describe('The name of the folder as the value of a change', () => {
  const check = (kind: string, field: string, action = 'set') => {
    edits.check?.({ kind, changes: [{ field, action, value: '', valueType: 'folder' }] });
  };

  it('is for what is named after a folder, and for items that have files', () => {
    for (const field of ['tags', 'performers', 'studio', 'title']) check('gallery', field);
    for (const [kind, field] of [
      ['performer', 'tags'],
      ['scene', 'rating'],
      ['image', 'details'],
      ['scene', 'urls'],
    ] as const) {
      assert.throws(() => check(kind, field), { case: 'BAD_INPUT.unknownChoice' }, `${kind} ${field}`);
    }
    check('performer', 'tags', 'clear');
  });

  it('does not depend on the message', async () => {
    const changes = [{ field: 'tags', action: 'add', value: '', valueType: 'folder' }];
    const read = await edits.read({ changes }, () => Promise.resolve(['1', '2']));
    assert.deepEqual(read, [{ ids: ['1', '2'], changes: [{ field: 'tags', action: 'add', value: FOLDER }] }]);
  });
});

describe('An expression for the value of a change', () => {
  const config = (value: string) => ({
    items: 'payload',
    itemsType: 'msg',
    changes: [{ field: 'tags', action: 'add', value, valueType: 'jsonata' }],
  });
  const payload = [{ id: '7', kind: 'scene' }, 8];
  /** Returns the items for which an expression is evaluated. */
  const itemsOf = async (expression: string, atMost = '1000') => {
    const found: unknown[] = [];
    await edits.read({ ...config(expression), atMost }, (entered, _type, item) => {
      if (entered !== 'payload') found.push(item);
      return Promise.resolve(entered === 'payload' ? payload : 'Sea');
    });
    return found;
  };

  it('is evaluated for each item if it has `item` in it, otherwise once', async () => {
    assert.deepEqual(await itemsOf('item.title'), [payload[0], { id: '8' }]);
    assert.deepEqual(await itemsOf('payload[0].items'), [undefined]);
  });

  it('is not evaluated for more items than the node may change, because they are refused', async () => {
    assert.deepEqual(await itemsOf('item.title', '1'), []);
    assert.equal((await itemsOf('item.title', '0')).length, 2);
  });

  it('that fails names the field, and the item or how to name each', async () => {
    const failing = (
      expression: string,
      {
        of = payload,
        itemsType = 'msg',
        code = 'T2001',
      }: { of?: unknown; itemsType?: string; code?: string } = {},
    ) =>
      edits.read({ ...config(expression), itemsType }, (entered, _type, item) => {
        if (entered === 'payload') return Promise.resolve(of);
        const error = Object.assign(new Error('odd'), { code });
        return item === payload[0] ? Promise.resolve('Sea') : Promise.reject(error);
      });
    const details = { property: 'tags', reason: 'odd' };
    await assert.rejects(failing('item.title'), {
      case: 'BAD_INPUT.expressionOfItem',
      details: { ...details, id: '8' },
    });
    await assert.rejects(failing('payload.title'), {
      case: 'BAD_INPUT.expressionOfList',
      details: { ...details, count: 2 },
    });
    for (const other of [{ of: '1' }, { code: 'S0201' }, { itemsType: 'chosen' }]) {
      await assert.rejects(failing('payload.title', other), { case: 'BAD_INPUT.expression', details });
    }
  });

  for (const [what, result, error] of [
    ['without a value', () => Promise.resolve(undefined), 'BAD_INPUT.empty'],
    ['with another kind', () => Promise.resolve({ id: '1', kind: 'image' }), 'BAD_INPUT.otherKind'],
  ] as const) {
    it(`${what} names the field and the item`, async () => {
      const evaluate = (entered: string, _type: string, item?: object) => {
        if (entered === 'payload') return Promise.resolve(payload);
        return item === payload[0] ? Promise.resolve('Sea') : result();
      };
      await assert.rejects(edits.read(config('item.title'), evaluate), (thrown: StashError) => {
        assert.equal(thrown.case, error);
        assert.deepEqual(thrown.details['property'], 'tags');
        assert.deepEqual(thrown.details['source'], 'jsonata, item.id 8');
        return true;
      });
    });
  }
});
