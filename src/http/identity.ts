import { createHmac, randomBytes } from 'node:crypto';
import type { Credentials } from './credentials';

const secret = randomBytes(32);

/**
 * Identifies an address together with the credentials for it. The identity is the same for all config nodes that share
 * both, also after a redeploy. It reveals nothing, as it is a keyed hash, whose key ends with the process.
 */
export function identityOf(address: string, { auth, headers, login }: Credentials): string {
  const text = JSON.stringify([address, auth, Object.entries(headers).sort(), login]);
  return createHmac('sha256', secret).update(text).digest('base64');
}
