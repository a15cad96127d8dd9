import type * as GraphQL from 'graphql';
import type { DeclaredVariable } from '../contract/document';
import { StashError } from '../errors';
import { redact } from '../redact';

export interface RootField {
  name: string;
  /** The alias, if it has one. */
  responseName: string;
  /** As GraphQL writes it, such as `ID!`; null where the schema is unknown. */
  type: string | null;
}

/** A user's query or mutation, checked as far as the schema is known. */
export interface CheckedDocument {
  readonly text: string;
  readonly type: 'query' | 'mutation';
  /** In their order, including those in fragments. */
  readonly rootFields: readonly RootField[];
  readonly variables: readonly DeclaredVariable[];
  /** The defaults of the variables that have one. */
  readonly presets: Readonly<Record<string, unknown>>;
  /**
   * Returns the values of the declared variables; leaves out all others.
   * @throws {StashError} BAD_INPUT if one is missing or has another type, where the schema is known.
   */
  readonly valuesOf: (given: Readonly<Record<string, unknown>>) => Record<string, unknown>;
  /** Returns the values of a root field's arguments, with variables that `valuesOf` returned. */
  readonly argumentsOf: (
    field: RootField,
    values: Readonly<Record<string, unknown>>,
  ) => Readonly<Record<string, unknown>>;
}

/**
 * The most characters and lexical tokens of a document: many times what people write. The time of a check grows with the square
 * of the tokens, to some hundredths of a second for the worst document.
 */
const MOST_CHARACTERS = 100_000;
const MOST_TOKENS = 2_500;

/** Loaded with the first document. */
export type GraphQLLibrary = typeof GraphQL;

/**
 * Parses a document, and checks it against the schema.
 * @param schema null if the server offers no introspection: then only the syntax is checked.
 * @throws {StashError} BAD_INPUT with line and column of the first mistake; otherwise as `readDocument`.
 */
export function checkDocument(
  library: GraphQLLibrary,
  schema: GraphQL.GraphQLSchema | null,
  text: string,
): CheckedDocument {
  const document = parse(library, text);
  const read = readOperation(library, schema, text, document);
  const [mistake] = schema
    ? library.validate(schema, document, library.specifiedRules, { maxErrors: 1 })
    : [];
  if (mistake) throw mistakeAt(mistake);
  return read;
}

/**
 * Parses a document without checking it against the schema.
 * @throws {StashError} BAD_INPUT for a mistake in its syntax, for several operations or none, and for a subscription.
 */
export function readDocument(
  library: GraphQLLibrary,
  schema: GraphQL.GraphQLSchema | null,
  text: string,
): CheckedDocument {
  return readOperation(library, schema, text, parse(library, text));
}

function readOperation(
  library: GraphQLLibrary,
  schema: GraphQL.GraphQLSchema | null,
  text: string,
  document: GraphQL.DocumentNode,
): CheckedDocument {
  const operation = onlyOperation(library, document);
  const { operation: type, variableDefinitions: definitions = [] } = operation;
  if (type === library.OperationTypeNode.SUBSCRIPTION) throw new StashError('BAD_INPUT.subscription');
  const fields = rootFieldsOf(library, document, operation);
  const root = schema?.getRootType(type);
  const variables = definitions.map((one) => declared(library, schema, one));
  const presets = Object.fromEntries(
    definitions.flatMap(({ variable, defaultValue }) =>
      defaultValue ? [[variable.name.value, library.valueFromASTUntyped(defaultValue)]] : [],
    ),
  ) as Record<string, unknown>;
  return {
    text,
    type,
    rootFields: fields.map((field) => ({
      name: field.name.value,
      responseName: (field.alias ?? field.name).value,
      type: root?.getFields()[field.name.value]?.type.toString() ?? null,
    })),
    variables,
    presets,
    valuesOf: (given) => {
      const names = variables.map(({ name }) => name).filter((name) => isGiven(given, name));
      const values = Object.fromEntries(names.map((name) => [name, given[name]]));
      if (schema) checkValues(library, schema, definitions, values);
      return values;
    },
    argumentsOf: ({ responseName }, values) => {
      const field = fields.find(({ alias, name }) => (alias ?? name).value === responseName);
      const given = (field?.arguments ?? []).map(({ name, value }) => [
        name.value,
        library.valueFromASTUntyped(value, { ...presets, ...values }),
      ]);
      return Object.fromEntries(given) as Record<string, unknown>;
    },
  };
}

