import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { checkFrozen, readFrozen } from './frozen';
import { fitsShape, shapeOf } from './shape';
import { Flow, type FlowOptions, type Message } from '../support/flow';
import { actions } from '../support/nodes';
import { helper } from '../support/runtime';
import { hasten, TEMPO } from '../support/tempo';
import { untilFollowed } from '../support/followed';
import { until } from '../support/waiting';
import { json } from '../fake-stash/answers';
import { FakeStash, type FakeStashOptions } from '../fake-stash/fake-stash';
import { loseAnswer, slowly } from '../fake-stash/faults';
import { database } from '../fake-stash/database';
import { PERFORMERS } from '../fake-stash/performers';
import { otherTask } from '../fake-stash/tasks';
import type { JobProgress } from '../../src/records';
import { timing } from '../../src/timing';

const RULE =
  'The message is a contract: a property keeps its name, its JSON type and its place, because the flows of users read it. ' +
  'What was always there is still always there.';

const BROKEN = '/media/videos/Broken.mp4';
const NEW = '/media/videos/New';
const SCENES = 'query ($filter: FindFilterType) { findScenes(filter: $filter) { scenes { id } } }';

/** A message, and the output that it left at; none for an error, which a Catch node received. */
interface Sent {
  output?: number;
  msg: Message;
}

/** The server of a case, and a node that uses it. */
interface Stage {
  stash: FakeStash;
  start: (properties?: object, more?: Partial<FlowOptions>) => Promise<Flow>;
  ask: (properties?: object, msg?: object) => Promise<Sent>;
  /** Restarts the server, which then knows nothing of its jobs. */
  restart: () => Promise<void>;
  /** A folder of this machine. */
  folder: string;
}

/** Makes a node send all kinds of messages that belong to a case. */
type Case = (stage: Stage) => Promise<Sent | Sent[]>;

/** A case that needs a server with other options. */
interface Special {
  options: FakeStashOptions;
  run: Case;
}

const finished = { reply: 'finished', sendFailed: true };

/** How a job ends. All nodes that start jobs share these records. */
const endsOfJobs: Record<string, Case | Special> = {
  'FINISHED, with problems and what is new': async ({ stash, ask }) => {
    stash.broken = [BROKEN];
    for (const name of ['a.mp4', 'b.jpg', 'Pictures/1.jpg']) stash.arrive({ path: `${NEW}/${name}` });
    stash.arrive({ path: `${NEW}/Pictures` });
    return await ask({ ...finished, listNew: '2' });
  },
  FAILED: async ({ stash, ask }) => {
    stash.jobs.failure = 'disk full';
    return await ask(finished);
  },
  'FAILED, as an error': async ({ stash, ask }) => {
    stash.jobs.failure = 'disk full';
    return await ask({ reply: 'finished' });
  },
  CANCELLED: async ({ stash, start }) => {
    stash.jobs.seconds = 3;
    const flow = await start(finished);
    const id = flow.send();
    await flow.until(() => stash.jobs.find('1')?.status === 'RUNNING');
    stash.jobs.stop('1');
    await flow.until(() => flow.hasEnded(id));
    return flow.endOf(id);
  },
  LOST: async ({ stash, start, restart }) => {
    stash.jobs.seconds = 60;
    const flow = await start(finished);
    const id = flow.send();
    await flow.until(() => stash.jobs.find('1')?.status === 'RUNNING');
    await restart();
    await flow.until(() => flow.hasEnded(id));
    return flow.endOf(id);
  },
  'TIMEOUT, as an error with the job that goes on': async ({ stash, ask }) => {
    stash.jobs.seconds = 60;
    // The limit includes the start of the job, which takes longer on a busy machine.
    for (let waitLimit = 0.01; ; waitLimit *= 2) {
      const sent = await ask({ reply: 'finished', waitLimit: String(waitLimit) });
      if (sent.msg.stash?.job) return sent;
      stash.jobs.stopAll();
      await helper.unload();
    }
  },
};

