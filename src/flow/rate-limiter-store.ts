import type { Node, NodeAPI } from 'node-red';
import { untilAborted } from '../async';
import { isRecord } from '../guards';
import type { RateLimiterStore } from '../server';
import { textOfStore } from './words';

const KEY = 'rateLimiter';
/** After this time look-ups no longer wait for a store that does not answer. */
const LONGEST_READ_MILLISECONDS = 10_000;

/**
 * Keeps the state of a server's rate limiter in the context of its config node while Node-RED is not running. Undefined
 * unless Node-RED's settings have a persistent context store. The first failure of the store is logged as a warning.
 */
export function rateLimiterStore(RED: NodeAPI, node: Node): RateLimiterStore | undefined {
  const store = persistentStore(RED.settings['contextStorage']);
  if (store === undefined) return undefined;
  let hasWarned = false;
  const warn = (error: unknown) => {
    if (!hasWarned) node.warn(textOfStore(RED, store, error));
    hasWarned = true;
  };
  return {
    read: async () => {
      const reading = new Promise<unknown>((resolve, reject) => {
        node.context().get(KEY, store, (error: Error | null | undefined, value: unknown) => {
          if (error) reject(error);
          else resolve(value);
        });
      });
      try {
        return await untilAborted(reading, AbortSignal.timeout(LONGEST_READ_MILLISECONDS));
      } catch (error) {
        warn(error);
        return undefined;
      }
    },
    write: (value) => {
      try {
        node.context().set(KEY, value, store, (error: unknown) => {
          if (error) warn(error);
        });
      } catch (error) {
        warn(error);
      }
    },
  };
}

/** Returns the name of the default store if it is persistent, otherwise of the first that is. */
function persistentStore(stores: unknown): string | undefined {
  if (!isRecord(stores)) return undefined;
  const persistent = Object.keys(stores).filter((name) => {
    const store = stores[name];
    return isRecord(store) && store['module'] !== 'memory';
  });
  const preset = typeof stores['default'] === 'string' ? stores['default'] : 'default';
  return persistent.includes(preset) ? preset : persistent[0];
}
