import { describeActionNodes, flowsAround } from './action-nodes';
import { ACE, describeByHand } from './by-hand';

describeByHand({ flows: flowsAround(), settings: ACE }, describeActionNodes);
