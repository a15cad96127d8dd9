import { describeByHand } from './by-hand';
import { describeServers, networkNodes, tab } from './servers';
import { describeSources } from './sources';

describeByHand([tab, ...networkNodes], describeSources, describeServers);
