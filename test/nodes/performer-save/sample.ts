import assert from 'node:assert/strict';
import { type SaveInput, savePerformer } from '../../../src/operations/performers/save';
import { words } from '../../support/words';
import { type Ask, releaseColumn, type Sample } from '../../support/sample';
import { loseAnswer } from '../../fake-stash/faults';

/** What performer scrape gives. */
const SCRAPED = {
  name: 'Robin Vale',
  url: 'https://performers.example/robin-vale',
  twitter: 'https://twitter.com/robinvale',
  instagram: 'https://instagram.com/robinvale',
  birthdate: '1990-04-12',
  ethnicity: 'Caucasian',
  country: 'CA',
  eye_color: 'Green',
  height: '172',
  measurements: '90-65-92',
  fake_tits: 'No',
  career_length: '2012 - 2020',
  tattoos: 'A swallow on the left wrist',
  piercings: null,
  aliases: 'Robin V, Robyn Vale',
};

/** All other fields. */
const FURTHER = {
  disambiguation: 'text',
  gender: 'Female',
  death_date: '2020-01-02',
  hair_color: 'Black',
  weight: '55',
  penis_length: '17',
  circumcised: 'Cut',
  details: 'text',
  urls: ['https://a.example/1', 'https://twitter.com/a'],
  aliases: ['a', 'b'],
};

const save: Ask<SaveInput> = (server, call, input) => {
  const saving = savePerformer(server.asServer, input, call);
  return server.understands('findPerformers', saving, 'findPerformer');
};

export const sample: Sample = {
  readme: 'adds a performer to Stash, or fills in what is missing',
  // The interface document has no performers of the library.
  asDragged: { code: 'UNSUPPORTED' },
  releases: {
    'performer save': releaseColumn('stash-performer-save', {
      ways: [{ properties: {}, msg: { payload: SCRAPED } }],
      holds: ({ payload }, { people }) => {
        const { id, created, changed } = payload as { id: string; created: boolean; changed: string[] };
        const given = Object.entries(SCRAPED).filter(([, value]) => value !== null);
        assert.deepEqual([id, created], [people.all.at(-1)?.id, true]);
        assert.deepEqual([...changed].sort(), given.map(([name]) => name).sort());
      },
    }),
  },
  documents: {
    'performer save, of a performer by name, alias and id, and of a new one': async (server, call) => {
      const known = { ...SCRAPED, ...FURTHER, piercings: 'text' };
      for (const who of [{ name: 'text' }, { name: 'new' }, { name: 'text', id: '1' }]) {
        for (const existing of ['fill', 'replace', 'keep'] as const) {
          await save(server, call, { performer: { ...known, ...who }, existing });
        }
      }
    },
  },
  messages: {
    created: ({ ask }) => ask({}, { payload: { name: 'Robin Vale', country: 'CA' } }),
    'found, and left as it is': async ({ stash, ask }) => {
      stash.people.add({ name: 'Robin Vale' });
      return await ask({ existing: 'keep' }, { payload: 'Robin Vale' });
    },
    'created, after a lost answer': async ({ stash, ask }) => {
      stash.answerWith(loseAnswer, { field: 'performerCreate', times: 1 });
      return await ask({}, { payload: 'Robin Vale' });
    },
    AMBIGUOUS: async ({ stash, ask }) => {
      const details = { country: 'US', urls: ['https://a.example'] };
      stash.people.add({ name: 'Robin Vale', ...details });
      stash.people.add({ name: 'Robin Vale', disambiguation: 'singer', alias_list: ['A'] });
      return await ask({}, { payload: { name: 'Robin Vale', country: 'CA' } });
    },
  },
  byHand: {
    mistake: async (dialog) => {
      await dialog.chooseType('performer', 'JSON');
      for (const wrong of ['{"country": "CA"}', '["Robin Vale", "Amara Osei"]', '""']) {
        await dialog.typeValue('performer', wrong);
        await dialog.tells('performer', words('performer-save', 'invalid.performer'));
      }
      for (const right of ['{"name": "Robin Vale"}', '{"id": 12, "country": "CA"}', '["Robin Vale"]']) {
        await dialog.typeValue('performer', right);
        await dialog.isSilent('performer');
      }
      await dialog.chooseType('performer', 'msg.');
      await dialog.typeValue('performer', '');
      await dialog.tells('performer', words('server', 'invalid.property', { type: 'msg' }));
    },
    correct: async (dialog) => {
      await dialog.choose('existing', words('performer-save', 'existing.replace'));
      await dialog.typeValue('performer', 'payload.name');
    },
    kept: { performer: 'payload.name', existing: 'replace' },
    shown: { existing: words('performer-save', 'existing.replace') },
    answers: [{ payload: /id: "1", created: true/, summary: /Robin Vale added to home\./ }],
    status: /^added$/,
  },
  states: [{ performer: ['str', ''] }, { performer: ['performer', ''] }],
};
