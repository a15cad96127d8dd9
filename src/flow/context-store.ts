import type { Node, NodeAPI } from 'node-red';
import { untilAborted } from '../async';
import { isRecord } from '../guards';
import { timing } from '../timing';
import { type StoredKey, textOfStore } from './words';

/** Keeps a value while Node-RED is not running. Its methods throw nothing: the first failure is logged as a warning. */
interface ContextStore {
  /** Returns the value that was written last; undefined if there is none. */
  read: () => Promise<unknown>;
  write: (value: unknown) => void;
}

/**
 * Returns a store that keeps a value in the context of a node while Node-RED is not running; undefined if settings.js has no
 * persistent context store.
 * @param key names the value in the context.
 */
export function contextStore(RED: NodeAPI, node: Node, key: StoredKey): ContextStore | undefined {
  const store = persistentStore(RED.settings['contextStorage']);
  if (store === undefined) return undefined;
  let hasWarned = false;
  const warn = (error: unknown) => {
    if (!hasWarned) node.warn(textOfStore(RED, key, store, error));
    hasWarned = true;
  };
  return {
    read: async () => {
      const reading = new Promise<unknown>((resolve, reject) => {
        node.context().get(key, store, (error: Error | null | undefined, value: unknown) => {
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
        node.context().set(key, value, store, (error: unknown) => {
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
