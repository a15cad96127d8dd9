import { once } from 'node:events';
import { createRequire } from 'node:module';
import path from 'node:path';
import helper from 'node-red-node-test-helper';
import { installed } from './root';

/** The folder below `test/installed` with the newest Node-RED. */
export const NEWEST = 'node-red-5.0';
/** That with the tested one, which runs on its own Node.js. `npm test` sets it. */
export const runtime = process.env['STASH_TEST_RUNTIME'] ?? NEWEST;

const folder = path.join(installed, runtime);
const fromRuntime = createRequire(path.join(folder, 'package.json'));

interface Package {
  version: string;
  dependencies: Record<string, string>;
}

/** The versions in the folder's `package.json`. */
export const expectedVersions = (fromRuntime('./package.json') as Package).dependencies;
export const nodeRedVersion = (fromRuntime('node-red/package.json') as Package).version;
export const nodeRedProgram = path.join(folder, 'node_modules', 'node-red', 'red.js');

helper.init(fromRuntime.resolve('node-red'));

/** The end of a message in a node. */
export interface CompleteEvent {
  msg: { _msgid: string };
  error?: { code?: string; message?: string };
  node: { id: string };
}

interface Hooks {
  add: (name: string, hook: (event: CompleteEvent) => void) => void;
  remove: (name: string) => void;
}

const { hooks } = createRequire(fromRuntime.resolve('node-red'))('@node-red/util') as { hooks: Hooks };

/** Passes on each end of a message, also one whose Complete node a deploy closes before it receives that. @returns what ends this. */
export function followEnds(onEnd: (event: CompleteEvent) => void): () => void {
  hooks.add('onComplete.test', (event) => {
    // What it returns could stop the message.
    onEnd(event);
  });
  return () => hooks.remove('*.test');
}

/** Aborts a request before its response, as a closed browser does. */
export function leave(request: ReturnType<ReturnType<typeof helper.request>['get']>): void {
  request.abort();
  request._server.close();
}

/** As the menu of the Deploy button: full, modified flows, modified nodes. */
export type DeployType = 'full' | 'flows' | 'nodes';

/** Deploys flows. The helper's own function listens for their start too late, and for no longer than 0.3 s. */
export async function deploy(flows: object[], type: DeployType, credentials: object): Promise<void> {
  const started = once(helper._events, 'flows:started');
  await helper._redNodes.setFlows(flows, credentials, type);
  await started;
}

export { helper };
