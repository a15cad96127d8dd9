import { buildClientSchema, type GraphQLSchema, type IntrospectionQuery } from 'graphql';
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { INTROSPECTION } from '../../src/graphql/schema';
import {
  checkFolders,
  checkGraphQL,
  checkScrapers,
  checkServerState,
} from '../../src/operations/connection-test/server-checks';
import { itemChoices } from '../../src/operations/dialogs/item-choices';
import { performerScrapers } from '../../src/operations/performers/scrapers';
import { releases } from '../fake-stash/releases';
import { schemaOf } from '../fake-stash/schema';
import { CheckedServer } from '../support/checked-server';
import { Message } from '../support/connect';
import { samples } from '../support/nodes';

/** A folder with schemas of real servers, if there is one. */
const FOLDER = process.env['STASH_SCHEMAS'];

describe('Every document that this package can send', () => {
  for (const release of releases) suite(release, schemaOf(release).schema);

  if (FOLDER !== undefined) {
    assert.ok(existsSync(FOLDER), `STASH_SCHEMAS names no folder: ${FOLDER}`);
    const files = readdirSync(FOLDER).filter((name) => name.endsWith('.json'));
    assert.ok(files.length > 0, `STASH_SCHEMAS names a folder without schemas: ${FOLDER}`);
    for (const file of files) {
      const name = path.basename(file, '.json');
      const schema = read(path.join(FOLDER, file));
      const isTooOld = /^v0\.[0-7]\./.test(name);
      it(`is ${isTooOld ? 'not ' : ''}for a real ${name}`, () => {
        assert.equal(new CheckedServer(schema).isTooOld, isTooOld);
      });
      if (!isTooOld) suite(`a real ${name}`, schema);
    }
  }
});

/** Runs every operation in every way on a server with this schema. */
function suite(name: string, schema: GraphQLSchema): void {
  describe(`is valid for ${name}`, () => {
    const call = new Message();
    let server: CheckedServer;

    before(() => {
      server = new CheckedServer(schema);
    });

    it('the introspection query', () => {
      server.check({ document: INTROSPECTION });
    });

    it("the list of the server's scrapers", async () => {
      assert.ok(Array.isArray(await performerScrapers(server.asServer, call)));
    });

    it('the items that a dialog offers', async () => {
      for (const type of ['Scene', 'Studio', 'Performer', 'Tag']) {
        for (const text of ['', 'te xt']) {
          const question = { kind: type.toLowerCase(), text, ids: ['1', '2'] };
          await server.understands(`find${type}`, itemChoices(server.asServer, question, call));
        }
      }
    });

    it('the Test button', async () => {
      const { asServer } = server;
      await checkGraphQL(asServer, call);
      const others = [
        checkServerState(asServer, call),
        checkFolders(asServer, [], call),
        checkScrapers(asServer, call),
      ];
      const texts = (await Promise.all(others)).map(({ text }) => text);
      // The state that the enum has first.
      assert.equal(texts[0], 'setup');
      assert.ok(!texts.includes(undefined));
    });

    for (const [, { documents }] of samples()) {
      for (const [title, ask] of Object.entries(documents)) it(title, () => ask(server, call));
    }
  });
}

function read(file: string): GraphQLSchema {
  const { data } = JSON.parse(readFileSync(file, 'utf8')) as { data: IntrospectionQuery };
  // Some real schemas deprecate required fields, which graphql-js refuses.
  return buildClientSchema(data, { assumeValid: true });
}
