/**
 * How often the package looks, how long it waits and what counts as too long, where no dialog says so, in milliseconds.
 * The times stand in one table that tests shorten, so that no test waits for seconds that it does not measure.
 */
export const timing = {
  /** The status under a node changes at most this often. */
  statusInterval: 1_000,

  /** How long an error is held back for the server's state, which may say more. */
  stateAfterError: 3_000,

  /** The time limit of a request that somebody at a dialog waits for. */
  editor: 10_000,

  /** How long credentials that a server has rejected are not sent again. */
  rejectedCredentials: 60_000,

  /** After this time look-ups no longer wait for a context store that does not answer. */
  contextStore: 10_000,

  connections: {
    /** The longest wait for a connection, or for a proxy to open a tunnel. */
    connect: 10_000,
    /** Shorter than any idle limit seen in front of a server, so that no request meets a connection that is being closed. */
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
    /** How long a request may bring no byte. */
    longestIdle: 60_000,
    /** The wait before the first request that resumes a download; each one that brings nothing doubles it. */
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
    /** On a socket: after so long without an event about a running job, the server is asked whether it still runs. */
    longestSilence: 60_000,
    /** How long a watcher goes on after nobody needs it: whoever ran one job is likely to run another. */
    linger: 10_000,
    /** How long a deploy may take: what a watcher knew, and what nobody was told, is kept for the next one this long. */
    handover: 60_000,
    /** The wait after the first failed poll, and the longest after many. */
    firstRetry: 1_000,
    longestRetry: 15_000,
    /** The same for the socket. */
    firstReconnect: 5_000,
    longestReconnect: 15 * 60_000,
    /** A socket that closes sooner is no better than none, as where something in between ends it. */
    shortestConnection: 1_000,
    /**
     * A server sends a log line at once if it has sent none for a second, otherwise together with all that come until
     * the second is over (all releases).
     */
    logBatch: 1_100,
    /** What may still be under way when the end of a job is heard. */
    logMargin: 50,
    /** The youngest sample from which the time left is estimated. */
    progressSample: 5_000,
    /** A time left that is older has changed so much that it is told again. */
    staleEstimate: 10_000,
  },
};
