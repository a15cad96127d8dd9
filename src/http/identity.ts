import type { Credentials } from './credentials';
import { keyedHash } from './keyed-hash';

/**
 * Identifies an address with its credentials: the same for all config nodes that share both, also after a redeploy. It reveals
 * nothing of them.
 */
export function identityOf(address: string, { auth, headers, login }: Credentials): string {
  return keyedHash(address, auth, Object.entries(headers).sort(), login);
}
