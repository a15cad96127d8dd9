import assert from 'node:assert/strict';
import { type SaveInput, savePerformer } from '../../../src/operations/performers/save';
import { timing } from '../../../src/timing';
import type { FakeStash } from '../../fake-stash/fake-stash';
import { cut } from '../../fake-stash/faults';

import { failure, Message, type TestServer, useServer } from '../../support/connect';

describe('A performer that is saved', () => {
  const usual = structuredClone(timing.lostSave);
  let stash: FakeStash;
  let server: TestServer;
  const connect = useServer((...both) => {
    [stash, server] = both;
  });

  afterEach(() => {
    timing.lostSave = usual;
  });

  const save = (performer: SaveInput['performer'], existing: SaveInput['existing'] = 'fill') =>
    savePerformer(server, { performer, existing }, new Message());
  /** Returns the variables of each request for a root field. */
  const sent = (field: string) =>
    stash.requests.filter(({ operation }) => operation === field).map(({ body }) => body?.variables);
  const nothing = { created: false, changed: [], missing: [], unusable: [], kept: [] };

  it('is new if nobody has the name, and gets it without extra white space', async () => {
    assert.deepEqual(await save({ name: ' Robin  Vale ', height: 'tall' }), {
      operation: 'performerCreate',
      id: '1',
      name: 'Robin Vale',
      created: true,
      changed: ['name'],
      missing: [],
      unusable: ['height'],
      kept: [],
    });
  });

  it('is not changed if it is to be kept, and nothing is said about its fields', async () => {
    stash.people.add({ name: 'Robin Vale' });
    assert.deepEqual(await save({ name: 'ROBIN VALE', height: 'tall', country: 'CA' }, 'keep'), {
      operation: 'findPerformers',
      id: '1',
      name: 'Robin Vale',
      ...nothing,
    });
  });

  it('keeps its name if only its ID is given, also to replace', async () => {
    stash.people.add({ name: 'Robin Vale', country: 'US' });
    const saved = await save({ id: '1', country: 'CA' }, 'replace');
    assert.ok('id' in saved);
    assert.deepEqual([saved.name, saved.changed], ['Robin Vale', ['country']]);
    assert.deepEqual(sent('performerUpdate'), [{ input: { id: '1', country: 'CA' } }]);
  });

  it('is found in one request for its name and one for its aliases, whatever the case and the white space', async () => {
    await save({ name: 'Zoë (Z.)  Vale' }, 'keep');
    const spelled =
      String.raw`(?:Zoë[\s\p{Z}]+\(Z\.\)[\s\p{Z}]+Vale|Zoë[\s\p{Z}]+\(Z\.\)[\s\p{Z}]+Vale)`.replace(
        '|Zoë',
        `|${'Zoë'.normalize('NFD')}`,
      );
    const filter = { per_page: -1 };
    const modifier = 'MATCHES_REGEX';
    const between = String.raw`[,;，；、\r\n]`;
    const inAliases = String.raw`(?i)(?:^|${between})\s*${spelled}\s*(?:$|${between})`;
    assert.deepEqual(sent('findPerformers'), [
      { filter, performer_filter: { name: { value: String.raw`(?i)^\s*${spelled}\s*$`, modifier } } },
      { filter, performer_filter: { aliases: { value: inAliases, modifier } } },
    ]);
  });

  it('is refused for an unknown ID, which the error names', async () => {
    const { case: found, details } = await failure(save({ id: '7', country: 'CA' }));
    assert.deepEqual([found, details], ['BAD_INPUT.noPerformer', { id: '7' }]);
  });

  for (const [release, held, candidate] of [
    [
      'v0.30.1',
      { alias_list: ['Robyn', 'R'], urls: ['https://a.example', 'https://b.example'], gender: 'FEMALE' },
      { url: 'https://a.example', gender: 'FEMALE', aliases: 'Robyn, R', score: 0.95, reason: 'alias' },
    ],
    [
      'v0.17.2',
      { aliases: 'Robyn; R', url: 'https://a.example', birthdate: '1990-04-12' },
      {
        url: 'https://a.example',
        birthdate: '1990-04-12',
        aliases: 'Robyn, R',
        score: 0.95,
        reason: 'alias',
      },
    ],
  ] as const) {
    it(`is not written if several have its alias, and they are described: ${release}`, async () => {
      await connect({ release });
      stash.people.add({ name: 'Anna', ...held });
      stash.people.add({ name: 'Bea', ...held });
      const found = await save({ name: 'Robyn', country: 'CA' });
      assert.ok('candidates' in found);
      assert.deepEqual(found.candidates, [
        { id: '1', kind: 'performer', name: 'Anna', ...candidate },
        { id: '2', kind: 'performer', name: 'Bea', ...candidate },
      ]);
      assert.ok(stash.people.all.every(({ country }) => country === undefined));
    });
  }

  describe('after a lost response', () => {
    it('is looked for as often as the time limits say, and then its state is unknown', async () => {
      timing.lostSave = { first: 1, checks: 3 };
      stash.answerWith(cut, { field: 'performerCreate' });
      assert.equal((await failure(save({ name: 'Robin Vale' }))).code, 'OUTCOME_UNKNOWN');
      // Each look asks for the name and for the alias.
      assert.equal(sent('findPerformers').length, 2 + 3 * 2);
    });

    it('is unknown if two performers have what was to be written', async () => {
      timing.lostSave = { first: 1, checks: 2 };
      stash.answerWith(
        (_request, response) => {
          for (const disambiguation of ['singer', 'actor']) {
            stash.people.add({ name: 'Robin Vale', disambiguation });
          }
          response.destroy();
        },
        { field: 'performerCreate', times: 1 },
      );
      assert.equal((await failure(save({ name: 'Robin Vale' }))).code, 'OUTCOME_UNKNOWN');
    });
  });
});
