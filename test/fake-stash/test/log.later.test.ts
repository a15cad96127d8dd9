import assert from 'node:assert/strict';
import { type Release } from '../releases';
import { servers } from './client';
import { Listener } from './socket';

const scan = (path?: string) =>
  `mutation { metadataScan(input: { ${path === undefined ? '' : `paths: ["${path}"]`} }) }`;
const GENERATE = 'mutation { metadataGenerate(input: { sprites: true, phashes: false }) }';
const FOLDER = '/media/videos/Harbour Nine';

describe('Fake server: the log', () => {
  const start = servers();

  /** Returns the lines that a release logs for a task, without times that differ from run to run. */
  async function written(release: Release, task: string, broken: string[] = []): Promise<string[]> {
    const { stash, value } = await start({ release, jobSeconds: 0.02 });
    stash.broken = broken;
    stash.arrive({ path: '/media/videos/Harbour Nine/New.mp4' });
    await value(task);
    while (stash.jobs.queue !== null) await new Promise(setImmediate);
    const lines = await value('{ logs { time level message } }');
    return (lines as { level: string; message: string }[])
      .map(({ level, message }) => `${level}: ${message.replace(/\([\d.]+m?s\)$/, '(x)')}`)
      .reverse();
  }

  it('lists the files that a scan finds', async () => {
    assert.deepEqual(await written('v0.30.1', scan(FOLDER)), [
      'Info: scanning 1 paths',
      'Info: Finished adding files to queue. 3 files queued',
      'Info: Calculating fingerprints for /media/videos/Harbour Nine/New.mp4 ...',
      "Info: /media/videos/Harbour Nine/New.mp4 doesn't exist. Creating new scene...",
      'Info: Scan finished (x)',
    ]);
    assert.deepEqual(await written('v0.11.0', scan(FOLDER)), [
      'Info: Scan started with 1 parallel tasks',
      'Info: Finished counting files. Total files to scan: 3, 1 new files found',
      "Info: /media/videos/Harbour Nine/New.mp4 doesn't exist. Creating new item...",
      'Info: Scan finished (x)',
      'Info: Finished gallery association',
    ]);
  });

  it('lists the items that a task generates', async () => {
    for (const release of ['v0.11.0', 'v0.30.1'] as const) {
      assert.deepEqual(await written(release, GENERATE), [
        'Info: Generate started with 1 parallel tasks',
        'Info: Generating 5 sprites',
        'Info: Generate finished (x)',
      ]);
    }
  });

  it('lists the images, those of galleries, and all in folders, for which a task generates', async () => {
    const { stash, value } = await start({ release: 'v0.31.0', jobSeconds: 0.02 });
    const log = async (input: string) => {
      await value(`mutation { metadataGenerate(input: { sprites: true, imagePhashes: true, ${input} }) }`);
      while (stash.jobs.queue !== null) await new Promise(setImmediate);
      const lines = (await value('{ logs { message } }')) as { message: string }[];
      return lines.slice(1, -1).map(({ message }) => message);
    };
    for (const path of ['/media/pictures/Trip', '/media/pictures/Trip/1.jpg', '/media/pictures/Trip/2.jpg']) {
      stash.library.add({ path }, '2026-01-01T00:00:00Z');
    }
    const counted = async (input: string) =>
      (await log(input)).find((line) => line.startsWith('Generating '));

    assert.equal(await counted('imageIDs: ["1", "2"]'), 'Generating 0 sprites 2 imagePhashes');
    assert.equal(await counted('galleryIDs: ["1"]'), 'Generating 0 sprites 2 imagePhashes');
    const paths = 'paths: ["/media/videos/Lanterna", "/media/pictures/Trip", "/elsewhere"]';
    assert.equal(await counted(paths), 'Generating 1 sprites 3 imagePhashes');
    assert.equal(await counted('sceneIDs: ["1"], imageIDs: ["1"]'), 'Generating 1 sprites 2 imagePhashes');
    assert.ok((await log('imageIDs: ["1", "99"]')).includes('image with id 99 not found'));
  });

  for (const [release, prefix] of [
    ['v0.11.0', ''],
    ['v0.17.2', 'error processing "%": running ffprobe on "%": '],
    ['v0.30.1', 'error processing "%": running ffprobe on "%": '],
  ] as const) {
    it(`lists the files that a scan cannot read, and no others, as ${release}`, async () => {
      const path = `${FOLDER}/Broken.mp4`;
      const lines = await written(release, scan(), [path, `${FOLDER}/Low Tide.mp4`]);
      const errors = lines.filter((line) => line.startsWith('Error: '));
      const begin = `Error: ${prefix.replaceAll('%', path)}FFProbe encountered an error with <${path}>.\n`;
      assert.equal(errors.length, 2);
      assert.ok(
        errors.some((line) => line.startsWith(begin) && line.endsWith('\n\nError: exit status 1')),
        errors.join('\n'),
      );
      assert.equal(lines.filter((line) => line.includes("doesn't exist")).length, 1);
    });
  }

  it('names paths that are outside the library or missing', async () => {
    for (const release of ['v0.11.0', 'v0.30.1'] as const) {
      const lines = await written(release, scan('/elsewhere'));
      assert.ok(lines.includes('Warning: /elsewhere is not in the configured stash paths'), lines.join('\n'));
    }
    const lines = await written('v0.30.1', scan('/media/videos/Nothing'));
    const message = 'lstat /media/videos/Nothing: no such file or directory';
    assert.ok(lines.includes(`Error: error scanning /media/videos/Nothing: ${message}`), lines.join('\n'));
  });

  it('contains each error of a resolver as v0.25.1, and none as v0.17.2', async () => {
    for (const release of ['v0.25.1', 'v0.17.2'] as const) {
      const { value, failure } = await start({ release });
      await failure('{ job: findJob(input: { id: "abc" }) { id } }');
      const lines = await value('{ logs { level message } }');
      const message = 'job: input: job strconv.Atoi: parsing "abc": invalid syntax';
      assert.deepEqual(lines, release === 'v0.25.1' ? [{ level: 'Error', message }] : []);
    }
  });

  it('keeps thirty lines of the levels Info and above', async () => {
    const { stash, value } = await start();
    for (let line = 1; line <= 32; line++) stash.serverLog.write('Info', `line ${line}`);
    stash.serverLog.write('Trace', 'SQL');
    stash.serverLog.write('Debug', 'more');
    const lines = (await value('{ logs { message } }')) as { message: string }[];
    assert.deepEqual(
      [lines.length, lines[0], lines[29]],
      [30, { message: 'line 32' }, { message: 'line 3' }],
    );
  });

  describe('batches', () => {
    it('arrive at once after a second of silence, otherwise at the end of that second', async () => {
      const { stash } = await start();
      const socket = await Listener.start(stash);
      await new Promise((resolve) => setTimeout(resolve, 1050));
      stash.serverLog.write('Info', 'one');
      stash.serverLog.write('Warning', 'two');
      stash.serverLog.write('Trace', 'three');
      stash.serverLog.write('Error', 'four');
      await socket.until(() => socket.batches.length === 2);
      assert.deepEqual(
        socket.batches.map((lines) => lines.map(({ message }) => message)),
        [['one'], ['four', 'two', 'three']],
      );
      const [first = 0, second = 0] = socket.times.slice(-2);
      assert.ok(second - first > 950 && second - first < 1500, String(second - first));
      assert.deepEqual(socket.lines, ['Info: one', 'Warning: two', 'Trace: three', 'Error: four']);
    });

    it('arrive sooner if a test reduces the time', async () => {
      const { stash, value } = await start({ jobSeconds: 0 });
      stash.serverLog.every = 20;
      const socket = await Listener.start(stash);
      await value(scan(FOLDER));
      await socket.until(() => socket.lines.some((line) => line.includes('Scan finished')));
      const traces = socket.lines.filter((line) => line.startsWith('Trace: SQL'));
      assert.equal(traces.length, 2, 'one line for each file');
      const { startTime, endTime } = await socket.removed('1');
      const scanning = socket.batches.flat().filter(({ level }) => level !== 'Trace');
      const [began, ended] = [sortable(String(startTime)), sortable(String(endTime))];
      for (const { time } of scanning) assert.ok(began <= sortable(time) && sortable(time) <= ended, time);
    });

    it('are held back and split by a test', async () => {
      const { stash } = await start();
      stash.serverLog.every = 0;
      stash.serverLog.hold();
      const socket = await Listener.start(stash);
      for (const message of ['one', 'two', 'three', 'four']) stash.serverLog.write('Info', message);
      stash.serverLog.deliver(1);
      stash.serverLog.deliver(2);
      stash.serverLog.release();
      stash.serverLog.write('Info', 'five');
      await socket.until(() => socket.batches.length === 4);
      assert.deepEqual(
        socket.batches.map((lines) => lines.map(({ message }) => message)),
        [['one'], ['three', 'two'], ['four'], ['five']],
      );
    });

    it('contain the SQL of queries that read the database, and of no others', async () => {
      const { stash, value } = await start({ release: 'v0.30.1' });
      stash.serverLog.every = 0;
      const socket = await Listener.start(stash);
      await value(
        '{ jobQueue { id } findJob(input: { id: 1 }) { id } systemStatus { status } logs { time } }',
      );
      await value('{ findTags(filter: { per_page: 1 }) { count } }');
      await socket.until(() => socket.lines.length === 2);
      for (const line of socket.lines) assert.match(line, /^Trace: SQL .*findTags/);
    });

    it('contain times in whole seconds as v0.11.0', async () => {
      const { stash, value } = await start({ release: 'v0.11.0', zone: '-03:30' });
      stash.serverLog.write('Info', 'here');
      const [line] = (await value('{ logs { time } }')) as { time: string }[];
      assert.match(String(line?.time), /T\d\d:\d\d:\d\d-03:30$/);
    });
  });
});

/** Pads the fraction of a time to nine digits, because the server omits trailing zeros. */
function sortable(time: string): string {
  return time.replace(/(\.\d+)?Z$/, (fraction) => (fraction.replace('Z', '') || '.').padEnd(10, '0'));
}
