import { inspect } from 'node:util';

/** What the flow and the server know, and no message, error, status or log line may show. */
export const SECRETS = {
  apiKey: 'canary+key/with=signs.0123456789',
  password: 'p4ss word&of=somebody <at home>',
  header: 'g4te/of+a=tunnel.0123456789',
};

/** Returns the forms in which a server may repeat a secret. */
function formsOf(secret: string): string[] {
  const bytes = Buffer.from(secret);
  return [secret, encodeURIComponent(secret), bytes.toString('base64'), bytes.toString('base64url')];
}

/** All forms of all secrets. */
export const forms = Object.values(SECRETS).flatMap(formsOf);

/** Returns the form of one of the secrets that anything shows. */
export function leakIn(secrets: readonly string[], ...seen: readonly unknown[]): string | undefined {
  const text = inspect(seen, { depth: 20, maxArrayLength: null, maxStringLength: null });
  return secrets.flatMap(formsOf).find((form) => text.includes(form));
}
