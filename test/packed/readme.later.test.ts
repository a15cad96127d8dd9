import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { OLDEST } from '../../src/graphql/schema';
import { words } from '../support/words';
import { type ExampleNode, exampleFiles } from '../support/examples';
import { load } from '../support/flow';
import { samples } from '../support/nodes';
import { root } from '../support/root';
import { helper } from '../support/runtime';
import { checkTable } from '../support/table';

/** The part of Express that lists the routes. */
interface Express {
  _router: { stack: { route?: { path: string; methods: { get?: boolean } } }[] };
}

describe('The documentation', () => {
  it('lists each node in the README, with its icon and what it does', () => {
    checkTable('README.md', 'nodes', [
      // The flow library keeps the first column on one line, but reserves no room for pictures in it: this title does.
      ['node and its page', 'what it does'],
      ...samples().map(([name, { readme }]) => [
        // In a column of its own, GitHub shrinks the icon to a few pixels on a phone.
        `<img src="docs/pictures/nodes/${name}.png" alt="" width="30" align="absmiddle"> [${words(name, 'palette')}](docs/nodes/${name}.md)`,
        readme,
      ]),
    ]);
  });

  it('lists each example, by folder, with what it does', () => {
    checkTable('docs/examples.md', 'examples', [
      ['folder', 'example', 'what it does'],
      ...exampleFiles().map((file) => {
        const nodes = JSON.parse(readFileSync(path.join(root, 'examples', file), 'utf8')) as ExampleNode[];
        const { name = '' } = nodes.find(({ type }) => type === 'comment') ?? {};
        return [path.dirname(file), path.basename(file, '.json'), name];
      }),
    ]);
  });

  it('lists each route of the admin API in SECURITY.md', async () => {
    await load([], {});
    const { _router: router } = helper._httpAdmin as unknown as Express;
    await helper.unload();
    const routes = router.stack.flatMap(({ route }) =>
      route?.path.startsWith('/stash-server/')
        ? [`${route.methods.get === true ? 'GET' : 'POST'} ${route.path.slice(1)}`]
        : [],
    );
    const listed = readFileSync(path.join(root, 'SECURITY.md'), 'utf8').matchAll(/^\| (\w+) `(.+?)` +\|/gm);
    assert.deepEqual([...listed].map(([, method, route]) => `${method} ${route}`).sort(), routes.sort());
  });

  for (const [name, { checkboxes, since = {} }] of samples()) {
    if (!checkboxes) continue;
    it(`lists each option of ${name} with its name in the API and the first release that supports it`, () => {
      const section = name === 'scan' ? 'option' : 'kind';
      const rows = checkboxes.map((option) => {
        const key = `${option === 'overwrite' ? 'option' : section}.${option}`;
        const label = option === 'rescan' || option === 'overwrite' ? `field.${option}` : key;
        const { [option]: first = OLDEST } = since;
        return [words(name, label), `\`${option}\``, first === OLDEST ? 'all' : first];
      });
      checkTable(`docs/nodes/${name}.md`, 'options', [['option', 'API', 'since'], ...rows]);
    });
  }
});
