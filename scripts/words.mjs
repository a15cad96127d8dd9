import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const folder = fileURLToPath(new URL('../nodes/locales/en-US', import.meta.url));

/**
 * Tells TypeScript the words of the catalogues, not only their keys: each <name>.json gets a <name>.d.json.ts beside it.
 * One that is right already stays as it is, as other programs may be reading it.
 */
export function declareWords() {
  for (const name of readdirSync(folder).filter((name) => name.endsWith('.json'))) {
    const words = readFileSync(path.join(folder, name), 'utf8').trim();
    const declaration = `declare const words: ${words};\nexport default words;\n`;
    const file = path.join(folder, name.replace(/\.json$/, '.d.json.ts'));
    if (!existsSync(file) || readFileSync(file, 'utf8') !== declaration) writeFileSync(file, declaration);
  }
}
