/** What a fake server can be: the interface document's server, or a release that people run. */
export const releases = [
  'documented',
  'v0.5.0',
  'v0.7.0',
  'v0.9.0',
  'v0.11.0',
  'v0.17.2',
  'v0.23.1',
  'v0.25.1',
  'v0.28.1',
  'v0.30.1',
] as const;

export type Release = (typeof releases)[number];

/** The documented server speaks the document's names, and has the quirks of the newest release. */
const NEWEST = 'v0.30.1';

/** The number that tells the releases apart: 30 for v0.30.1. */
export function minorOf(release: Release): number {
  const [, minor] = (release === 'documented' ? NEWEST : release).split('.');
  return Number(minor);
}

// The database schemas of the releases above. No record tells that of v0.5, where only the names of backups
// show it.
const SCHEMAS: Readonly<Record<number, number>> = {
  5: 18,
  7: 22,
  9: 25,
  11: 28,
  17: 36,
  23: 52,
  25: 55,
  28: 72,
  30: 75,
};

/** In what a release differs from the others, other than in its schema. */
export interface Quirks {
  readonly minor: number;
  /** As the server tells it. */
  readonly version: string;
  readonly appSchema: number;
  /** That of a database which an older release left behind. */
  readonly oldSchema: number;

  /** v0.5 has neither API keys nor /healthz nor `systemStatus`. */
  readonly apiKeys: boolean;
  /** What a wrong key is answered: v0.11 to v0.25.1 took it for their own failure. */
  readonly wrongKey: 401 | 500;
  /** Who has no credentials gets for a file a status; before, the login page. */
  readonly refusesFiles: boolean;
  /** Says of a file that it must not be kept by others. */
  readonly uncachedFiles: boolean;
  /** Says by which methods a file can be asked for, when it was asked by another. */
  readonly tellsMethods: boolean;
  /** Notices that it can be reached from the internet without credentials, and shuts itself off. */
  readonly tripwire: boolean;
  /** Tells by the status whether somebody could sign in; before, by a redirect and a page. */
  readonly loginByStatus: boolean;
  readonly sameSite: boolean;
  readonly forwardedPrefix: boolean;

  /** Heeds `Accept`: another media type, and 400 instead of 422 with it. */
  readonly negotiates: boolean;
  /** Answers 422 where there is no operation to run; before, 200. */
  readonly refusesNoOperation: boolean;
  /** Repeats a body that it cannot decode. */
  readonly repeatsBody: boolean;
  /** Takes one value in a variable for a list of one. */
  readonly listsOfOne: boolean;
  /** Takes no null for a Boolean of a task's input: "<nil> is not a bool". */
  readonly refusesNull: boolean;

  /** Tasks have ids and wait for each other; before, one that comes while another runs is dropped. */
  readonly queuesJobs: boolean;
  /** A job can be FAILED: before v0.26 a status that the schema does not know, and there is no `error` either. */
  readonly failedJobs: boolean;
  /** A task that fails says why: before, only a panic made a job FAILED, and a job told nothing of it. */
  readonly failsWithText: boolean;
  /** Milliseconds that pass at least between two events about the same job. */
  readonly updatesEvery: number;
  /** Tells times to the nanosecond; before, with whole seconds. */
  readonly preciseTimes: boolean;
  /** How a scan goes about its work, and what it writes into the log of that. */
  readonly scans: 'counting first' | 'counting' | 'walking';
  /** Writes into the log what it answers with an error. */
  readonly logsErrors: boolean;
  /** A question for one scene that it does not know is an error; with others there is no scene. */
  readonly unknownIsError: boolean;
  /** A scene or gallery without a title has none; before, the name of its file. */
  readonly emptyTitle: boolean;
  /** The same for an image. */
  readonly emptyImageTitle: boolean;

  /** Finishes the requests that run before it ends in an orderly way; before, it cut them. */
  readonly finishesRequests: boolean;
  /** Speaks `graphql-transport-ws` on a socket; before, only its forerunner, whatever the client offers. */
  readonly transportSocket: boolean;
  /** Says twice that an operation on a socket is complete. */
  readonly completesTwice: boolean;
  /** Takes a pong of its client for a fault. */
  readonly diesOfPong: boolean;
  /** Ends a socket on which it does not understand something with a frame that nobody may send. */
  readonly closesBadly: boolean;

  /** What becomes of a scan before there is a configuration. */
  readonly scanInSetup: 'crash' | 'accept' | 'refuse';
  readonly survivesOldDatabase: boolean;
  /** A backup before there is a configuration looks like success. */
  readonly backsUpNothing: boolean;
  /** A studio without a web address has an empty one. */
  readonly emptyUrl: boolean;
  readonly noDatabase: string;

  /** What a site answers other than 200 is an error; before, nothing was found then. */
  readonly siteErrors: boolean;
  /** Cuts its call to a site when its own client has gone; before, it went on to the end. */
  readonly cutsSiteCalls: boolean;
  /** Gives what is the same twice in a list once, and so puts what is behind it to others' names and pages. */
  readonly mixesNames: boolean;
  /** Errors of a scraper say what it did, and tell a call that it cannot do from one that finds nothing. */
  readonly tellsScraper: boolean;
  /** Errors of a site say which page it was. */
  readonly tellsPage: boolean;
}

const PANIC =
  'Internal system error. Error <runtime error: invalid memory address or nil pointer dereference>';

export function quirksOf(release: Release): Quirks {
  const minor = minorOf(release);
  const between = (first: number, last = Infinity) => minor >= first && minor <= last;
  const appSchema = SCHEMAS[minor] ?? NaN;
  return {
    minor,
    version: release === 'documented' ? NEWEST : release,
    appSchema,
    oldSchema: minor === 30 ? 72 : appSchema - 1, // v0.30.1 over a database of v0.28.1
    apiKeys: between(7),
    wrongKey: between(11, 25) ? 500 : 401,
    refusesFiles: between(21),
    uncachedFiles: between(21),
    tellsMethods: between(21),
    tripwire: between(10),
    loginByStatus: between(29),
    sameSite: between(17),
    forwardedPrefix: between(10),
    negotiates: between(29),
    refusesNoOperation: between(27),
    repeatsBody: between(27),
    listsOfOne: between(14),
    refusesNull: between(14, 27), // seen on v0.26.2 and v0.27.2, read in the source before
    queuesJobs: between(8),
    failedJobs: between(17),
    failsWithText: between(26),
    updatesEvery: between(11) ? 100 : 1000,
    preciseTimes: between(17),
    scans: between(17) ? 'walking' : between(8) ? 'counting' : 'counting first',
    logsErrors: between(26),
    unknownIsError: minor === 17, // seen on v0.17.2; not on v0.30.1
    emptyTitle: between(17),
    emptyImageTitle: between(26), // not on v0.25.1, but on v0.30.1
    finishesRequests: between(24),
    transportSocket: between(14),
    completesTwice: between(14, 26),
    diesOfPong: between(14, 26),
    closesBadly: between(14, 27),
    scanInSetup: between(26) ? 'refuse' : between(17) ? 'accept' : 'crash',
    survivesOldDatabase: minor === 11,
    backsUpNothing: between(26),
    emptyUrl: between(0, 28),
    noDatabase: between(7, 16) ? 'database not initialized' : PANIC,
    siteErrors: between(6),
    cutsSiteCalls: between(12), // seen from v0.17.2 on, and not up to v0.11.0
    mixesNames: minor < 12,
    tellsScraper: between(12),
    tellsPage: between(29),
  };
}
