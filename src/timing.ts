/** Intervals, delays and time limits that no dialog sets, in milliseconds unless said otherwise, in one table that tests shorten. */
export const timing = {
  /** Between two changes of the status under a node. */
  statusInterval: 1_000,

  /** How long an error waits for the server's state, which may explain it. */
  stateAfterError: 3_000,

  /** For a request from a dialog. */
  editor: 10_000,

  /** After the last request of a dialog to a server that is not deployed, before its connections are closed. */
  undeployedServer: 2 * 60_000,

  /** The longest silence in a response of JSON lines: a proxy in front of Node-RED may end it after a minute. */
  silence: 20_000,

  /** Between two looks whether the server has installed the plugin. */
  plugin: 500,

  /** The age up to which the dialogs use cached capabilities. */
  capabilities: 60_000,

  diagnosis: {
    /** For a name, a connection, or the handshake of TLS. */
    connection: 5_000,
    /** For all checks of a server together. */
    all: 15_000,
    /** For each other address at which Stash may be. */
    otherAddress: 2_000,
    /** For what this machine sees of the library folders. */
    folders: 3_000,
  },

  /** The least age of a schema that is read again because it refuses a user's document. */
  schemaAge: 60_000,

  /** How long rejected credentials are not sent again. */
  rejectedCredentials: 60_000,

  /** The age up to which scans that collect use cached library folders. */
  recentLibrary: 10_000,

  /** While the server cannot be reached for the messages that a scan has collected. */
  collect: {
    /** Between two attempts. */
    retry: 1_000,
    /** How long to try. */
    longestOutage: 60_000,
  },

  /**
   * After a lost response, the nodes check whether the save happened: after `first`, then after twice as long each time.
   */
  lostSave: { first: 500, checks: 5 },

  /** For a context store, before look-ups go on without it. */
  contextStore: 10_000,

  /** For the picture of an item, which a server may have to make first. */
  picture: 10_000,

  /** The tab in the sidebar. */
  activity: {
    /** After the last poll of a browser, which polls once a second, before the servers are no longer followed. */
    expiry: 5_000,
    /** The longest that the first poll waits for the jobs of a server. */
    firstView: 1_000,
  },

  newItems: {
    /** After the first failed poll for new items, and after many. */
    firstRetry: 1_000,
    longestRetry: 60_000,
    /** Between the first two polls: the jobs are followed by then. */
    settle: 5_000,
  },

  /** Between two polls for what is being watched: Stash's player saves it as often. */
  playback: 10_000,
  /** After a longer time between them, nobody knows when it was that something was watched. */
  latePlayback: 25_000,
  /** How long after a sign of its player a scene counts as watched when a poll finds that it was watched further. */
  followedPlayback: 60_000,
  /** How long a poll that no line of the log explains waits for another one that finds the same scene. */
  unheardPlayback: 15 * 60_000,

  player: {
    /** How long players have to obey: their pages poll every two seconds, and the log comes once a second. */
    obey: 5_000,
    /** How long to wait for the log, and between two checks whether it is heard. */
    log: 5_000,
    check: 50,
    /** Before another attempt to take a command out of the settings. */
    retry: 2_000,
  },

  changes: {
    /** Between two checks whether the log is heard, which send nothing. */
    check: 5_000,
    /** Between two polls whether the server has the plugin, and while it does not. */
    poll: 10 * 60_000,
    missingPoll: 30_000,
    /** How long a server that can be reached may be without a log: it is being connected. */
    longestSilence: 20_000,
    /** After the first request for changed items that failed, and after many. */
    firstRetry: 1_000,
    longestRetry: 60_000,
    /** From the response to a mutation until its changes have arrived in the log, which is later behind a large batch. */
    own: 10_000,
  },

  /** How long the latest release of Stash is cached, and that it is unknown. */
  latestVersion: 60 * 60_000,

  pages: {
    /** For a page to come back, where that requests the next one. */
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
    /**
     * The age from which a file with a temporary name is one that was left behind, and how long a path may stay unchecked because
     * others hang.
     */
    abandoned: 60 * 60_000,
  },

  /** For one call to the disk or share of a backup, which may first have to write what it has buffered. */
  disk: 5 * 60_000,

  connections: {
    /** For a connection, or for a proxy to open a tunnel. */
    connect: 10_000,
    /** Shorter than any idle limit of a server or a proxy, so that no request uses a connection that is about to close. */
    keepAlive: 4_000,
  },

  socket: {
    /** Between two pings. Servers send none (all releases), so only ours reveal a dead connection. */
    ping: 10_000,
    /** For a pong, and for the handshake. */
    answer: 5_000,
  },

  downloads: {
    /**
     * How long a link works after its first request. Later it works only while a request for it is running (all releases that
     * make backups).
     */
    linkLife: 30_000,
    /** Without a received byte. */
    longestIdle: 60_000,
    /** Before the first request that resumes a download. Each request without a received byte doubles it. */
    firstRetry: 125,
    longestRetry: 4_000,
    /** After a backup that failed, before another one is requested. */
    rest: 10_000,
    /** Between two progress messages. */
    progress: 1_000,
    /** The time over which the throughput is averaged. */
    throughputWindow: 3_000,
  },

  jobs: {
    /** After a start of Node-RED, before jobs are started again that a pause had stopped: it may begin again meanwhile. */
    restAfterRestart: 60_000,
    /** Between two polls while a job runs. */
    pollInterval: 1_000,
    /** Between two progress messages. */
    tick: 1_000,
    /** Without an event about a running job; then the server is polled, despite an open socket. */
    longestSilence: 60_000,
    /** How long a watcher continues without callers, because another job is likely to follow. */
    linger: 10_000,
    /** After the first failed poll, and after many. */
    firstRetry: 1_000,
    longestRetry: 15_000,
    /** The same for the socket. */
    firstReconnect: 5_000,
    longestReconnect: 15 * 60_000,
    /** A socket that closes sooner counts as failed: a proxy may end each one. */
    shortestConnection: 1_000,
    /** Lines that a server logs within this time may arrive in another order. */
    logMargin: 200,
    /** From the end of a job until the server is made to log a line: longer than `logMargin`. */
    firstFlush: 250,
    /** The same again, if the line was lost, or its time has whole seconds as before v0.17. */
    nextFlush: 3_000,
    /** How long the first message waits for this at a new connection. Without it, its record may lack log lines. */
    longestFlush: 1_000,
    /**
     * How long this process may block while it follows the log: a server keeps 100 batches, one a second, and discards the
     * rest.
     */
    longestPause: 30_000,
    /** For the log lines of a job that has ended: a large batch takes seconds. */
    longestLog: 10_000,
    /** How much later than others a batch of log lines may arrive, in seconds. A server discards lines after a hundred. */
    longestLag: 60,
    /** The least age of a sample from which the remaining time is estimated. */
    progressSample: 5_000,
    /** The age after which a remaining time is sent again. */
    staleEstimate: 10_000,
  },
};
