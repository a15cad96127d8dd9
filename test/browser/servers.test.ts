import { describeByHand } from './by-hand';
import { describeCapabilities } from './capabilities';
import { describeDiagnosis } from './diagnosis';
import { describeServers, networkNodes, tab } from './servers';
import { describeSidebar, sidebarFlows } from './sidebar';
import { describeSources } from './sources';

describeByHand(
  [tab, ...networkNodes, ...sidebarFlows],
  describeSidebar,
  describeCapabilities,
  describeSources,
  describeServers,
  describeDiagnosis,
);
