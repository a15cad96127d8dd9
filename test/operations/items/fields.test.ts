import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { buildClientSchema, type GraphQLSchema, isObjectType, type IntrospectionQuery } from 'graphql';
import { allKinds, kinds } from '../../../src/contract/kinds';
import { fieldsOfKind, updateKinds } from '../../../src/contract/update';
import { messageFields, variantsOf } from '../../../src/operations/items/fields';
import { releases } from '../../fake-stash/releases';
import { schemaOf } from '../../fake-stash/schema';

const newest = releases.at(-1) ?? 'documented';

/** Schemas of real servers, if there are some. */
const { STASH_SCHEMAS: folder } = process.env;

describe('The table of the fields of items', () => {
  /** What a release has by no name, or only by a former one: a new release may have renamed it. */
  function renamed(schema: GraphQLSchema): string[] {
    return allKinds.flatMap((kind) => {
      const type = schema.getType(kinds[kind].type);
      const names = isObjectType(type) ? Object.keys(type.getFields()) : [];
      const update = updateKinds.find((one) => one === kind);
      const fields = new Set([...messageFields(kind), ...(update ? fieldsOfKind(update) : [])]);
      return [...fields]
        .map((field) => [field, variantsOf(kind, field)[0]?.name ?? 'no row'] as const)
        .filter(([, name]) => !names.includes(name))
        .map(([field, name]) => `${kind}.${field}: ${name}`);
    });
  }

  it('has the name of each field in the newest release that the fake server knows', () => {
    assert.deepEqual(renamed(schemaOf(newest).schema), []);
  });

  for (const file of newerThan(newest)) {
    it(`has the name of each field in a real ${path.basename(file, '.json')}`, () => {
      const { data } = JSON.parse(readFileSync(file, 'utf8')) as { data: IntrospectionQuery };
      assert.deepEqual(renamed(buildClientSchema(data)), []);
    });
  }
});

/** Returns the files with the schemas of this release and of newer ones. */
function newerThan(release: string): string[] {
  if (folder === undefined || !existsSync(folder)) return [];
  const minorOf = (name: string) => Number(/^v0\.(\d+)/.exec(name)?.[1] ?? 0);
  return readdirSync(folder)
    .filter((name) => name.endsWith('.json') && minorOf(name) >= minorOf(release))
    .map((name) => path.join(folder, name));
}
