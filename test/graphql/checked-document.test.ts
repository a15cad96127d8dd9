import assert from 'node:assert/strict';
import * as graphql from 'graphql';
import { schemaOf } from '../fake-stash/schema';
import { StashError } from '../../src/errors';
import { checkDocument, type CheckedDocument, readDocument } from '../../src/graphql/checked-document';
import { uncheckedDocument } from '../../src/graphql/documents';

const { schema } = schemaOf('v0.30.1');
const check = (text: string) => checkDocument(graphql, schema, text);
const checkSyntax = (text: string) => checkDocument(graphql, null, text);

/** A name that no error quotes in full. */
const LONG = 'x'.repeat(400);

/** Returns the error of this package with which `task` fails. */
function errorOf(task: () => unknown): Pick<StashError, 'case' | 'details'> {
  try {
    task();
  } catch (error) {
    if (!(error instanceof StashError)) throw error;
    return { case: error.case, details: error.details };
  }
  assert.fail('it fails');
}

/** Runs `task` where the stack is just large enough for it to begin. */
function atTheEndOfTheStack(task: () => unknown): unknown {
  try {
    return atTheEndOfTheStack(task);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return task();
  }
}

describe("A user's document", () => {
  it('is known by its type and its root fields, each with its alias and its type', () => {
    const document = 'mutation { scan: metadataScan(input: {}) stopAllJobs }';
    const { text, type, rootFields, variables } = check(document);

    assert.deepEqual([text, type, variables], [document, 'mutation', []]);
    assert.deepEqual(rootFields, [
      { name: 'metadataScan', responseName: 'scan', type: 'ID!' },
      { name: 'stopAllJobs', responseName: 'stopAllJobs', type: 'Boolean!' },
    ]);
  });

  it('has the root fields of its fragments in their order, also of fragments that contain each other', () => {
    const { rootFields } = checkSyntax(
      '{ a ...F ... on Query { b } ...Missing } fragment F on Query { c ...G } fragment G on Query { d ...F }',
    );

    assert.deepEqual(
      rootFields.map(({ name }) => name),
      ['a', 'c', 'd', 'b'],
    );
  });

  it('has root fields without a type where the schema lacks them, or is unknown', () => {
    const documents = [
      readDocument(graphql, schema, '{ nothing }'),
      readDocument(graphql, new graphql.GraphQLSchema({}), '{ nothing }'),
      checkSyntax('{ nothing }'),
    ];

    for (const { rootFields } of documents)
      assert.deepEqual(
        rootFields.map(({ type }) => type),
        [null],
      );
  });

  it('has variables, each with its type, its default and the choices of an enum', () => {
    const document =
      'query ($ids: [[ID!]]!, $page: Int! = 2, $order: [SortDirectionEnum!]) { findScenes { count } }';
    const variables = [
      { name: 'ids', type: '[[ID!]]!', namedType: 'ID', isRequired: true, choices: [] },
      { name: 'page', type: 'Int!', namedType: 'Int', isRequired: false, choices: [] },
      {
        name: 'order',
        type: '[SortDirectionEnum!]',
        namedType: 'SortDirectionEnum',
        isRequired: false,
        choices: ['ASC', 'DESC'],
      },
    ];
    const withoutChoices = variables.map((variable) => ({ ...variable, choices: [] }));

    assert.deepEqual(readDocument(graphql, schema, document).variables, variables);
    assert.deepEqual(readDocument(graphql, schema, document).presets, { page: 2 });
    assert.deepEqual(checkSyntax(document).variables, withoutChoices);
  });

  it('is a query or a mutation by its text alone', async () => {
    assert.equal((await uncheckedDocument('{ nothing }')).type, 'query');
    assert.equal((await uncheckedDocument('mutation { nothing }')).type, 'mutation');
    const ofWiki = '{"query": "{ version { version } }"}';
    await assert.rejects(uncheckedDocument(ofWiki), { case: 'BAD_INPUT.jsonDocument' });
    await assert.rejects(uncheckedDocument('{ nothing'), { case: 'BAD_INPUT.document' });
  });

  describe('is refused', () => {
    const mistakes: [text: string, line: number, column: number, mistake: string][] = [
      [
        '{ version {\n  versio } }',
        2,
        3,
        'Cannot query field "versio" on type "Version". Did you mean "version"?',
      ],
      ['{\n  version {', 2, 12, 'Syntax Error: Expected Name'],
      ['{ findScene(id: {a: "hunter2"}) { id } }', 1, 17, 'ID cannot represent a non-string and non-integer'],
      [
        '{ findScenes(filter: {direction: HUNTER2}) { count } }',
        1,
        34,
        'The value does not exist in "SortDirectionEnum" enum',
      ],
      [
        `{ ${LONG} }`,
        1,
        3,
        `Cannot query field "${LONG.slice(0, 179)}…${LONG.slice(0, 83)}" on type "Query"`,
      ],
    ];
    for (const [text, line, column, mistake] of mistakes) {
      it(`for a mistake, with its place but without a value: ${mistake.slice(0, 60)}`, () => {
        const { case: which, details } = errorOf(() => check(text));

        assert.equal(which, 'BAD_INPUT.document');
        assert.deepEqual(details, { line, column, text: mistake });
      });
    }

    const refusals: [what: string, text: string, which: string][] = [
      ['without an operation', 'fragment F on Scene { id }', 'BAD_INPUT.noOperation'],
      ['with several operations', 'query A { a } query B { b }', 'BAD_INPUT.severalOperations'],
      ['that subscribes', 'subscription { jobsSubscribe { type } }', 'BAD_INPUT.subscription'],
      ['of more than 100,000 characters', `{ a } #${'x'.repeat(99_994)}`, 'BAD_INPUT.longDocument'],
      ['of more than 2,500 words and signs', `{ ${'a '.repeat(2499)}}`, 'BAD_INPUT.longDocument'],
    ];
    for (const [what, text, which] of refusals) {
      it(`${what}, whether the schema is known or not`, () => {
        for (const task of [check, checkSyntax]) assert.equal(errorOf(() => task(text)).case, which);
      });
    }

    it('if it compares too many fields with each other', () => {
      const text = `{ stats { ${'scene_count '.repeat(2400)}} }`;

      assert.equal(errorOf(() => check(text)).case, 'BAD_INPUT.longDocument');
      assert.equal(checkSyntax(text).type, 'query');
    });

    it('if it has too many levels for the stack', () => {
      const text = `{ a(b: ${'['.repeat(1000)}1${']'.repeat(1000)}) }`;

      assert.equal(errorOf(() => atTheEndOfTheStack(() => checkSyntax(text))).case, 'BAD_INPUT.longDocument');
    });
  });

  it('may have 100,000 characters, and 2,500 words and signs', () => {
    assert.equal(checkSyntax(`{ a } #${'x'.repeat(99_993)}`).type, 'query');
    assert.equal(checkSyntax(`{ ${'a '.repeat(2498)}}`).type, 'query');
  });
});

