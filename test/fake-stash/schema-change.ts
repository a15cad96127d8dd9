import {
  buildSchema,
  defaultFieldResolver,
  type GraphQLArgument,
  type GraphQLEnumType,
  type GraphQLField,
  GraphQLInt,
  type GraphQLInputType,
  GraphQLList,
  type GraphQLNamedType,
  GraphQLNonNull,
  type GraphQLOutputType,
  type GraphQLSchema,
  GraphQLString,
  isEnumType,
  isInputObjectType,
  isInputType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
  isOutputType,
  isScalarType,
  printSchema,
} from 'graphql';
import { type ComingOptions, withComing } from './coming';
import type { Release } from './releases';
import { schemaOf } from './schema';

/**
 * A difference between a release and one that nobody knows yet:
 *
 * - `removed`, `renamed`: a field or an argument; `renamed` also a type, or a value of an enum
 * - `required`: an argument or a field of an input that was optional; `demanded`: a new one
 * - `wrapped`: a list of what was one value; `unwrapped`: the other way round
 * - `text`, `number`, `object`: another type; `null`: a value that is missing by now
 * - `added`: a value of an enum, which the server uses a few times
 */
export interface SchemaChange {
  readonly how: How;
  readonly type: string;
  /** The field or the value. Without it, the type itself changes. */
  readonly field?: string;
  readonly argument?: string;
}

type How =
  | 'removed'
  | 'renamed'
  | 'required'
  | 'demanded'
  | 'wrapped'
  | 'unwrapped'
  | 'text'
  | 'number'
  | 'object'
  | 'null'
  | 'added';

type Input = Pick<GraphQLArgument, 'name' | 'type' | 'defaultValue' | 'deprecationReason'>;

/** A name that no release has. */
const MADE_UP = 'madeUp';
const MADE_UP_TYPES = `
type MadeUp { ${MADE_UP}: String }
input MadeUpInput { ${MADE_UP}: String }`;
/** How often the server uses the new value of an enum. */
const USES = 3;

/** Returns all changes that are possible. */
export function changesOf(schema: GraphQLSchema): SchemaChange[] {
  return Object.values(schema.getTypeMap())
    .filter(({ name }) => !name.startsWith('__'))
    .flatMap(changesOfType);
}

/** Whether the fields of a type are operations. */
export function isRoot(type: string): boolean {
  return ['Query', 'Mutation', 'Subscription'].includes(type);
}

function changesOfType(type: GraphQLNamedType): SchemaChange[] {
  const { name } = type;
  const of = (ways: readonly How[], field?: string, argument?: string): SchemaChange[] =>
    ways.map((how) => ({ how, type: name, ...(field && { field }), ...(argument && { argument }) }));
  if (isEnumType(type)) {
    const values = type.getValues().flatMap((value) => of(['renamed'], value.name));
    return [...of(['renamed', 'added']), ...values];
  }
  if (isInputObjectType(type)) {
    const fields = Object.values(type.getFields());
    return [...of(['renamed', 'demanded']), ...fields.flatMap((one) => of(waysOfInput(one), one.name))];
  }
  if (!isObjectType(type)) return [];
  const fields = Object.values(type.getFields()).flatMap((field) => [
    ...of(name === 'Subscription' ? ['removed', 'renamed'] : waysOfField(field), field.name),
    ...field.args.flatMap((one) => of(waysOfInput(one), field.name, one.name)),
  ]);
  return [...(isRoot(name) ? [] : of(['renamed'])), ...fields];
}

function waysOfInput({ type }: Input): How[] {
  const isText = isScalarType(type) && type.name === 'String';
  const ways: How[] = ['removed', 'renamed', 'object', isText ? 'number' : 'text'];
  // A filter that requires another one of its type could never end.
  const isFilter = isInputObjectType(type) && type.name.endsWith('FilterType');
  return isNonNullType(type) || isFilter ? ways : [...ways, 'required'];
}

function waysOfField({ type, args }: GraphQLField<unknown, unknown>): How[] {
  const inner = isNonNullType(type) ? type.ofType : type;
  const isText = isScalarType(inner) && inner.name === 'String';
  return [
    ...(['removed', 'renamed'] as const),
    isListType(inner) ? 'unwrapped' : 'wrapped',
    ...(isNonNullType(type) ? (['null'] as const) : []),
    ...(isLeafType(inner) ? (['object', isText ? 'number' : 'text'] as const) : []),
    ...(args.length > 0 ? (['demanded'] as const) : []),
  ];
}

/** Returns the names by which a person finds what a change of a schema is about. */
export function namesOf(schema: GraphQLSchema, { how, type, field, argument }: SchemaChange): string[] {
  const changed = schema.getType(type);
  const hasFields = isObjectType(changed) || isInputObjectType(changed);
  const name = argument ?? field ?? type;
  return [
    name,
    ...(how === 'demanded' || how === 'added' ? [MADE_UP] : []),
    // A type of another name seems to have no fields.
    ...(name === type && hasFields ? Object.keys(changed.getFields()) : []),
    // An unknown value of an enum.
    ...(isEnumType(changed) ? [type, renewed(name)] : []),
    // Nodes say "rating" for each of its scales.
    ...(name === 'rating100' ? ['rating'] : []),
  ];
}

/** Returns a schema with what is to come, and with changes. Its fields have the values that they had. */
export function changedSchema(
  release: Release,
  changes: readonly SchemaChange[],
  coming: ComingOptions = {},
) {
  const schema = buildSchema(withComing(schemaOf(release).text, coming) + MADE_UP_TYPES);
  const types = { ...schema.getTypeMap() };
  for (const change of changes) {
    const type = types[change.type];
    if (isEnumType(type) && (change.field || change.how === 'added')) changeEnum(type, change);
    else if (type && change.how === 'renamed' && !change.field) rename(schema, type);
    else if (wouldEmpty(type, change)) continue;
    else if (isInputObjectType(type)) changeInput(schema, type.getFields(), change, change.field);
    else if (isObjectType(type)) changeObject(schema, type.getFields(), change);
  }
  return { text: printSchema(schema), schema };
}

