import type { NodeAPI } from 'node-red';
import type { EvaluatedProperty } from '../inputs';
import { addRoute } from './add-route';
import { readableDialog } from './trial';

/** The most folders that are checked at a time: a share that hangs keeps a thread of Node.js, of which there are four. */
const AT_A_TIME = 2;

/**
 * Adds the route `/stash-server/folder`, with which the dialog of a node learns whether its folder can be used, before anything is
 * deployed. It requires the permission to change flows: the browser decides where Node-RED looks, and can read its environment.
 * @param folder reads the folder from the properties of the dialog; null if it has none.
 * @param check throws what is wrong with it.
 */
export function addFolderRoute(
  RED: NodeAPI,
  type: string,
  folder: EvaluatedProperty<string | null>,
  check: (folder: string) => Promise<unknown>,
): void {
  addRoute(RED, { name: 'folder', permission: 'write', most: AT_A_TIME }, async (body) => {
    const { config, evaluate } = await readableDialog(RED, { ...body, type });
    const chosen = await folder.read(config, evaluate);
    if (chosen !== null) await check(chosen);
    return {};
  });
}
