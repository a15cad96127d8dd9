import { minorOf, type Release, versionOf } from './releases';

/** The differences between releases, except those of their schemas. The README says how each one is known. */
export interface Quirks {
  /** The minor version, which distinguishes releases: 30 for v0.30.1. */
  readonly minor: number;
  /** As the server reports it. */
  readonly version: string;
  /** The database schema of the release. */
  readonly appSchema: number;
  /** The database schema of an older release, which causes the status NEEDS_MIGRATION. */
  readonly oldSchema: number;

  /** The status for a wrong API key: v0.11 to v0.25.1 treated it as an internal error. */
  readonly wrongKey: 401 | 500;
  /** Answers a request for a file without credentials with 401 instead of a redirect to the login page. */
  readonly refusesFiles: boolean;
  /** Reports the result of a sign-in as 200 or 401 instead of a redirect or a page. */
  readonly loginByStatus: boolean;

  /** Heeds `Accept`: may answer with application/graphql-response+json, and then with 400 instead of 422. */
  readonly negotiates: boolean;
  /** Answers 422 instead of 200 if the document has no operation to run. */
  readonly refusesNoOperation: boolean;
  /** Repeats an invalid request body in the error. */
  readonly repeatsBody: boolean;
  /** Accepts a single value in a variable for a list. */
  readonly listsOfOne: boolean;
  /** Refuses null for a Boolean of a scan's input, and of what cleans generated files: "<nil> is not a bool". */
  readonly refusesNull: boolean;
  /** The same for a kind of content. */
  readonly refusesNullContent: boolean;

  /** Survives a panic in a job, which becomes FAILED; up to v0.25.1 the schema lacks that status. */
  readonly failedJobs: boolean;
  /** Reports FAILED with an `error` if a task returns one. */
  readonly failsWithText: boolean;
  /** Migrates the database in a job, whose id it returns; otherwise before it answers. */
  readonly migratesInJob: boolean;
  /** The shortest time between two UPDATE events of a job, in milliseconds. */
  readonly updatesEvery: 100 | 1000;
  /** Reports times with nanoseconds instead of whole seconds. */
  readonly preciseTimes: boolean;
  /** How a scan proceeds, and which lines it logs. */
  readonly scans: 'counting' | 'walking';
  /** Makes the cover of each scene that a scan adds; otherwise only with `scanGenerateCovers`. */
  readonly makesCovers: boolean;
  /** How a clean proceeds, and which lines it logs. */
  readonly cleans: 'at once' | 'by kind' | 'files and folders' | 'verifying';
  /** Returns the job of a plugin's task instead of "todo". */
  readonly pluginJobIds: boolean;
  /** Refuses to run a disabled plugin. */
  readonly disablesPlugins: boolean;
  /** Of a missing folder, `directory` lists only folders beside it whose names begin like it; "x/" has a parent. */
  readonly guessesFolder: boolean;
  /** Answers 500 instead of 404 for an image whose file has gone. */
  readonly failsMissingImage: boolean;
  /** Sends an image in an archive whole and without its length, although a part of it was requested. */
  readonly streamsArchives: boolean;
  /** Logs the errors of resolvers. */
  readonly logsErrors: boolean;
  /** Answers `findScene` for an unknown id with an error instead of null. */
  readonly unknownIsError: boolean;
  /** Finds only what has all words of a search, instead of one of them. A minus sign excludes a word, and `or` is an alternative. */
  readonly needsAllWords: boolean;
  /** Puts at most 1000 items on a page, whatever its size. */
  readonly limitsPages: boolean;
  /** Sorts equal items by their titles or names instead of their ids. */
  readonly sortsTies: boolean;
  /** Sorts a scene without a title by the name of its file. */
  readonly sortsByFile: boolean;
  /** The error of `sceneUpdate` for an unknown id, which takes the place of `#`. */
  readonly updatesUnknown: string;
  /** Rates scenes up to 100 instead of 5. */
  readonly ratesTo100: boolean;
  /** Keeps the times of all playbacks instead of their number and the last one. */
  readonly keepsPlays: boolean;
  /** Leaves the title of an untitled scene or gallery empty, instead of using the file name. */
  readonly emptyTitle: boolean;
  /** The same for an image. */
  readonly emptyImageTitle: boolean;
  /** How a second performer of a name is refused: by the database, which looks at every letter, or in words, without their case. */
  readonly sameName: 'checksum' | 'name' | 'told';
  /** What becomes of a date of a performer that is none: it is dropped, refused, or may lack the day and the month. */
  readonly readsDates: 'silently' | 'days' | 'months and years';
  /** Gives "" instead of null for a text of a performer that is not known. */
  readonly emptyTexts: boolean;
  /** Keeps when a career began and ended instead of its length, which it derives: `2012 - 2020`. A length that is none is an error. */
  readonly derivesCareer: boolean;
  /** Drops an alias of a performer that is there twice or is the name, instead of refusing it. */
  readonly dropsAliases: boolean;

  /** Finishes running requests on SIGTERM instead of cutting them. */
  readonly finishesRequests: boolean;
  /** Supports `graphql-transport-ws`; otherwise only `graphql-ws`, whatever the client offers. */
  readonly transportSocket: boolean;
  /** Sends `complete` twice for each operation on a socket. */
  readonly completesTwice: boolean;
  /** Closes the socket when the client sends a pong. */
  readonly diesOfPong: boolean;
  /** Closes a socket with an invalid frame (code 1006) after an unknown message. */
  readonly closesBadly: boolean;