/** GraphQL allows no type without fields. */
function wouldEmpty(type: GraphQLNamedType | undefined, { how, argument }: SchemaChange): boolean {
  if (how !== 'removed' || argument !== undefined) return false;
  return (isInputObjectType(type) || isObjectType(type)) && Object.keys(type.getFields()).length === 1;
}

function renewed(name: string): string {
  return `${name}_next`;
}

function rename(schema: GraphQLSchema, type: GraphQLNamedType): void {
  const types = schema.getTypeMap() as Record<string, GraphQLNamedType>;
  Reflect.deleteProperty(types, type.name);
  type.name = renewed(type.name);
  types[type.name] = type;
}

function changeEnum(type: GraphQLEnumType, { how, field = MADE_UP }: SchemaChange): void {
  const values = type.getValues() as ReturnType<GraphQLEnumType['getValues']>[number][];
  const index = values.findIndex(({ name }) => name === field);
  const old = values[index] ?? values[0];
  if (!old) return;
  const name = how === 'renamed' ? renewed(field) : field;
  values.splice(index < 0 ? values.length : index, index < 0 ? 0 : 1, { ...old, name, value: name });
  type.getValue = (asked) => values.find((value) => value.name === asked);
  let uses = 0;
  const usual = type.serialize.bind(type);
  type.serialize = (value) => {
    if (how === 'added') return uses++ < USES ? name : usual(value);
    return value === field ? name : usual(value);
  };
}

/** Changes a field of an input or an argument. */
function changeInput(
  schema: GraphQLSchema,
  inputs: Record<string, Input>,
  { how }: SchemaChange,
  name = MADE_UP,
): void {
  const old = inputs[name];
  if (how === 'demanded') {
    const [other] = Object.values(inputs);
    if (!other) return;
    inputs[MADE_UP] = {
      ...other,
      name: MADE_UP,
      type: new GraphQLNonNull(GraphQLString),
      defaultValue: undefined,
      deprecationReason: undefined,
    };
  }
  if (!old) return;
  if (how === 'removed' || how === 'renamed') Reflect.deleteProperty(inputs, name);
  if (how === 'renamed') inputs[renewed(name)] = { ...old, name: renewed(name) };
  if (how === 'required' && !isNonNullType(old.type)) old.type = new GraphQLNonNull(old.type);
  // A default that was good for the old type would make the schema invalid, as would a required field that is deprecated.
  old.defaultValue = old.deprecationReason = undefined;
  const type: unknown = { text: GraphQLString, number: GraphQLInt, object: schema.getType('MadeUpInput') }[
    how as string
  ];
  if (isInputType(type)) old.type = keepingNonNull(old.type, type) as GraphQLInputType;
}

function changeObject(
  schema: GraphQLSchema,
  fields: Record<string, GraphQLField<unknown, unknown>>,
  change: SchemaChange,
): void {
  const { how, field: name = '', argument } = change;
  const field = fields[name];
  if (!field) return;
  if (argument !== undefined || how === 'demanded') {
    const inputs = Object.fromEntries(field.args.map((one) => [one.name, one]));
    changeInput(schema, inputs, change, argument);
    field.args = Object.values(inputs);
    return;
  }
  if (how === 'removed' || how === 'renamed') Reflect.deleteProperty(fields, name);
  const usual = field.resolve ?? defaultFieldResolver;
  if (how === 'renamed') {
    const resolve: typeof usual = (source, values, context, info) =>
      usual(source, values, context, { ...info, fieldName: name });
    fields[renewed(name)] = { ...field, name: renewed(name), resolve };
  }
  const changed = changedOutput(schema, field.type, how);
  if (!changed) return;
  field.type = changed.type;
  field.resolve = async (source, values, context, info) => {
    const value = await usual(source, values, context, info);
    return value === null || value === undefined ? null : changed.value(value);
  };
}

/** Returns the new type of a field, and its value for each old one. */
function changedOutput(
  schema: GraphQLSchema,
  type: GraphQLOutputType,
  how: How,
): { type: GraphQLOutputType; value: (value: unknown) => unknown } | undefined {
  const inner = isNonNullType(type) ? type.ofType : type;
  const keeping = (to: unknown) =>
    isOutputType(to) ? (keepingNonNull(type, to) as GraphQLOutputType) : type;
  switch (how) {
    case 'wrapped':
      return { type: keeping(new GraphQLList(new GraphQLNonNull(inner))), value: (value) => [value] };
    case 'unwrapped': {
      if (!isListType(inner)) return undefined;
      const item: GraphQLOutputType = inner.ofType;
      return {
        type: isNonNullType(item) ? item.ofType : item,
        value: (value) => (value as unknown[])[0] ?? null,
      };
    }
    case 'null':
      return { type: inner, value: () => null };
    case 'text':
      return { type: keeping(GraphQLString), value: String };
    case 'number':
      return { type: keeping(GraphQLInt), value: (value) => String(value).length };
    case 'object':
      return { type: keeping(schema.getType('MadeUp')), value: (value) => ({ [MADE_UP]: String(value) }) };
    default:
      return undefined;
  }
}

function keepingNonNull(old: unknown, type: GraphQLInputType | GraphQLOutputType) {
  return isNonNullType(old) && !isNonNullType(type) ? new GraphQLNonNull(type) : type;
}