describe("The variables of a user's document", () => {
  const document = check(
    'query ($id: ID!, $filter: FindFilterType, $order: SortDirectionEnum! = ASC) { findScene(id: $id) { id } findScenes(filter: $filter) { count } sorted: findScenes(filter: { direction: $order }) { count } }',
  );
  const valuesOf = (given: Record<string, unknown>) => document.valuesOf(given);

  it('are those that it declares and the message gives', () => {
    const given = { id: 1, filter: null, order: undefined, other: 2 };

    assert.deepEqual(valuesOf(given), { id: 1, filter: null });
    assert.deepEqual(valuesOf({ id: '1', filter: { page: 2, direction: 'DESC' }, order: 'DESC' }), {
      id: '1',
      filter: { page: 2, direction: 'DESC' },
      order: 'DESC',
    });
  });

  it('are not given by what every object has', () => {
    const { valuesOf } = check('query ($toString: ID) { findScene(id: $toString) { id } }');

    assert.deepEqual(valuesOf({}), {});
  });

  const wrong: [given: Record<string, unknown>, text: string][] = [
    [{}, '$id: ID! is missing'],
    [{ id: undefined }, '$id: ID! is missing'],
    [{ id: null }, '$id: Expected non-nullable type "ID!" not to be null'],
    [{ id: { a: 'hunter2' } }, '$id: ID cannot represent'],
    [{ id: '1', order: null }, '$order: Expected non-nullable type "SortDirectionEnum!" not to be null'],
    [{ id: '1', filter: 'hunter2' }, '$filter: Expected type "FindFilterType" to be an object'],
    [{ id: '1', filter: { nope: 1 } }, '$filter: Field "nope" is not defined by type "FindFilterType"'],
    [{ id: '1', filter: { page: 'hunter2' } }, '$filter.page: Int cannot represent non-integer'],
    [
      { id: '1', filter: { direction: 'hunter2\n does not exist in' } },
      '$filter.direction: The value does not exist in "SortDirectionEnum" enum',
    ],
    [
      { id: '1', filter: { 'a\u001b[2J': 1 } },
      '$filter: Field "a [2J" is not defined by type "FindFilterType"',
    ],
  ];
  for (const [given, text] of wrong) {
    it(`are refused without quoting a value: ${JSON.stringify(given)}`, () => {
      assert.deepEqual(
        errorOf(() => valuesOf(given)),
        { case: 'BAD_INPUT.variables', details: { text } },
      );
    });
  }

  it('are refused with the place in a list', () => {
    const { valuesOf } = check(
      'mutation ($input: PerformerCreateInput!) { performerCreate(input: $input) { id } }',
    );
    const input = { name: 'R', tag_ids: ['1', 2] };

    assert.deepEqual(valuesOf({ input }), { input });
    assert.deepEqual(errorOf(() => valuesOf({ input: { name: 'R', tag_ids: ['1', {}] } })).details, {
      text: '$input.tag_ids[1]: ID cannot represent',
    });
  });

  it('are not checked where the schema is unknown', () => {
    const { valuesOf } = checkSyntax('query ($id: ID!, $page: Int) { a }');

    assert.deepEqual(valuesOf({ page: 'x', other: 1 }), { page: 'x' });
  });

  it('become the arguments of a root field, or else their defaults', () => {
    const document = check(
      'query ($id: ID, $filter: FindFilterType = { q: "b" }) { a: findScene(id: $id) { id } b: findScenes(filter: $filter, scene_filter: { organized: true }) { count } version { version } }',
    );
    const given = (values: Record<string, unknown>) => argumentsOfAll(document, document.valuesOf(values));

    assert.deepEqual(given({ id: '1' }), [
      { id: '1' },
      { filter: { q: 'b' }, scene_filter: { organized: true } },
      {},
    ]);
    assert.deepEqual(given({ id: '1', filter: { page: 2 } })[1], {
      filter: { page: 2 },
      scene_filter: { organized: true },
    });
  });
});

function argumentsOfAll(document: CheckedDocument, values: Record<string, unknown>): object[] {
  const all = document.rootFields.map((field) => document.argumentsOf(field, values));
  // The library makes objects without a prototype.
  return JSON.parse(JSON.stringify(all)) as object[];
}
