// What goes wrong at the server of the soak. Each fault lasts until `calm`, which ends all of them.
import { html, json, text, unauthorized } from '../dist/test/fake-stash/answers.js';
import {
  answerLate,
  cut,
  cutAfter,
  freezeAfter,
  lengthWrongBy,
  loseAnswer,
  silence,
  slowly,
  wholeAgain,
} from '../dist/test/fake-stash/faults.js';

const DOWNLOADS = { path: '/downloads' };
/** Sites that block say when to come back; without that, look-ups wait for half a minute and longer. */
const BLOCKED = 'http error 429:Too Many Requests, Retry-After: 2';
const INVALID = json({ errors: [{ message: 'Cannot query field "soak" on type "Query".' }] }, 422);

/** The usual response time of the site. */
const SITE_DELAY = 20;
const FLOOD = { jobs: 500, lines: 3000 };

/** By name; each gets the server. */
export const faults = {
  hangs: (stash) => stash.answerWith(silence),
  'cuts connections': (stash) => stash.answerWith(cut),
  'cuts some connections': (stash) => stash.answerWith(cut, { times: 3 }),
  'loses the answers of scans': (stash) => stash.answerWith(loseAnswer, { field: 'metadataScan' }),
  'loses the answers of saves': (stash) => stash.answerWith(loseAnswer, { field: 'performerCreate' }),
  'loses some answers': (stash) => stash.answerWith(loseAnswer, { times: 4 }),
  'cuts responses': (stash) => stash.answerWith(cutAfter(20)),
  'freezes responses': (stash) => stash.answerWith(freezeAfter(20)),
  'is slow': (stash) => stash.answerWith(answerLate(1200)),
  'sends slowly': (stash) => stash.answerWith(slowly(400)),
  'answers 500': (stash) => stash.answerWith(text(500, 'internal server error')),
  'answers 502': (stash) => stash.answerWith(html(502, '<h1>Bad Gateway</h1>')),
  'answers 503': (stash) => stash.answerWith(html(503, '<h1>Service Unavailable</h1>')),
  'answers with a web page': (stash) => stash.answerWith(html(200, '<title>Sign in</title>')),
  'refuses some documents': (stash) => stash.answerWith(INVALID, { times: 3 }),
  'refuses the credentials': (stash) => stash.answerWith(unauthorized()),
  'expires sessions': (stash) => stash.expireSessions(),
  'is set up': (stash) => (stash.status = 'SETUP'),
  'needs a migration': (stash) => (stash.status = 'NEEDS_MIGRATION'),
  'is killed': (stash) => stash.stop(),
  'is shut down': (stash) => void stash.shutDown(),
  'holds jobs': (stash) => stash.jobs.hold(),
  'fails jobs': (stash) => (stash.jobs.failure = 'out of soap'),
  'panics in jobs': (stash) => (stash.jobs.panics = true),
  'tells updates late': (stash) => (stash.jobs.lateUpdates = true),
  'cuts sockets': (stash) => stash.sockets.cut(),
  'closes sockets': (stash) => stash.sockets.close(1011, 'soak'),
  'freezes sockets': (stash) => stash.sockets.freeze(),
  'refuses sockets': (stash) => {
    stash.sockets.refused = true;
    stash.sockets.cut();
  },
  'floods sockets': flood,
  'cuts downloads': (stash) => stash.answerWith(cutAfter(3000), DOWNLOADS),
  'freezes some downloads': (stash) => stash.answerWith(freezeAfter(3000), { ...DOWNLOADS, times: 2 }),
  'sends downloads slowly': (stash) => stash.answerWith(slowly(20_000), DOWNLOADS),
  'sends wrong lengths of downloads': (stash) => stash.answerWith(lengthWrongBy(7), DOWNLOADS),
  'sends whole downloads again': (stash) => stash.answerWith(wholeAgain(3000), DOWNLOADS),
  'has a site that blocks': (stash) => (stash.site.failure = BLOCKED),
  'has a site that limits': (stash) => (stash.site.limit = { calls: 2, milliseconds: 3000 }),
  'has a site that fails': (stash) => (stash.site.failure = 'unexpected EOF'),
  'has a site that hangs': (stash) => (stash.site.delay = 6000),
};

/** Ends all faults of a server that is still there. */
export function calm(stash) {
  stash.answerNormally();
  stash.status = 'OK';
  stash.jobs.failure = undefined;
  stash.jobs.panics = false;
  stash.jobs.lateUpdates = false;
  stash.jobs.release();
  stash.sockets.refused = false;
  stash.sockets.thaw();
  Object.assign(stash.site, { failure: undefined, limit: undefined, delay: SITE_DELAY });
}

/** Tells of jobs that nobody started, which end at once, and writes a log. */
function flood({ jobs, serverLog, clock }) {
  for (let number = 0; number < FLOOD.jobs; number += 1) {
    const job = {
      id: String(500_000 + number),
      description: `Soaking ${number}`,
      status: 'RUNNING',
      subTasks: ['x'.repeat(200)],
      progress: 0.5,
      addTime: clock.now(),
      startTime: clock.now(),
      endTime: null,
      error: null,
    };
    for (const type of ['ADD', 'UPDATE', 'UPDATE']) jobs.updates.emit({ type, job });
    jobs.updates.emit({ type: 'REMOVE', job: { ...job, status: 'FINISHED' } });
  }
  for (let line = 0; line < FLOOD.lines; line += 1)
    serverLog.write('Info', `soak ${line} ${'.'.repeat(100)}`);
}
