// The fake Stash in its own process, with backups of any size. The command line sets the seconds that a backup takes and the
// bytes per second of a download; by default both are as fast as possible.
import { createHash, randomFillSync } from 'node:crypto';
import { send } from '../dist/test/fake-stash/answers.js';
import { database } from '../dist/test/fake-stash/database.js';
import { slowly } from '../dist/test/fake-stash/faults.js';
import { FakeStash } from '../dist/test/fake-stash/fake-stash.js';
import { now } from './processes.mjs';

const [, , making = '0', bytesPerSecond] = process.argv;
const PAGE = 4096;

const stash = await FakeStash.start({ backupSeconds: Number(making) });
const contents = new Map();
/** The time of each request for a link, and whether the whole file was sent. */
const downloads = [];
stash.answerWith(answer, { path: '/downloads' });

const orders = {
  /** Sets the size of the next backup. Another number makes every page different. */
  offer: ({ bytes, number = 1 }) => {
    if (!contents.has(bytes)) contents.set(bytes, randomFillSync(database({ bytes }), PAGE));
    const content = contents.get(bytes);
    for (let page = 0; page < bytes; page += PAGE) content.writeUInt32BE(number, page + PAGE / 2);
    // The two change counters; if they are equal, the page count is valid.
    for (const place of [24, 92]) content.writeUInt32BE(number, place);
    stash.backups.content = content;
    return { sha256: createHash('sha256').update(content).digest('hex') };
  },
  tell: () => ({ downloads }),
};
process.on('message', ({ order, ...details }) => process.send(orders[order](details)));
process.on('disconnect', () => process.exit());
process.send({ port: stash.port });

async function answer(request, response, body, execute) {
  const download = { at: now(), sent: false };
  downloads.push(download);
  response.once('close', () => {
    download.sent = response.writableFinished;
  });
  if (bytesPerSecond) await slowly(Number(bytesPerSecond))(request, response, body, execute);
  else send(request, response, await execute());
}
