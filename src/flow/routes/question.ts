import type { NodeAPI } from 'node-red';
import { KeyedLock } from '../../async';
import { type Call, editorCall } from '../../call';
import type { Server } from '../../server';
import { withServer } from '../undeployed-server';
import { addRoute } from './add-route';

/**
 * Adds the route `/stash-server/<name>` for questions of a dialog about its server, which are answered one after another. It requires
 * no more than the permission to view flows for a deployed server, and that to change them for another one.
 * @param answer answers a question, which may be any JSON. The dialog gets the answer as it is.
 */
export function addQuestionRoute(
  RED: NodeAPI,
  name: string,
  answer: (server: Server, question: unknown, call: Call) => Promise<object>,
): void {
  const lock = new KeyedLock<Server>();
  addRoute(RED, { name, permission: 'read' }, (question, signal) =>
    withServer(RED, question, (server) =>
      lock.run(server, signal, () => answer(server, question, editorCall(signal))),
    ),
  );
}
