import { createHmac, randomBytes } from 'node:crypto';

const key = randomBytes(32);

/** Hashes values that may contain secrets. The key ends with the process, so a hash reveals nothing later. */
export function keyedHash(...values: unknown[]): string {
  return createHmac('sha256', key).update(JSON.stringify(values)).digest('base64');
}
