import { describeByHand } from './by-hand';
import { describeCapabilities } from './capabilities';
import { describeServers, networkNodes, tab } from './servers';
import { describeSources } from './sources';

describeByHand([tab, ...networkNodes], describeCapabilities, describeSources, describeServers);
