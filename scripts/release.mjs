// `node scripts/release.mjs <folder> [<tag>]`: writes what the workflow `release` publishes: the packed package, its software bill
// of materials (CycloneDX) and the notes, which are the newest section of CHANGELOG.md. Needs `npm ci` and `npm run build`.
import { Buffer } from 'node:buffer';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
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
const { integrity, filename } = pack();
write(filename.replace(/tgz$/, 'cdx.json'), JSON.stringify(billOfMaterials(integrity), null, 2));

/**
 * Packs a copy with its own README. A script `prepack` could leave another README in the working tree, and `npm publish <folder>`
 * would send the one that is there after `postpack` to npm's page.
 */
function pack() {
  const copy = mkdtempSync(path.join(tmpdir(), 'node-red-stash-release-'));
  try {
    const [{ files }] = npmPack('--dry-run');
    for (const { path: file } of files) cpSync(path.join(root, file), path.join(copy, file));
    writeFileSync(path.join(copy, 'README.md'), withAddresses(read('README.md')));
    return npmPack(copy, '--pack-destination', folder)[0];
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

function npmPack(...options) {
  return npmJson('pack', '--json', '--ignore-scripts', ...options);
}

/**
 * Makes relative addresses lead to the tag of this version. The flow library would look for them in a branch `master`, npm's page
 * in the newest commit.
 */
function withAddresses(readme) {
  const repository = 'stash-flows/node-red-stash';
  const pages = `https://github.com/${repository}/blob/v${version}/`;
  const pictures = `https://raw.githubusercontent.com/${repository}/v${version}/`;
  return readme
    .replace(/(?<=src="|!\[[^\]]*\]\()(?!#|[a-z]+:)[^)"]+/g, `${pictures}$&`)
    .replace(/(?<=\]\()(?!#|[a-z]+:)[^)]+/g, `${pages}$&`);
}

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