const cases: Record<string, Record<string, Case | Special>> = {
  'stash-scan': {
    STARTED: ({ ask }) => ask(),
    'STARTED, behind another job': async ({ stash, ask }) => {
      stash.jobs.add(otherTask('Generating...', 'one'));
      return await ask();
    },
    'STARTED, without an id': async ({ stash, ask }) => {
      stash.answerWith(json({ data: { metadataScan: 'todo' } }), { field: 'metadataScan' });
      return await ask();
    },
    ...endsOfJobs,
    'that collected, and waited for files': async ({ ask }) =>
      await ask({ paths: '/media/videos/Lanterna', pathsType: 'str', collect: '0.01', settle: '0.01' }),
    'that collected for the whole library': async ({ ask }) => await ask({ collect: '0.01' }),
    progress: progressOfJob,
  },
  'stash-generate': {
    STARTED: ({ ask }) => ask({ sprites: true }),
    FINISHED: ({ ask }) => ask({ sprites: true, ...finished }),
    SKIPPED: ({ ask }) =>
      ask({ sprites: true, sceneIDs: 'payload', sceneIDsType: 'msg' }, { payload: '999999' }),
    progress: (stage) => progressOfJob(stage, { sprites: true }),
  },
  'stash-task': {
    STARTED: ({ ask }) => ask({ task: 'metadataAutoTag' }),
    'FINISHED, with what a clean would remove': async ({ stash, ask }) => {
      stash.library.vanish('/media/videos/Lanterna');
      return await ask({ task: 'metadataClean', dryRun: true, ...finished });
    },
    'FINISHED, after a lost answer': async ({ stash, ask }) => {
      stash.answerWith(loseAnswer, { field: 'optimiseDatabase' });
      return await ask({ task: 'optimiseDatabase', ...finished });
    },
    progress: (stage) => progressOfJob(stage, { task: 'metadataAutoTag' }),
  },
  'stash-backup': {
    'on the disk of the server': ({ ask }) => ask(),
    'in a folder': ({ ask, folder }) => ask({ download: true, folder }),
    'in a folder that keeps one': async ({ stash, start, folder }) => {
      const flow = await start({ download: true, folder, keep: '1' });
      await flow.ask();
      // The name that the server gives has whole seconds.
      stash.clock.ahead += 1000;
      return await flow.ask();
    },
    'in the message': ({ ask }) => ask({ download: true, folderType: 'message' }),
    progress: async ({ stash, start, folder }) => {
      stash.backups.content = database({ bytes: 300_000 });
      stash.answerWith(slowly(250_000), { path: '/downloads' });
      const flow = await start({ download: true, folder });
      const id = flow.send();
      await flow.until(() => flow.hasEnded(id));
      return flow.progressOf(id).map((msg) => ({ output: 2, msg }));
    },
  },
  'stash-studios': {
    studios: ({ ask }) => ask(),
    'with a field that this server lacks': ({ ask }) => ask({ fields: ['name', 'checksum'] }),
  },
  'stash-status': {
    'by default': ({ ask }) => ask(),
    'with all that it offers': async ({ stash, ask }) => {
      stash.jobs.seconds = 60;
      for (const name of ['Generating...', 'Scanning...']) stash.jobs.add(otherTask(name, 'a step'));
      const fields = ['databaseSchema', 'databasePath', 'configPath', 'appSchema', 'status'];
      return await ask({ fields: [...fields, 'jobs', 'version', 'latestVersion', 'stats'] });
    },
    'with a field that this server lacks': {
      options: { release: 'v0.17.2' },
      run: ({ ask }) => ask({ fields: ['status', 'latestVersion'] }),
    },
  },
  'stash-performer-search': {
    names: ({ ask }) => ask({}, { payload: 'robin' }),
    'one of several messages': async ({ start }) => {
      const flow = await start({ split: true });
      const id = flow.send({ payload: 'robin' });
      await flow.until(() => flow.hasEnded(id));
      return flow.sentOn(id).map((msg) => ({ output: 1, msg }));
    },
  },
  'stash-performer-scrape': {
    found: ({ ask }) => ask({}, { payload: 'Robin Vale' }),
    NOT_FOUND: ({ ask }) => ask({}, { payload: 'Robin' }),
    'NOT_FOUND, without candidates': ({ ask }) => ask({}, { payload: 'nobody at all' }),
    AMBIGUOUS: async ({ stash, ask }) => {
      const twins = PERFORMERS.filter(({ name }) => name === 'Hana Mori');
      stash.site.performers = twins.flatMap((one) => [one, { ...one, name: one.name.toUpperCase() }]);
      return await ask({}, { payload: 'Hana Mori' });
    },
  },
  'stash-performer-save': {
    created: ({ ask }) => ask({}, { payload: { name: 'Robin Vale', country: 'CA' } }),
    'found, and left as it is': async ({ stash, ask }) => {
      stash.people.add({ name: 'Robin Vale' });
      return await ask({ existing: 'keep' }, { payload: 'Robin Vale' });
    },
    'created, after a lost answer': async ({ stash, ask }) => {
      stash.answerWith(loseAnswer, { field: 'performerCreate', times: 1 });
      return await ask({}, { payload: 'Robin Vale' });
    },
    AMBIGUOUS: async ({ stash, ask }) => {
      const details = { country: 'US', urls: ['https://a.example'] };
      stash.people.add({ name: 'Robin Vale', ...details });
      stash.people.add({ name: 'Robin Vale', disambiguation: 'singer', alias_list: ['A'] });
      return await ask({}, { payload: { name: 'Robin Vale', country: 'CA' } });
    },
  },
  'stash-query': {
    data: ({ ask }) => ask({ document: '{ version { version } }' }),
    'data with errors': async ({ stash, ask }) => {
      const errors = [{ message: 'no such scene' }];
      stash.answerWith(json({ data: { findScene: null }, errors }), { field: 'findScene' });
      return await ask({ document: '{ findScene(id: 1) { title } }', partial: true });
    },
    'one of several pages': async ({ start }) => {
      const flow = await start({ document: SCENES, pages: true, perPage: '2' });
      const id = flow.send();
      await flow.until(() => flow.hasEnded(id));
      return flow.sentOn(id).map((msg) => ({ output: 1, msg }));
    },
    'a job that FINISHED': ({ ask }) =>
      ask({ document: 'mutation { metadataScan(input: {}) }', ...finished }),
    'GRAPHQL, as an error': async ({ stash, ask }) => {
      stash.answerWith(json({ data: null, errors: [{ message: 'no' }] }), { field: 'findScene' });
      return await ask({ document: '{ findScene(id: 1) { title } }' });
    },
    'BAD_INPUT, as an error': ({ ask }) => ask({ document: '{ version { versio } }' }),
    'HTTP, as an error': async ({ stash, ask }) => {
      stash.answerWith({ status: 500, headers: {}, body: 'broken' }, { field: 'version' });
      return await ask({ document: '{ version { version } }' });
    },
  },
  'stash-new': {
    scene: (stage) => arrivals(stage, { picture: true }, 1, 'film.mp4'),
    image: (stage) => arrivals(stage, { scenes: false, images: true }, 1, 'picture.jpg'),
    gallery: (stage) => arrivals(stage, { scenes: false, galleries: true }, 1, 'Pictures', 'Pictures/1.jpg'),
    'list of scenes': (stage) => arrivals(stage, { each: false }, 1, '1.mp4', '2.mp4'),
  },
  'stash-jobs': {
    started: (stage) => eventOfJob(stage, 'started'),
    progress: (stage) => eventOfJob(stage, 'progress'),
    ended: (stage) => eventOfJob(stage, 'ended'),
    gap: async ({ stash, start, restart }) => {
      stash.jobs.seconds = 60;
      const flow = await following(stash, start({ ended: false }));
      stash.jobs.add(otherTask('Scanning...', 'a step'));
      await flow.until(() => flow.sent.length === 1);
      await restart();
      const gap = () => flow.sent.filter(({ topic }) => topic === 'gap');
      await flow.until(() => gap().length > 0);
      return gap().map((msg) => ({ output: 1, msg }));
    },
    'away and back': async ({ stash, start, restart }) => {
      const flow = await following(stash, start({ started: false, ended: false, reach: true }));
      await stash.stop();
      await flow.until(() => flow.sent.length === 1);
      await restart();
      await flow.until(() => flow.sent.length === 2);
      return flow.sent.map((msg) => ({ output: 1, msg }));
    },
  },
  'stash-stop': {
    stopped: async ({ stash, ask }) => {
      stash.jobs.seconds = 60;
      for (const name of ['Generating...', 'Scanning...']) stash.jobs.add(otherTask(name, 'a step'));
      return await ask({ jobType: 'all' });
    },
    'nothing to stop': ({ ask }) => ask({ jobType: 'all' }),
  },
};

