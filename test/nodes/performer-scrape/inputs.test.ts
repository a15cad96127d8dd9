import assert from 'node:assert/strict';
import { performer } from '../../../nodes/performer-scrape/inputs';
import type { ErrorCase } from '../../../src/errors';
import type { Config } from '../../../src/flow/inputs';
import type { WantedPerformer } from '../../../src/operations/performers/scrape';

describe('A typed input for a performer', () => {
  const property = performer('performer', { value: 'payload', type: 'msg' });

  async function read(result: unknown, config: Config = {}): Promise<WantedPerformer> {
    return await property.read(config, () => Promise.resolve(result));
  }

  const url = 'https://performers.example/robin-vale';
  const good: [what: string, result: unknown, named: WantedPerformer][] = [
    ['a name', ' Robin Vale\n', 'Robin Vale'],
    ['a list of one name', ['Robin Vale '], 'Robin Vale'],
    ['an object with a name', { name: ' Robin Vale' }, { name: 'Robin Vale' }],
    ['an address', { name: 'Robin Vale', url: ` ${url} ` }, { name: 'Robin Vale', url }],
    ['a score', { name: 'Robin Vale', score: 0 }, { name: 'Robin Vale', score: 0 }],
    [
      'all that a node gave',
      { name: 'Robin Vale', url, country: 'CA', aliases: 'Wren', score: 0.95, reason: 'alias' },
      { name: 'Robin Vale', url, score: 0.95 },
    ],
    ['a list of one candidate', [{ name: 'Robin Vale', url }], { name: 'Robin Vale', url }],
    [
      'an address and a score of other types',
      { name: 'Robin Vale', url: 42, score: '1', fields: ['name'], source: 'films' },
      { name: 'Robin Vale' },
    ],
    ['an empty address', { name: 'Robin Vale', url: ' ', score: null }, { name: 'Robin Vale' }],
  ];
  for (const [what, result, named] of good) {
    it(`accepts ${what}`, async () => {
      assert.deepEqual(await read(result), named);
    });
  }

  const wrong: [what: string, result: unknown, error: ErrorCase][] = [
    ['nothing', undefined, 'BAD_INPUT.empty'],
    ['null', null, 'BAD_INPUT.empty'],
    ['an empty text', '', 'BAD_INPUT.empty'],
    ['blanks', ' \t\r\n\u00a0', 'BAD_INPUT.empty'],
    ['invisible characters', '\u200b \u00ad', 'BAD_INPUT.empty'],
    ['an empty list', [], 'BAD_INPUT.empty'],
    ['a list of nothing', [null], 'BAD_INPUT.empty'],
    ['a list of a hole', new Array(1), 'BAD_INPUT.empty'],
    ['a list of an empty text', [' '], 'BAD_INPUT.empty'],
    ['an object with an empty name', { name: ' ', url }, 'BAD_INPUT.empty'],
    ['an empty object', {}, 'BAD_INPUT.notPerformer'],
    ['an object without a name', { url, score: 1 }, 'BAD_INPUT.notPerformer'],
    ['an object whose name is no text', { name: ['Robin Vale'] }, 'BAD_INPUT.notPerformer'],
    ['a list of an empty object', [{}], 'BAD_INPUT.notPerformer'],
    ['a list within a list', [['Robin Vale']], 'BAD_INPUT.notPerformer'],
    ['a number', 42, 'BAD_INPUT.notPerformer'],
    ['false', false, 'BAD_INPUT.notPerformer'],
    ['a buffer', Buffer.from('Robin Vale'), 'BAD_INPUT.notPerformer'],
  ];
  for (const [what, result, error] of wrong) {
    it(`that evaluates to ${what} leads to BAD_INPUT`, async () => {
      await assert.rejects(read(result), {
        name: 'StashError',
        case: error,
        details: { property: 'performer', source: 'msg.payload' },
      });
    });
  }

  it('that evaluates to a longer list leads to BAD_INPUT, with the length', async () => {
    for (const list of [['Robin Vale', 'Hana Mori'], [{ name: 'Robin Vale' }, null], new Array(2)]) {
      await assert.rejects(read(list), {
        case: 'BAD_INPUT.tooMany',
        details: { property: 'performer', source: 'msg.payload', count: 2 },
      });
    }
  });
});
