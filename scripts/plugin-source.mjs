// `node scripts/plugin-source.mjs <folder>`: writes the package source from which Stash installs the plugin: `index.yml` and a zip.
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { buffer } from 'node:stream/consumers';
import { ZipFile } from 'yazl';
import { root } from './install.mjs';

const ID = 'node-red';

const folder = process.argv[2];
const plugin = path.join(root, 'plugin');
const { name, description, version } = headOf(readFileSync(path.join(plugin, `${ID}.yml`), 'utf8'));

const zip = new ZipFile();
// The same content has the same zip.
const mtime = new Date(2026, 0, 1);
for (const file of readdirSync(plugin).sort())
  zip.addBuffer(readFileSync(path.join(plugin, file)), file, { mtime });
zip.end();
const content = await buffer(zip.outputStream);

const index = `- id: ${ID}
  name: ${name}
  metadata:
    description: ${description}
  version: ${version}
  date: ${new Date().toISOString().slice(0, 19).replace('T', ' ')}
  path: ${ID}.zip
  sha256: ${createHash('sha256').update(content).digest('hex')}
`;
mkdirSync(folder, { recursive: true });
writeFileSync(path.join(folder, `${ID}.zip`), content);
writeFileSync(path.join(folder, 'index.yml'), index);

/** Returns the values at the beginning of the plugin's file, each of one line. */
function headOf(text) {
  return Object.fromEntries([...text.matchAll(/^(\w+): (.+)$/gm)].map(([, key, value]) => [key, value]));
}
