import { readFileSync } from 'node:fs';
import path from 'node:path';
import { actions } from '../support/nodes';
import { root } from '../support/runtime';
import { checkTable } from '../support/table';

describe('The README', () => {
  it('lists each node in the words of its help', async () => {
    await checkTable('README.md', 'nodes', [
      ['node', 'what it does', '`msg.payload`'],
      ...actions.map((name) => [`**${name.replaceAll('-', ' ')}**`, ...toldByHelp(name)]),
    ]);
  });
});

/** The first paragraph of a node's help, which is its tooltip in the palette, and the types of its payload. */
function toldByHelp(name: string): [string, string] {
  const help = readFileSync(path.join(root, 'nodes', 'locales', 'en-US', `${name}.html`), 'utf8');
  const first = /<p>([\s\S]*?)<\/p>/.exec(help)?.[1] ?? '';
  const [, outputs = ''] = help.split('<h3>Outputs</h3>');
  const types = [...outputs.matchAll(/<dt>payload <span class="property-type">([^<]+)</g)].flatMap(
    ([, type = '']) => type.split(' | '),
  );
  return [first.replace(/<[^>]*>/g, '').replace(/\s+/g, ' '), [...new Set(types)].join(', ')];
}
