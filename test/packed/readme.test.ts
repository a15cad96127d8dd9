import { readFileSync } from 'node:fs';
import path from 'node:path';
import { OLDEST } from '../../src/graphql/schema';
import { words } from '../flow/words';
import { type ExampleNode, exampleFiles } from '../support/examples';
import { samples } from '../support/nodes';
import { root } from '../support/root';
import { checkTable } from '../support/table';

describe('The documentation', () => {
  it('lists each node in the README, with its icon and what it does', async () => {
    await checkTable('README.md', 'nodes', [
      ['', 'node', 'what it does'],
      ...samples().map(([name, { readme }]) => [
        `<img src="docs/pictures/nodes/${name}.png" alt="" width="30">`,
        `[${words(name, 'palette')}](docs/nodes/${name}.md)`,
        readme,
      ]),
    ]);
  });

  it('lists each example, by folder, with what it does', async () => {
    await checkTable('docs/examples.md', 'examples', [
      ['folder', 'example', 'what it does'],
      ...exampleFiles().map((file) => {
        const nodes = JSON.parse(readFileSync(path.join(root, 'examples', file), 'utf8')) as ExampleNode[];
        const { name = '' } = nodes.find(({ type }) => type === 'comment') ?? {};
        return [path.dirname(file), path.basename(file, '.json'), name];
      }),
    ]);
  });

  for (const [name, { checkboxes, since = {} }] of samples()) {
    if (!checkboxes) continue;
    it(`lists each option of ${name} with its name in the API and the first release that supports it`, async () => {
      const section = name === 'scan' ? 'option' : 'kind';
      const rows = checkboxes.map((option) => {
        const key = `${option === 'overwrite' ? 'option' : section}.${option}`;
        const label = option === 'rescan' || option === 'overwrite' ? `field.${option}` : key;
        const { [option]: first = OLDEST } = since;
        return [words(name, label), `\`${option}\``, first === OLDEST ? 'all' : first];
      });
      await checkTable(`docs/nodes/${name}.md`, 'options', [['option', 'API', 'since'], ...rows]);
    });
  }
});
