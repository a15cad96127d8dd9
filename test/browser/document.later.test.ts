import path from 'node:path';
import { root } from '../support/root';
import { describeByHand } from './by-hand';
import { describeDocument, documentFlows } from './document';
import { describeDocumentStates, stateFlows } from './states';

/** With the newer of the two text editors, which is the default. */
const settings = path.join(root, 'test', 'support', 'node-red-settings.js');

describeByHand(
  { settings, flows: [...documentFlows, ...stateFlows] },
  describeDocument,
  describeDocumentStates,
);
