import assert from 'node:assert/strict';
import { servers } from './client';

const CREATE = 'mutation ($input: PerformerCreateInput!) { performerCreate(input: $input) { id name } }';
const UPDATE = 'mutation ($input: PerformerUpdateInput!) { performerUpdate(input: $input) { id } }';
const FIND = `query ($performer_filter: PerformerFilterType) {
  findPerformers(performer_filter: $performer_filter) { count performers { id } }
}`;

describe('Fake server: performers of the library', () => {
  const start = servers();

  for (const [release, exactly, otherCase] of [
    ['v0.11.0', 'UNIQUE constraint failed: performers.checksum', undefined],
    ['v0.23.1', 'UNIQUE constraint failed: performers.name', undefined],
    [
      'v0.30.1',
      "performer with name 'Jane Doe' already exists",
      "performer with name 'jane doe' already exists",
    ],
  ] as const) {
    it(`${release} refuses a second performer of a name${otherCase ? ' in any case' : ''}`, async () => {
      const { value, failure } = await start({ release });
      await value(CREATE, { input: { name: 'Jane Doe' } });
      assert.equal(await failure(CREATE, { input: { name: 'Jane Doe' } }), exactly);
      const again = { input: { name: 'jane doe' } };
      if (otherCase) assert.equal(await failure(CREATE, again), otherCase);
      else assert.deepEqual(await value(CREATE, again), { id: '3', name: 'jane doe' });
    });
  }

  it('v0.30.1 tells performers apart by their disambiguation', async () => {
    const { value, failure } = await start({ release: 'v0.30.1' });
    await value(CREATE, { input: { name: 'Jane Doe' } });
    await value(CREATE, { input: { name: 'Jane Doe', disambiguation: 'II' } });
    assert.equal(
      await failure(CREATE, { input: { name: 'jane doe', disambiguation: 'ii' } }),
      "performer with name 'jane doe' and disambiguation 'ii' already exists",
    );
  });

  it('v0.30.1 refuses an alias that is there, and one that is the name', async () => {
    const { value, failure } = await start({ release: 'v0.30.1' });
    await value(CREATE, { input: { name: 'Jane Doe' } });
    const refusal = await failure(UPDATE, { input: { id: '1', alias_list: ['A', 'a'] } });
    assert.equal(refusal, "performer contains duplicate alias 'a'");
    const same = await failure(UPDATE, { input: { id: '1', alias_list: ['JANE DOE'] } });
    assert.equal(same, "performer contains duplicate alias 'JANE DOE'");
  });

  it('v0.31.0 drops such aliases', async () => {
    const { value } = await start({ release: 'v0.31.0' });
    await value(CREATE, { input: { name: 'Jane Doe', alias_list: ['A', 'a', 'JANE DOE'] } });
    assert.deepEqual(await value('{ findPerformer(id: "1") { alias_list } }'), { alias_list: ['A'] });
  });

  describe('v0.31.0 derives the length of a career', () => {
    const CAREER = '{ findPerformer(id: "1") { career_start career_end career_length } }';
    for (const [given, ...expected] of [
      ['2012 - 2020', '2012', '2020', '2012 - 2020'],
      ['2012-present', '2012', null, '2012 -'],
      ['- 2020', null, '2020', '- 2020'],
      ['2012', '2012', null, '2012 -'],
    ] as const) {
      it(`from a given length: ${given}`, async () => {
        const { value } = await start({ release: 'v0.31.0' });
        await value(CREATE, { input: { name: 'Jane Doe', career_length: given } });
        assert.deepEqual(Object.values((await value(CAREER)) as object), expected);
      });
    }

    it('from its start and its end, which count before a given length', async () => {
      const { value } = await start({ release: 'v0.31.0' });
      const input = { name: 'Jane Doe', career_start: '2012-05', career_length: '1999' };
      await value(CREATE, { input });
      await value(UPDATE, { input: { id: '1', career_end: '2020-01-31' } });
      assert.deepEqual(await value(CAREER), {
        career_start: '2012-05',
        career_end: '2020-01-31',
        career_length: '2012 - 2020',
      });
    });

    it('and refuses a length that is none', async () => {
      const { failure } = await start({ release: 'v0.31.0' });
      const input = { name: 'Jane Doe', career_length: 'eight years' };
      assert.equal(await failure(CREATE, { input }), 'could not parse career_length "eight years"');
    });
  });

  for (const [release, expected] of [
    ['v0.11.0', null],
    ['v0.25.1', 'converting birthdate: ParseDateStringAsTime failed: dateString <1990>'],
    ['v0.30.1', '1990'],
  ] as const) {
    it(`${release} ${expected === null ? 'drops' : expected === '1990' ? 'keeps' : 'refuses'} a year as a birthdate`, async () => {
      const { value, failure } = await start({ release });
      const input = { name: 'Jane Doe', birthdate: '1990' };
      if (expected !== null && expected !== '1990') assert.equal(await failure(CREATE, { input }), expected);
      else {
        await value(CREATE, { input });
        assert.deepEqual(await value('{ findPerformer(id: "1") { birthdate } }'), { birthdate: expected });
      }
    });
  }

  for (const [release, expected] of [
    ['v0.11.0', null],
    ['v0.25.1', ''],
  ] as const) {
    it(`${release} gives ${JSON.stringify(expected)} for an unknown text`, async () => {
      const { value } = await start({ release });
      await value(CREATE, { input: { name: 'Jane Doe' } });
      assert.deepEqual(await value('{ findPerformer(id: "1") { country } }'), { country: expected });
    });
  }

  it('finds names and aliases by a regular expression without the case of any letter', async () => {
    const { value } = await start({ release: 'v0.30.1' });
    await value(CREATE, { input: { name: 'Élise Test', alias_list: ['Lis B'] } });
    const find = async (field: 'name' | 'aliases', pattern: string) => {
      const criterion = { value: pattern, modifier: 'MATCHES_REGEX' };
      const found = await value(FIND, { performer_filter: { [field]: criterion } });
      return (found as { count: number }).count;
    };
    assert.equal(await find('name', '(?i)^ÉLISE[\\s\\p{Z}]+test$'), 1);
    assert.equal(await find('name', '^ÉLISE'), 0);
    assert.equal(await find('aliases', '(?i)^lis b$'), 1);
  });

  it('says that a performer is unknown', async () => {
    const { value, failure } = await start({ release: 'v0.30.1' });
    assert.equal(await value('{ findPerformer(id: "9") { id } }'), null);
    assert.equal(await failure(UPDATE, { input: { id: '9' } }), 'performer with id 9 not found');
    const wrong = await failure('{ findPerformer(id: "x") { id } }');
    assert.equal(wrong, 'strconv.Atoi: parsing "x": invalid syntax');
  });

  it('v0.30.1 derives the addresses of single sites from the list', async () => {
    const { value } = await start({ release: 'v0.30.1' });
    const urls = ['https://a.example', 'https://instagram.com/jane', 'https://twitter.com/jane'];
    await value(CREATE, { input: { name: 'Jane Doe', urls } });
    assert.deepEqual(await value('{ findPerformer(id: "1") { url twitter instagram } }'), {
      url: 'https://a.example',
      twitter: 'https://twitter.com/jane',
      instagram: 'https://instagram.com/jane',
    });
  });
});
