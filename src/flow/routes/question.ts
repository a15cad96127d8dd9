import type { NodeAPI } from 'node-red';
import { KeyedLock } from '../../async';
import { type Call, editorCall } from '../../call';
import type { Server } from '../../server';
import { connectionOf } from '../server-node';
import { addRoute } from './add-route';

/**
 * Adds the route `/stash-server/<name>` for questions of a dialog about a deployed server, which are answered one after
 * another. It requires no more than the permission to view flows, because it sends requests only to deployed servers.
 * @param answer answers a question, which may be any JSON. The dialog gets the answer as it is.
 */
export function addQuestionRoute(
  RED: NodeAPI,
  name: string,
  answer: (server: Server, question: unknown, call: Call) => Promise<object>,
): void {
  const lock = new KeyedLock<Server>();
  addRoute(RED, { name, permission: 'read' }, async (question, signal) => {
    const server = connectionOf(RED, question['id']);
    return await lock.run(server, signal, () => answer(server, question, editorCall(signal)));
  });
}
