import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  buildClientSchema,
  type GraphQLField,
  type GraphQLInputField,
  type GraphQLNamedType,
  type GraphQLSchema,
  type IntrospectionQuery,
  isEnumType,
  isInputObjectType,
  isIntrospectionType,
  isObjectType,
} from 'graphql';
import { schemaOf } from '../schema';
import { type Release, releases } from '../releases';
import { isRecord } from '../variables';

const CURRENT = 'is current';
const OLD = 'is deprecated';

/** What only v0.8 and v0.9 have, by their schema files. */
const NOWHERE = ['HierarchicalMultiCriterionInput.depth: Int!'];

/** A folder with introspection results of real servers, one <release>.json each. Without it these tests do not run. */
const FOLDER = process.env['STASH_SCHEMAS'];

/** The real schemas for each release: its own, or those of its neighbours, one of which must match. */
const REAL: readonly [Release, ...string[]][] = [
  ['v0.9.0', 'v0.7.0', 'v0.11.0'],
  ['v0.11.0', 'v0.11.0'],
  ['v0.17.2', 'v0.17.2'],
  ['v0.23.1', 'v0.17.2', 'v0.24.3'],
  ['v0.25.1', 'v0.24.3', 'v0.27.2'],
  ['v0.28.1', 'v0.27.2', 'v0.30.1'],
  ['v0.30.1', 'v0.30.1'],
  ['v0.31.0', 'v0.31.0'],
];

describe('The schema of the fake Stash server', () => {
  it('is compared with real schemas for every release', () => {
    assert.deepEqual(
      REAL.map(([release]) => release),
      releases.filter((release) => release !== 'documented'),
    );
  });

  for (const [release, ...names] of REAL) {
    const files = recorded(names);
    if (files.length === 0) continue;
    it(`of ${release} contains only what ${names.join(' or ')} contains`, () => {
      const real = files.map(read);
      const missing = lines(schemaOf(release).schema)
        // Between the two releases a field can be deprecated that is current in the older and missing in the newer
        // one.
        .filter((line) => real.length === 1 || !(line.endsWith(CURRENT) || line.endsWith(OLD)))
        .filter((line) => !real.some((has) => has.has(line)) && !NOWHERE.includes(line));
      assert.deepEqual(missing, []);
      // An input type has all its fields, or none. Only filters have just the fields that the package uses, because
      // they would lead to nearly everything in a library.
      const own = schemaOf(release).schema;
      const ours = new Set(lines(own));
      const inputs = Object.values(own.getTypeMap())
        .filter(isInputObjectType)
        .filter(({ name }) => !/^(?!Find)\w+FilterType$/.test(name));
      const left = [...(real.length === 1 ? (real[0] ?? []) : [])]
        .filter((line) => inputs.some(({ name }) => line.startsWith(`${name}.`)))
        .filter((line) => !ours.has(line));
      assert.deepEqual(left, []);
    });
  }
});

/** Returns the files of these schemas that exist. */
function recorded(names: readonly string[]): string[] {
  if (FOLDER === undefined) return [];
  return names.map((name) => join(FOLDER, `${name}.json`)).filter((file) => existsSync(file));
}

function read(file: string): Set<string> {
  // Some recorded responses contain no reason for a deprecation, or null for what is current; graphql-js has one or none.
  const { data } = JSON.parse(readFileSync(file, 'utf8'), (name, value: unknown) => {
    if (name === 'deprecationReason' && value === null) return undefined;
    return isRecord(value) && value['isDeprecated'] === true ? { ...value, deprecationReason: 'old' } : value;
  }) as { data: IntrospectionQuery };
  return new Set(lines(buildClientSchema(data)));
}

/** Returns a line for each field, argument, input field and enum value, with its type and its deprecation. */
function lines(schema: GraphQLSchema): string[] {
  return Object.values(schema.getTypeMap())
    .filter((type) => !isIntrospectionType(type))
    .flatMap((type) => {
      if (isEnumType(type)) return type.getValues().map(({ name }) => `${type.name} ${name}`);
      if (isInputObjectType(type))
        return Object.values(type.getFields()).flatMap((field) => linesOf(type, field));
      if (!isObjectType(type)) return [type.name];
      return Object.values(type.getFields()).flatMap((field) => [
        ...linesOf(type, field),
        ...field.args.map((arg) => `${type.name}.${field.name}(${arg.name}: ${String(arg.type)})`),
      ]);
    });
}

function linesOf(
  type: GraphQLNamedType,
  field: GraphQLField<unknown, unknown> | GraphQLInputField,
): string[] {
  const name = `${type.name}.${field.name}`;
  return [
    `${name}: ${String(field.type)}`,
    `${name} ${field.deprecationReason === undefined ? CURRENT : OLD}`,
  ];
}
