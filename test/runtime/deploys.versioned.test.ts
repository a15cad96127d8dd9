import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { database } from '../fake-stash/database';
import { FakeStash } from '../fake-stash/fake-stash';
import { answerWhenTold } from '../fake-stash/faults';
import { Flow, type FlowOptions, shared, useFakeStash } from '../support/flow';
import { useFolder } from '../support/folder';
import { type DeployType, followEnds, helper } from '../support/runtime';
import { hasten, TEMPO } from '../support/tempo';
import { timing } from '../../src/timing';

/** A way to bring a message into a state in which it waits. */
interface State {
  options: () => FlowOptions;
  msg?: () => object;
  /** Resolves when the message waits. */
  waits: (flow: Flow, id: string) => Promise<void>;
  /** Lets it go on, if it does not do so by itself. */
  proceed?: () => void;
  /** What the server is asked for the message, from its arrival to its end. */
  requests: readonly string[];
  /** A property whose change counts from the next message on. */
  other: object;
}

/** A kind of deploy. */
interface Deploy {
  type: DeployType;
  change: (options: FlowOptions) => FlowOptions;
  /** Where the message ends, by default at the first output. */
  end?: 'output2' | 'caught' | 'logged';
}

const DOCUMENT = 'query ($filter: FindFilterType) { findScenes(filter: $filter) { count scenes { id } } }';

