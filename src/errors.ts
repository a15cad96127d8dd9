/**
 * Everything that can go wrong: each code with its cases. A code is a contract with people's flows; a case chooses
 * the words, which stand in the catalogue of stash-server (`errors.<code>.<case>`).
 */
export const cases = {
  /** A dialog's or a message's value is missing or wrong; nothing was sent. */
  BAD_INPUT: [
    'empty',
    'notText',
    'notList',
    'notIds',
    'notPerformer',
    'notJob',
    'tooMany',
    'notNumber',
    'notWhole',
    'notEvaluated',
    'notChosen',
    'unknownChoice',
    'notAbsolute',
    'badName',
    'notCopied',
  ],
  /** No config node, or it has no usable address. */
  NO_SERVER: [
    'none',
    'notSet',
    'noAddress',
    'badAddress',
    'credentialsInAddress',
    'badNumber',
    'badHeaders',
    'headerNotAllowed',
    'badProxy',
    'proxyMissing',
    'tlsUnusable',
    'tlsMissing',
    'notDeployed',
  ],
  /** No connection. */
  UNREACHABLE: [
    'refused',
    'refusedHere',
    'unknownHost',
    'noRoute',
    'lost',
    'notLoaded',
    'download',
    'proxy',
    'proxyRefused',
    'proxySignIn',
  ],
  /** A certificate that is not accepted, by us or by the other side, or a peer that does not speak TLS. */
  TLS: ['authority', 'expired', 'name', 'certificate', 'clientCertificate', 'protocol'],
  /** The limit passed on a query, on a download or its check, before a mutation was sent, or while a message waited for a job. */
  TIMEOUT: ['noAnswer', 'test', 'turn', 'job', 'download', 'check'],
  /** Missing or wrong credentials, however the server's release says so. */
  UNAUTHORIZED: [
    'notSet',
    'keyNeeded',
    'keyRefused',
    'keyMissing',
    'keyUnusable',
    'loginMissing',
    'signInRefused',
    'signInPaused',
    'sessionRefused',
    'credentialsKept',
    'variableKept',
    'unknownMethod',
    'exposed',
    'gate',
  ],
  /** The answer is not GraphQL. */
  NOT_STASH: ['page', 'redirect', 'notGraphQL', 'tlsExpected'],
  /** Any other HTTP status. */
  HTTP: ['status'],
  /** An error that the server gave in the GraphQL envelope. */
  GRAPHQL: ['failed', 'refused', 'backupTwice', 'backupMove'],
  /** This server lacks what was wished, and so may every release known so far. */
  UNSUPPORTED: ['lacking', 'later'],
  /** A path outside the library's folders. */
  PATH_NOT_IN_LIBRARY: ['outside'],
  /** The server is not set up, or waits for the migration of its database. */
  SERVER_STATE: ['setup', 'migration'],
  /** An answer above its limit. */
  TOO_LARGE: ['answer', 'backup'],
  /** Too many messages wait, for their turn or for the end of a job. */
  QUEUE_FULL: ['full', 'jobs', 'tests'],
  /** The external site keeps refusing to be asked. */
  SITE_REFUSED: ['refused'],
  /** A mutation was sent and nothing tells whether it ran. */
  OUTCOME_UNKNOWN: ['lost', 'noAnswer', 'gateway', 'busy'],
  /** How a job ended that a message waited for. */
  JOB_FAILED: ['failed', 'panicked'],
  JOB_CANCELLED: ['cancelled'],
  JOB_LOST: ['lost'],
  /** What arrived is no whole backup. */
  BACKUP_INVALID: [
    'noLink',
    'gone',
    'page',
    'notBackup',
    'wrongSize',
    'brokenZip',
    'changed',
    'damaged',
    'unchecked',
  ],
  /** A backup could not be written. */
  DISK: ['noFolder', 'notAllowed', 'full', 'filled', 'exists', 'vanished', 'failed'],
  /** The node was removed or redeployed while the message waited. */
  CLOSED: ['closed'],
} as const;

export type Code = keyof typeof cases;
export type Case<C extends Code> = (typeof cases)[C][number];
/** A code and one of its cases, as in `UNREACHABLE.refused`. */
export type ErrorCase = { [C in Code]: `${C}.${Case<C>}` }[Code];

export interface Circumstances {
  /** What the words of the case name: plain values, never a secret. */
  details?: Readonly<Record<string, string | number>>;
  /** The HTTP status of the answer, where there was one. */
  status?: number | undefined;
  /** True only where the same message may safely be sent again, and that may help. */
  retry?: boolean;
}

/**
 * The one error of this package. It holds no words for people: `src/flow/words` finds them in the runtime's
 * language, so `message` is only of use to a developer until then.
 */
export class StashError extends Error {
  override readonly name = 'StashError';
  /** An own property, as Node-RED gives only those to Catch nodes. */
  readonly code: Code;
  readonly case: ErrorCase;
  readonly details: Readonly<Record<string, string | number>>;
  /** The HTTP status of the answer, or null. */
  readonly status: number | null;
  readonly retry: boolean;

  constructor(which: ErrorCase, { details = {}, status, retry = false }: Circumstances = {}) {
    super(`${which} ${JSON.stringify(details)}`);
    this.case = which;
    this.code = which.split('.', 1)[0] as Code;
    this.details = details;
    this.status = status ?? null;
    this.retry = retry;
  }

  /** Node-RED shows `String(error)` in its log and gives it to Catch nodes: the words alone, without a class name. */
  override toString(): string {
    return this.message;
  }
}
