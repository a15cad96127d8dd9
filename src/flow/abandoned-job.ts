import type { Node, NodeAPI } from 'node-red';
import type { AbandonedJob } from '../server';
import { RecentErrors } from './recent-errors';
import { factsOf, type ServerNode } from './server-node';
import { textOfAbandoned } from './words';
import { reportOf } from './words/errors';

/**
 * Reports a job that a pause has stopped, and that is not started again now: in the log, because its node may be gone. An error of the
 * server is one of the node that had started the job.
 */
export function reportAbandoned(RED: NodeAPI, server: ServerNode, job: AbandonedJob): void {
  const { error, record, node: id = '' } = job;
  if (!error) {
    server.warn(textOfAbandoned(RED, job));
    return;
  }
  const connection = server.connection();
  const starter = RED.nodes.getNode(id) as Node | null;
  const node = starter ?? server;
  const { error: sentence, facts } = reportOf(
    RED,
    error,
    starter ? { node, server: connection } : { node: { name: connection.name, type: server.type } },
  );
  node.error(sentence, { stash: { server: factsOf(connection), ...facts, job: record } });
  RecentErrors.of(server.id).add(node, error);
}
