import assert from 'node:assert/strict';
import { performerFields } from '../../../src/contract/performers';
import { scrapePerformer } from '../../../src/operations/performers/scrape';
import { noField, someFields } from '../../browser/fields';
import { words } from '../../support/words';
import { forEachSource, releaseColumn, type Sample } from '../../support/sample';
import { PERFORMERS } from '../../fake-stash/performers';

export const sample: Sample = {
  readme: 'looks up the details of one performer there',
  fields: performerFields,
  releases: {
    'performer scrape': releaseColumn('stash-performer-scrape', {
      ways: [{ properties: { fields: performerFields }, msg: { payload: 'Robin Vale' } }],
      holds: ({ payload }) => {
        const { name, country } = payload as Record<string, unknown>;
        assert.deepEqual([name, country], ['Robin Vale', 'CA']);
      },
    }),
  },
  documents: forEachSource('performer scrape, each field', async (source, server, call) => {
    const url = 'https://performers.example/text';
    for (const performer of ['text', { name: 'text', score: 1 }, { name: 'text', url }]) {
      for (const fields of [performerFields, ...performerFields.map((field) => [field])]) {
        const input = { performer, fields, source, listMaxAge: 0 };
        const scraped = await scrapePerformer(server.asServer, input, call);
        assert.ok('performer' in scraped);
        assert.deepEqual([...Object.keys(scraped.performer), ...scraped.missing].sort(), [...fields].sort());
      }
    }
  }),
  messages: {
    found: ({ ask }) => ask({}, { payload: 'Robin Vale' }),
    NOT_FOUND: ({ ask }) => ask({}, { payload: 'Robin' }),
    'NOT_FOUND, without candidates': ({ ask }) => ask({}, { payload: 'nobody at all' }),
    AMBIGUOUS: async ({ stash, ask }) => {
      const twins = PERFORMERS.filter(({ name }) => name === 'Hana Mori');
      stash.site.performers = twins.flatMap((one) => [one, { ...one, name: one.name.toUpperCase() }]);
      return await ask({}, { payload: 'Hana Mori' });
    },
  },
  byHand: {
    mistake: async (dialog) => {
      await dialog.chooseType('performer', 'JSON');
      for (const wrong of ['{}', '["Robin Vale", "Amara Osei"]', '""']) {
        await dialog.typeValue('performer', wrong);
        await dialog.tells('performer', words('performer-scrape', 'invalid.performer'));
      }
      for (const right of ['{"name": "Robin Vale", "url": "https://x.example"}', '["Robin Vale"]']) {
        await dialog.typeValue('performer', right);
        await dialog.isSilent('performer');
      }
      const { fields } = await dialog.values();
      const chosen = performerFields.filter((field) => field !== 'disambiguation');
      assert.deepEqual([...(fields as string[])].sort(), [...chosen].sort());
      await noField(dialog);
      await dialog.type('listMaxAge', 'long');
      await dialog.tells('listMaxAge', words('performer-scrape', 'invalid.listMaxAge'));
      await dialog.chooseType('performer', 'msg.');
      // This is the last step, because Tab accepts the first property that the editor suggests.
      await dialog.typeValue('performer', '');
      await dialog.tells('performer', words('server', 'invalid.property', { type: 'msg' }));
    },
    reasons: [
      words('server', 'invalid.property', { type: 'msg' }),
      ...['invalid.fields', 'invalid.listMaxAge'].map((reason) => words('performer-scrape', reason)),
    ],
    correct: async (dialog) => {
      await someFields(dialog, ['name', 'country']);
      await dialog.type('listMaxAge', '0.5');
      await dialog.typeValue('performer', 'payload.name');
    },
    kept: {
      performer: 'payload.name',
      fields: ['name', 'country'],
      listMaxAge: '0.5',
    },
    answers: [
      { payload: /name: "Robin Vale", country: "CA"/, summary: /Found Robin Vale\./ },
      {
        inject: 1,
        output: 1,
        payload: /^\[ object, object \]$/,
        summary: /No exact match for “Robin”; 2 similar names\./,
      },
    ],
    status: /^no exact match$/,
  },
  states: [
    { performer: ['str', ''], listMaxAge: '', fields: '' },
    { performer: ['performer', 'Robin Vale'], source: ['msg', ''] },
  ],
};
