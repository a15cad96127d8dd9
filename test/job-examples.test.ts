import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { eventually } from './browser/eventually';
import { Example } from './example';
import { userDirWithPackage } from './node-red';
import { StandIn } from './stand-in/stand-in';
import { other } from './stand-in/tasks';

describe('The examples about jobs in a real Node-RED', function () {
  this.timeout(60_000);

  let userDir: string;
  let stash: StandIn;
  let example: Example;

  before(async function () {
    this.timeout(120_000);
    userDir = await userDirWithPackage();
  });

  beforeEach(async () => {
    stash = await StandIn.start({ release: 'v0.30.1', jobSeconds: 1 });
  });

  afterEach(async () => {
    await example.stop();
    await stash.stop();
  });

  after(() => {
    rmSync(userDir, { recursive: true, force: true });
  });

  describe('Nightly scan, generate, notify', () => {
    const NOTIFICATION = 'your notification';
    const LASTING = 'or your notification here';

    beforeEach(async () => {
      example = await Example.start(userDir, 'Nightly scan, generate, notify', stash.url);
    });

    it('tells in the end how both went, in a sentence for each', async () => {
      stash.library.arrive({ path: '/media/videos/New.mp4' });
      stash.library.broken = ['/media/videos/Broken.mp4'];
      await example.press('at three');
      assert.match(
        await example.next(NOTIFICATION),
        /^nas has scanned its library: 1 new scene, 1 problem, .* nas has generated content: no problems, /,
      );
      assert.match(await example.next(LASTING), /^Job 1 at nas \(Scanning\.\.\.\) has finished: /);
      assert.match(await example.next(LASTING), /^Job 2 at nas \(Generating\.\.\.\) has finished: /);
      assert.equal(example.told(NOTIFICATION).length, 1);
    });

    it('tells how far it came if generating fails', async () => {
      await example.press('at three');
      await example.next(LASTING);
      stash.jobs.failure = 'disk full';
      assert.match(await example.next(NOTIFICATION), /^nas has scanned its library: .*disk full/);
    });

    it('does not generate after a scan that failed', async () => {
      stash.jobs.failure = 'disk full';
      await example.press('at three');
      assert.match(await example.next(NOTIFICATION), /disk full/);
      assert.match(await example.next(LASTING), /disk full/);
      assert.equal(stash.jobs.queue, null);
      assert.equal(stash.jobs.find('2'), null);
    });

    it('is ended by a deploy without a word, but for the lasting way', async () => {
      await example.press('at three');
      await has('1', 'RUNNING');
      await example.deploy();
      assert.match(await example.next(LASTING), /^Job 1 at nas \(Scanning\.\.\.\) has finished: /);
      assert.equal(example.told(NOTIFICATION).length, 0);
    });
  });

  describe('Stop generating while somebody watches', () => {
    const HAPPENS = 'what happens';

    beforeEach(async () => {
      example = await Example.start(userDir, 'Stop generating while somebody watches', stash.url);
    });

    it('stops what generates when somebody watches, and starts it again after, but nothing else', async () => {
      await example.press('generate now');
      assert.match(await example.next(HAPPENS), /^nas is generating content \(job 1\)/);
      stash.jobs.add(other('Scanning...', 'Scanning'));
      await has('1', 'RUNNING');
      await example.press('somebody watches');
      assert.match(await example.next(HAPPENS), /^nas is stopping job 1/);
      await has('1', 'CANCELLED');
      await has('2', 'FINISHED');
      await example.press('nobody watches');
      assert.match(await example.next(HAPPENS), /^nas is generating content \(job 3\)/);
    });

    it('starts nothing that did not run before', async () => {
      await example.press('somebody watches');
      await asked('jobQueue');
      await example.press('nobody watches');
      await example.press('generate now');
      assert.match(await example.next(HAPPENS), /^nas is generating content \(job 1\)/);
      await has('1', 'FINISHED');
      assert.equal(example.told(HAPPENS).length, 1);
    });
  });

  describe('Job events to a dashboard or MQTT', () => {
    it('gives plain values, each with its topic', async () => {
      example = await Example.start(userDir, 'Job events to a dashboard or MQTT', stash.url);
      stash.jobs.seconds = 2.5;
      await asked('jobQueue');
      stash.jobs.add(other('Cleaning...', 'Cleaning a', 'Cleaning b'));
      await eventually(
        () => Promise.resolve(published()),
        (values) => {
          assert.ok(values.some(([topic, value]) => topic === 'percent' && value === '100'));
        },
      );
      const values = published();
      assert.deepEqual(values.slice(0, 4), [
        ['event', "'started'"],
        ['summary', "'nas has begun job 1 (Cleaning...).'"],
        ['description', "'Cleaning...'"],
        ['status', "'RUNNING'"],
      ]);
      assert.ok(values.some(([topic, value]) => topic === 'task' && value === "'Cleaning b'"));
      const last = Object.fromEntries(values);
      assert.deepEqual([last['event'], last['status'], last['problems']], ["'ended'", "'FINISHED'", '0']);
    });
  });

  /** The topics below stash/nas/job with their values, as the debug node shows whole messages in the log. */
  function published(): [topic: string, value: string][] {
    const log = example.nodeRed.log.join('\n');
    return [...log.matchAll(/topic: 'stash\/nas\/job\/(\w+)',\s+payload: (.*?),?\n/g)].map(
      ([, topic = '', value = '']) => [topic, value],
    );
  }

  /** Waits until the server has been asked something. */
  async function asked(what: string): Promise<void> {
    await eventually(
      () => Promise.resolve(stash.requests),
      (requests) => {
        assert.ok(
          requests.some(({ body }) => JSON.stringify(body).includes(what)),
          what,
        );
      },
    );
  }

  async function has(id: string, status: string): Promise<void> {
    await eventually(
      () => Promise.resolve(stash.jobs.find(id)?.status),
      (now) => {
        assert.equal(now, status);
      },
    );
  }
});
