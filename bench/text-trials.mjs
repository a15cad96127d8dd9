// The worst known texts for each place where the package processes text of a server: the response, and the node that reads it.
// The server and the measuring processes both read this list.
import { Buffer } from 'node:buffer';

/** The size of each text, in bytes. */
export const BYTES = 4 * 2 ** 20;

/** The API key, which must not appear in any text. */
export const KEY = 'canary+key/with=signs.0123456789';
const JSON_TYPE = 'application/json';

/** The same size in JSON, where a control character has six bytes. */
const fill = (text, bytes = BYTES) => text.repeat(Math.ceil(bytes / (JSON.stringify(text).length - 2)));
const many = (one, bytes = BYTES) => new Array(Math.ceil(bytes / JSON.stringify(one).length)).fill(one);
const json = (value, status = 200) => ({ status, type: JSON_TYPE, body: JSON.stringify(value) });
const errors = (...texts) => json({ data: null, errors: texts.map((message) => ({ message })) });
const page = (status, body, type = 'text/html') => ({ status, type, body });
const folders = (paths) => json({ data: { configuration: { general: { stashes: paths } } } });
const status = { to: 'status', field: 'systemStatus' };
const search = { to: 'search', field: 'scrapeSinglePerformer', msg: { payload: 'Robin' } };
const outside = { to: 'scan', field: 'configuration', msg: { payload: '/elsewhere/a/b/c' } };
const fetched = { to: 'message', path: '/downloads' };

/**
 * Each trial has a node (`to`), its message, and the server's response to a root field or below a path, or the data that the
 * server sends on the socket instead (`line` of its log, `job`).
 */
export const trials = [
  {
    name: 'an error: words before a body, again and again',
    ...status,
    answer: () => errors(fill(' could not be decoded: ')),
  },
  {
    name: 'an error: words before a body, then blanks',
    ...status,
    answer: () => errors(` could not be decoded: ${fill(' ')}`),
  },
  { name: 'an error: control characters', ...status, answer: () => errors(fill('\u001b[2J\r\n')) },
  { name: 'an error: half characters', ...status, answer: () => errors(fill('\ud83d')) },
  {
    name: 'an error: most of the key, again and again',
    ...status,
    answer: () => errors(fill(KEY.slice(0, -1))),
  },
  { name: 'an error: the key, again and again', ...status, answer: () => errors(fill(KEY)) },
  { name: 'many errors', ...status, answer: () => json({ errors: many({ message: '' }) }) },
  {
    name: 'data beside an error',
    ...status,
    answer: () => json({ data: { x: fill('x') }, errors: [{ message: 'x' }] }),
  },
  {
    name: 'an error of a look-up: retry-after',
    ...search,
    to: 'refused',
    // After that, the package backs off.
    isOnce: true,
    answer: () => errors(fill('http error 429 retry-after: ')),
  },
  { name: 'an error of a look-up: quotes', ...search, answer: () => errors(fill('"')) },
  { name: 'a page with status 400', ...status, answer: () => page(400, fill('plain HTTP to an SS')) },
  { name: 'a page with status 403', ...status, answer: () => page(403, fill('over the interne')) },
  { name: 'a text of blanks with status 500', ...status, answer: () => page(500, fill(' '), 'text/plain') },
  { name: 'a page that calls itself JSON', ...status, answer: () => page(200, fill('['), JSON_TYPE) },
  {
    name: 'a redirect',
    ...status,
    answer: () => ({ ...page(302, ''), headers: { location: `/login?${fill('returnURL=&', 12_000)}` } }),
  },
  {
    name: 'a cookie',
    ...status,
    answer: () => ({ ...page(200, ''), headers: { 'set-cookie': fill('session=;', 12_000) } }),
  },
  {
    name: 'the release',
    // Each config node loads it once.
    isFresh: true,
    field: 'version',
    answer: () => json(schemaWith(`v0.0${fill('.0')}x`)),
  },
  { name: 'a folder of the library', ...outside, answer: () => folders([{ path: fill('/x') }]) },
  { name: 'many folders of the library', ...outside, answer: () => folders(many({ path: '/elsewher' })) },
  {
    name: 'aliases',
    to: 'scrape',
    field: 'scrapeSinglePerformer',
    msg: { payload: 'Ro' },
    answer: () => performers('Ro,'),
  },
  {
    name: 'aliases of somebody with a long name',
    to: 'scrape',
    field: 'scrapeSinglePerformer',
    msg: { payload: fill('Ro ', 999) },
    answer: () => performers('Ro,'),
  },
  {
    name: 'many performers',
    to: 'scrape',
    field: 'scrapeSinglePerformer',
    msg: { payload: 'Ro' },
    answer: () => json({ data: { scrapeSinglePerformer: many(performer('Ro, Bo')) } }),
  },
  {
    name: 'the beginning of a backup',
    ...fetched,
    answer: () => page(200, fill('<!--'), 'application/octet-stream'),
  },
  {
    name: 'the link to a backup',
    to: 'message',
    field: 'backupDatabase',
    answer: () => json({ data: { backupDatabase: `http://x${fill('/downloads/0')}` } }),
  },
  { name: 'a line of the log', to: 'socket', line: () => fill('\u001b\n') },
  { name: 'a line of the log: most of the key', to: 'socket', line: () => fill(KEY.slice(0, -1)) },
  { name: 'the description of a job', to: 'socket', job: () => [fill('\u001b\n')] },
  { name: 'the tasks of a job', to: 'socket', job: () => ['x', fill('\u001b\n')] },
];

/** The milliseconds to decode and parse such a text, which no implementation can avoid. */
export function parsing({ answer, line, job }) {
  const body = Buffer.from(answer ? answer().body : JSON.stringify({ data: line ? line() : job() }));
  const times = Array.from({ length: 3 }, () => {
    const start = performance.now();
    try {
      JSON.parse(body.toString());
    } catch {
      // Only an attempt shows that it is invalid.
    }
    return performance.now() - start;
  });
  return Math.min(...times);
}

function schemaWith(version) {
  return { data: { version: { version }, Query: { fields: [{ name: 'systemStatus' }] } } };
}

function performers(alias) {
  return json({ data: { scrapeSinglePerformer: [performer(fill(alias))] } });
}

function performer(aliases) {
  return { name: 'Robin', aliases, urls: ['http://x/1'] };
}
