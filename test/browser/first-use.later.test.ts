import { flowsAround } from './action-nodes';
import { describeByHand } from './by-hand';
import { describeFirstUse } from './first-use';
import { describeOnlyServer, variableFlows } from './only-server';

describeByHand({ flows: [...flowsAround(), ...variableFlows] }, describeOnlyServer, describeFirstUse);
