export { neverAborted, TaskGroup, untilAborted, withTimeLimit } from './abort';
export { BackOff } from './back-off';
export { Cache, JsonCache } from './cache';
export { Listeners, shielded } from './listeners';
export { KeyedLock, Semaphore } from './lock';
export { SingleFlight } from './single-flight';
export {
  after,
  Alarm,
  answeredWithin,
  LONGEST_TIMER,
  sleep,
  unlessAnswered,
  yieldToEventLoop,
} from './timer';