describe('The contract of the messages', () => {
  hasten();
  before(() => {
    timing.jobs.progressSample = 1;
  });
  let stash: FakeStash;
  let again: FakeStash | undefined;
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'node-red-stash-'));
  });
  afterEach(async () => {
    await helper.unload();
    await stash.stop();
    await again?.stop();
    again = undefined;
    rmSync(folder, { recursive: true });
  });

  for (const [type, ownCases] of Object.entries(cases)) {
    for (const [name, given] of Object.entries(ownCases)) {
      it(`is kept by ${type}: ${name}`, async () => {
        const { options = {}, run } = typeof given === 'function' ? { run: given } : given;
        const all = { tempo: TEMPO, release: 'v0.30.1', jobSeconds: 0.2 * TEMPO, ...options } as const;
        stash = await FakeStash.start(all);
        const start: Stage['start'] = (properties = {}, more = {}) =>
          Flow.start({ type, properties, server: { url: stash.url, pause: '0' }, ...more });
        const sent = await run({
          stash,
          folder,
          start,
          ask: async (properties, msg) => await (await start(properties)).ask({ ...msg, kept: true }),
          restart: async () => {
            const { port } = stash;
            await stash.stop();
            again = await FakeStash.start({ ...all, port });
          },
        });
        const messages = [sent].flat();
        assert.ok(messages.length > 0);
        const found = shapeOf(messages.map(visible));
        await checkFrozen('messages.json', found, { rule: RULE, fits: fitsShape, part: [type, name] });
      });
    }
  }

  it('covers every node, and has no case that nothing checks', async () => {
    stash = await FakeStash.start();
    const named = (all: Record<string, object>) =>
      Object.entries(all).flatMap(([type, list]) => Object.keys(list).map((name) => `${type}: ${name}`));
    assert.deepEqual(named(readFrozen('messages.json') as typeof cases).sort(), named(cases).sort());
    assert.deepEqual(Object.keys(cases).sort(), actions.map((name) => `stash-${name}`).sort());
  });
});

