// The fake Stash of the release on the command line, in its own process, with faults on command. It counts the mutations that
// it received, also while a fault answered in its place.
import { setTimeout as sleep } from 'node:timers/promises';
import { FakeStash } from '../dist/test/fake-stash/fake-stash.js';
import { FOLDER } from '../dist/test/fake-stash/library.js';
import { calm, faults } from './soak-faults.mjs';
import { PASSWORD, SCENES, USER } from './soak-flows.mjs';

const [, , release, withUser] = process.argv;
const JOB_SECONDS = 0.05;
/** Refusals which prove that nothing ran: then a mutation may be sent again. */
const REFUSED = new Set([401, 422]);
/** How many files arrive at a time, for a scan of the whole library. */
const ARRIVALS = 3;

/** All servers since the last report; the last one runs, or is away. */
let servers = [];
let port;
let arrived = 0;
await start();

const orders = {
  begin: async ({ fault }) => {
    await faults[fault](stash());
  },
  /** Ends all faults; starts the server again if it is away. */
  calm: async () => {
    calm(stash());
    if (!(await answers())) {
      await stash().stop();
      await start();
    }
    for (let left = ARRIVALS; left > 0; left -= 1) {
      arrived += 1;
      stash().arrive({ path: `${FOLDER}/New/${arrived}.mp4` });
    }
  },
  /** Returns the mutations since the last report, as operation, whether it was refused, and the text of its variables. */
  tell: () => {
    const mutations = servers.flatMap(({ requests }) =>
      requests
        .filter(({ body }) => /^\s*mutation\b/.test(body?.query ?? ''))
        .map(({ operation, status, body }) => ({
          operation,
          isRefused: REFUSED.has(status),
          variables: JSON.stringify(body.variables ?? {}),
        })),
    );
    const requests = servers.reduce((total, server) => total + server.requests.length, 0);
    for (const server of servers) for (const list of [server.requests, server.site.calls]) list.length = 0;
    servers = servers.slice(-1);
    return { mutations, requests };
  },
};
process.on('message', ({ order, ...details }) => {
  Promise.resolve(orders[order](details)).then(
    (answer) => process.send(answer ?? {}),
    (error) => process.send({ error: error.stack }),
  );
});
process.on('disconnect', () => process.exit());
process.send({ port });

function stash() {
  return servers.at(-1);
}

async function answers() {
  if (stash().died) return false;
  return fetch(stash().url).then(
    () => true,
    () => false,
  );
}

async function start() {
  const credentials = withUser ? { username: USER, password: PASSWORD } : undefined;
  const options = {
    release,
    jobSeconds: JOB_SECONDS,
    ...(credentials && { credentials }),
    ...(port && { port }),
  };
  const server = await FakeStash.start(options).catch(async (error) => {
    if (error.code !== 'EADDRINUSE') throw error;
    // The server before this one has not closed its port yet.
    await sleep(200);
    return FakeStash.start(options);
  });
  for (let number = 1; number <= SCENES; number += 1) {
    server.library.add({ path: `${FOLDER}/Stock/${number}.mp4` }, '2025-01-01T00:00:00Z');
  }
  port = server.port;
  servers.push(server);
}
