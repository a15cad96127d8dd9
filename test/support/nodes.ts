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
  return names.map(
    (name) => (requireFrom(`./dist/nodes/${name}/node.js`) as { default: NodeInitializer }).default,
  );
}

/**
 * Loads the modules of the nodes anew, with other exports of one module of this package, such as spies.
 * @param file the module, below `src/`.
 */
export function nodeModulesWith(file: string, replace: (module: object) => object): NodeInitializer[] {
  const usual = unloadAll();
  // The tests know an error by its class, so that module stays.
  const errors = requireFrom.resolve('./dist/src/errors.js');
  requireFrom.cache[errors] = usual.get(errors);
  const name = requireFrom.resolve(`./dist/src/${file}.js`);
  const module = requireFrom(name) as object;
  const loaded = requireFrom.cache[name];
  if (loaded) loaded.exports = { ...module, ...replace(module) };
  const modules = nodeModules();
  unloadAll();
  for (const [other, known] of usual) requireFrom.cache[other] = known;
  return modules;
}

/** Makes Node.js forget the modules of this package, and returns them. */
function unloadAll(): Map<string, NodeJS.Module | undefined> {
  const { cache } = requireFrom;
  const own = Object.keys(cache).filter((name) => /[\\/]dist[\\/](src|nodes)[\\/]/.test(name));
  const all = new Map(own.map((name) => [name, cache[name]]));
  for (const name of own) Reflect.deleteProperty(cache, name);
  return all;
}

/** Returns the data that tests need about each node except the config node. */
export function samples(): [string, Sample][] {
  return actions.map((name) => {
    const { sample } = requireFrom(`./dist/test/nodes/${name}/sample.js`) as { sample: Sample };
    return [name, sample];
  });
}
