import { describeActionNodes, flowsAround } from './action-nodes';
import { describeByHand } from './by-hand';

describeByHand(flowsAround(), describeActionNodes);
