import type { ErrorCase, StashError } from '../../errors';

/** The checks of a connection, in their order. */
export const checks = [
  'name',
  'port',
  'tls',
  'stash',
  'signIn',
  'graphql',
  'release',
  'state',
  'socket',
  'folders',
  'scrapers',
] as const;

export type CheckName = (typeof checks)[number];

/** The texts about what a check found, by their keys in the dialog's catalogue, with the names of their details. */
export const findingTexts = {
  resolved: ['host', 'addresses'],
  proxyResolved: ['host', 'addresses'],
  literal: [],
  connected: ['endpoint', 'milliseconds'],
  proxyConnected: ['endpoint', 'milliseconds'],
  certificate: ['issuer', 'count'],
  certificateEnds: ['issuer', 'count'],
  unverified: [],
  plain: [],
  stash: ['milliseconds'],
  perhapsStash: [],
  noSignIn: [],
  keyAccepted: [],
  sessionStarted: [],
  unneeded: [],
  keyUnneeded: [],
  serverError: [],
  schema: ['milliseconds'],
  noSchema: [],
  release: ['release', 'days'],
  oldRelease: ['release', 'days'],
  undatedRelease: ['release'],
  noRelease: [],
  ready: [],
  setup: [],
  migration: [],
  otherState: [],
  noState: [],
  live: [],
  polled: [],
  polledByProxy: [],
  polledByRelease: [],
  folders: ['count'],
  foldersMapped: ['count'],
  foldersSeen: ['count'],
  foldersElsewhere: ['count'],
  folderUnseen: ['count', 'folder'],
  rowOutside: ['row'],
  noFolders: [],
  unlisted: [],
  scrapers: ['count'],
  onlyBuiltIn: [],
  unchecked: [],
} as const;

type FindingText = keyof typeof findingTexts;

/** What a button of the dialog does against a problem. */
export type Remedy =
  /** Enters an address at which Stash has answered. */
  | { kind: 'address'; url: string }
  /** Selects a way to sign in. */
  | { kind: 'auth'; auth: 'none' | 'apiKey' }
  /** Leads to a field. */
  | { kind: 'field'; field: 'apiKey' | 'password' | 'tls' | 'proxy' | 'headers' | 'pathMap' }
  /** Opens the start page of Stash. */
  | { kind: 'open' }
  /** Looks for Stash at the usual addresses. */
  | { kind: 'find' };

/** What a check found. */
export interface Finding {
  /** `hint`: it works, but could be better. */
  state: 'ok' | 'hint' | 'failed' | 'skipped';
  /** Without a text, that of the case. */
  text?: FindingText;
  /** The error with whose words the dialog says what to do. */
  case?: ErrorCase;
  details: Readonly<Record<string, string | number>>;
  remedies: readonly Remedy[];
}

/** The values of the placeholders in a text; none for a text without. */
type DetailsOf<Text extends FindingText> = [(typeof findingTexts)[Text][number]] extends [never]
  ? []
  : [Readonly<Record<(typeof findingTexts)[Text][number], string | number>>];

/** Returns a finding without a remedy. */
export function found<Text extends FindingText>(
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
