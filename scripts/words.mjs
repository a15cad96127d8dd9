import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const folder = fileURLToPath(new URL('../nodes/locales/en-US', import.meta.url));

/**
 * Declares the texts of the catalogues to TypeScript, not only their keys: writes a <name>.d.json.ts beside each
 * <name>.json. Leaves an up-to-date one untouched, because other programs may be reading it.
 */
export function declareWords() {
  for (const name of readdirSync(folder).filter((name) => name.endsWith('.json'))) {
    const words = readFileSync(path.join(folder, name), 'utf8').trim();
    const declaration = `declare const words: ${words};\nexport default words;\n`;
    const file = path.join(folder, name.replace(/\.json$/, '.d.json.ts'));
    if (!existsSync(file) || readFileSync(file, 'utf8') !== declaration) writeFileSync(file, declaration);
  }
}
