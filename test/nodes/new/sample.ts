import assert from 'node:assert/strict';
import { fileKinds, kinds } from '../../../src/contract/kinds';
import type { StashError } from '../../../src/errors';
import { type Item, libraryItems } from '../../../src/operations/items/reader';
import { newestIds } from '../../../src/operations/library/newest';
import type { FakeStash } from '../../fake-stash/fake-stash';
import { otherTask } from '../../fake-stash/tasks';
import { words } from '../../support/words';
import { failure } from '../../support/connect';
import { Flow } from '../../support/flow';
import { helper } from '../../support/runtime';
import type { Sample } from '../../support/sample';
import { until } from '../../support/waiting';
import { following, type Sent, type Stage } from '../../contract/stage';

const FOLDER = '/media/videos/New';

export const sample: Sample = {
  readme: 'reports new scenes, images and galleries, with their pictures',
  releases: { 'new items': listen },
  documents: Object.fromEntries(
    fileKinds.flatMap((kind) => [
      [
        `the newest ${kinds[kind].list}`,
        async (server, call) => {
          const error = await failure(newestIds(server.asServer, kind, 1, call));
          // The made-up ids are no numbers.
          assert.ok(['NOT_STASH.notGraphQL', 'UNSUPPORTED.lacking'].includes(error.case), error.case);
        },
      ],
      ...[true, false].map((withPicture): [string, Sample['documents'][string]] => [
        `new ${kinds[kind].list}${withPicture ? ' with pictures' : ''}`,
        async (server, call) => {
          const found = libraryItems(server.asServer, kind, ['1', '2'], withPicture, call);
          const count = await found.then(
            ({ items }) => items.length,
            (error: unknown) => (error as StashError).code,
          );
          // The server of the interface document finds no item by its id.
          assert.ok([2, 'UNSUPPORTED'].includes(count), String(count));
        },
      ]),
    ]) as [string, Sample['documents'][string]][],
  ),
  messages: {
    scene: (stage) => arrivals(stage, { picture: 'buffer' }, 1, 'film.mp4'),
    image: (stage) => arrivals(stage, { scenes: false, images: true }, 1, 'picture.jpg'),
    gallery: (stage) => arrivals(stage, { scenes: false, galleries: true }, 1, 'Pictures', 'Pictures/1.jpg'),
    'list of scenes': (stage) => arrivals(stage, { each: false }, 1, '1.mp4', '2.mp4'),
  },
  byHand: {
    mistake: async (dialog) => {
      await dialog.tick('scenes');
      await dialog.tells('scenes', words('new', 'invalid.kinds'));
      assert.ok(await dialog.isFlagged('scenes'));
    },
    correct: async (dialog) => {
      await dialog.tick('galleries');
      await dialog.isSilent('scenes');
      await dialog.tick('scenes');
      await dialog.choose('picture', words('server', 'picture.dataUrl'));
    },
    kept: { galleries: true, picture: 'dataUrl' },
    shown: { picture: words('server', 'picture.dataUrl') },
    answers: [
      {
        happens: async (stash) => {
          await until(() => hasLooked(stash));
          add(stash, 'Holiday.mp4');
        },
        payload: /title: "Holiday\.mp4"/,
        summary: /New on home: Holiday\.mp4 \(1 min\)/,
      },
    ],
    status: /^1 new · \d\d:\d\d$/,
  },
  states: [{ scenes: false }, { each: false }],
};

/** Adds items to the library, as a scan does. */
function add(stash: FakeStash, ...files: string[]): void {
  for (const file of files) stash.library.add({ path: `${FOLDER}/${file}` }, '2026-01-11T04:41:59Z');
  stash.jobs.add(otherTask('Scanning...', 'a step'));
}

/** Whether the node has looked for the first time, and follows the jobs. */
function hasLooked({ requests, sockets, quirks }: FakeStash, before = 0): boolean {
  const isFollowing = quirks.transportSocket ? sockets.subscribed.includes('jobsSubscribe') : true;
  const asked = requests.slice(before).map(({ body }) => String(body?.query));
  const polls = asked.filter((query) => query.includes('jobQueue'));
  // The first look at a kind takes two requests, before and after the check of the server's state.
  const looks = asked.filter((query) => query.includes('findGalleries(filter'));
  return isFollowing && polls.length > 0 && looks.length >= 2;
}

/** Returns the table cell of the node, which has no input: the fields that the items of a server lack. */
async function listen(stash: FakeStash): Promise<string> {
  const { length: before } = stash.requests;
  const properties = { images: true, galleries: true, picture: 'buffer' };
  const flow = await Flow.start({ type: 'stash-new', properties, server: { url: stash.url } });
  await flow.until(() => hasLooked(stash, before) || flow.ownErrors.length > 0);
  stash.jobs.hold();
  add(stash, 'film.mp4', 'picture.jpg', 'Pictures');
  await flow.until(() => stash.jobs.queue !== null);
  stash.jobs.release();
  await flow.until(() => flow.sent.length === 3 || flow.ownErrors.length > 0);
  await helper.unload();
  const [error] = flow.ownErrors;
  if (error) return error.error?.code ?? '';
  const items = flow.sent.map(({ payload }) => payload as Item);
  assert.deepEqual(
    items.map(({ paths }) => paths),
    ['film.mp4', 'picture.jpg', 'Pictures'].map((name) => [`${FOLDER}/${name}`]),
  );
  const missing = flow.sent.flatMap(({ topic, stash }) =>
    (stash?.missing ?? []).map((field) => `${field} of ${String(topic)}`),
  );
  return missing.length > 0 ? `without ${missing.join(', ')}` : 'works';
}

/** Returns the first messages about files that come into the library after the first look. */
async function arrivals(
  { stash, start }: Stage,
  properties: object,
  count: number,
  ...files: string[]
): Promise<Sent[]> {
  const flow = await following(stash, start(properties));
  // The first look takes two requests, before and after the check of the server's state.
  const looks = () =>
    stash.requests.filter(({ body }) => /find(Scenes|Images|Galleries)/.test(body?.query ?? ''));
  await flow.until(() => looks().length >= 2);
  const details = { date: '2026-01-10', studio: 'Lanterna', performers: ['Hana'], tags: ['Sea'] };
  for (const file of files) {
    stash.library.add({ path: `${FOLDER}/${file}`, details }, '2026-01-11T04:41:59Z');
  }
  stash.jobs.add(otherTask('Scanning...', 'a step'));
  await flow.until(() => flow.sent.length >= count);
  return flow.sent.slice(0, count).map((msg) => ({ output: 1, msg }));
}