function parse(library: GraphQLLibrary, text: string): GraphQL.DocumentNode {
  if (text.length > MOST_CHARACTERS) throw new StashError('BAD_INPUT.longDocument');
  try {
    return library.parse(text, { maxLexicalTokens: MOST_TOKENS });
  } catch (error) {
    // Wikis show the body of an HTTP request.
    if (/^\s*\{\s*"/.test(text)) throw new StashError('BAD_INPUT.jsonDocument');
    if (error instanceof library.GraphQLError) throw mistakeAt(error);
    // The stack is full: the parser calls itself for each level of braces.
    throw new StashError('BAD_INPUT.longDocument');
  }
}

function mistakeAt({ message, locations }: GraphQL.GraphQLError): StashError {
  if (/tokens\. Parsing aborted/.test(message)) return new StashError('BAD_INPUT.longDocument');
  const [place] = locations ?? [];
  // The library gives up without a position.
  if (!place) return new StashError('BAD_INPUT.longDocument');
  const { line, column } = place;
  return new StashError('BAD_INPUT.document', {
    details: { line, column, text: redact(withoutValue(message)) },
  });
}

function isGiven(values: Readonly<Record<string, unknown>>, name: string): boolean {
  return Object.hasOwn(values, name) && values[name] !== undefined;
}

/**
 * @throws {StashError} BAD_INPUT for the first variable that is missing or wrong. The error omits its value, which may be a
 * secret.
 */
function checkValues(
  library: GraphQLLibrary,
  schema: GraphQL.GraphQLSchema,
  definitions: readonly GraphQL.VariableDefinitionNode[],
  values: Readonly<Record<string, unknown>>,
): void {
  const wrong = (text: string) => new StashError('BAD_INPUT.variables', { details: { text } });
  for (const { variable, type, defaultValue } of definitions) {
    const { value: name } = variable.name;
    const input = library.typeFromAST(schema, type as GraphQL.NamedTypeNode);
    if (!library.isInputType(input)) continue;
    if (!isGiven(values, name)) {
      if (library.isNonNullType(input) && !defaultValue) throw wrong(`$${name}: ${String(input)} is missing`);
      continue;
    }
    library.coerceInputValue(values[name], input, (path, _value, { message }) => {
      const place = path.map((key) => (typeof key === 'number' ? `[${key}]` : `.${key}`)).join('');
      throw wrong(redact(`$${name}${place}: ${withoutValue(message)}`));
    });
  }
}

/** Returns a message of the library for the middle of a sentence, without the value that it quotes. */
function withoutValue(message: string): string {
  return message
    .replace(/^Value .* does not exist in/s, 'The value does not exist in')
    .replace(/(, found| value:).*$/s, '')
    .replace(/\.$/, '');
}

function onlyOperation(
  library: GraphQLLibrary,
  { definitions }: GraphQL.DocumentNode,
): GraphQL.OperationDefinitionNode {
  const [operation, ...others] = definitions.filter(
    (one): one is GraphQL.OperationDefinitionNode => one.kind === library.Kind.OPERATION_DEFINITION,
  );
  if (!operation || others.length > 0) {
    throw new StashError(operation ? 'BAD_INPUT.severalOperations' : 'BAD_INPUT.noOperation');
  }
  return operation;
}

function rootFieldsOf(
  library: GraphQLLibrary,
  { definitions }: GraphQL.DocumentNode,
  operation: GraphQL.OperationDefinitionNode,
): GraphQL.FieldNode[] {
  const { Kind } = library;
  const seen = new Set<string>();
  const fieldsIn = ({ selections }: GraphQL.SelectionSetNode): GraphQL.FieldNode[] =>
    selections.flatMap((selection) => {
      if (selection.kind === Kind.FIELD) return [selection];
      if (selection.kind === Kind.INLINE_FRAGMENT) return fieldsIn(selection.selectionSet);
      const { value: name } = selection.name;
      // Fragments that contain each other are a mistake that only a schema finds.
      if (seen.has(name)) return [];
      seen.add(name);
      const fragment = definitions.find(
        (one) => one.kind === Kind.FRAGMENT_DEFINITION && one.name.value === name,
      ) as GraphQL.FragmentDefinitionNode | undefined;
      return fragment ? fieldsIn(fragment.selectionSet) : [];
    });
  return fieldsIn(operation.selectionSet);
}

function declared(
  library: GraphQLLibrary,
  schema: GraphQL.GraphQLSchema | null,
  { variable, type, defaultValue }: GraphQL.VariableDefinitionNode,
): DeclaredVariable {
  let named = type;
  while (named.kind !== library.Kind.NAMED_TYPE) named = named.type;
  const known = schema?.getType(named.name.value);
  return {
    name: variable.name.value,
    type: library.print(type),
    namedType: named.name.value,
    isRequired: type.kind === library.Kind.NON_NULL_TYPE && !defaultValue,
    choices: library.isEnumType(known) ? known.getValues().map(({ name }) => name) : [],
  };
}
