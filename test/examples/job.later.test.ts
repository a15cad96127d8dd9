import assert from 'node:assert/strict';
import { eventually } from '../browser/eventually';
import { Broker } from '../support/broker';
import { type Example, useExamples } from '../support/example';
import { untilFollowed } from '../support/followed';
import { useUserDir } from '../support/user-dir';
import { FakeStash } from '../fake-stash/fake-stash';
import { otherTask } from '../fake-stash/tasks';
import { until } from '../support/waiting';

describe('The examples about jobs in a real Node-RED', () => {
  const userDir = useUserDir();
  const runExample = useExamples(userDir);
  let stash: FakeStash;
  let example: Example;

  beforeEach(async () => {
    stash = await FakeStash.start({ release: 'v0.30.1', jobSeconds: 1 });
  });

  afterEach(async () => {
    await example.stop();
    await stash.stop();
  });

  describe('Scan and generate every night', () => {
    const NOTIFICATION = 'your notification';

    beforeEach(async () => {
      example = await runExample('Scan and generate every night', stash.url);
    });

    it('notifies about both jobs at the end, in a sentence for each', async () => {
      stash.library.arrive({ path: '/media/videos/New.mp4' });
      stash.library.broken = ['/media/videos/Broken.mp4'];
      await example.press('at four');
      assert.match(
        await example.next(NOTIFICATION),
        /^Scan on nas finished \(1 new scene, 1 problem: “error processing "\/media\/videos\/Broken\.mp4".*”, .*\)\. Generate task on nas finished \(no problems, /,
      );
      assert.equal(example.outputs(NOTIFICATION).length, 1);
    });

    it('reports the finished scan if generating fails', async () => {
      await example.press('at four');
      await has('1', 'FINISHED');
      stash.jobs.failure = 'disk full';
      assert.match(await example.next(NOTIFICATION), /^Scan on nas finished .*disk full/);
    });

    it('does not generate after a scan that failed', async () => {
      stash.jobs.failure = 'disk full';
      await example.press('at four');
      assert.match(await example.next(NOTIFICATION), /disk full/);
      assert.equal(stash.jobs.queue, null);
      assert.equal(stash.jobs.find('2'), null);
    });
  });

  it('Tell me the result of every job: reports each job, whoever started it', async () => {
    example = await runExample('Tell me the result of every job', stash.url);
    await untilFollowed(stash);
    stash.jobs.add(otherTask('Cleaning...', 'Cleaning'));
    assert.match(await example.next('your notification'), /^Job 1 \(Cleaning\) on nas finished \(/);
  });

  it('Stop all jobs: stops what runs and what waits', async () => {
    example = await runExample('Stop all jobs', stash.url);
    stash.jobs.hold();
    for (const what of ['Scanning', 'Cleaning']) stash.jobs.add(otherTask(`${what}...`, what));
    await has('1', 'RUNNING');
    await example.press('stop now');
    assert.match(await example.next('your notification'), /^nas is stopping /);
    stash.jobs.release();
    await until(() => stash.jobs.queue === null);
  });

  it('Generate previews: reports the result of the job, and not its start', async () => {
    example = await runExample('Generate previews', stash.url);
    await example.press('generate now');
    assert.match(await example.next('your notification'), /^Generate task on nas finished \(no problems, /);
    assert.equal(example.outputs('your notification').length, 1);
  });

  it('Run a task: reports the result of the task', async () => {
    example = await runExample('Run a task', stash.url);
    await example.press('auto tag now');
    assert.match(await example.next('your notification'), /^Auto tag task on nas finished \(/);
  });

  it('Tell me when Stash is down: reports once that it is, and once that it is back', async () => {
    example = await runExample('Tell me when Stash is down', stash.url);
    await untilFollowed(stash);
    const { port } = stash;
    await stash.stop();
    assert.equal(await example.next('your notification'), 'nas cannot be reached.');
    stash = await FakeStash.start({ release: 'v0.30.1', port });
    assert.match(await example.next('your notification'), /^nas can be reached again \(Stash v0\.30\.1\)/);
    assert.equal(example.outputs('your notification').length, 2);
  });

  it('Pause jobs while someone is watching: stops what generates, and starts it again afterwards', async () => {
    example = await runExample('Pause jobs while someone is watching', stash.url);
    stash.jobs.seconds = 60;
    await example.press('generate now');
    await has('1', 'RUNNING');
    await example.press('someone is watching');
    assert.equal(await example.next('result'), 'Jobs on nas are paused (1 stopped job).');
    await has('1', 'CANCELLED');
    await example.press('generate now');

    await example.press('nobody is watching');
    assert.match(await example.next('result'), /^Jobs on nas go on \(1 stopped job, 1 waiting message\)/);
    await has('2', 'RUNNING');
    await until(() => stash.jobs.queue?.length === 2);
  });

  it('Quiet hours: pauses in the evening, and resumes in the morning', async () => {
    example = await runExample('Quiet hours', stash.url);
    await example.press('at 23:00');
    assert.equal(await example.next('result'), 'Jobs on nas are paused.');
    await example.press('at 07:00');
    assert.equal(await example.next('result'), 'Jobs on nas go on.');
  });

  describe('Job events to MQTT', () => {
    let broker: Broker;

    beforeEach(async () => {
      broker = await Broker.start();
      example = await runExample('Job events to MQTT', stash.url, { 'mqtt-broker': broker.address });
      await until(() => example.log.some((line) => line.includes('Connected to broker')));
      await untilFollowed(stash);
    });

    afterEach(() => broker.stop());

    it('publishes plain values, each with its topic', async () => {
      stash.jobs.seconds = 2.5;
      stash.jobs.add(otherTask('Cleaning...', 'Cleaning a', 'Cleaning b'));
      await eventually(
        () => Promise.resolve(published()),
        (values) => {
          assert.ok(values.some(([topic, value]) => topic === 'problems' && value === '0'));
        },
      );
      const values = published();
      assert.deepEqual(values.slice(0, 4), [
        ['event', 'started'],
        ['summary', 'Job 1 (Cleaning) on nas started.'],
        ['description', 'Cleaning...'],
        ['status', 'RUNNING'],
      ]);
      assert.ok(values.some(([topic, value]) => topic === 'task' && value === 'Cleaning b'));
      const last = Object.fromEntries(values);
      assert.deepEqual([last['event'], last['status'], last['problems']], ['ended', 'FINISHED', '0']);
      assert.deepEqual([last['percent'], last['task'], last['secondsLeft']], ['100', '', '']);
    });

    it('clears the values of a cancelled job, and repeats none', async () => {
      stash.jobs.seconds = 5;
      stash.jobs.add(otherTask('Cleaning...', 'Cleaning a', 'Cleaning b'));
      await eventually(
        () => Promise.resolve(Object.fromEntries(published())),
        ({ percent, task }) => {
          assert.equal(percent, '50');
          assert.equal(task, 'Cleaning b');
        },
      );
      stash.jobs.stop('1');
      await eventually(
        () => Promise.resolve(Object.fromEntries(published())),
        (last) => {
          assert.deepEqual(
            ['event', 'status', 'percent', 'task', 'secondsLeft', 'problems'].map((name) => last[name]),
            ['ended', 'CANCELLED', '', '', '', '0'],
          );
        },
      );
      const values = published();
      for (const name of new Set(values.map(([topic]) => topic))) {
        const sequence = values.filter(([topic]) => topic === name).map(([, value]) => value);
        assert.ok(
          sequence.every((value, index) => value !== sequence[index - 1]),
          `${name}: ${sequence.join(', ')}`,
        );
      }
    });

    /** The topics below stash/nas/job with their values. */
    function published(): [topic: string, value: string][] {
      return broker.published.map(({ topic, payload }) => [topic.replace('stash/nas/job/', ''), payload]);
    }
  });

  async function has(id: string, status: string): Promise<void> {
    await until(() => stash.jobs.find(id)?.status === status);
  }
});
