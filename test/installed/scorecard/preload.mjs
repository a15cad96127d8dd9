// Loaded before node-red-dev, so that no request leaves the machine and the verdict depends on nothing but this project:
// the public catalogue is an empty list, and the registry knows of each package just what is installed here.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import nock from 'nock';
import { installed, root } from '../../../scripts/install.mjs';

nock.disableNetConnect();
nock('https://catalogue.nodered.org').persist().get('/catalogue.json').reply(200, { modules: [] });
nock(/./)
  .persist()
  .get(/./)
  .reply((uri) => {
    const name = decodeURIComponent(uri.slice(1));
    try {
      return [200, name === 'node-red' ? nodeRed() : registered({ latest: manifestOf(root, name) })];
    } catch {
      return [404, { error: `${name} is not installed` }];
    }
  });

/** The two that are supported: as the newest, and as the one that is maintained beside it. */
function nodeRed() {
  const [maintenance, latest] = ['node-red-4.1', 'node-red-5.0'].map((runtime) =>
    manifestOf(path.join(installed, runtime), 'node-red'),
  );
  return registered({ latest, maintenance });
}

/** Returns the registry's record of a package: versions by tag. */
function registered(tags) {
  const manifests = Object.values(tags);
  return {
    name: manifests[0].name,
    'dist-tags': Object.fromEntries(Object.entries(tags).map(([tag, { version }]) => [tag, version])),
    versions: Object.fromEntries(manifests.map((manifest) => [manifest.version, manifest])),
  };
}

function manifestOf(folder, name) {
  return JSON.parse(readFileSync(path.join(folder, 'node_modules', name, 'package.json'), 'utf8'));
}
