import { OLDEST } from '../../src/graphql/schema';
import { words } from '../flow/words';
import { samples } from '../support/nodes';
import { checkTable } from '../support/table';

describe('The documentation', () => {
  it('lists each node in the README, with its purpose and its result', async () => {
    await checkTable('README.md', 'nodes', [
      ['node', 'what it does', '`msg.payload`'],
      ...samples().map(([name, { readme }]) => [
        `[${name.replaceAll('-', ' ')}](docs/nodes/${name}.md)`,
        readme.does,
        readme.payload,
      ]),
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
