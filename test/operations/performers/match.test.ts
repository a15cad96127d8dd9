import assert from 'node:assert/strict';
import type { ListedPerformer } from '../../../src/operations/performers/list';
import {
  bestFirst,
  type Candidate,
  fitting,
  type MatchReason,
  rate,
} from '../../../src/operations/performers/match';
import { aliasesOf, isSameSet, normalized, tidy } from '../../../src/operations/items/names';

/** Returns how a listed name with these aliases matches. */
function fit(query: string, name: string, aliases?: string): Pick<Candidate, 'score' | 'reason'> {
  const [candidate] = rate(query, [{ name, ...(aliases !== undefined && { aliases }) }]);
  assert.ok(candidate);
  const { score, reason } = candidate;
  return { score, reason };
}

describe('A name in the list', () => {
  const same: [what: string, query: string, name: string][] = [
    ['letter by letter', 'Robin Vale', 'Robin Vale'],
    ['in another letter case', 'rOBIN vALE', 'Robin Vale'],
    ['with an accent that is a character of its own', 'Zoe\u0308', 'Zoë'],
    ['with the accent in one character', 'Zoë', 'Zoe\u0308'],
    ['with a capital of such a letter', 'ZOE\u0308', 'zoë'],
    ['with two accents in another order', 'a\u0323\u0302', 'a\u0302\u0323'],
    ['with ß as SS', 'GROSS', 'Groß'],
    ['with a capital ß', 'GROẞ', 'groß'],
    ['with the sigma at the end of a word', 'Οδυσσευς', 'ΟΔΥΣΣΕΥΣ'],
    ['with the sigma of the middle of a word at its end', 'Οδυσσευσ', 'Οδυσσευς'],
    ['with a ligature', 'Griﬃth', 'Griffith'],
    ['in wide letters', 'Ｈａｎａ　Ｍｏｒｉ', 'Hana Mori'],
    ['in narrow letters', 'ﾊﾅ', 'ハナ'],
    ['with a no-break space', 'Robin\u00a0Vale', 'Robin Vale'],
    ['with a narrow no-break space', 'Robin\u202fVale', 'Robin Vale'],
    ['with several spaces, tabs and line breaks', '\tRobin \r\n  Vale ', 'Robin Vale'],
    ['with a soft hyphen', 'Val\u00adentine', 'Valentine'],
    ['with zero-width characters', '\ufeffRobin\u200b Vale\u2060', 'Robin Vale'],
    ['with direction marks', '\u200eRobin Vale\u200f', 'Robin Vale'],
    ['with joiners', 'Robin\u200d Vale\u200c', 'Robin Vale'],
    ['with a variant of a character', '葛\u{e0100}城', '葛城'],
    ['with half a surrogate pair', 'Robin \ud800', 'ROBIN \ud800'],
  ];
  for (const [what, query, name] of same) {
    it(`matches ${what}`, () => {
      assert.deepEqual(fit(query, name), { score: 1, reason: 'name' });
      assert.deepEqual(fit(name, query), { score: 1, reason: 'name' });
    });
  }

  const aliases: [what: string, query: string, aliases: string][] = [
    ['alone', 'Flora', 'Flora'],
    ['among others, between commas', 'Flora', 'H. Mori, Flora, Mori'],
    ['between semicolons', 'Mori Flora', 'H. Mori; Mori Flora; x'],
    ['on separate lines', 'Flora', 'H. Mori\r\nFlora\r\n'],
    ['between commas of another script', '森', '花，森、花子'],
    ['in another letter case', 'flora', 'H. Mori,FLORA'],
  ];
  for (const [what, query, others] of aliases) {
    it(`matches by an alias: ${what}`, () => {
      assert.deepEqual(fit(query, 'Hana Mori', others), { score: 0.95, reason: 'alias' });
    });
  }

  const others: [what: string, query: string, name: string, reason: MatchReason, aliases?: string][] = [
    ['contains all words of the query', 'Robin', 'Robin Vale', 'part'],
    ['is a part of the query', 'Robin Ann Vale', 'Robin Vale', 'part'],
    ['has the same words in another order', 'Vale Robin', 'Robin Vale', 'part'],
    ['has the same words with a hyphen', 'Anne Marie', 'Anne-Marie Lake', 'part'],
    ['has an alias that contains all words of the query', 'Flora', 'Hana Mori', 'part', 'Flora Mori'],
    ['differs in one letter', 'Robyn Vale', 'Robin Vale', 'similar'],
    ['has accents', 'Zoe Lindstrom', 'Zoë Lindström', 'similar'],
    ['has a dot', 'R Vale', 'R. Valé', 'similar'],
    ['has a similar alias', 'Flora Morin', 'Hana', 'similar', 'Flora Mori'],
    ['is another name', 'Val', 'Robin Vale', 'listed'],
    ['has nothing in common', 'x', 'Robin Vale', 'listed'],
    ['has no letters', 'Robin', '???', 'listed'],
    ['has no letters either', '!!!', '???', 'listed'],
    ['has an alias that only begins like the query', 'Flora', 'Hana', 'listed', 'Floralie Morinaga'],
  ];
  for (const [what, query, name, reason, alias] of others) {
    it(`that ${what} has the reason "${reason}"`, () => {
      const found = fit(query, name, alias);
      assert.equal(found.reason, reason);
      assert.ok(found.score >= 0 && found.score <= 0.9, String(found.score));
    });
  }

  it('has a higher score if it is more similar', () => {
    const names = ['Robin Vale', 'Vale Robin', 'Robyn Vale', 'Robin', 'Robin Valentine', 'Hana Mori'];
    const scores = names.map((name) => fit('robin vale', name).score);
    assert.deepEqual(scores, [1, 0.79, 0.68, 0.6, 0.69, 0]);
  });

  it('loses no score because of accents, spaces and dots', () => {
    for (const name of ['Zoë Lindström', 'Zoe Lind-Strom', 'zoelindstrom']) {
      assert.equal(fit('Zoe Lindstrom', name).score, 0.9);
    }
  });

  it('scores symmetrically, counting each pair of letters once', () => {
    for (const [one, other] of [
      ['Ananana', 'Ana'],
      ['Ana', 'Ananana'],
    ] as const) {
      assert.equal(fit(one, other).score, 0.45);
    }
  });
});

