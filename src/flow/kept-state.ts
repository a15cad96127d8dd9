import type { Node, NodeAPI } from 'node-red';
import { contextStore } from './context-store';
import type { StoredKey } from './words';

/** Keeps a value of a node. Its methods throw nothing. */
export interface KeptState {
  /** Returns the value that was held last, also before a deploy or, with a persistent store, a restart. */
  read: () => Promise<unknown>;
  /** Holds a value until the process ends. */
  hold: (value: object) => void;
  /** Writes the held value to the persistent context store, if settings.js has one. */
  save: () => void;
}

/**
 * The held values by key and the ID of the node. Module-level, because a deploy ends the node, and deletes its context where
 * settings.js has no `contextStorage`.
 */
const held = new Map<string, object>();

/** Keeps a value of a node across deploys and, if settings.js has a persistent context store, across restarts. */
export function keptState(RED: NodeAPI, node: Node, key: StoredKey): KeptState {
  const name = `${key} ${node.id}`;
  const store = contextStore(RED, node, key);
  return {
    // What is held is newer than what is stored.
    read: () => Promise.resolve(held.get(name) ?? store?.read()),
    hold: (value) => {
      held.set(name, value);
    },
    save: () => {
      const value = held.get(name);
      if (value) store?.write(value);
    },
  };
}
