import { createHmac, randomBytes } from 'node:crypto';
import type { Credentials } from './credentials';

const secret = randomBytes(32);

/**
 * Names an address together with what it is told of who asks. It is the same for each config node with the same of both,
 * also after a redeploy, and holds no secret: it is a keyed hash, whose key ends with the process.
 */
export function identityOf(address: string, { auth, headers, login }: Credentials): string {
  const text = JSON.stringify([address, auth, Object.entries(headers).sort(), login]);
  return createHmac('sha256', secret).update(text).digest('base64');
}