  /** What a scan does in SETUP: kills the process, returns a job id, or gets an error. */
  readonly scanInSetup: 'crash' | 'accept' | 'refuse';
  /** Survives a scan in NEEDS_MIGRATION. */
  readonly survivesOldDatabase: boolean;
  /** Survives the id of a marker to generate for: a nil pointer in a goroutine. */
  readonly survivesMarkers: boolean;
  /** Reports success for a backup in SETUP that is not downloaded. */
  readonly backsUpNothing: boolean;
  /** Gives "" instead of null for a studio without a web address. */
  readonly emptyUrl: boolean;
  /** The error of a resolver whose database is not open. */
  readonly noDatabase: string;

  /** Aborts its request to a site when the client disconnects. */
  readonly cutsSiteCalls: boolean;
  /** Lists equal values of a column once, which shifts the other values to other people. */
  readonly mixesNames: boolean;
  /** Names the scraper in an error; reports an unsupported operation as an error. */
  readonly tellsScraper: boolean;
  /** Names the failed page of the site in an error. */
  readonly tellsPage: boolean;
}

/** A value for all releases from the first one on, and a new value for each minor version that changed it. */
type History<T> = Readonly<Record<number, T>> & { readonly 0: T };

const PANIC =
  'Internal system error. Error <runtime error: invalid memory address or nil pointer dereference>';

/** The behaviour of all releases; a test compares the README's tables with it. */
export const history: {
  readonly [Quirk in Exclude<keyof Quirks, 'minor' | 'version'>]: History<Quirks[Quirk]>;
} = {
  appSchema: { 0: 25, 11: 28, 17: 36, 23: 52, 25: 55, 28: 72, 30: 75, 31: 85 },
  oldSchema: { 0: 24, 11: 27, 17: 35, 23: 51, 25: 54, 28: 71, 30: 72, 31: 75 },

  wrongKey: { 0: 401, 11: 500, 26: 401 },
  refusesFiles: { 0: false, 21: true },
  loginByStatus: { 0: false, 29: true },

  negotiates: { 0: false, 29: true },
  refusesNoOperation: { 0: false, 27: true },
  repeatsBody: { 0: false, 27: true },
  listsOfOne: { 0: false, 14: true },
  refusesNull: { 0: false, 14: true, 28: false },
  refusesNullContent: { 0: false, 20: true, 28: false },

  failedJobs: { 0: false, 17: true },
  failsWithText: { 0: false, 26: true },
  migratesInJob: { 0: false, 26: true },
  updatesEvery: { 0: 1000, 11: 100 },
  preciseTimes: { 0: false, 17: true },
  scans: { 0: 'counting', 17: 'walking' },
  makesCovers: { 0: true, 20: false },
  cleans: { 0: 'at once', 11: 'by kind', 17: 'files and folders' },
  pluginJobIds: { 0: false, 25: true },
  disablesPlugins: { 0: false, 24: true },
  guessesFolder: { 0: false, 24: true },
  failsMissingImage: { 0: false, 17: true },
  streamsArchives: { 0: true, 21: false },
  logsErrors: { 0: false, 21: true },
  unknownIsError: { 0: false, 17: true, 18: false },
  needsAllWords: { 0: false, 12: true },
  limitsPages: { 0: true, 20: false },
  sortsTies: { 0: false, 21: true },
  sortsByFile: { 0: false, 22: true },
  updatesUnknown: {
    0: 'id # does not exist in scenes',
    17: 'getting scene by id #: sql: no rows in result set',
    18: 'scene with id # not found',
  },
  ratesTo100: { 0: false, 18: true },
  keepsPlays: { 0: false, 25: true },
  emptyTitle: { 0: false, 17: true },
  emptyImageTitle: { 0: false, 26: true },
  sameName: { 0: 'checksum', 19: 'name', 24: 'told' },
  readsDates: { 0: 'silently', 12: 'days', 18: 'silently', 22: 'days', 30: 'months and years' },
  emptyTexts: { 0: false, 19: true },
  derivesCareer: { 0: false, 31: true },
  dropsAliases: { 0: false, 31: true },

  finishesRequests: { 0: false, 24: true },
  transportSocket: { 0: false, 14: true },
  completesTwice: { 0: false, 14: true, 27: false },
  diesOfPong: { 0: false, 14: true, 27: false },
  closesBadly: { 0: false, 14: true, 28: false },

  scanInSetup: { 0: 'crash', 17: 'accept', 26: 'refuse' },
  survivesOldDatabase: { 0: false, 11: true, 12: false },
  survivesMarkers: { 0: false, 24: true },
  backsUpNothing: { 0: false, 26: true },
  emptyUrl: { 0: true, 29: false },
  noDatabase: { 0: 'database not initialized', 17: PANIC },

  cutsSiteCalls: { 0: false, 12: true },
  mixesNames: { 0: true, 12: false },
  tellsScraper: { 0: false, 12: true },
  tellsPage: { 0: false, 29: true },
};

/** Returns the behaviour of a release. */
export function quirksOf(release: Release): Quirks {
  const minor = minorOf(release);
  const values = Object.entries(history).map(([name, each]) => [name, valueAt<unknown>(each, minor)]);
  // The type of `history` guarantees that each value has the type of its name.
  return { minor, version: versionOf(release), ...Object.fromEntries(values) } as Quirks;
}

function valueAt<T>(each: History<T>, minor: number): T {
  // The numeric keys of an object are in ascending order.
  const since = Object.keys(each).map(Number);
  return each[since.filter((first) => first <= minor).at(-1) ?? 0] ?? each[0];
}
