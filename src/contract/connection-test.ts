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
  'plugin',
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
  live: [],
  polled: [],
  polledByProxy: [],
  polledByRelease: [],
  pluginReady: ['version'],
  pluginMissing: [],
  noHistory: [],
  pluginOutdated: ['version', 'newest'],
  pluginDisabled: [],
  pluginUnsupported: [],
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
} as const;

export type FindingText = keyof typeof findingTexts;

/** What a button of the dialog does against a problem. */
export type Remedy =
  /** Enters an address at which Stash has answered. */
  | { kind: 'address'; url: string }
  /** Selects a way to sign in. */
  | { kind: 'auth'; auth: 'none' | 'apiKey' }
  /** Leads to a field. */
  | { kind: 'field'; field: 'apiKey' | 'password' | 'tls' | 'proxy' | 'headers' | 'pathMap' | 'plugin' }
  /** Opens the start page of Stash. */
  | { kind: 'open' }
  /** Looks for Stash at the usual addresses. */
  | { kind: 'find' };

export interface Finding {
  /** `hint`: it works, but could be better. `neutral`: there is nothing to check, or it may not matter. */
  state: 'ok' | 'hint' | 'failed' | 'neutral';
  /** Without a text, that of the case. */
  text?: FindingText;
  /** The error with whose words the dialog says what to do. */
  case?: string;
  details: Readonly<Record<string, string | number>>;
  remedies: readonly Remedy[];
}

/** A line of the list: a check that runs, or what it found. A later line of the same check replaces it. */
export type CheckLine = { check: CheckName; state: 'running' } | ({ check: CheckName } & Finding);

/** An address at which Stash has answered. */
export interface FoundServer {
  url: string;
  needsSignIn: boolean;
}

/** What the search for Stash has tried and found. */
export interface FoundServers {
  tried: string[];
  found: FoundServer[];
}
