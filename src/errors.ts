/**
 * All errors: each code with its cases, and the details of each case (`?`: optional). Flows depend on the codes. A case selects
 * the words in the catalogue of stash-server (`errors.<code>.<case>`), which may name the details that are always there.
 */
export const cases = {
  /** A missing or wrong value; nothing was sent. */
  BAD_INPUT: {
    empty: ['property', 'source'],
    notEntered: ['property', 'source'],
    notText: ['property', 'source'],
    notList: ['property', 'source'],
    notIds: ['property', 'source'],
    notMarkers: ['property', 'source'],
    notTime: ['property', 'source'],
    notPerformer: ['property', 'source'],
    notPerformerField: ['property', 'source', 'name'],
    noPerformer: ['id'],
    notJob: ['property', 'source'],
    notPlayer: ['property', 'source'],
    notPause: ['property', 'source', 'value'],
    notPauseObject: ['property', 'source', 'name'],
    tooMany: ['property', 'source', 'count'],
    notNumber: ['property', 'least'],
    notWhole: ['property'],
    notPositive: ['property'],
    notPositiveWhole: ['property'],
    notPart: ['property'],
    notEvaluated: ['property', 'source', 'reason'],
    expression: ['property', 'reason'],
    expressionOfItem: ['property', 'reason', 'id'],
    expressionOfList: ['property', 'reason', 'count'],
    notChosen: [],
    unknownChoice: ['choice'],
    notAbsolute: ['path'],
    badName: ['name'],
    notObject: ['property', 'source'],
    notPluginTask: ['property', 'source'],
    notVariables: ['property', 'source'],
    variables: ['text'],
    document: ['line', 'column', 'text'],
    jsonDocument: [],
    longDocument: [],
    noOperation: [],
    severalOperations: [],
    subscription: [],
    mutation: [],
    notDeployed: ['source'],
    severalLookUps: [],
    noPages: [],
    pageSize: [],
    wrongType: ['name', 'type'],
    noSources: [],
    noNew: ['property', 'source'],
    notForTask: ['property'],
    notItems: ['property', 'source'],
    otherKind: ['property', 'source', 'kind'],
    noKind: ['property', 'source'],
    noChanges: [],
    notCriteria: ['property', 'source'],
    noFilter: ['name'],
    severalFilters: ['name', 'ids'],
    criterion: ['name'],
    notListPage: ['page'],
    notCopied: [],
    noItems: ['ids'],
    tooManyItems: ['count', 'limit'],
    setToNothing: ['property', 'source'],
    changedTwice: ['property'],
    addedAndRemoved: ['property', 'name'],
    notThere: ['property', 'names'],
    severalFit: ['property', 'name', 'candidates'],
    notRating: ['value'],
    notCount: ['value'],
    notDate: ['value'],
  },
  /** No config node, or it has no usable address. */
  NO_SERVER: {
    none: [],
    notSet: ['name'],
    noAddress: [],
    badAddress: [],
    variableInAddress: [],
    variableInPathMap: ['row'],
    credentialsInAddress: [],
    badNumber: ['property'],
    badPathMap: ['row'],
    badHeaders: [],
    headerNotAllowed: ['name'],
    badProxy: [],
    proxyMissing: [],
    tlsUnusable: [],
    tlsMissing: [],
    notDeployed: [],
  },
  UNREACHABLE: {
    refused: ['url', 'host', 'code'],
    refusedHere: ['url', 'host', 'code'],
    unknownHost: ['url', 'host', 'code'],
    noRoute: ['url', 'host', 'code'],
    lost: ['url', 'code', 'host?'],
    notLoaded: ['code'],
    download: ['url', 'got', 'code'],
    proxy: ['host', 'url', 'code'],
    proxyRefused: ['host', 'url', 'code'],
    proxySignIn: ['host', 'url', 'code'],
  },
  /** A rejected certificate, on either side, or a peer without TLS. */
  TLS: {
    authority: ['host', 'code'],
    expired: ['host', 'code'],
    name: ['host', 'code'],
    certificate: ['host', 'code'],
    clientCertificate: ['host', 'code'],
    protocol: ['host', 'code'],
  },
  /** A time limit passed. For the response to a mutation, the code is OUTCOME_UNKNOWN. */
  TIMEOUT: {
    noAnswer: ['seconds'],
    test: ['seconds'],
    turn: ['minutes'],
    job: ['minutes'],
    page: ['minutes'],
    download: ['seconds', 'got'],
    check: ['seconds'],
  },
  /** Missing or wrong credentials. Releases of Stash respond differently. */
  UNAUTHORIZED: {
    notSet: ['name'],
    keyNeeded: [],
    keyRefused: [],
    keyMissing: [],
    keyUnusable: [],
    variableInKey: [],
    loginMissing: [],
    signInRefused: [],
    signInPaused: ['seconds'],
    sessionRefused: [],
    notAllowed: [],
    credentialsKept: [],
    variableKept: [],
    unknownMethod: [],
    exposed: [],
    gate: [],
  },
  NOT_STASH: {
    page: [],
    redirect: ['to'],
    notGraphQL: [],
    otherGraphQL: [],
    tlsExpected: [],
  },
  HTTP: {
    status: ['status'],
    proxied: ['host', 'status'],
  },
  GRAPHQL: {
    failed: ['text'],
    refused: ['text'],
    form: ['release', 'name'],
    backupTwice: [],
    backupMove: ['text'],
  },
  /**
   * The server lacks a feature. `later`: so does every release so far. `unknown`: perhaps no release has such a name. `tooOld`:
   * it is older than the oldest supported release.
   */
  UNSUPPORTED: {
    tooOld: ['release', 'since'],
    lacking: ['release', 'name', 'since'],
    unknown: ['release', 'name'],
    noPlugin: [],
    pluginDisabled: [],
    noLog: [],
  },
  /** A path outside the library's folders. `unmapped`: the server probably knows it as another path. */
  PATH_NOT_IN_LIBRARY: {
    outside: ['path', 'folders'],
    unmapped: ['path', 'folders', 'here', 'there'],
    mapped: ['path', 'folders', 'given'],
  },
  /** The server is not set up, needs a migration, or would remove the content of a missing folder. */
  SERVER_STATE: {
    setup: [],
    migration: [],
    folderEmpty: ['folder'],
    subfolderEmpty: ['folder'],
    noFolders: [],
  },
  TOO_LARGE: {
    answer: [],
    backup: ['size', 'limit'],
    items: [],
  },
  QUEUE_FULL: {
    full: ['count'],
    scan: ['count'],
    jobs: ['count'],
    saves: ['count'],
    updates: ['count'],
    tests: [],
  },
  SITE_REFUSED: {
    refused: ['text', 'seconds?'],
  },
  /** A mutation was sent, and nothing shows whether it ran. */
  OUTCOME_UNKNOWN: {
    lost: [],
    noAnswer: ['seconds'],
    gateway: ['status'],
    form: ['release', 'name'],
    download: [],
    downloadNoAnswer: ['seconds'],
    downloadGateway: ['status'],
  },
  JOB_FAILED: {
    failed: ['job', 'description', 'text'],
    panicked: ['job', 'description'],
  },
  JOB_CANCELLED: {
    cancelled: ['job', 'description'],
  },
  JOB_LOST: {
    lost: ['job', 'description'],
    status: ['job', 'description', 'text'],
    unidentified: ['description'],
  },
  BACKUP_INVALID: {
    noLink: [],
    gone: ['got'],
    page: [],
    notBackup: [],
    wrongSize: ['expected', 'actual'],
    brokenZip: [],
    damagedZip: ['number', 'reason'],
    noDatabase: [],
    changed: ['got'],
    damaged: ['text'],
    unchecked: ['reason'],
  },
  DISK: {
    notLoaded: ['code'],
    noFolder: ['folder'],
    notAllowed: ['folder', 'code'],
    readOnly: ['folder'],
    longName: ['folder'],
    fileTooLarge: ['folder', 'got'],
    full: ['folder', 'needed', 'free'],
    filled: ['folder', 'got'],
    exists: ['name', 'folder'],
    vanished: ['folder'],
    failed: ['folder', 'code', 'got'],
  },
  /** The node was removed or redeployed while the message waited. */
  CLOSED: {
    /** What was sent goes on. */
    closed: [],
    unsent: [],
    /** A pause had stopped its job. */
    interrupted: [],
  },
} as const;

