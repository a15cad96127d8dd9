import type { Node, NodeAPI } from 'node-red';
import { untilAborted } from '../async';
import { isRecord } from '../guards';
import { timing } from '../timing';
import type { PersistedState, ValueStore } from '../value-store';
import { type StoredKey, textOfStore } from './words';

/**
 * The values by key and the ID of the node. Module-level, because Node-RED deletes the context of a node that it stops where
 * settings.js has no `contextStorage`.
 */
const values = new Map<string, object>();

/**
 * Keeps a value of a node until the process ends and, if settings.js has a persistent context store, across restarts.
 * @param node returns the node, which a deploy makes anew.
 */
export function persistedState(RED: NodeAPI, node: () => Node, key: StoredKey): PersistedState {
  const name = `${key} ${node().id}`;
  const store = contextStore(RED, node, key);
  return {
    // A value in memory is newer than the stored one.
    read: () => Promise.resolve(values.get(name) ?? store?.read()),
    set: (value) => values.set(name, value),
    save: () => {
      const value = values.get(name);
      if (value) store?.write(value);
    },
  };
}

/**
 * Returns a store that keeps a value in the context of a node while Node-RED is not running; undefined if settings.js has no
 * persistent context store. Its methods throw nothing: the first failure is logged as a warning.
 * @param node returns the node. @param key names the value in the context.
 */
export function contextStore(RED: NodeAPI, node: () => Node, key: StoredKey): ValueStore | undefined {
  const store = persistentStore(RED.settings['contextStorage']);
  if (store === undefined) return undefined;
  let hasWarned = false;
  const warn = (error: unknown) => {
    if (!hasWarned) node().warn(textOfStore(RED, key, store, error));
    hasWarned = true;
  };
  return {
    read: async () => {
      const reading = new Promise<unknown>((resolve, reject) =>
        node()
          .context()
          .get(key, store, (error: Error | null | undefined, value: unknown) => {
            if (error) reject(error);
            else resolve(value);
          }),
      );
      try {
        return await untilAborted(reading, AbortSignal.timeout(timing.contextStore));
      } catch (error) {
        warn(error);
        return undefined;
      }
    },
    write: (value) => {
      try {
        node()
          .context()
          .set(key, value, store, (error: unknown) => {
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
