import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const nodes = fileURLToPath(new URL('../nodes', import.meta.url));

/**
 * Declares the English texts of the nodes to TypeScript, not only their keys: writes an en-US.d.json.ts beside each
 * en-US.json. Leaves an up-to-date one untouched, because other programs may be reading it.
 */
export function declareWords() {
  for (const name of readdirSync(nodes)) {
    const folder = path.join(nodes, name, 'words');
    const words = readFileSync(path.join(folder, 'en-US.json'), 'utf8').trim();
    const declaration = `declare const words: ${words};\nexport default words;\n`;
    const file = path.join(folder, 'en-US.d.json.ts');
    if (!existsSync(file) || readFileSync(file, 'utf8') !== declaration) writeFileSync(file, declaration);
  }
}
