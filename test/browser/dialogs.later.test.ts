import { describeAnyOrder } from './any-order';
import { bareNodes, describeBareNodes } from './bare-nodes';
import { describeByHand } from './by-hand';
import { describeDocument, documentFlows } from './document';
import { describeLabels, labelFlows } from './labels';
import { describeOutputs, outputFlows } from './outputs';
import { describeStates, stateFlows } from './states';
import { describeTrial, trialFlows } from './trial';
import { describeUncaught, uncaughtFlows } from './uncaught';

describeByHand(
  {
    flows: [
      ...bareNodes,
      ...outputFlows,
      ...stateFlows,
      ...uncaughtFlows,
      ...labelFlows,
      ...documentFlows,
      ...trialFlows,
    ],
  },
  describeBareNodes,
  describeOutputs,
  describeLabels,
  describeStates,
  describeUncaught,
  describeDocument,
  describeTrial,
  describeAnyOrder,
);
