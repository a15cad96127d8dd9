/**
 * Intervals, delays and time limits that no dialog sets, in milliseconds. They are in one table that tests shorten, so that
 * no test waits for seconds that it does not measure.
 */
export const timing = {
  /** The status under a node changes at most this often. */
  statusInterval: 1_000,

  /** How long an error waits for the server's state, which may explain it. */
  stateAfterError: 3_000,

  /** The time limit of a request from a dialog. */
  editor: 10_000,

  /** The longest silence in a response to the editor that comes in lines: a proxy in front of Node-RED may end it after a minute. */
  silence: 20_000,

  /** How long the dialogs know what a server can do. */
  capabilities: 60_000,

  diagnosis: {
    /** The longest wait for a name, for a connection, and for the handshake of TLS. */
    connection: 5_000,
    /** The longest time of all checks of a server together. */
    all: 15_000,
    /** The longest wait for each other address at which Stash may be. */
    otherAddress: 2_000,
    /** The longest wait for what this machine sees of the library folders. */
    folders: 3_000,
  },

  /** The least age of a schema that is read again because it refuses a user's document. */
  schemaAge: 60_000,

  /** How long rejected credentials are not sent again. */
  rejectedCredentials: 60_000,

  /** How long the library folders of a server are known, for scans that are collected. */
  recentLibrary: 10_000,

  /** When the server is asked whether a save happened whose response was lost: after `first`, then after twice as long each time. */
  lostSave: { first: 500, looks: 5 },

  /** How long look-ups wait for a context store. */
  contextStore: 10_000,

  /** The longest wait for the picture of an item, which a server may have to make first. */
  picture: 10_000,

  /** What the tab in the sidebar shows. */
  activity: {
    /** Between two views of a server. */
    interval: 1_000,
    /** The longest response. */
    longest: 10 * 60_000,
    /** How long the flows may be stopped in a deploy. */
    restart: 2_000,
  },

  newItems: {
    /** The wait after the first failed look for new items, and the longest after many. */
    firstRetry: 1_000,
    longestRetry: 60_000,
    /** How long after the first look to look again: the jobs are followed by then. */
    settle: 5_000,
  },

  latestVersion: {
    /** How long the latest release of Stash is known, and how long GitHub is left alone after a refusal. */
    known: 60 * 60_000,
    /** How long it is unknown after any other failure. */
    unknown: 60_000,
    /** The longest wait in the queue. */
    wait: 60_000,
  },

  pages: {
    /** The longest wait for a page to come back, where that asks for the next one. */
    longestPause: 60 * 60_000,
  },

  files: {
    /** The least time between two checks of a path that is to settle, and the usual one if it is to settle for long. */
    interval: 1_000,
    longestInterval: 5_000,
    /** The longest wait for an answer of a disk or a share: a disk that sleeps takes about ten seconds. */
    answer: 15_000,
    /** How long a file that was seen may be out of sight, because its share answers with errors or not at all. */
    outOfSight: 60_000,
    /** The age from which a file with a temporary name is one that was left behind. */
    abandoned: 60 * 60_000,
  },

  connections: {
    /** The longest wait for a connection, or for a proxy to open a tunnel. */
    connect: 10_000,
    /** Shorter than any idle limit of a server or a proxy, so that no request uses a connection that is about to close. */
    keepAlive: 4_000,
  },

  socket: {
    /** Between two pings. Servers send none (all releases), so only our own reveal a dead connection. */
    ping: 10_000,
    /** The longest wait for a pong, and for the handshake. */
    answer: 5_000,
  },

  downloads: {
    /**
     * How long a link is good after its first request. After that it is good only while a request for it is running (all
     * releases that make backups).
     */
    linkLife: 30_000,
    /** The longest time without a received byte. */
    longestIdle: 60_000,
    /** The delay before the first request that resumes a download. Each request without a received byte doubles it. */
    firstRetry: 125,
    longestRetry: 4_000,
    /** Between two progress messages. */
    progress: 1_000,
    /** The time over which the throughput is averaged. */
    throughputWindow: 3_000,
  },

  jobs: {
    /** Between two polls while a job runs. */
    pollInterval: 1_000,
    /** Between two progress messages. */
    tick: 1_000,
    /** The time without an event about a running job after which the server is polled, despite an open socket. */
    longestSilence: 60_000,
    /** How long a watcher continues without callers, because another job is likely to follow. */
    linger: 10_000,
    /** The same after somebody has looked at the queue: a browser that still looks asks again at once. */
    lingerAfterLook: 2_000,
    /** How long the state of a closed watcher, and unsent events, are kept for the next one: the longest deploy. */
    handover: 60_000,
    /** The wait after the first failed poll, and the longest after many. */
    firstRetry: 1_000,
    longestRetry: 15_000,
    /** The same for the socket. */
    firstReconnect: 5_000,
    longestReconnect: 15 * 60_000,
    /** A socket that closes sooner counts as failed: a proxy may end each one. */
    shortestConnection: 1_000,
    /** Lines of the log that a server writes within this time may arrive in another order. */
    logMargin: 200,
    /** After the end of a job was noticed, when the server is made to write a line of log: longer than `logMargin`. */
    firstTouch: 250,
    /** The same again, if the line was lost, or its time has whole seconds as before v0.17. */
    nextTouch: 3_000,
    /** The longest that the first message waits for the response when the node connects. Without it, its record may lack the log lines. */
    longestTouch: 1_000,
    /** How long this process may stand still on a connection: a server keeps 100 batches of its log, one a second, and discards the rest. */
    longestPause: 30_000,
    /** The longest wait for the log lines of a job that has ended: a large batch takes seconds. */
    longestLog: 10_000,
    /** How much later than others a batch of log lines may arrive, in seconds. A server discards lines after a hundred. */
    longestLag: 60,
    /** The least age of a sample from which the remaining time is estimated. */
    progressSample: 5_000,
    /** The age after which a remaining time is sent again. */
    staleEstimate: 10_000,
  },
};
