import type { NodeAPI } from 'node-red';
import { KeyedLock } from '../../async';
import { type Call, editorCall } from '../../call';
import type { Server } from '../../server';
import { withServer } from '../undeployed-server';
import { addRoute } from './add-route';

/**
 * Adds the route `/stash-server/<name>` for questions of a dialog about its server, which are answered one after another.
 * @param answer answers a question, which may be any JSON. The dialog gets the answer as it is.
 * @param permission what it requires for a deployed server. For another one, it always requires that to change flows.
 */
export function addQuestionRoute(
  RED: NodeAPI,
  name: string,
  answer: (server: Server, question: unknown, call: Call) => Promise<object>,
  permission: 'read' | 'write' = 'read',
): void {
  const lock = new KeyedLock<Server>();
  addRoute(RED, { name, permission }, (question, signal) =>
    withServer(RED, question, (server) =>
      lock.run(server, signal, () => answer(server, question, editorCall(signal))),
    ),
  );
}
