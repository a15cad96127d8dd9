// A server with the two documented look-ups and an external site, which records the start and end of each call to the site,
// and refuses calls for a while on command. It continues a call whose client has disconnected, as real servers up to v0.11 do.
// It has no introspection, so that the interface document applies.
import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';

const LOOK_UP = /\b(scrapeSitePerformerList|scrapeSite)\s*\([^)]*\)\s*(?:\{([^}]*)\})?/;

/** The response time of the site, in milliseconds. */
let delay = 0;
/** The period in which it refuses, in milliseconds from its first call. */
let refuses = { from: 0, to: 0 };
/** The calls to the site, with times in milliseconds. */
let calls = [];

const orders = {
  begin: (site) => {
    ({ delay, refuses = { from: 0, to: 0 } } = site);
    calls = [];
  },
  slow: (site) => {
    delay = site.delay;
  },
  count: () => ({ calls: calls.length, underWay: calls.filter(({ endedAt }) => !endedAt).length }),
  tell: () => ({ calls }),
};

const server = createServer((request, response) => {
  answer(request).then(
    (answered) => {
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answered));
    },
    (error) => {
      response.writeHead(400).end(error.message);
    },
  );
});
server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', () => process.send({ port: server.address().port }));

process.on('message', ({ order, ...details }) => process.send(orders[order](details) ?? {}));
process.on('disconnect', () => process.exit());

async function answer(request) {
  const { query, variables } = await json(request);
  const [, operation, selection] = LOOK_UP.exec(query) ?? [];
  if (!operation) return refusal('introspection is disabled');
  const [name] = Object.values(variables);
  const call = await callSite(operation, name);
  if (call.refused) {
    const doing = operation === 'scrapeSite' ? 'fragment' : 'name';
    const text = 'http error 429:Too Many Requests';
    return refusal(`error while ${doing} scraping with scraper builtin_site: ${text}`, operation);
  }
  if (operation === 'scrapeSitePerformerList')
    return { data: { [operation]: [name, `${name} the Younger`] } };
  const fields = selection.trim().split(/\s+/);
  const known = { name, url: `https://performers.example/${encodeURIComponent(name)}` };
  return { data: { [operation]: Object.fromEntries(fields.map((field) => [field, known[field] ?? null])) } };
}

function refusal(message, operation) {
  return { errors: [{ message, ...(operation && { path: [operation] }) }], data: null };
}

async function callSite(operation, name) {
  const startedAt = performance.now();
  const call = { operation, name, startedAt, endedAt: undefined, refused: false };
  calls.push(call);
  const since = startedAt - calls[0].startedAt;
  call.refused = since >= refuses.from && since < refuses.to;
  await new Promise((resolve) => setTimeout(resolve, delay));
  call.endedAt = performance.now();
  return call;
}
