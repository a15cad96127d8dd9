export { after, untilAborted } from './abort';
export { Listeners, shielded } from './listeners';
export { Semaphore } from './semaphore';
export { AbortableSingleFlight, SingleFlight } from './single-flight';