/** Returns a message and where it came out, without what Node-RED itself adds: that depends on its release. */
function visible({ output, msg }: Sent): object {
  const { error } = msg;
  const own = Object.fromEntries(Object.entries(msg).filter(([name]) => !['_msgid', 'error'].includes(name)));
  const at = output === undefined ? 'Catch' : `output ${output}`;
  return { at, ...own, ...(error && { error: { message: error.message, code: error.code } }) };
}

/** Returns the progress of a job until it can be estimated. */
async function progressOfJob({ stash, start }: Stage, properties: object = {}): Promise<Sent[]> {
  stash.jobs.hold();
  const flow = await start({ reply: 'finished', ...properties });
  const id = flow.send();
  await stepThrough(stash, () => flow.progressOf(id));
  await flow.until(() => flow.hasEnded(id));
  return flow.progressOf(id).map((msg) => ({ output: 2, msg }));
}

/** Returns the messages with a topic about one job. */
async function eventOfJob({ stash, start }: Stage, wanted: string): Promise<Sent[]> {
  const flow = await following(stash, start({ progress: true }));
  const about = (topic: string) => flow.sent.filter((msg) => msg['topic'] === topic);
  stash.jobs.hold();
  stash.jobs.add(otherTask('Generating...', 'sprites', 'previews', 'markers'));
  await stepThrough(stash, () => about('progress'));
  await flow.until(() => about('ended').length > 0);
  return about(wanted).map((msg) => ({ output: 1, msg }));
}

/** Lets a held job do a step, and go on once its progress has an estimate. */
async function stepThrough({ jobs }: FakeStash, progress: () => readonly Message[]): Promise<void> {
  const isEstimated = ({ payload }: Message) => (payload as JobProgress).secondsLeft !== null;
  await until(() => progress().length > 0);
  await jobs.step();
  await until(() => progress().some(isEstimated));
  jobs.release();
}

/** Resolves when a trigger node follows the jobs of its server. */
async function following(stash: FakeStash, starting: Promise<Flow>): Promise<Flow> {
  const flow = await starting;
  await untilFollowed(stash);
  return flow;
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
    stash.library.add({ path: `${NEW}/${file}`, details }, '2026-01-11T04:41:59Z');
  }
  stash.jobs.add(otherTask('Scanning...', 'a step'));
  await flow.until(() => flow.sent.length >= count);
  return flow.sent.slice(0, count).map((msg) => ({ output: 1, msg }));
}
