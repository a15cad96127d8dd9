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
