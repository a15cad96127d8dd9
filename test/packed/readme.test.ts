import { samples } from '../support/nodes';
import { checkTable } from '../support/table';

describe('The README', () => {
  it('lists each node with what it does and what it sends', async () => {
    await checkTable('README.md', 'nodes', [
      ['node', 'what it does', '`msg.payload`'],
      ...samples().map(([name, { readme }]) => [
        `**${name.replaceAll('-', ' ')}**`,
        readme.does,
        readme.payload,
      ]),
    ]);
  });
});
