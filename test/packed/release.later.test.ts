import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { useUserDir } from '../support/user-dir';
import { useFolder } from '../support/folder';
import { root } from '../support/root';

/** The licences that ask for no more than their text. */
const PERMISSIVE = ['0BSD', 'Apache-2.0', 'BSD-2-Clause', 'BSD-3-Clause', 'ISC', 'MIT'];

interface Component {
  name: string;
  version: string;
  licenses: { license: { id: string } }[];
}

interface Bill {
  metadata: { component: Component & { components: Component[] } };
  components: Component[];
}

describe('A release', function () {
  this.timeout(60_000);
  const folder = useFolder();
  const userDir = useUserDir();

  const release = (...options: string[]) =>
    promisify(execFile)(process.execPath, [path.join(root, 'scripts/release.mjs'), folder(), ...options]);

  it('has a bill of materials with all that npm installs, what is bundled, and only permissive licences', async () => {
    await release();
    const files = readdirSync(folder());
    assert.equal(files.length, 3, files.join());
    const bill = files.find((file) => file.endsWith('.cdx.json')) ?? '';
    const { metadata, components } = JSON.parse(readFileSync(path.join(folder(), bill), 'utf8')) as Bill;
    const all = [...components, ...metadata.component.components];
    const lock = path.join(userDir(), 'node_modules', '.package-lock.json');
    const { packages } = JSON.parse(readFileSync(lock, 'utf8')) as { packages: object };

    assert.deepEqual(
      [metadata.component, ...components].map(({ name }) => name).sort(),
      Object.keys(packages)
        .map((place) => place.replace(/^.*node_modules\//, ''))
        .sort(),
    );
    assert.deepEqual(metadata.component.components.map(({ name }) => name).sort(), bundled());
    assert.deepEqual(
      all.filter(({ licenses: [one] }) => !PERMISSIVE.includes(one?.license.id ?? '')),
      [],
    );
  });

  it('has a README that the flow library and npm show as it is, with all pictures and links of its tag', async () => {
    await release();
    const tarball = readdirSync(folder()).find((file) => file.endsWith('.tgz')) ?? '';
    const unpacking = promisify(execFile)('tar', ['-xOf', tarball, 'package/README.md'], { cwd: folder() });
    const { stdout: readme } = await unpacking;
    const [, version = ''] = /-(\d.*)\.tgz$/.exec(tarball) ?? [];
    const pages = `https://github.com/stash-flows/node-red-stash/blob/v${version}/`;
    const pictures = `https://raw.githubusercontent.com/stash-flows/node-red-stash/v${version}/`;
    const visible = readme.replace(/^```.*?^```/gms, '');
    const shown = [...visible.matchAll(/(?:!\[[^\]]*\]\(|<img src=")([^)"]*)/g)].map(
      ([, place]) => place ?? '',
    );

    // test/docs.test.ts checks that each address in the repository is the path of a file.
    const own = readFileSync(path.join(root, 'README.md'), 'utf8');
    assert.equal(readme.replaceAll(pages, '').replaceAll(pictures, ''), own);
    // The library puts its own addresses before all others, and gives headings no anchors.
    for (const [, place = ''] of visible.matchAll(/(?:\]\(|src="|^\[.+?\]: )([^)"]*)/gm))
      assert.match(place, /^https:\/\//);
    assert.ok(shown.length > 20);
    for (const place of shown) assert.ok(place.startsWith(pictures), place);
    assert.equal(visible.split(pictures).length - 1, shown.length, 'pages are no raw files');
    // Both sanitize HTML, and leave this.
    const tags = visible.match(/<\/?\w[^>]*>/g) ?? [];
    for (const tag of tags)
      assert.match(tag, /^<(\/?p|br clear="right"|img src="[^"]*" alt="[^"]*" width="\d+"( align="\w+")?)>$/);
  });

  it('is refused if its tag is not the version in package.json', async () => {
    await assert.rejects(release('v99.0.0'), /The tag is v99\.0\.0, but package\.json has /);
    assert.deepEqual(readdirSync(folder()), []);
  });
});

/** Returns the packages whose code is in the bundles, from the comments of esbuild. */
function bundled(): string[] {
  const built = path.join(root, 'dist', 'package');
  const codes = readdirSync(built).filter((file) => file.endsWith('.js'));
  const names = codes.flatMap((file) =>
    [
      ...readFileSync(path.join(built, file), 'utf8').matchAll(
        /^ *\/\/ node_modules\/((?:@[^/]+\/)?[^/]+)\//gm,
      ),
    ].map(([, name = '']) => name),
  );
  return [...new Set(names)].sort();
}
