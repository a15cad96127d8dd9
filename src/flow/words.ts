import type { NodeAPI } from 'node-red';
import type { StashError } from '../errors';

/** The words for errors stand once, with stash-server, and are found in the runtime's language (`lang` setting). */
const CATALOGUE = '@stash-flows/node-red-stash/server:';

export interface Explanation {
  /** What happened, then what to do. */
  message: string;
  remedy: string;
  /** At most 20 characters, for the status under a node. */
  label: string;
}

export function explain(RED: NodeAPI, error: StashError): Explanation {
  const { code, details } = error;
  const words = `${CATALOGUE}errors.${error.case}`;
  const remedy = RED._(`${words}.remedy`, details);
  return {
    message: `${RED._(`${words}.text`, details)} ${remedy}`,
    remedy,
    label: RED._(`${CATALOGUE}errors.${code}.label`),
  };
}
