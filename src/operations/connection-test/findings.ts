import type { Finding, findingTexts, Remedy } from '../../contract/connection-test';
import type { ErrorCase, StashError } from '../../errors';

/** The values of the placeholders in a text; none for a text without. */
type DetailsOf<Text extends keyof typeof findingTexts> = [(typeof findingTexts)[Text][number]] extends [never]
  ? []
  : [Readonly<Record<(typeof findingTexts)[Text][number], string | number>>];

/** Returns a finding without a remedy. */
export function found<Text extends keyof typeof findingTexts>(
  state: Finding['state'],
  text: Text,
  ...[details]: DetailsOf<Text>
): Finding {
  return { state, text, details: details ?? {}, remedies: [] };
}

const find: Remedy = { kind: 'find' };
const field = (name: Extract<Remedy, { kind: 'field' }>['field']): Remedy => ({ kind: 'field', field: name });

/** The remedies that do not depend on the server. */
const REMEDIES: Partial<Record<ErrorCase, Remedy>> = {
  'UNREACHABLE.refused': find,
  'UNREACHABLE.refusedHere': find,
  'UNREACHABLE.unknownHost': find,
  'UNREACHABLE.noRoute': find,
  'UNREACHABLE.proxy': field('proxy'),
  'UNREACHABLE.proxyRefused': field('proxy'),
  'UNREACHABLE.proxySignIn': field('proxy'),
  'TLS.authority': field('tls'),
  'TLS.name': field('tls'),
  'TLS.clientCertificate': field('tls'),
  'UNAUTHORIZED.keyNeeded': { kind: 'auth', auth: 'apiKey' },
  'UNAUTHORIZED.keyMissing': field('apiKey'),
  'UNAUTHORIZED.keyUnusable': field('apiKey'),
  'UNAUTHORIZED.loginMissing': field('password'),
  'UNAUTHORIZED.keyRefused': field('apiKey'),
  'UNAUTHORIZED.signInRefused': field('password'),
  'UNAUTHORIZED.signInPaused': field('password'),
  'UNAUTHORIZED.sessionRefused': { kind: 'auth', auth: 'apiKey' },
  'UNAUTHORIZED.gate': field('headers'),
  'NOT_STASH.page': field('headers'),
  'NOT_STASH.redirect': field('headers'),
  'NOT_STASH.notGraphQL': find,
  'NOT_STASH.otherGraphQL': find,
};

/** Returns what a button can do against an error at once. */
export function remediesOf({ case: which, status }: StashError): readonly Remedy[] {
  // A reverse proxy refuses what lacks a header.
  const remedy = which === 'HTTP.status' && status === 403 ? field('headers') : REMEDIES[which];
  return remedy ? [remedy] : [];
}
