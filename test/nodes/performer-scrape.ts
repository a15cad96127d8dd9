import assert from 'node:assert/strict';
import { words } from '../flow/words';
import { noField, someFields } from '../browser/fields';
import { releaseColumn, forEachSource, type Sample } from '../support/sample';
import { performerFields, scrapePerformer } from '../../src/operations/scrape-performer';

export const sample: Sample = {
  readme: {
    does: 'looks up the attributes of one performer there',
    payload: 'an object; on the second output candidates, best first',
  },
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
        assert.deepEqual([...Object.keys(scraped.performer), ...scraped.missing], [...fields]);
      }
    }
  }),
  byHand: {
    mistake: async (dialog) => {
      await dialog.chooseType('performer', 'JSON');
      for (const wrong of ['{}', '["Robin Vale", "Amara Osei"]', '""']) {
        await dialog.typeValue('performer', wrong);
        await dialog.text(words('performer-scrape', 'invalid.performer')).waitFor();
      }
      for (const right of ['{"name": "Robin Vale", "url": "https://x.example"}', '["Robin Vale"]']) {
        await dialog.typeValue('performer', right);
        await dialog.text(words('performer-scrape', 'invalid.performer')).waitFor({ state: 'hidden' });
      }
      await noField(dialog);
      await dialog.type('listMaxAge', 'long');
      await dialog.tells('listMaxAge', words('performer-scrape', 'invalid.listMaxAge'));
      await dialog.chooseType('performer', 'msg.');
      // The last one: Tab takes the first property that the editor suggests.
      await dialog.typeValue('performer', '');
      await dialog.tells('performer', words('performer-scrape', 'invalid.performer'));
    },
    reasons: ['invalid.performer', 'invalid.fields', 'invalid.listMaxAge'].map((reason) =>
      words('performer-scrape', reason),
    ),
    correct: async (dialog) => {
      await someFields(dialog, ['name', 'country']);
      await dialog.type('listMaxAge', '0.5');
      await dialog.typeValue('performer', 'payload.name');
    },
    kept: {
      performer: 'payload.name',
      performerType: 'msg',
      fields: ['name', 'country'],
      source: '',
      listMaxAge: '0.5',
    },
    answers: [
      { payload: /name: "Robin Vale", country: "CA"/, summary: /Robin Vale was found\./ },
      {
        inject: 1,
        output: 1,
        payload: /^\[ object, object \]$/,
        summary: /“Robin” is not in the site's list; 2 other names match\./,
      },
    ],
    status: /^not in the list$/,
  },
  states: [{ performer: ['str', ''], listMaxAge: '', fields: '' }],
};
