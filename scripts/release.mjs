// `node scripts/release.mjs <folder> [<tag>]`: writes what the workflow `release` publishes: the packed package, its software bill
// of materials (CycloneDX) and the notes, which are the newest section of CHANGELOG.md. Needs `npm ci` and `npm run build`.
import { Buffer } from 'node:buffer';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { npm, root } from './install.mjs';

const [folder, tag] = process.argv.slice(2);
const { name, version } = JSON.parse(read('package.json'));
const [, newest] = read('CHANGELOG.md').split(/^## /m);
if (tag !== undefined && tag !== `v${version}`) fail(`The tag is ${tag}, but package.json has ${version}.`);
if (tag !== undefined && !newest.replace('[', '').startsWith(version))
  fail(`The newest section of CHANGELOG.md is not about ${version}.`);

mkdirSync(folder, { recursive: true });
write('notes.md', newest.slice(newest.indexOf('\n')).trim());
const [{ integrity, filename }] = npmJson('pack', '--json', '--ignore-scripts', '--pack-destination', folder);
write(filename.replace(/tgz$/, 'cdx.json'), JSON.stringify(billOfMaterials(integrity), null, 2));

/** Returns npm's own bill: the packages that npm installs with this one, in the versions of the tests. Adds what is inside this one. */
function billOfMaterials(integrity) {
  const bill = npmJson('sbom', '--sbom-format', 'cyclonedx', '--omit', 'dev');
  const [, hash] = integrity.split('-');
  Object.assign(bill.metadata.component, {
    // npm writes the name of the folder.
    name,
    hashes: [{ alg: 'SHA-512', content: Buffer.from(hash, 'base64').toString('hex') }],
    components: bundled(),
  });
  return bill;
}

/** Returns the packages whose code is in dist/package, from the headings of the licences that scripts/build.mjs writes. */
function bundled() {
  const file = 'dist/package/LICENSES.txt';
  const licences = existsSync(path.join(root, file)) ? read(file) : '';
  return [...licences.matchAll(/^(\S+)@(\S+) \((.+)\)$/gm)].map(([, name, version, id]) => ({
    'bom-ref': `bundled:${name}@${version}`,
    type: 'library',
    name,
    version,
    purl: `pkg:npm/${name.replace('@', '%40')}@${version}`,
    licenses: [{ license: { id } }],
  }));
}

function npmJson(...options) {
  return JSON.parse(npm([...options, '--loglevel=error'], root, ['ignore', 'pipe', 'inherit']));
}

function read(file) {
  return readFileSync(path.join(root, file), 'utf8');
}

function write(file, text) {
  writeFileSync(path.join(folder, file), text);
}

function fail(text) {
  console.error(text);
  process.exit(1);
}