describe('a deploy while a message waits', () => {
  hasten();
  const stash = useFakeStash({ tempo: TEMPO, release: 'v0.30.1', jobSeconds: 3 * TEMPO });
  const folder = useFolder();
  let other: FakeStash;
  let answer = () => {};
  before(async () => {
    // What a node waits for is shown at once, however soon it comes.
    timing.statusInterval = 1;
    other = await FakeStash.start({ release: 'v0.30.1' });
  });
  after(() => other.stop());

  const server = () => ({
    url: stash().url,
    pathMap: [{ here: folder(), there: '/media/videos' }],
    pause: 0.3,
  });
  /** Lets the server answer a root field, but the first so many times, only when `answer` is called. */
  const hold = (field: string, atOnce = 0) => {
    const held = answerWhenTold(atOnce);
    answer = held.answer;
    stash().answerWith(held.handler, { field });
  };
  const proceed = () => {
    answer();
  };
  const sent = (...fields: string[]) =>
    stash().requests.flatMap(({ operation = '' }) => (fields.includes(operation) ? [operation] : []));
  const isShown = (flow: Flow, key: string) =>
    flow.statuses.some(({ text }) => text?.startsWith(shared(key)));
  const file = () => {
    const name = path.join(folder(), 'a.mp4');
    writeFileSync(name, 'content');
    stash().arrive({ path: '/media/videos/a.mp4' });
    return name;
  };

  const states: Record<string, State> = {
    'for a file that is not complete': {
      options: () => ({
        type: 'stash-scan',
        properties: { paths: 'payload', pathsType: 'msg', settle: '0.5' },
        server: server(),
      }),
      msg: () => ({ payload: file() }),
      waits: (flow) => flow.until(() => isShown(flow, 'queue.waiting')),
      requests: ['metadataScan'],
      other: { settle: '0.4' },
    },
    'for further messages': {
      options: () => ({
        type: 'stash-scan',
        properties: { paths: 'payload', pathsType: 'msg', collect: '1' },
        server: server(),
      }),
      msg: () => ({ payload: file() }),
      waits: (flow) => flow.until(() => isShown(flow, 'queue.held')),
      requests: ['metadataScan'],
      other: { collect: '1.2' },
    },
    'in the queue of an external site': {
      options: () => ({ type: 'stash-performer-search', server: server() }),
      msg: () => {
        // Another message of the node is at the head of the queue.
        hold('scrapeSinglePerformer');
        helper.getNode('tested').receive({ _msgid: 'first', payload: 'Hana' });
        return { payload: 'Robin' };
      },
      waits: (flow) => flow.until(() => sent('scrapeSinglePerformer').length === 1),
      proceed,
      requests: ['scrapeSinglePerformer', 'scrapeSinglePerformer'],
      other: { query: 'Hana', queryType: 'str' },
    },
    'for the answer of an external site': {
      options: () => ({ type: 'stash-performer-search', server: server() }),
      msg: () => {
        hold('scrapeSinglePerformer');
        return { payload: 'Robin' };
      },
      waits: (flow) => flow.until(() => sent('scrapeSinglePerformer').length === 1),
      proceed,
      requests: ['scrapeSinglePerformer'],
      other: { query: 'Hana', queryType: 'str' },
    },
    'for the response to a mutation': {
      options: () => ({ type: 'stash-scan', server: server() }),
      msg: () => {
        hold('metadataScan');
        return {};
      },
      waits: (flow) => flow.until(() => sent('metadataScan').length === 1),
      proceed,
      requests: ['metadataScan'],
      other: { scanGeneratePhashes: true },
    },
    'for its job': {
      options: () => ({ type: 'stash-scan', properties: { reply: 'finished' }, server: server() }),
      waits: (flow, id) => flow.until(() => flow.progressOf(id).length > 0),
      requests: ['metadataScan'],
      other: { sendFailed: true },
    },
    'for the second page': {
      options: () => ({
        type: 'stash-query',
        properties: { document: DOCUMENT, pages: true, perPage: '2' },
        server: server(),
      }),
      msg: () => {
        hold('findScenes', 2);
        return {};
      },
      waits: async (flow, id) => {
        await flow.until(() => flow.sentOn(id).length > 0 && sent('findScenes').length === 3);
      },
      proceed,
      requests: ['findScenes', 'findScenes', 'findScenes'],
      other: { partial: true },
    },
    'for its backup': {
      options: () => ({
        type: 'stash-backup',
        properties: { download: true, folder: folder(), filename: 'it.sqlite', filenameType: 'str' },
        server: server(),
      }),
      msg: () => {
        stash().backups.content = database({ bytes: 40_000 });
        hold('backupDatabase');
        return {};
      },
      waits: (flow) => flow.until(() => sent('backupDatabase').length === 1),
      proceed,
      requests: ['backupDatabase'],
      other: { overwrite: true },
    },
    'for a performer to be saved': {
      options: () => ({ type: 'stash-performer-save', server: server() }),
      msg: () => {
        hold('performerCreate');
        return { payload: { name: 'Nora Quill' } };
      },
      waits: (flow) => flow.until(() => sent('performerCreate').length === 1),
      proceed,
      requests: ['performerCreate'],
      other: { existing: 'replace' },
    },
  };

  const withProperties = (properties: object) => (options: FlowOptions) => ({
    ...options,
    properties: { ...options.properties, ...properties },
  });
  const deploys: Record<string, Deploy> = {
    'of all nodes': { type: 'full', change: (options) => options },
    'of its flow, with another wire': {
      type: 'flows',
      change: (options) => ({ ...options, wires: ['output2'] }),
      end: 'output2',
    },
    'of the node, with another name': { type: 'nodes', change: withProperties({ name: 'renamed' }) },
    'of the server, with another time limit': {
      type: 'nodes',
      change: (options) => ({ ...options, server: { ...options.server, timeout: '31' } }),
    },
    'of the node, with another server': {
      type: 'nodes',
      change: (options) => ({ ...options, server: { ...options.server, url: other.url } }),
      end: 'caught',
    },
    'that disables the node': {
      type: 'full',
      change: (options) => ({ ...options, without: 'disabled' }),
      end: 'logged',
    },
    'that deletes the node': {
      type: 'full',
      change: (options) => ({ ...options, without: 'deleted' }),
      end: 'logged',
    },
  };

  it('lets each message ask an external site as the node was when it came', async () => {
    const { options, msg = () => ({}), waits } = states['in the queue of an external site'] as State;
    const before = options();
    const flow = await Flow.start(before);
    const id = flow.send(msg());
    await waits(flow, id);
    await flow.redeploy(withProperties({ query: 'Mira', queryType: 'str' })(before));
    const next = flow.send({ payload: 'Robin' });
    answer();
    await flow.until(() => flow.hasEnded(id) && flow.hasEnded(next));

    const searches = stash().requests.filter(({ operation }) => operation === 'scrapeSinglePerformer');
    const queries = searches.map(({ body }) => JSON.stringify(body?.variables));
    for (const [index, query] of ['Hana', 'Robin', 'Mira'].entries())
      assert.match(String(queries[index]), new RegExp(query));
    assert.equal(queries.length, 3);
  });

  it('loses no message whose result comes while a deploy makes only the next node anew', async () => {
    const options = { type: 'stash-performer-search', server: server() };
    const flow = await Flow.start(options);
    hold('scrapeSinglePerformer');
    const id = flow.send({ payload: 'Robin' });
    await flow.until(() => sent('scrapeSinglePerformer').length === 1);
    helper.getNode('output1').on('close', (closed: () => void) => {
      answer();
      setTimeout(closed, 100);
    });
    await flow.redeploy({ ...options, receiver: 'another' });
    await flow.until(() => flow.hasEnded(id));
  });

  it('sends the first page once if it comes during the deploy, and other properties were deployed', async () => {
    const { options } = states['for the second page'] as State;
    const flow = await Flow.start(options());
    hold('findScenes');
    const id = flow.send();
    await flow.until(() => sent('findScenes').length === 1);
    helper.getNode('tested').on('close', (closed: () => void) => {
      answer();
      setTimeout(closed, 100);
    });
    await flow.redeploy(withProperties({ partial: true })(options()), 'full');
    await flow.until(() => flow.hasEnded(id));

    const indexes = flow.sentOn(id).map(({ parts }) => (parts as { index: number }).index);
    assert.deepEqual(indexes, [...indexes.keys()]);
  });

  const parts: Record<string, () => FlowOptions> = {
    items: () => ({
      type: 'stash-find',
      properties: { kind: 'scene', limit: '0', each: true },
      server: server(),
    }),
    pages: () => ({
      type: 'stash-query',
      properties: { document: DOCUMENT, pages: true, perPage: '1' },
      server: server(),
    }),
  };
  const moments: Record<string, [DeployType, (options: FlowOptions, count: number) => FlowOptions]> = {
    'of all nodes': ['full', (options) => options],
    'of the node': ['nodes', (options, count) => withProperties({ name: String(count) })(options)],
    'of the next node': ['nodes', (options, count) => ({ ...options, receiver: String(count) })],
  };
  let stopFollowing = () => {};
  afterEach(() => stopFollowing());
  for (const [what, options] of Object.entries(parts)) {
    for (const [which, [type, change]] of Object.entries(moments)) {
      it(`loses and repeats none of several ${what} that are leaving, whenever it comes: ${which}`, async () => {
        for (let count = 1; count <= 15; count++) {
          stash().library.add({ path: `/media/videos/${count}.mp4` }, '2026-01-11T04:41:59Z');
        }
        const flow = await Flow.start(options());
        const ended: string[] = [];
        stopFollowing = followEnds(({ msg, node }) => node.id === 'tested' && ended.push(msg._msgid));
        for (let count = 0; count < 8; count++) {
          const id = flow.send();
          await flow.until(() => flow.sentOn(id).length >= count % 5);
          for (let turns = Math.floor(Math.random() * 8); turns > 0; turns--) await setImmediate();
          await flow.redeploy(change(options(), count), type);
          await flow.until(() => ended.includes(id));
          const indexes = flow.sentOn(id).map((msg) => (msg['parts'] as { index: number }).index);
          assert.deepEqual(indexes, [...stash().library.all('scene').keys()]);
        }
      });
    }
  }

  for (const [
    state,
    { options, msg = () => ({}), waits, proceed: go, requests, other: property },
  ] of Object.entries(states)) {
    describe(`that waits ${state}`, () => {
      const ways = {
        ...deploys,
        'of the node, with another property': { type: 'nodes', change: withProperties(property) } as Deploy,
      };
      for (const [deploy, { type, change, end }] of Object.entries(ways)) {
        const ends =
          end === 'caught' || end === 'logged'
            ? `ends it with CLOSED, ${end}`
            : `lets it go on${end ? ` to ${end}` : ''}`;
        it(`${deploy}, ${ends}`, async () => {
          const before = options();
          const flow = await Flow.start(before);
          const id = flow.send(msg());
          await waits(flow, id);
          const known = flow.sentOn(id).length;
          await flow.redeploy(change(before), type);
          const { args, ERROR } = helper.log();
          const logged = () =>
            args.flat().filter(({ level, id: from }) => level === ERROR && from === 'tested');
          if (end === 'logged') {
            await flow.until(() => logged().length > 0);
            go?.();
            assert.deepEqual([flow.sentOn(id).length, flow.caught(id).length], [known, 0]);
            return;
          }
          if (end === 'caught') {
            await flow.until(() => flow.caught(id).length === 1);
            go?.();
            assert.equal(flow.caught(id)[0]?.stash?.error?.code, 'CLOSED');
            return;
          }
          go?.();
          await flow.until(() => flow.hasEnded(id));
          assert.equal(flow.caught(id).length, 0, String(flow.caught(id)[0]?.error?.message));
          const indexes = flow.sentOn(id).map(({ parts }) => (parts as { index: number } | undefined)?.index);
          assert.deepEqual(indexes, indexes.length === 1 ? [undefined] : indexes.map((_, index) => index));
          assert.deepEqual(sent(...requests), requests);
          assert.deepEqual(logged(), []);
        });
      }
    });
  }
});
