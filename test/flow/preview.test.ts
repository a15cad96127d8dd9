import assert from 'node:assert/strict';
import { tableOf } from '../../src/flow/preview';
import { redactor } from '../../src/redact';

const SECRET = 'a-s3cret-of-some-length';
const redact = redactor([SECRET]);

describe('The table for a dialog', () => {
  it('shows as much of a large value as a cell takes, and reads no more', () => {
    let read = 0;
    const item = {
      get name() {
        read += 1;
        return 'x'.repeat(50);
      },
    };
    const { rows } = tableOf({ list: [{ all: Array.from({ length: 100_000 }, () => item) }] }, redact);

    assert.equal(rows[0]?.[0]?.length, 200);
    assert.ok(read < 200, `${read} items`);
  });

  it('reads of a long list no more than a cell takes', () => {
    let read = 0;
    const ids = new Proxy([...Array(100_000).keys()], {
      get: (list, key, receiver) => {
        read += 1;
        return Reflect.get(list, key, receiver) as unknown;
      },
    });
    tableOf({ list: [{ ids }] }, redact);

    assert.ok(read < 1000, `${read} reads`);
  });

  it('shows no part of a secret, wherever a cell ends', () => {
    for (let length = 150; length <= 210; length++) {
      const before = 'x'.repeat(length);
      const { rows } = tableOf({ list: [{ text: before + SECRET, list: [before, SECRET] }] }, redact);
      assert.doesNotMatch(JSON.stringify(rows), /a-s3|s3cret/);
    }
  });

  it('shows the fields of objects in an object, however deep they are', () => {
    let deep: object = { end: 1 };
    for (let level = 0; level < 50_000; level++) deep = { a: deep };
    const { rows } = tableOf({ fields: { one: { two: { three: null } }, none: {}, deep } }, redact);

    assert.deepEqual(rows.slice(0, 2), [
      ['one.two.three', ''],
      ['none', '{}'],
    ]);
    assert.match(String(rows[2]?.[1]), /^(\{"a":)+/);
    assert.equal(rows.length, 3);
  });

  it('shows a list of texts without brackets', () => {
    const { rows } = tableOf({ list: [{ paths: ['/a', '/b'], tags: [], sizes: [1, 2] }] }, redact);

    assert.deepEqual(rows, [['/a, /b', '', '[1,2]']]);
  });

  it('does not mix up fields with the names of inherited ones', () => {
    const { columns, rows } = tableOf(
      { list: [JSON.parse('{"__proto__": 1, "constructor": 2}') as object, { toString: 3 }] },
      redact,
    );

    assert.deepEqual(columns, ['__proto__', 'constructor', 'toString']);
    assert.deepEqual(rows, [
      ['1', '2', ''],
      ['', '', '3'],
    ]);
  });

  it('has the first thirty names of each kind of what would be created, and how many there are', () => {
    const of = (kind: 'tag' | 'studio', count: number) =>
      Array.from({ length: count }, (_none, index) => ({ kind, name: `${kind} ${index}` }));
    const created = [...of('tag', 120), ...of('studio', 2)];
    const table = tableOf({ changes: [], columns: [], count: 0, changing: 0, created }, redact);
    assert.deepEqual(
      table.created?.map(({ kind, names, count }) => [kind, names.length, count]),
      [
        ['tag', 30, 120],
        ['studio', 2, 2],
      ],
    );
  });
});
