import assert from 'node:assert/strict';
import { checkedInput } from '../../src/graphql/input-value';
import { Schema } from '../../src/graphql/schema';
import { StashError } from '../../src/errors';

const named = (name: string, kind = 'SCALAR') => ({ kind, name, ofType: null });
const list = (ofType: object) => ({ kind: 'LIST', name: null, ofType });
const required = (ofType: object) => ({ kind: 'NON_NULL', name: null, ofType });
const input = (fields: Record<string, object>) => ({
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

  it('is sent as it is to a server that does not describe its types', () => {
    const value = { any: ['thing'] };
    assert.equal(checkedInput(Schema.documented(), 'CleanMetadataInput', '', value), value);
  });
});
