import { flowsAround } from './action-nodes';
import { ACE, describeByHand } from './by-hand';
import { describeFirstUse } from './first-use';
import { describeOnlyServer, variableFlows } from './only-server';

describeByHand(
  { flows: [...flowsAround(), ...variableFlows], settings: ACE },
  describeOnlyServer,
  describeFirstUse,
);
