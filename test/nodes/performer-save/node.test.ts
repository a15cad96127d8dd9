import assert from 'node:assert/strict';
import { askedWords, Flow, useFakeStash } from '../../support/flow';
import { json, send } from '../../fake-stash/answers';
import { cut, loseAnswer, silence } from '../../fake-stash/faults';
import type { FakeStash } from '../../fake-stash/fake-stash';
import { releases } from '../../fake-stash/releases';
import { timing } from '../../../src/timing';

/** How often a root field was requested. */
function count({ requests }: FakeStash, field: string): number {
  return requests.filter(({ body }) => body?.query?.includes(`${field}(`)).length;
}

function mutations(stash: FakeStash): number {
  return count(stash, 'performerCreate') + count(stash, 'performerUpdate');
}

const ROBIN = { name: 'Robin Vale', country: 'CA', height: '172', aliases: 'Wren, Robyn', piercings: null };

describe('stash-performer-save', () => {
  const stash = useFakeStash({ release: 'v0.30.1' });
  const start = (properties: object = {}) =>
    Flow.start({ type: 'stash-performer-save', properties, server: { url: stash().url } });
  const save = async (payload: unknown, properties: object = {}) =>
    await (await start(properties)).ask({ payload, topic: 'kept' });
  const person = (id: string): Readonly<Record<string, unknown>> | undefined =>
    stash().people.all.find((one) => one.id === id);
  /** Returns fields of a performer on the server. */
  const fields = (id: string, ...names: string[]) => names.map((name) => person(id)?.[name]);
  const usual = structuredClone(timing.lostSave);
  afterEach(() => {
    timing.lostSave = usual;
  });

  it('adds a performer that the server does not have', async () => {
    const { output, msg } = await save(ROBIN);

    assert.equal(output, 1);
    assert.deepEqual(msg.payload, {
      id: '1',
      created: true,
      changed: ['name', 'country', 'height', 'aliases'],
    });
    assert.equal(msg['topic'], 'kept');
    assert.equal(msg.stash?.operation, 'performerCreate');
    assert.equal(msg.stash.missing, undefined);
    assert.deepEqual(person('1'), {
      ...{ id: '1', name: 'Robin Vale', country: 'CA', height_cm: 172, alias_list: ['Wren', 'Robyn'] },
      ...{ birthdate: null, death_date: null },
    });
  });

  it('fills only empty fields of the performer with this name', async () => {
    stash().people.add({ name: 'robin  VALE', country: 'US', alias_list: ['Wren'], details: '' });
    const { msg } = await save({ ...ROBIN, details: 'Sings' });

    assert.deepEqual(msg.payload, { id: '1', created: false, changed: ['height', 'details', 'aliases'] });
    assert.equal(msg.stash?.operation, 'performerUpdate');
    assert.deepEqual(fields('1', 'name', 'country', 'height_cm', 'alias_list'), [
      'robin  VALE',
      'US',
      172,
      ['Wren', 'Robyn'],
    ]);
  });

  it('replaces the given fields if the dialog says so, but not the name by which it found the performer', async () => {
    stash().people.add({ name: 'ROBIN VALE', country: 'US', details: 'Sings' });
    const { msg } = await save(ROBIN, { existing: 'replace' });

    assert.deepEqual(msg.payload, { id: '1', created: false, changed: ['country', 'height', 'aliases'] });
    assert.deepEqual(fields('1', 'name', 'country', 'details'), ['ROBIN VALE', 'CA', 'Sings']);
  });

  it('sends no mutation if there is nothing to change', async () => {
    const flow = await start();
    await flow.ask({ payload: ROBIN });
    const { msg } = await flow.ask({ payload: ROBIN });

    assert.deepEqual(msg.payload, { id: '1', created: false, changed: [] });
    assert.equal(msg.stash?.operation, 'findPerformers');
    assert.equal(mutations(stash()), 1);
  });

  for (const [what, held, known, expected] of [
    ['it has everything', { country: 'CA' }, { country: 'CA' }, ['summary.unchanged']],
    ['there is nothing but the name', { country: 'CA' }, {}, ['summary.kept']],
    ['it has another value', { country: 'US' }, { country: 'CA' }, ['detail.kept', 'summary.nothing']],
    ['a value is not usable', {}, { height: 'tall' }, ['detail.unusable', 'summary.nothing']],
    [
      'a picture is not usable',
      {},
      { picture: Buffer.from('Not Found') },
      ['detail.notImage', 'summary.nothing'],
    ],
    [
      'a field is filled in',
      { country: 'US' },
      { country: 'CA', details: 'Sings' },
      ['detail.kept', 'summary.filled'],
    ],
  ] as const) {
    it(`says why it has not filled in all: ${what}`, async () => {
      stash().people.add({ name: 'Robin Vale', ...held });
      const { msg } = await save({ name: 'Robin Vale', ...known });
      const said = askedWords.filter(({ key }) => /^(detail|summary)\./.test(key));
      assert.deepEqual(
        said.map(({ key }) => key),
        expected,
      );
      if (expected[0] === 'summary.unchanged') assert.equal(said[0]?.values['count'], 1);
      if (expected[0] === 'detail.kept') assert.deepEqual(said[0]?.values, { fields: 'country' });
      assert.equal(msg.stash?.summary, expected.at(-1));
    });
  }

  for (const [what, known, expected] of [
    ['a site has none', { name: 'Robin Vale', picture: null }, ['detail.withoutPicture', 'summary.added']],
    ['nobody wanted one', { name: 'Robin Vale' }, ['summary.added']],
  ] as const) {
    it(`says of a new performer whether a picture was not there: ${what}`, async () => {
      await save(known);
      const said = askedWords.filter(({ key }) => /^(detail|summary)\./.test(key));
      assert.deepEqual(
        said.map(({ key }) => key),
        expected,
      );
    });
  }

  it('finds a performer by its alias if nobody has the name', async () => {
    stash().people.add({ name: 'Robin Vale', alias_list: ['The Wren', 'Élise'] });
    const { msg } = await save({ name: 'ÉLISE', country: 'CA' });

    assert.deepEqual(msg.payload, { id: '1', created: false, changed: ['country'] });
    assert.equal(person('1')?.['name'], 'Robin Vale');
  });

  it('prefers a name to an alias', async () => {
    stash().people.add({ name: 'Wren', alias_list: ['Robin Vale'] });
    stash().people.add({ name: 'Robin Vale' });
    const { msg } = await save({ name: 'Robin Vale', country: 'CA' });

    assert.deepEqual(msg.payload, { id: '2', created: false, changed: ['country'] });
  });

  it('finds a name in the other form of Unicode', async () => {
    stash().people.add({ name: 'Amélie'.normalize('NFD') });
    const { msg } = await save({ name: 'Amélie'.normalize('NFC'), country: 'FR' });

    assert.deepEqual(msg.payload, { id: '1', created: false, changed: ['country'] });
  });

  it('takes the characters of a name as they are', async () => {
    stash().people.add({ name: 'Mr. (X)' });
    stash().people.add({ name: 'MrY X' });
    const { msg } = await save({ name: 'Mr. (X)', country: 'CA' });

    assert.deepEqual(msg.payload, { id: '1', created: false, changed: ['country'] });
  });

  it('writes nothing if several fit, and sends them to the second output', async () => {
    stash().people.add({
      name: 'Robin Vale',
      country: 'US',
      urls: ['https://a.example', 'https://b.example'],
    });
    stash().people.add({ name: 'Robin Vale', disambiguation: 'singer', alias_list: ['A', 'B'] });
    const { output, msg } = await save(ROBIN);

    const robin = { kind: 'performer', name: 'Robin Vale', score: 1, reason: 'name' };
    assert.equal(output, 2);
    assert.deepEqual(msg.payload, [
      { ...robin, id: '1', url: 'https://a.example', country: 'US' },
      { ...robin, id: '2', disambiguation: 'singer', aliases: 'A, B' },
    ]);
    assert.equal(msg.stash?.reason, 'AMBIGUOUS');
    assert.deepEqual(msg.stash['performer'], {
      ...{ name: 'Robin Vale', country: 'CA', height: '172', aliases: ['Wren', 'Robyn'] },
    });
    assert.equal(mutations(stash()), 0);
  });

  it('saves the performer with the id of a candidate', async () => {
    stash().people.add({ name: 'Robin Vale' });
    stash().people.add({ name: 'Robin Vale', disambiguation: 'singer' });
    const flow = await start();
    const { msg } = await flow.ask({ payload: ROBIN });
    const { msg: second } = await flow.ask({ payload: { ...(msg.stash?.['performer'] as object), id: '2' } });

    assert.deepEqual(second.payload, { id: '2', created: false, changed: ['country', 'height', 'aliases'] });
    assert.equal(person('1')?.['country'], undefined);
  });

  it('renames a performer only by its id, and only to replace', async () => {
    stash().people.add({ name: 'Robin' });
    const flow = await start({ existing: 'replace' });
    const { msg } = await flow.ask({ payload: { id: 1, name: 'Robin Vale' } });

    assert.deepEqual(msg.payload, { id: '1', created: false, changed: ['name'] });
    assert.equal(person('1')?.['name'], 'Robin Vale');
  });

  it('tells performers of the same name apart by a given disambiguation', async () => {
    stash().people.add({ name: 'Robin Vale' });
    stash().people.add({ name: 'Robin Vale', disambiguation: 'Singer' });
    const flow = await start();
    const { msg } = await flow.ask({ payload: { ...ROBIN, disambiguation: 'singer' } });
    const { msg: other } = await flow.ask({ payload: { ...ROBIN, disambiguation: 'actor' } });

    assert.equal((msg.payload as { id: string }).id, '2');
    assert.deepEqual(other.payload, {
      ...{ id: '3', created: true },
      changed: ['name', 'disambiguation', 'country', 'height', 'aliases'],
    });
  });

  it('names values that Stash would not understand', async () => {
    const { msg } = await save({ name: 'Robin Vale', height: 'tall', birthdate: 'spring' });

    assert.deepEqual(msg.payload, { id: '1', created: true, changed: ['name'] });
    assert.deepEqual(msg.stash?.['unusable'], ['birthdate', 'height']);
  });

  it('creates a performer once if twenty messages about it arrive at once', async () => {
    const flow = await start();
    const ids = Array.from({ length: 20 }, () => flow.send({ payload: ROBIN }));
    await flow.until(() => ids.every((id) => flow.hasEnded(id)));

    assert.equal(stash().people.all.length, 1);
    assert.equal(mutations(stash()), 1);
    const created = ids.filter((id) => (flow.endOf(id).msg.payload as { created: boolean }).created);
    assert.equal(created.length, 1);
  });

  it('fills a performer that somebody else has added since the look', async () => {
    stash().answerWith(
      async (request, response, _body, execute) => {
        stash().people.add({ name: 'Robin Vale', country: 'US' });
        send(request, response, await execute());
      },
      { field: 'performerCreate', times: 1 },
    );
    const { msg } = await save(ROBIN);

    assert.deepEqual(msg.payload, { id: '1', created: false, changed: ['height', 'aliases'] });
    assert.deepEqual([count(stash(), 'performerCreate'), count(stash(), 'performerUpdate')], [1, 1]);
  });

  it("passes on the server's error if it refuses the performer for another reason", async () => {
    stash().answerWith(json({ errors: [{ message: 'disk full' }], data: null }), {
      field: 'performerCreate',
    });
    const { msg } = await save(ROBIN);

    assert.equal(msg.error?.code, 'GRAPHQL');
    assert.equal(count(stash(), 'performerCreate'), 1);
  });

  it('lets a message with reset end the saves that wait', async () => {
    stash().answerWith(silence, { field: 'findPerformers', times: 1 });
    const flow = await start();
    const first = flow.send({ payload: ROBIN });
    await flow.until(() => count(stash(), 'findPerformers') === 1);
    const second = flow.send({ payload: 'Amara Osei' });
    flow.send({ reset: true });
    await flow.until(() => flow.isDropped(second));

    assert.ok(!flow.hasEnded(first) && !flow.isDropped(first));
    assert.deepEqual(stash().people.all, []);
  });

  describe('after a lost response', () => {
    beforeEach(() => {
      timing.lostSave = { first: 5, checks: 4 };
    });

    it('finds the new performer on the server and reports success', async () => {
      stash().answerWith(loseAnswer, { field: 'performerCreate', times: 1 });
      const { msg } = await save(ROBIN);

      assert.deepEqual(msg.payload, {
        id: '1',
        created: true,
        changed: ['name', 'country', 'height', 'aliases'],
      });
      assert.equal(msg.stash?.['adopted'], true);
      assert.equal(msg.stash.operation, 'performerCreate');
      assert.equal(count(stash(), 'performerCreate'), 1);
    });

    it('finds the changes on the server and reports success', async () => {
      stash().people.add({ name: 'Robin Vale' });
      stash().answerWith(loseAnswer, { field: 'performerUpdate', times: 1 });
      const { msg } = await save(ROBIN);

      assert.deepEqual(msg.payload, { id: '1', created: false, changed: ['country', 'height', 'aliases'] });
      assert.equal(msg.stash?.['adopted'], true);
      assert.equal(count(stash(), 'performerUpdate'), 1);
    });

    it('waits for a server that is not there at once', async () => {
      stash().answerWith(loseAnswer, { field: 'performerCreate', times: 1 });
      const flow = await start();
      const id = flow.send({ payload: ROBIN });
      await flow.until(() => count(stash(), 'performerCreate') === 1);
      // The client repeats a query once, so that this disturbs two looks.
      stash().answerWith(cut, { times: 4 });
      await flow.until(() => flow.hasEnded(id));

      assert.equal(flow.endOf(id).msg.stash?.['adopted'], true);
    });

    it('reports OUTCOME_UNKNOWN if the server has nothing of it, and sends the mutation once', async () => {
      stash().answerWith(cut, { field: 'performerCreate' });
      const { msg } = await save(ROBIN);

      assert.equal(msg.error?.code, 'OUTCOME_UNKNOWN');
      assert.equal(msg.stash?.operation, 'performerCreate');
      assert.equal(msg.stash.error?.retry, false);
      assert.equal(count(stash(), 'performerCreate'), 1);
      assert.deepEqual(stash().people.all, []);
    });

    it('reports OUTCOME_UNKNOWN if the performer that is there now has other values', async () => {
      stash().answerWith(
        (_request, response) => {
          stash().people.add({ name: 'Robin Vale', country: 'US' });
          response.destroy();
        },
        { field: 'performerCreate' },
      );
      const { msg } = await save(ROBIN);

      assert.equal(msg.error?.code, 'OUTCOME_UNKNOWN');
    });
  });
});

describe('stash-performer-save on each release:', () => {
  const all = {
    ...ROBIN,
    disambiguation: 'singer',
    gender: 'Female',
    weight: '55',
    urls: ['https://a.example'],
  };
  const named = releases.filter((release) => release !== 'documented');

  for (const release of named) {
    describe(release, () => {
      const stash = useFakeStash({ release });

      it('adds a performer, finds it again, and names what the release cannot hold', async () => {
        const flow = await Flow.start({ type: 'stash-performer-save', server: { url: stash().url } });
        const { msg } = await flow.ask({ payload: all });
        const { msg: again } = await flow.ask({ payload: all });

        const { created, changed } = msg.payload as { created: boolean; changed: string[] };
        const { minor } = stash().quirks;
        const missing = [...(minor < 19 ? ['disambiguation'] : []), ...(minor < 7 ? ['weight'] : [])];
        assert.equal(created, true);
        assert.deepEqual(msg.stash?.missing ?? [], missing);
        assert.deepEqual(
          ['name', 'country', 'gender', 'height', 'aliases'].filter((field) => !changed.includes(field)),
          [],
        );
        assert.deepEqual(again.payload, { id: '1', created: false, changed: [] });
        assert.equal(stash().people.all.length, 1);
      });
    });
  }
});
