import { describeAccessibility } from './accessibility';
import { describeAnyOrder } from './any-order';
import { bareNodes, describeBareNodes } from './bare-nodes';
import { describeByHand } from './by-hand';
import { describeDocument, documentFlows } from './document';
import { describeLabels, labelFlows } from './labels';
import { describeLayout, layoutFlows } from './layout';
import { describeOutputs, outputFlows } from './outputs';
import { describeTrial, trialFlows } from './trial';
import { describeUncaught, uncaughtFlows } from './uncaught';

describeByHand(
  {
    flows: [
      ...bareNodes,
      ...outputFlows,
      ...layoutFlows,
      ...uncaughtFlows,
      ...labelFlows,
      ...documentFlows,
      ...trialFlows,
    ],
  },
  describeBareNodes,
  describeOutputs,
  describeLayout,
  describeLabels,
  describeAccessibility,
  describeUncaught,
  describeDocument,
  describeTrial,
  describeAnyOrder,
);
