import { flowsAround } from './action-nodes';
import { ACE, describeByHand } from './by-hand';
import { describeFirstUse } from './first-use';
import { describeOnlyServer } from './only-server';

describeByHand({ flows: flowsAround(), settings: ACE }, describeOnlyServer, describeFirstUse);
