import assert from 'node:assert/strict';
import { buildSchema } from 'graphql';
import * as library from 'graphql-language-service';
import { schemaOf } from '../fake-stash/schema';
import { DocumentHelp } from '../../src/graphql/document-help';

const help = new DocumentHelp(library, schemaOf('v0.30.1').schema);
/** For a server without introspection. */
const withoutSchema = new DocumentHelp(library, null);

describe('While a document is typed', () => {
  it('its mistakes are known, each with its place', () => {
    assert.deepEqual(help.mistakes('{ version { version } }'), []);
    assert.deepEqual(help.mistakes('{ version {\n  versio } }'), [
      {
        text: 'Cannot query field "versio" on type "Version". Did you mean "version"?',
        isWarning: false,
        from: { line: 1, column: 2 },
        to: { line: 1, column: 9 },
      },
    ]);
  });

  it('the use of something deprecated is only a warning', () => {
    const [mistake, ...others] = help.mistakes('{\n  allStudios { id }\n}');

    assert.deepEqual([mistake?.isWarning, others], [true, []]);
    assert.match(mistake?.text ?? '', /allStudios is deprecated. Use findStudios instead/);
  });

  it('a mistake shows no control characters of the document', () => {
    assert.doesNotMatch(help.mistakes('{ a(b: "\u0007") }')[0]?.text ?? '', /\p{Cc}/u);
    assert.doesNotMatch(help.mistakes(`{ ${'x'.repeat(1000)} }`)[0]?.text ?? '', /x{300}/);
  });

  it('only mistakes in the syntax are known without a schema', () => {
    assert.deepEqual(withoutSchema.mistakes('{ nothing }'), []);
    assert.equal(withoutSchema.mistakes('{ nothing {').length, 1);
  });

  it('what fits at a place is known, with its type and its description', () => {
    assert.deepEqual(help.completions('{\n  allSt\n}', { line: 1, column: 7 }), [
      { label: 'allStudios', type: '[Studio!]!', description: 'All studios, by name', isDeprecated: true },
    ]);
    const atBegin = help.completions('', { line: 0, column: 0 });
    assert.deepEqual(
      atBegin.find(({ label }) => label === 'query'),
      { label: 'query', type: '', description: '', isDeprecated: false },
    );
  });

  it('what is at a place is known, as Markdown', () => {
    const text = '{\n  allStudios { id }\n}';

    assert.match(
      help.hover(text, { line: 1, column: 4 }),
      /^```graphql\nQuery\.allStudios: \[Studio!\]!\n```/,
    );
    assert.equal(help.hover('{  }', { line: 0, column: 2 }), '');
  });

  it('nothing is known about a place without a schema', () => {
    assert.deepEqual(withoutSchema.completions('{ ver', { line: 0, column: 5 }), []);
    assert.equal(withoutSchema.hover('{ version { version } }', { line: 0, column: 4 }), '');
  });

  it('only so much is sent to the editor as people read', () => {
    const fields = Array.from({ length: 600 }, (_, index) => `"${'d'.repeat(3000)}" f${index}: Int`);
    const large = new DocumentHelp(library, buildSchema(`type Query { ${fields.join('\n')} }`));
    const completions = large.completions('{  }', { line: 0, column: 2 });

    assert.equal(completions.length, 500);
    assert.equal(completions[0]?.description.length, 2000);
    assert.equal(large.hover('{ f1 }', { line: 0, column: 3 }).length, 2000);
  });

  const limits: [what: string, longest: string, tooLong: string][] = [
    ['20,000 characters', `{ a }${' '.repeat(19_995)}`, `{ a }${' '.repeat(19_996)}`],
    ['1,000 characters in a name', `{ ${'a'.repeat(1_000)} }`, `{ ${'a'.repeat(1_001)} }`],
    ['2,500 words and signs', `{ ${'a, '.repeat(2498)} }`, `{ ${'a, '.repeat(2499)} }`],
    ['60 levels of braces', `${'{a'.repeat(60)}${'}'.repeat(60)}`, `${'{a'.repeat(61)}${'}'.repeat(61)}`],
    ['60 levels of lists', `{a(b:${'['.repeat(58)}${']'.repeat(58)})}`, `{a(b:${'['.repeat(59)}`],
  ];
  for (const [what, longest, tooLong] of limits) {
    it(`nothing takes long, because a document has at most ${what}`, () => {
      const place = { line: 0, column: 2 };
      for (const ask of ['mistakes', 'completions', 'hover'] as const) {
        assert.doesNotThrow(() => help[ask](longest, place));
        assert.throws(() => help[ask](tooLong, place), { case: 'BAD_INPUT.longDocument' });
      }
    });
  }

  it('a document may have any number of fields beside each other', () => {
    assert.doesNotThrow(() => help.mistakes(`{ ${'a(b: [{}]) { c } '.repeat(100)} }`));
  });
});
