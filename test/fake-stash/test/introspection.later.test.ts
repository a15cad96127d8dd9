import assert from 'node:assert/strict';
import { getIntrospectionQuery } from 'graphql';
import { type Release, releases } from '../releases';
import { schemaOf } from '../schema';
import { servers } from './client';

describe('Fake server: introspection', () => {
  const start = servers();
  const newer: [what: string, query: string, since: number, message: RegExp][] = [
    [
      'deprecated input fields',
      '{ __type(name: "Version") { inputFields(includeDeprecated: true) { name } } }',
      29,
      /^Unknown argument "includeDeprecated" on field "__Type\.inputFields"\.$/,
    ],
    [
      'deprecated arguments',
      '{ __type(name: "Query") { fields { args(includeDeprecated: true) { name } } } }',
      29,
      /^Unknown argument "includeDeprecated" on field "__Field\.args"\.$/,
    ],
    [
      'the deprecation of inputs',
      '{ __type(name: "ScanMetadataInput") { inputFields { isDeprecated } } }',
      29,
      /^Cannot query field "isDeprecated" on type "__InputValue"\.$/,
    ],
    ['oneOf inputs', '{ __type(name: "Version") { isOneOf } }', 29, /^Cannot query field "isOneOf"/],
    ['the description of a schema', '{ __schema { description } }', 14, /^Cannot query field "description"/],
  ];
  for (const [what, query, since, message] of newer) {
    for (const [release, minor] of [
      ['v0.9.0', 9],
      ['v0.28.1', 28],
      ['v0.31.0', 31],
    ] as const) {
      it(`as ${release} ${minor < since ? 'refuses' : 'answers'} a query for ${what}`, async () => {
        const { failure, post } = await start({ release });
        if (minor < since) assert.match(String(await failure(query)), message);
        else assert.equal((await post(query)).status, 200);
      });
    }
  }

  for (const release of ['v0.9.0', 'v0.28.1', 'v0.31.0'] satisfies Release[]) {
    it(`as ${release} answers the introspection query of every client`, async () => {
      const { post } = await start({ release });
      const query = getIntrospectionQuery({ specifiedByUrl: false, directiveIsRepeatable: false });
      assert.equal((await post(query)).status, 200);
    });
  }

  it('limits the depth of introspection as v0.30.1, but not as v0.28.1', async () => {
    const query = '{ __schema { types { fields { type { fields { type { fields { name } } } } } } } }';
    const { failure } = await start({ release: 'v0.30.1' });
    assert.match(String(await failure(query)), /^Maximum introspection depth exceeded/);
    const { post } = await start({ release: 'v0.28.1' });
    assert.equal((await post(query)).status, 200);
  });

  it('shows deprecated fields on request only, and deprecated inputs always', async () => {
    const { value } = await start({ release: 'v0.31.0' });
    const fields = async (which: string) =>
      JSON.stringify(await value(`{ __type(name: "Studio") { fields${which} { name } } }`));
    assert.doesNotMatch(await fields(''), /"url"/);
    assert.match(await fields('(includeDeprecated: true)'), /"url"/);
    for (const which of ['', '(includeDeprecated: false)']) {
      const query = `{ __type(name: "ScraperSourceInput") { inputFields${which} { name isDeprecated } } }`;
      assert.match(JSON.stringify(await value(query)), /\{"name":"stash_box_index","isDeprecated":true\}/);
    }
  });

  it('has no comment left in its schemas, so no mark is misspelt', () => {
    for (const release of releases) assert.doesNotMatch(schemaOf(release).text, /#/);
  });
});