type Cases = typeof cases;
export type Code = keyof Cases;
export type Case<C extends Code> = keyof Cases[C] & string;
/** A code and one of its cases, as in `UNREACHABLE.refused`. */
export type ErrorCase = { [C in Code]: `${C}.${Case<C>}` }[Code];

type DetailOf<Which extends ErrorCase> = {
  [C in Code]: { [K in Case<C>]: `${C}.${K}` extends Which ? NamesIn<Cases[C][K]> : never }[Case<C>];
}[Code];
type NamesIn<List> = List extends readonly (infer Name extends string)[] ? Name : never;

/** Plain values, never a secret. */
type Details<Name extends string = string> = {
  readonly [N in Name as N extends `${string}?` ? never : N]: string | number;
} & {
  readonly [N in Name as N extends `${infer Base}?` ? Base : never]?: string | number;
};

interface Circumstances {
  status?: number | undefined;
  /** Whether it is safe and useful to send the same message again. */
  retry?: boolean;
  /** What has happened all the same, in a sentence before that of the error. */
  preface?: Preface | undefined;
}

/** Words in the catalogue of stash-server, `preface.<preface>`. `paused`: jobs are paused, but not all that run were stopped. */
export type Preface = 'paused';

interface Detailed<Name extends string = string> extends Circumstances {
  details: Details<Name>;
}

/** For a case known only at run time, the details come from the same error. */
type Given<Which extends ErrorCase> = [ErrorCase] extends [Which]
  ? [Detailed]
  : [DetailOf<Which>] extends [never]
    ? [Circumstances?]
    : [Detailed<DetailOf<Which>>];

/** The one error class of this package. `message` is for developers; `src/flow/words` has the sentence for users. */
export class StashError<Which extends ErrorCase = ErrorCase> extends Error {
  /** For the compiler: `instanceof StashError` must not narrow the case. */
  declare static readonly [Symbol.hasInstance]: (value: unknown) => value is StashError;
  override readonly name = 'StashError';
  /** An own property, because Node-RED gives only those to Catch nodes. */
  readonly code: Code;
  readonly case: ErrorCase;
  readonly details: Details;
  readonly status: number | null;
  readonly retry: boolean;
  readonly preface: Preface | undefined;

  constructor(which: Which, ...given: Given<Which>) {
    const [{ details = {}, status, retry = false, preface } = {}]: [Partial<Detailed>?] = given;
    super(`${which} ${JSON.stringify(details)}`);
    this.case = which;
    this.code = which.split('.', 1)[0] as Code;
    this.details = details;
    this.status = status ?? null;
    this.retry = retry;
    this.preface = preface;
  }

  /** Node-RED shows `String(error)` in its log and gives it to Catch nodes, so the class name is left out. */
  override toString(): string {
    return this.message;
  }
}
