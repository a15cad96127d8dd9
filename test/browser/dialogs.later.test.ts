import { describeAnyOrder } from './any-order';
import { describeByHand } from './by-hand';
import { describeLabels, labelFlows } from './labels';
import { describeOutputs, outputFlows } from './outputs';
import { describeStates, stateFlows } from './states';
import { describeTrial, trialFlows } from './trial';
import { describeUncaught, uncaughtFlows } from './uncaught';

describeByHand(
  {
    flows: [...outputFlows, ...stateFlows, ...uncaughtFlows, ...labelFlows, ...trialFlows],
  },
  describeOutputs,
  describeLabels,
  describeStates,
  describeUncaught,
  describeTrial,
  describeAnyOrder,
);
