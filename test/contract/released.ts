import { readFrozen } from './frozen';

/** A node in a flow file. */
export interface FlowNode {
  id: string;
  type: string;
  z?: string;
  [property: string]: unknown;
}

/** A flow with every node of this package, in which every property has another value than by default. */
export const released = readFrozen('released-flow.json') as FlowNode[];

/** What its config nodes have besides the flow file. */
export const credentials: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'server-of-nas': { apiKey: '${STASH_KEY}', headers: '{"X-Gate": "open"}' },
  'server-behind-a-proxy': { username: 'robin', password: 'vale', headers: '{"X-Gate": "open"}' },
};

/** The environment variables that the flow names. */
type Environment = Record<'STASH_URL' | 'STASH_KEY' | 'PROXY_URL' | 'BACKUP_FOLDER', string>;

/** Sets the environment variables that the flow names, and returns a function that takes them back. */
export function setEnvironment(environment: Environment): () => void {
  Object.assign(process.env, environment);
  return () => {
    for (const name of Object.keys(environment)) Reflect.deleteProperty(process.env, name);
  };
}
