import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import type { NodeInitializer } from 'node-red';
import { root } from './root';
import type { Sample } from './sample';

const requireFrom = createRequire(path.join(root, 'package.json'));

const manifest = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as {
  'node-red': { nodes: Record<string, string> };
};

/** The names of all nodes, in the order of package.json. */
export const names = Object.keys(manifest['node-red'].nodes);

/** All nodes except the config node. */
export const actions = names.filter((name) => name !== 'server');

/** Returns the modules of the nodes in the same order, from before the build bundles them. */
export function nodeModules(): NodeInitializer[] {
  return names.map((name) => requireFrom(`./dist/nodes/${name}.js`) as NodeInitializer);
}

/** Returns the data that tests need about each node except the config node. */
export function samples(): [string, Sample][] {
  return actions.map((name) => {
    const { sample } = requireFrom(`./dist/test/nodes/${name}.js`) as { sample: Sample };
    return [name, sample];
  });
}
