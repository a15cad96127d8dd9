import type { NodeAPI } from 'node-red';
import { Cache, neverAborted, untilAborted } from '../../async';
import { type Call, editorCall } from '../../call';
import type { Capabilities } from '../../contract/capabilities';
import { StashError } from '../../errors';
import type { Server } from '../../server';
import { timing } from '../../timing';
import { withServer } from '../undeployed-server';
import { addRoute, refusalOf } from './add-route';

/** Finds out what a server can do. The dialog gets each property as it is, and a `Refusal` for one that is an error. */
type FindCapabilities = (server: Server, call: Call) => Promise<Capabilities<StashError>>;

/**
 * Adds the route `/stash-server/capabilities`, with which all dialogs learn what a server can do. For a user who may only view
 * flows, it sends requests only to deployed servers. All dialogs that wait for the same deployed server share its requests, and
 * their answer is known for a minute, so that many dialogs do not delay messages. With `fresh`, it is requested anew.
 */
export function addCapabilitiesRoute(RED: NodeAPI, find: FindCapabilities): void {
  const cache = new Cache<Server, ReadCapabilities>(
    (server) => read(find, server),
    // Somebody may just have mended the cause of an error.
    ({ isWhole }) => isWhole,
  );

  addRoute(RED, { name: 'capabilities', permission: 'read' }, ({ id, content, fresh }, signal) =>
    withServer(RED, { id, content }, async (server) => {
      const readParts =
        content !== undefined
          ? read(find, server)
          : fresh === true
            ? cache.refresh(server)
            : cache.get(server, timing.capabilities);
      return (await untilAborted(readParts, signal)).body;
    }),
  );
}

interface ReadCapabilities {
  /** What the dialog gets. */
  body: Capabilities;
  /** Whether no part of it is an error that may end. */
  isWhole: boolean;
}

async function read(find: FindCapabilities, server: Server): Promise<ReadCapabilities> {
  // It goes on for the other dialogs when one is closed.
  const found = await find(server, editorCall(neverAborted()));
  const parts = Object.entries(found) as [string, unknown][];
  const rendered = parts.map(([name, part]) => [name, part instanceof StashError ? refusalOf(part) : part]);
  return {
    body: Object.fromEntries(rendered) as Capabilities,
    isWhole: !parts.some(([, part]) => part instanceof StashError && part.code !== 'UNSUPPORTED'),
  };
}
