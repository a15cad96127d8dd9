// The fake Stash in its own process, which responds as a trial of the texts says, or not at all.
import { Buffer } from 'node:buffer';
import { setTimeout as sleep } from 'node:timers/promises';
import { silence } from '../dist/test/fake-stash/faults.js';
import { FakeStash } from '../dist/test/fake-stash/fake-stash.js';
import { otherTask } from '../dist/test/fake-stash/tasks.js';
import { KEY, trials } from './text-trials.mjs';

const stash = await FakeStash.start({ release: 'v0.30.1', apiKey: KEY, jobSeconds: 0.5 });

const orders = {
  /** Responds as the trial of that name says from now on, or normally. */
  offer: ({ name }) => {
    stash.answerNormally();
    const { answer, field, path } = trials.find((trial) => trial.name === name) ?? {};
    if (!answer) return;
    const { status, type, headers = {}, body } = answer();
    stash.answerWith(
      { status, headers: { 'content-type': type, ...headers }, body },
      field ? { field } : { path },
    );
  },
  /** Sends it on the socket. */
  tell: ({ name }) => {
    const { line, job } = trials.find((trial) => trial.name === name);
    if (line) stash.serverLog.write('Error', line());
    else stash.jobs.add(otherTask(...job()));
  },
  /** Sends a response or a download in chunks of one byte. */
  drip: ({ bytes, path }) => {
    stash.answerNormally();
    stash.answerWith((_request, response) => drip(response, bytes, path), path ? { path } : {});
  },
  silence: ({ field }) => stash.answerWith(silence, field ? { field } : {}),
  slow: ({ field, milliseconds }) =>
    stash.answerWith(
      async (_request, response) => {
        await sleep(milliseconds);
        response.writeHead(200, { 'content-type': 'application/json' }).end(`{"data":{"${field}":[]}}`);
      },
      { field },
    ),
};
process.on('message', ({ order, ...details }) => {
  orders[order](details);
  process.send({});
});
process.on('disconnect', () => process.exit());
process.send({ port: stash.port });

/** Sends spaces, with which JSON may begin, as fast as the client reads them. */
async function drip({ socket }, bytes, path) {
  socket.setMaxListeners(0);
  const type = path ? 'application/octet-stream' : 'application/json';
  socket.write(`HTTP/1.1 200 OK\r\ncontent-type: ${type}\r\ntransfer-encoding: chunked\r\n\r\n`);
  const some = Buffer.alloc(6 * 2 ** 14, '1\r\n \r\n');
  for (let left = bytes; left > 0 && !socket.destroyed; left -= 2 ** 14) {
    if (!socket.write(some))
      await new Promise((resolve) => socket.once('drain', resolve).once('close', resolve));
  }
  socket.write('0\r\n\r\n');
}
