import { describeByHand } from './by-hand';
import { describeCapabilities } from './capabilities';
import { describeDiagnosis } from './diagnosis';
import { describePickerEdits, pickerEditFlows } from './picker-edits';
import { describePickers, pickerFlows } from './pickers';
import { describeServers, networkNodes, tab } from './servers';
import { describeSidebar, sidebarFlows } from './sidebar';
import { describeSources } from './sources';
import { describeSubflows, subflowFlows } from './subflows';

describeByHand(
  {
    flows: [tab, ...networkNodes, ...sidebarFlows, ...pickerFlows, ...pickerEditFlows, ...subflowFlows],
  },
  describeSidebar,
  describeCapabilities,
  describeSubflows,
  describeSources,
  describePickers,
  describePickerEdits,
  describeServers,
  describeDiagnosis,
);
