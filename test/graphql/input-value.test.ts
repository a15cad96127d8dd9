import assert from 'node:assert/strict';
import { checkedInput } from '../../src/graphql/input-value';
import { Schema } from '../../src/graphql/schema';
import { StashError } from '../../src/errors';

const named = (name: string, kind = 'SCALAR') => ({ kind, name, ofType: null });
const list = (ofType: object) => ({ kind: 'LIST', name: null, ofType });
const required = (ofType: object) => ({ kind: 'NON_NULL', name: null, ofType });
const input = (fields: Record<string, object | undefined>) => ({
  inputFields: Object.entries(fields).map(([name, type]) => ({ name, type })),
});

const schema = Schema.read({
  version: { version: 'v0.30.1' },
  Query: { fields: [{ name: 'x' }] },
  IdentifyMetadataInput: input({
    sources: required(list(required(named('IdentifySourceInput', 'INPUT_OBJECT')))),
    options: named('IdentifyMetadataOptionsInput', 'INPUT_OBJECT'),
    sceneIDs: list(required(named('ID'))),
    count: named('Int'),
    share: named('Float'),
    since: named('Timestamp'),
    untyped: undefined,
  }),
  PerformerFilterType: input({
    AND: named('PerformerFilterType', 'INPUT_OBJECT'),
    OR: list(named('PerformerFilterType', 'INPUT_OBJECT')),
  }),
  IdentifySourceInput: input({ source: required(named('ScraperSourceInput', 'INPUT_OBJECT')) }),
  ScraperSourceInput: input({ scraper_id: named('ID') }),
  IdentifyMetadataOptionsInput: input({
    setOrganized: named('Boolean'),
    fieldOptions: list(required(named('IdentifyFieldOptionsInput', 'INPUT_OBJECT'))),
  }),
  IdentifyFieldOptionsInput: input({
    field: required(named('String')),
    strategy: required(named('IdentifyFieldStrategy', 'ENUM')),
  }),
  IdentifyFieldStrategy: { enumValues: [{ name: 'MERGE' }, { name: 'OVERWRITE' }] },
});

describe('A value of an input type', () => {
  const sources = [{ source: { scraper_id: 'x' } }];
  const check = (value: unknown) => checkedInput(schema, 'IdentifyMetadataInput', '', value);

  it('is sent without the fields that are null', () => {
    const options = {
      setOrganized: null,
      fieldOptions: [{ field: 'title', strategy: 'MERGE' }],
    };
    assert.deepEqual(
      check({ sources, options, sceneIDs: ['1', 2], count: 3, share: 0.5, since: { any: 'thing' } }),
      {
        sources,
        options: { fieldOptions: [{ field: 'title', strategy: 'MERGE' }] },
        sceneIDs: ['1', 2],
        count: 3,
        share: 0.5,
        since: { any: 'thing' },
      },
    );
  });

  const wrong: [value: unknown, error: string, name: string, type?: string][] = [
    [{ sources, nope: 1 }, 'UNSUPPORTED.unknown', 'nope'],
    [{ sources: [{ source: {}, nope: 1 }] }, 'UNSUPPORTED.unknown', 'sources[0].nope'],
    [
      { sources, options: { fieldOptions: [{ field: 'a', strategy: 'merge' }] } },
      'UNSUPPORTED.unknown',
      'options.fieldOptions[0].strategy: merge',
    ],
    [{}, 'BAD_INPUT.wrongType', 'sources', '[IdentifySourceInput!]'],
    [{ sources: null }, 'BAD_INPUT.wrongType', 'sources', '[IdentifySourceInput!]'],
    [{ sources: {} }, 'BAD_INPUT.wrongType', 'sources', '[IdentifySourceInput!]'],
    [{ sources: [null] }, 'BAD_INPUT.wrongType', 'sources[0]', 'IdentifySourceInput'],
    [{ sources: ['x'] }, 'BAD_INPUT.wrongType', 'sources[0]', 'IdentifySourceInput'],
    [{ sources: [{}] }, 'BAD_INPUT.wrongType', 'sources[0].source', 'ScraperSourceInput'],
    [
      { sources, options: { setOrganized: 'true' } },
      'BAD_INPUT.wrongType',
      'options.setOrganized',
      'Boolean',
    ],
    [
      { sources, options: { fieldOptions: [{ field: 'a', strategy: 1 }] } },
      'BAD_INPUT.wrongType',
      'options.fieldOptions[0].strategy',
      'IdentifyFieldStrategy',
    ],
    [{ sources, sceneIDs: [1.5] }, 'BAD_INPUT.wrongType', 'sceneIDs[0]', 'ID'],
    [{ sources, count: 2 ** 31 }, 'BAD_INPUT.wrongType', 'count', 'Int'],
    [{ sources, share: NaN }, 'BAD_INPUT.wrongType', 'share', 'Float'],
  ];
  for (const [value, error, name, type] of wrong) {
    it(`is refused, and the error names the field: ${JSON.stringify(value)}`, () => {
      assert.throws(
        () => check(value),
        (thrown: unknown) => {
          assert.ok(thrown instanceof StashError);
          const { case: which, details } = thrown;
          assert.deepEqual([which, details['name'], details['type']], [error, name, type]);
          return true;
        },
      );
    });
  }

  it('is a number or a boolean where the type is one', () => {
    const given = { sources, options: { setOrganized: true }, share: 2, untyped: 'any' };
    assert.deepEqual(check(given), given);
    assert.throws(() => check({ sources, share: '0.5' }), { case: 'BAD_INPUT.wrongType' });
  });

  it('has at most twenty levels, so that none contains itself', () => {
    const filter = (value: unknown) => checkedInput(schema, 'PerformerFilterType', '', value);
    let deep: Record<string, unknown> = {};
    for (let level = 0; level < 20; level++) deep = { AND: deep };
    assert.deepEqual(filter(deep), deep);
    const circular: Record<string, unknown> = {};
    circular['OR'] = [circular];
    for (const [value, name, type] of [
      [{ AND: deep }, 'AND.'.repeat(25), 'PerformerFilterType'],
      [circular, `${'OR[0].'.repeat(10)}OR`, '[PerformerFilterType]'],
    ] as const) {
      const details = { name: name.slice(0, 83), type };
      assert.throws(() => filter(value), { case: 'BAD_INPUT.wrongType', details });
    }
  });

  it('is named in an error by the first hundred characters of its path', () => {
    assert.throws(() => checkedInput(schema, 'IdentifyMetadataInput', 'x'.repeat(200), 1), {
      details: { name: 'x'.repeat(100), type: 'IdentifyMetadataInput' },
    });
  });

  it('is sent as it is to a server that does not describe its types', () => {
    const value = { any: ['thing'] };
    assert.equal(checkedInput(Schema.documented(), 'CleanMetadataInput', '', value), value);
    const sprites = { sprites: 'any' };
    assert.deepEqual(checkedInput(Schema.documented(), 'GenerateMetadataInput', '', sprites), sprites);
  });
});
