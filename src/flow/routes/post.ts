import type { NodeAPI } from 'node-red';
import type { StreamedResponse } from './respond';

/** Responds to a request of a dialog, whose body may be any JSON. */
type Handle = (body: Readonly<Record<string, unknown>>, response: StreamedResponse) => void;

/**
 * Adds the route `POST /stash-server/<name>` for a dialog.
 * @param permission `read` for what sends requests only to deployed servers; `write` for what sends anything from the browser.
 */
export function addPostRoute(RED: NodeAPI, name: string, permission: 'read' | 'write', handle: Handle): void {
  RED.httpAdmin.post(
    `/stash-server/${name}`,
    RED.auth.needsPermission(`stash-server.${permission}`),
    (request, response) => {
      // A form on another web site can post any other content type without a preflight request.
      if (!request.is('application/json')) {
        response.sendStatus(415);
        return;
      }
      handle((request.body ?? {}) as Record<string, unknown>, response);
    },
  );
}
