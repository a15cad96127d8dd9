export { neverAborted, untilAborted, withTimeLimit } from './abort';
export { Alarm } from './alarm';
export { BackOff } from './back-off';
export { Listeners, shielded } from './listeners';
export { Semaphore } from './semaphore';
export { AbortableSingleFlight, SingleFlight } from './single-flight';
export { TaskGroup } from './task-group';
export { after, LONGEST_TIMER, sleep } from './timer';
