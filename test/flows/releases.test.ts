import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Flow, type FlowOptions, type Message } from '../support/flow';
import { hasten, TEMPO } from '../support/tempo';
import { helper } from '../support/runtime';
import { type Release, releases } from '../fake-stash/releases';
import { FakeStash } from '../fake-stash/fake-stash';
import { otherTask } from '../fake-stash/tasks';
import { checkTable } from '../support/table';
import { performerFields } from '../../src/operations/scrape-performer';
import { statusFields } from '../../src/operations/status';
import { studioFields } from '../../src/operations/studios';
import type { JobRecord } from '../../src/records';

/** What a node is asked, and what its answer must hold to count as one. */
interface Tried {
  /** Without "stash-"; the name that the table has for it, if they are the same. */
  type?: string;
  /** What goes on at the server, until the message has come to its end. */
  before?: (stash: FakeStash) => void;
  after?: (stash: FakeStash) => void;
  /** One for each way to ask. */
  ways: { properties: object; msg?: object }[];
  holds: (msg: Message, stash: FakeStash) => void;
  /** What the answer has not that others have, beside what it names itself. */
  lacks?: (msg: Message) => string[];
}

const kinds = { sprites: true, previews: true, imagePreviews: true, markers: true, transcodes: true };

const nodes: Readonly<Record<string, Tried>> = {
  scan: { ways: [{ properties: {} }], holds: isJob },
  generate: { ways: [{ properties: kinds }], holds: isJob },
  backup: {
    ways: [{ properties: { download: false } }, { properties: { download: true, folderType: 'message' } }],
    holds: ({ payload }, stash) => {
      if (Buffer.isBuffer(payload)) assert.deepEqual(payload, stash.backups.content);
      else assert.equal((payload as { checked: unknown }).checked, false);
    },
  },
  studios: {
    ways: [{ properties: { fields: studioFields } }],
    holds: ({ payload }, stash) => {
      const studios = payload as Record<string, unknown>[];
      assert.equal(studios.length, stash.studios.length);
      for (const { name, checksum } of studios) {
        assert.equal(checksum, createHash('md5').update(String(name)).digest('hex'));
      }
    },
  },
  status: {
    ways: [{ properties: { fields: statusFields } }],
    holds: ({ payload, stash }) => {
      const { databasePath, ...more } = payload as Record<string, unknown>;
      assert.equal(databasePath, '/config/stash-go.sqlite');
      if (stash?.missing) assert.deepEqual([more, stash['version']], [{}, 'v0.5.0']);
      else assert.equal(more['status'], 'OK');
    },
  },
  'performer search': {
    ways: [{ properties: {}, msg: { payload: 'Robin' } }],
    holds: ({ payload }) => {
      assert.deepEqual(payload, ['Robin Vale', 'Robin Valentine']);
    },
  },
  'performer scrape': {
    ways: [{ properties: { fields: performerFields }, msg: { payload: 'Robin Vale' } }],
    holds: ({ payload }) => {
      const { name, country } = payload as Record<string, unknown>;
      assert.deepEqual([name, country], ['Robin Vale', 'CA']);
    },
  },
  'end of a job': {
    type: 'scan',
    ways: [{ properties: { reply: 'finished', listNew: '1' } }],
    holds: ({ payload }, stash) => {
      const { id, status } = payload as JobRecord;
      assert.deepEqual(
        [id === null, status],
        stash.quirks.queuesJobs ? [false, 'FINISHED'] : [true, 'ENDED'],
      );
    },
    lacks: ({ payload }) => {
      const { status, problems } = payload as JobRecord;
      return [...(status === 'ENDED' ? ['status'] : []), ...(problems === null ? ['problems'] : [])];
    },
  },
  stop: {
    // A job that would be over by itself could be over too soon.
    before: ({ jobs }) => {
      jobs.hold();
      jobs.add(otherTask('Cleaning...', 'Cleaning'));
    },
    after: ({ jobs }) => {
      jobs.release();
    },
    ways: [{ properties: { jobType: 'all' } }],
    holds: ({ payload }) => {
      const { stopped } = payload as { stopped: JobRecord[] };
      assert.deepEqual(
        stopped.map(({ status }) => status),
        ['STOPPING'],
      );
    },
  },
};

