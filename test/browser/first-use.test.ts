import { flowsAround } from './action-nodes';
import { describeByHand } from './by-hand';
import { describeFirstUse } from './first-use';
import { describeOnlyServer } from './only-server';

describeByHand(flowsAround(), describeOnlyServer, describeFirstUse);
