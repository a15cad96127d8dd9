import { describeActionNodes, flowsAround } from './action-nodes';
import { describeByHand } from './by-hand';
import { describeOnlyServer } from './only-server';

describeByHand(flowsAround(), describeOnlyServer, describeActionNodes);
