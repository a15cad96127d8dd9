import type { Node, NodeAPI } from 'node-red';
import { untilAborted } from '../async';
import { isRecord } from '../guards';
import type { RateLimiterStore } from '../server';
import { textOfStore } from './i18n';

const KEY = 'pace';
/** A store that does not answer shall not keep look-ups waiting for ever. */
const LONGEST_READ_MILLISECONDS = 10_000;

/**
 * The context of a config node, as the place where the pace of its server is kept while Node-RED is not running;
 * undefined unless Node-RED's settings have a context store that outlives it. What a store fails at is told in the log once.
 */
export function rateLimiterStore(RED: NodeAPI, node: Node): RateLimiterStore | undefined {
  const store = persistentStore(RED.settings['contextStorage']);
  if (store === undefined) return undefined;
  let told = false;
  const tell = (error: unknown) => {
    if (!told) node.warn(textOfStore(RED, store, error));
    told = true;
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
        tell(error);
        return undefined;
      }
    },
    write: (value) => {
      try {
        node.context().set(KEY, value, store, (error: unknown) => {
          if (error) tell(error);
        });
      } catch (error) {
        tell(error);
      }
    },
  };
}

/** The default store if it is persistent, otherwise the first that is. */
function persistentStore(stores: unknown): string | undefined {
  if (!isRecord(stores)) return undefined;
  const persistent = Object.keys(stores).filter((name) => {
    const store = stores[name];
    return isRecord(store) && store['module'] !== 'memory';
  });
  const preset = typeof stores['default'] === 'string' ? stores['default'] : 'default';
  return persistent.includes(preset) ? preset : persistent[0];
}
