import { describeActionNodes, flowsAround } from './action-nodes';
import { describeByHand } from './by-hand';

describeByHand({ flows: flowsAround() }, describeActionNodes);
