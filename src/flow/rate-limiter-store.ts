import type { Node, NodeAPI } from 'node-red';
import { untilAborted } from '../async';
import { isRecord } from '../guards';
import type { RateLimiterStore } from '../server';
import { timing } from '../timing';
import { textOfStore } from './words';

const KEY = 'rateLimiter';

/**
 * Returns a store that keeps the state of a server's rate limiters in the context of its config node while Node-RED is not
 * running; undefined if settings.js has no persistent context store. Its methods throw nothing: the first failure is logged
 * as a warning.
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
        return await untilAborted(reading, AbortSignal.timeout(timing.contextStore));
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

/** Returns the name of the default store if it is persistent, otherwise of the first persistent one. */
function persistentStore(stores: unknown): string | undefined {
  if (!isRecord(stores)) return undefined;
  const persistent = Object.keys(stores).filter((name) => {
    const store = stores[name];
    return isRecord(store) && store['module'] !== 'memory';
  });
  const preset = typeof stores['default'] === 'string' ? stores['default'] : 'default';
  return persistent.includes(preset) ? preset : persistent[0];
}