describe('The names of a list', () => {
  const listed: ListedPerformer[] = [
    { name: 'Hana Mori', aliases: 'Robin' },
    { name: 'Robin Vale', url: 'https://performers.example/1' },
    { name: 'Robin', country: 'CA' },
    { name: 'robin', country: 'FR' },
  ];

  it('keep their order and their details', () => {
    assert.deepEqual(rate('Robin', listed), [
      { name: 'Hana Mori', aliases: 'Robin', score: 0.95, reason: 'alias' },
      { name: 'Robin Vale', url: 'https://performers.example/1', score: 0.6, reason: 'part' },
      { name: 'Robin', country: 'CA', score: 1, reason: 'name' },
      { name: 'robin', country: 'FR', score: 1, reason: 'name' },
    ]);
  });

  it('are sorted best first, ties in the order of the list', () => {
    const sorted = bestFirst(rate('Robin', listed));
    assert.deepEqual(
      sorted.map(({ name }) => name),
      ['Robin', 'robin', 'Hana Mori', 'Robin Vale'],
    );
  });

  it('match by name, or by alias if no name matches', () => {
    const fits = (query: string) => fitting(rate(query, listed)).map(({ name }) => name);
    assert.deepEqual(fits('Robin'), ['Robin', 'robin']);
    assert.deepEqual(fits('robin vale'), ['Robin Vale']);
    assert.deepEqual(fits('Vale'), []);
    assert.deepEqual(
      fitting(rate('Robin', listed.slice(0, 2))).map(({ name }) => name),
      ['Hana Mori'],
    );
  });

  it('may be many and long', () => {
    const aliases = Array.from({ length: 1000 }, (_, index) => `Alias ${index}`).join(', ');
    const many = Array.from({ length: 2000 }, (_, index) => ({ name: `Robin Vale ${index}` }));
    const rated = rate('Alias 999', [{ name: 'x'.repeat(1_000_000), aliases }, ...many]);
    assert.equal(rated[0]?.reason, 'alias');
    assert.equal(rated.length, 2001);
  });

  for (const [what, query, name] of [
    ['a name', 'Robin Vale', 'Robin Vale '.repeat(100_000)],
    ['the query', 'Robin Vale '.repeat(100_000), 'Robin Vale'],
  ] as const) {
    it(`are only compared for equality if ${what} is huge`, () => {
      const rated = rate(
        query,
        Array.from({ length: 10 }, () => ({ name })),
      );
      assert.deepEqual(
        new Set(rated.map(({ score, reason }) => `${score} ${reason}`)),
        new Set(['0 listed']),
      );
      assert.deepEqual(rate(name, [{ name }])[0]?.reason, 'name');
    });
  }

  describe('are rated within half a second', () => {
    const SIZE = 4 * 2 ** 20;
    const fill = (text: string) => text.repeat(SIZE / Buffer.byteLength(text));

    /** Returns the processor time of rating a list, in milliseconds. */
    function busy(name: string, listed: readonly ListedPerformer[]): number {
      const start = process.cpuUsage();
      rate(name, listed);
      const { user, system } = process.cpuUsage(start);
      return (user + system) / 1000;
    }

    for (const [what, aliases] of [
      ['short aliases', fill('Ro,')],
      ['different aliases', Array.from({ length: SIZE / 8 }, (_, index) => `Ro${index}`).join(',')],
      ['aliases of many words', fill(`${'a b '.repeat(20)},`)],
      ['characters that expand to many', fill('\ufdfa,')],
      ['accents to reorder', `a${fill('\u0301\u0323')}`],
      ['accents to reorder in many aliases', fill(`a${'\u0301\u0323'.repeat(99)},`)],
      ['spaces', fill(' ')],
      ['invisible characters', fill('\u00ad')],
    ] as const) {
      for (const [which, name] of [
        ['a short name', 'Robin'],
        ['a long name', 'Robin Vale '.repeat(18).trim()],
      ] as const) {
        it(`with 4 MiB of ${what} and ${which}`, () => {
          const time = busy(name, [{ name: 'x', aliases }]);
          assert.ok(time < 500, `${time} ms`);
        });
      }
    }

    it('with many aliases of many performers', () => {
      const listed = Array.from({ length: 2000 }, (_, index) => ({
        name: `Ro${index}`,
        aliases: Array.from({ length: 200 }, (_, other) => `R${index * other}`).join(','),
      }));
      const time = busy('Robin', listed);
      assert.ok(time < 500, `${time} ms`);
    });

    it('for a name of 4 MiB', () => {
      const time = busy(`a${fill('\u0301\u0323')}`, [{ name: 'Robin', aliases: 'Ro, Bin' }]);
      assert.ok(time < 500, `${time} ms`);
    });
  });

  it('match by an alias after many others, but not by one that is cut off', () => {
    const many = Array.from({ length: 1500 }, (_, index) => `Alias ${index}`).join(', ');
    assert.deepEqual(fit('Flora', 'Hana', `${many}, Flora`), { score: 0.95, reason: 'alias' });
    const cut = `${'x'.repeat(19_993)}, Flora Mori`;
    assert.notEqual(fit('Flora', 'Hana', cut).reason, 'alias');
  });
});

describe('A name', () => {
  it('is left as it is if it is longer than a name can be', () => {
    for (const clean of [tidy, normalized]) {
      assert.equal(clean(`a  b${'c'.repeat(197)}`), `a  b${'c'.repeat(197)}`);
      assert.equal(clean(`1  2${'3'.repeat(196)}`), `1 2${'3'.repeat(196)}`);
    }
  });

  it('is one of a text with several, which may have empty ones', () => {
    assert.deepEqual(aliasesOf(' Wren,, Robyn Vale ;\r\nR；'), ['Wren', 'Robyn Vale', 'R']);
  });

  it('is in the same set only with the same others, in any order', () => {
    assert.ok(isSameSet(['a', 'b'], ['b', 'a', 'a']));
    assert.ok(!isSameSet(['a', 'b'], ['a', 'c']));
    assert.ok(!isSameSet(['a', 'b'], ['a']));
  });
});
