import { execute, parse } from 'graphql';
import assert from 'node:assert/strict';
import { INTROSPECTION, Schema } from '../../../src/graphql/schema';
import {
  changesTo,
  type Existing,
  storedFields,
  type StoredPerformer,
  hasAll,
  type GivenFields,
} from '../../../src/operations/performers/changes';
import { dateIn } from '../../../src/operations/items/dates';
import { circumcised, gender, height, length, weight } from '../../../src/operations/performers/values';
import { withDeprecatedInputs } from '../../fake-stash/introspection';
import type { Release } from '../../fake-stash/releases';
import { schemaOf } from '../../fake-stash/schema';
import { isRecord } from '../../fake-stash/variables';

function read(release: Release): Schema {
  const { data } = execute({
    schema: schemaOf(release).schema,
    document: withDeprecatedInputs(parse(INTROSPECTION)),
    rootValue: { version: { version: 'v0' } },
  }) as { data?: unknown };
  assert.ok(isRecord(data));
  return Schema.read(data);
}

describe('What a save changes:', () => {
  const today = read('v0.30.1');
  const next = read('v0.31.0');
  const old = read('v0.11.0');
  const change = (
    stored: object | undefined,
    given: GivenFields,
    existing: Existing = 'fill',
    schema = today,
  ) => changesTo(schema, stored as StoredPerformer | undefined, given, existing);

  it('a new performer gets all fields in the words of its release', () => {
    const given: GivenFields = {
      name: 'Robin Vale',
      disambiguation: 'singer',
      url: 'https://a.example/robin',
      twitter: '@robin',
      instagram: 'instagram.com/robin',
      gender: 'female',
      height: '172',
      weight: '55 kg',
      aliases: ['Robin V', 'robin v', 'ROBIN VALE'],
    };
    assert.deepEqual(change(undefined, given), {
      input: {
        name: 'Robin Vale',
        disambiguation: 'singer',
        gender: 'FEMALE',
        height_cm: 172,
        weight: 55,
        urls: ['https://a.example/robin', 'https://twitter.com/robin', 'https://instagram.com/robin'],
        alias_list: ['Robin V'],
      },
      changed: [
        ...['name', 'disambiguation', 'gender', 'height', 'weight', 'url', 'twitter', 'instagram', 'aliases'],
      ],
      missing: [],
      unusable: [],
      kept: [],
    });
    assert.deepEqual(change(undefined, given, 'fill', old), {
      input: {
        name: 'Robin Vale',
        url: 'https://a.example/robin',
        twitter: '@robin',
        instagram: 'instagram.com/robin',
        gender: 'FEMALE',
        height: '172',
        weight: 55,
        aliases: 'Robin V',
      },
      changed: ['name', 'url', 'twitter', 'instagram', 'gender', 'height', 'weight', 'aliases'],
      missing: ['disambiguation'],
      unusable: [],
      kept: [],
    });
  });

  it('a text that is no value for the release is named and not sent', () => {
    const given = { name: 'R', height: 'tall', birthdate: '1990-13', gender: 'unknown', weight: '5 st' };
    const { input, unusable } = change(undefined, given);
    assert.deepEqual(input, { name: 'R' });
    assert.deepEqual(unusable, ['gender', 'birthdate', 'height', 'weight']);
    assert.deepEqual(change(undefined, given, 'fill', old).input, { name: 'R', height: 'tall' });
  });

  it('fill leaves a field that has a value, and adds to a list what it lacks', () => {
    const stored = {
      name: 'Robin Vale',
      country: 'US',
      eye_color: '',
      tattoos: null,
      alias_list: ['Wren'],
      urls: ['https://www.a.example/robin/'],
    };
    const given = {
      ...{ country: 'CA', eye_color: 'Green', tattoos: 'None', url: 'http://a.example/robin' },
      ...{ aliases: ['WREN', 'Robyn'], urls: ['https://b.example', 'https://b.example/'] },
    };
    assert.deepEqual(change(stored, given), {
      input: {
        eye_color: 'Green',
        tattoos: 'None',
        urls: ['https://www.a.example/robin/', 'https://b.example'],
        alias_list: ['Wren', 'Robyn'],
      },
      changed: ['eye_color', 'tattoos', 'urls', 'aliases'],
      missing: [],
      unusable: [],
      kept: ['country'],
    });
  });

  it('fill adds no second account of the same site', () => {
    const stored = { urls: ['https://x.com/robin'] };
    const { input, changed, kept } = change(stored, { twitter: 'other', instagram: 'robin' });
    assert.deepEqual(input, { urls: ['https://x.com/robin', 'https://instagram.com/robin'] });
    assert.deepEqual([changed, kept], [['instagram'], ['twitter']]);
  });

  it('fill names the fields whose other value it leaves, and no field that has the given one', () => {
    const stored = {
      ...{ name: 'Robin Vale', country: 'US', gender: 'FEMALE', height_cm: 172, details: 'Sings' },
      ...{
        alias_list: ['Wren'],
        urls: ['https://twitter.com/robin'],
        career_start: '2012',
        career_end: '2020',
      },
    };
    const given = {
      ...{ name: 'Robin V', country: 'CA', gender: 'female', height: '1.72 m', details: 'Sings' },
      ...{ aliases: ['wren', 'Robin Vale'], twitter: '@robin', career_length: '2012 - 2021' },
    };
    const { input, kept } = change(stored, given, 'fill', next);
    assert.deepEqual([input, kept], [{}, ['name', 'country', 'career_length']]);
    assert.deepEqual(change(stored, given, 'replace', next).kept, []);
    const before = { name: 'Robin Vale', aliases: 'Wren' };
    for (const [aliases, expected] of [
      [['WREN', 'robin vale'], []],
      [['Wren', 'Robyn'], ['aliases']],
    ] as const) {
      assert.deepEqual(change(before, { aliases }, 'fill', old).kept, expected);
    }
  });

  it('a picture that is none is named with the reason', () => {
    const svg = Buffer.from('<svg/>').toString('base64');
    const comment = Buffer.from(`<!--${'x'.repeat(50_000)}--><svg/>`).toString('base64');
    for (const [picture, fault] of [
      ['https://a.example/robin.png', undefined],
      [`data:image/*;base64,${svg}`, undefined],
      [`data:image/*;base64,${comment}`, undefined],
      ['data:image/*;base64,aGVsbG8=', 'notImage'],
      ['data:image/*;base64,', 'notImage'],
      ['data:image/png;base64,#A', 'notImage'],
      ['data:image/svg+xml,%3Csvg/%3E', 'noPicture'],
      [svg, 'noPicture'],
      ['/pictures/robin.png', 'noPicture'],
    ] as const) {
      const { unusable, pictureFault } = change(undefined, { name: 'R', picture });
      assert.deepEqual([unusable, pictureFault], [fault ? ['picture'] : [], fault], picture.slice(0, 60));
    }
  });

  it('fill adds an address of another site, as it is written', () => {
    const stored = { urls: ['https://a.example'] };
    const { input, changed } = change(stored, { url: 'b.example/robin' });
    assert.deepEqual(input, { urls: ['https://a.example', 'b.example/robin'] });
    assert.deepEqual(changed, ['url']);
  });

  it('an address is the same with another scheme, www, a slash at the end, and another case of the host', () => {
    const stored = { urls: ['https://www.A.example/x/'] };
    for (const url of ['a.example/x', 'http://a.EXAMPLE/x', 'www.a.example/x', 'HTTPS://a.example/x/']) {
      assert.deepEqual(change(stored, { urls: [url] }).changed, [], url);
    }
    for (const url of [
      'https://a.example/X',
      'https://b.example/x',
      'https://a.example/y',
      'a.example/www.x',
    ]) {
      assert.deepEqual(change(stored, { urls: [url] }).changed, ['urls'], url);
    }
  });

  it('an account without an address gets the one of its site', () => {
    for (const [twitter, url] of [
      ['@robin', 'https://twitter.com/robin'],
      ['rob@in', 'https://twitter.com/rob@in'],
      ['x.com/robin', 'https://x.com/robin'],
      ['http://x.com/robin', 'http://x.com/robin'],
    ] as const) {
      assert.deepEqual(change(undefined, { twitter }).input, { urls: [url] });
    }
  });

  it('replace puts an address in the place of the first one of its site, and keeps the others', () => {
    const stored = { urls: ['https://twitter.com/old', 'https://a.example/1', 'https://b.example/2'] };
    const given = { url: 'https://c.example', twitter: 'new' };
    assert.deepEqual(change(stored, given, 'replace').input, {
      urls: ['https://twitter.com/new', 'https://c.example', 'https://b.example/2'],
    });
  });

  it('replace puts all given addresses in the place of the whole list, if one of them is a list', () => {
    const stored = { urls: ['https://twitter.com/old', 'https://a.example/1'] };
    const given = { urls: ['https://a.example/1', 'https://d.example'], twitter: 'new' };
    const { input, changed } = change(stored, given, 'replace');
    assert.deepEqual(input, {
      urls: ['https://twitter.com/new', 'https://a.example/1', 'https://d.example'],
    });
    assert.deepEqual(changed, ['twitter', 'urls']);
    assert.deepEqual(change(input, given, 'replace').input, {});
    assert.deepEqual(change(stored, { urls: ['https://a.example/1'] }, 'replace').changed, ['urls']);
  });

  it('replace writes only what differs', () => {
    const stored = { country: 'CA', height_cm: 172, alias_list: ['B', 'A'], urls: ['https://a.example'] };
    const given = {
      country: 'CA',
      height: '172',
      aliases: ['A', 'B'],
      urls: ['https://a.example'],
      details: 'x',
    };
    assert.deepEqual(change(stored, given, 'replace').input, { details: 'x' });
    assert.deepEqual(change(stored, { aliases: ['C'] }, 'replace').input, { alias_list: ['C'] });
  });

  it('before v0.19, the aliases are one text that is filled only if it is empty', () => {
    const stored = { name: 'Robin Vale', aliases: 'Wren' };
    assert.deepEqual(change(stored, { aliases: ['Robyn'] }, 'fill', old).input, {});
    assert.deepEqual(change(stored, { aliases: ['Robyn', 'R'] }, 'replace', old).input, {
      aliases: 'Robyn, R',
    });
  });

  it('before v0.27, a list of addresses is spread over the fields for one', () => {
    const urls = ['https://a.example', 'https://x.com/robin', 'https://b.example'];
    const { input, missing } = change(undefined, { urls }, 'fill', old);
    assert.deepEqual(input, { url: 'https://a.example', twitter: 'https://x.com/robin' });
    assert.deepEqual(missing, ['urls']);
    assert.deepEqual(
      change(undefined, { twitter: 'robin', urls: ['https://twitter.com/robin'] }, 'fill', old).missing,
      [],
    );
  });

  it('a query selects each field once, under the name that the release writes', () => {
    const fields = storedFields(today).split(' ');
    assert.equal(new Set(fields).size, fields.length);
    for (const field of ['alias_list', 'urls', 'height_cm']) assert.ok(fields.includes(field), field);
    for (const field of ['aliases', 'url', 'twitter', 'height']) assert.ok(!fields.includes(field), field);
    assert.ok(storedFields(old).includes(' twitter instagram gender'), storedFields(old));
  });

  it('a server has what was to be written if all its fields are equal, whatever the order of a list', () => {
    const stored = { id: '1', height_cm: 172, alias_list: ['B', 'A'] };
    assert.ok(hasAll(stored, { height_cm: 172, alias_list: ['A', 'B'] }));
    assert.ok(!hasAll(stored, { height_cm: 172, alias_list: ['A'] }));
    assert.ok(!hasAll(stored, { country: 'CA' }));
  });

  const heights: [text: string, centimetres: number | undefined][] = [
    ['172', 172],
    ['172.4 cm', 172],
    ['1,72 m', 172],
    ['5\'7"', 170],
    ['5 ft 7 in', 170],
    ['5ft', 152],
    ['5′ 7.5″', 171],
    ['30', 30],
    ['300', 300],
    ['29', undefined],
    ['301', undefined],
    ['1.72', undefined],
    ['9000', undefined],
    ['tall', undefined],
    ['', undefined],
  ];
  for (const [text, expected] of heights) {
    it(`reads the height “${text}” as ${expected ?? 'nothing'}`, () => {
      assert.equal(height(text, today), expected);
    });
  }

  it('reads weights, lengths and days', () => {
    assert.deepEqual(
      ['55', '121 lbs', '121 lb', '1', '700'].map((text) => weight(text, today)),
      [...[55, 55, 55], ...[1, 700]],
    );
    assert.deepEqual(
      ['0', '701', '9 stone', 'heavy'].map((text) => weight(text, today)),
      [undefined, undefined, undefined, undefined],
    );
    assert.deepEqual(
      ['17', '6 in', '6 inches', 'x'].map((text) => length(text, today)),
      [17, 15.24, undefined, undefined],
    );
    const days = ['1990-04-12', '1990-04-12T22:00:00Z', '1990-02-30', 'April 12, 1990', ''];
    assert.deepEqual(
      days.map((text) => dateIn(text, today)),
      [...['1990-04-12', '1990-04-12'], ...[undefined, undefined, undefined]],
    );
  });

  it('reads a year or a month as a date, for a release that holds them', () => {
    const dates = ['1992', '1992-05', '1992-13', '92', '1992-5'];
    assert.deepEqual(
      dates.map((text) => dateIn(text, today)),
      ['1992', '1992-05', undefined, undefined, undefined],
    );
    assert.deepEqual(
      dates.map((text) => dateIn(text, read('v0.28.1'))),
      dates.map(() => undefined),
    );
  });

  it('reads whether somebody is circumcised in the words of the release, which may have none', () => {
    assert.deepEqual(
      ['Cut', 'uncut', 'x'].map((text) => circumcised(text, today)),
      ['CUT', 'UNCUT', undefined],
    );
    assert.equal(circumcised('Cut', old), undefined);
    assert.equal(circumcised('Cut', next), 'CUT');
  });

  describe('a career, of which a server since v0.31 holds the start and the end,', () => {
    const years = { career_start: '2012', career_end: '2020' };
    for (const [text, input] of [
      ['2012 - 2020', years],
      ['2012–2020', years],
      ['2012-', { career_start: '2012' }],
      ['2012 - present', { career_start: '2012' }],
      ['- 2020', { career_end: '2020' }],
      ['2012', { career_start: '2012' }],
    ] as const) {
      it(`is read from its length: ${text}`, () => {
        const { input: sent, changed } = change(undefined, { career_length: text }, 'fill', next);
        assert.deepEqual([sent, changed], [input, ['career_length']]);
      });
    }

    it('is unusable if no year can be read, because the server would refuse everything', () => {
      for (const text of ['eight years', '-', 'since 2012', '2012 - 2020 (retired)']) {
        const { input, unusable } = change(undefined, { career_length: text }, 'fill', next);
        assert.deepEqual([input, unusable], [{}, ['career_length']], text);
      }
    });

    it('does not change if its years are the same', () => {
      const stored = { career_start: '2012-05', career_end: '2020-01-31', career_length: '2012 - 2020' };
      for (const existing of ['fill', 'replace'] as const) {
        assert.deepEqual(change(stored, { career_length: '2012-2020' }, existing, next).changed, []);
      }
    });

    it('is filled in where it is unknown, or replaced', () => {
      const stored = { career_start: '2010', career_end: null };
      const given = { career_length: '2012 - 2020' };
      assert.deepEqual(change(stored, given, 'fill', next).input, { career_end: '2020' });
      assert.deepEqual(change(stored, given, 'replace', next).input, years);
    });

    it('is written as it is given, before its length', () => {
      const given = { career_length: '1999 - 2020', career_start: '2012-05' };
      assert.deepEqual(change(undefined, given, 'fill', next), {
        input: { career_start: '2012-05', career_end: '2020' },
        changed: ['career_length', 'career_start'],
        missing: [],
        unusable: [],
        kept: [],
      });
    });

    it('has only a length on older servers', () => {
      const given = { career_length: '2012–2020', career_start: '2012', career_end: '2020' };
      const { input, missing } = change(undefined, given);
      assert.deepEqual([input, missing], [{ career_length: '2012–2020' }, ['career_start', 'career_end']]);
    });
  });

  it('reads a gender in the words of sites', () => {
    const texts = ['Female', 'm', 'Transgender Female', 'trans woman', 'non - binary', 'Non Binary', 'x'];
    assert.deepEqual(
      texts.map((text) => gender(text, today)),
      [
        ...['FEMALE', 'MALE', 'TRANSGENDER_FEMALE', 'TRANSGENDER_FEMALE', 'NON_BINARY', 'NON_BINARY'],
        undefined,
      ],
    );
  });
});
