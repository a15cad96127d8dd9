import { describeAccessibility } from './accessibility';
import { describeAnyOrder } from './any-order';
import { describeByHand } from './by-hand';
import { describeDocument, documentFlows } from './document';
import { describeLabels, labelFlows } from './labels';
import { describeLayout, layoutFlows } from './layout';
import { describeOldFlows, oldFlows } from './old-flows';
import { describeOutputs, outputFlows } from './outputs';
import { describeTrial, trialFlows } from './trial';
import { describeUncaught, uncaughtFlows } from './uncaught';

describeByHand(
  {
    flows: [
      ...oldFlows,
      ...outputFlows,
      ...layoutFlows,
      ...uncaughtFlows,
      ...labelFlows,
      ...documentFlows,
      ...trialFlows,
    ],
  },
  describeOldFlows,
  describeOutputs,
  describeLayout,
  describeLabels,
  describeAccessibility,
  describeUncaught,
  describeDocument,
  describeTrial,
  describeAnyOrder,
);