/** How the nodes may tell who asks. */
const doors = {
  'API key': { server: { auth: 'apiKey' }, credentials: { apiKey: 'a-k3y' } },
  'user and password': {
    server: { auth: 'session' },
    credentials: { username: 'amy', password: 's3cret' },
  },
};

describe('Every node works with the server of', () => {
  hasten();
  const rows: string[][] = [];

  for (const release of releases) {
    it(release, async () => {
      const stash = await FakeStash.start({ tempo: TEMPO, release });
      try {
        const cells: string[] = [];
        for (const [node, tried] of Object.entries(nodes)) cells.push(await ask(stash, node, tried));
        cells.push(await listen(stash));
        for (const door of Object.values(doors)) cells.push(await signIn(release, door));
        rows.push([release === 'documented' ? 'as documented' : release, ...cells]);
      } finally {
        await helper.unload();
        await stash.stop();
      }
    });
  }

  it('and the README says so', async () => {
    await checkTable('README.md', 'releases', [
      ['release', ...Object.keys(nodes), 'jobs', ...Object.keys(doors)],
      ...rows,
    ]);
  });

  /** Whether a server with credentials lets in who asks like that. */
  async function signIn(
    release: Release,
    door: Pick<FlowOptions, 'server' | 'credentials'>,
  ): Promise<string> {
    const { apiKey, ...credentials } = {
      ...doors['API key'].credentials,
      ...doors['user and password'].credentials,
    };
    const stash = await FakeStash.start({ tempo: TEMPO, release, apiKey, credentials });
    try {
      const server = { url: stash.url, ...door.server };
      const flow = await Flow.start({ type: 'stash-scan', ...door, server });
      const ends = [await flow.ask(), await flow.ask()];
      assert.ok(stash.requests.filter(({ path }) => path === '/login').length <= 1);
      return ends.map(({ msg }) => msg.error?.code ?? 'works').find((said) => said !== 'works') ?? 'works';
    } finally {
      await helper.unload();
      await stash.stop();
    }
  }

  /** What can be said of a node with a server, after asking it in each way. */
  async function ask(stash: FakeStash, node: string, tried: Tried): Promise<string> {
    const { before, after, ways, holds, lacks } = tried;
    const type = `stash-${(tried.type ?? node).replace(' ', '-')}`;
    let said = 'works';
    for (const { properties, msg } of ways) {
      before?.(stash);
      const options: FlowOptions = { type, properties, server: { url: stash.url, pause: 0 } };
      const end = await (await Flow.start(options)).ask(msg);
      await helper.unload();
      after?.(stash);
      // Before v0.8.0 a job that comes while another runs is dropped.
      while (stash.jobs.queue !== null) await sleep(5);
      if (end.msg.error) return end.msg.error.code ?? '';
      holds(end.msg, stash);
      const missing = [...(lacks?.(end.msg) ?? []), ...(end.msg.stash?.missing ?? [])];
      if (missing.length > 0) said = `without ${missing.join(', ')}`;
    }
    return said;
  }

  /** What can be said of the node that asks nothing, after a job that ran already when it was deployed. */
  async function listen(stash: FakeStash): Promise<string> {
    stash.jobs.seconds = 0.5;
    stash.jobs.add(otherTask('Cleaning...', 'Cleaning'));
    const flow = await Flow.start({ type: 'stash-jobs', server: { url: stash.url } });
    await flow.until(() => flow.sent.length + flow.ownErrors.length > 0);
    await helper.unload();
    const [error] = flow.ownErrors;
    if (error) return error.error?.code ?? '';
    assert.deepEqual(
      flow.sent.map(({ topic }) => topic),
      ['ended'],
    );
    const { status } = flow.sent[0]?.payload as JobRecord;
    return status === 'FINISHED' ? 'works' : 'without status';
  }
});

function isJob({ payload }: Message, stash: FakeStash): void {
  const { id, status } = payload as { id: string | null; status: string };
  assert.deepEqual([id === null, status], [!stash.quirks.queuesJobs, 'STARTED']);
}
