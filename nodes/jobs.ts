import type { NodeAPI } from 'node-red';
import { jobsNode } from '../src/flow';

/** stash-jobs: tells of all jobs of the server, whoever starts them. */
export = (RED: NodeAPI): void => {
  RED.nodes.registerType('stash-jobs', jobsNode(RED));
};
