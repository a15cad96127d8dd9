import assert from 'node:assert/strict';
import { text } from '../../fake-stash/answers';
import { Backups, downloads, failureOf, savedOf, sha256Of } from './backups';

const MANIFEST = '.stash-backups.json';

describe('Backup rotation', () => {
  const backups = new Backups();

  /** Returns the names in the manifest, oldest first. */
  const recorded = () =>
    (JSON.parse(backups.read(MANIFEST).toString()) as { backups: { file: string }[] }).backups.map(
      ({ file }) => file,
    );

  /** Puts backups into the folder and its manifest, as if a node had made them at these times. */
  function put(madeAt: Record<string, Date>): void {
    const [owner, content] = ['tested server1', 'an older one'];
    const entries = Object.entries(madeAt).map(([file, time]) => {
      backups.put(file, content);
      const sha256 = sha256Of(Buffer.from(content));
      const facts = { bytes: content.length, sha256, madeAt: time.toISOString() };
      return { owner, pictures: 0, hasPictures: false, file, ...facts };
    });
    backups.put(MANIFEST, JSON.stringify({ version: 1, backups: entries }));
  }

  /** Returns noon of each of the last days before today. */
  function days(count: number): Record<string, Date> {
    const now = new Date();
    const noon = (day: number) => new Date(now.getFullYear(), now.getMonth(), now.getDate() - day, 12);
    const numbers = Array.from({ length: count }, (_, index) => index + 1);
    return Object.fromEntries(numbers.map((day) => [`${day} days ago`, noon(day)]));
  }

  const named = { filename: 'now', filenameType: 'str' };

  it('removes backups beyond the number to keep, and lists them in the message', async () => {
    backups.stash.clock.stop();
    const flow = await backups.start({ keep: '2' });
    const ends = [];
    for (let count = 0; count < 4; count++) {
      ends.push(savedOf(await flow.ask()));
      backups.stash.clock.ahead += 1000;
    }

    const [first, second, third, fourth] = ends.map(({ filename }) => filename);
    assert.ok(first && second && third && fourth);
    assert.deepEqual(
      ends.map(({ removed }) => removed),
      [[], [], [first], [second]],
    );
    assert.deepEqual(backups.files(), [MANIFEST, third, fourth]);
    assert.deepEqual(recorded(), [third, fourth]);
  });

  it('keeps one backup for each of the last days with a backup', async () => {
    put(days(5));
    const flow = await backups.start({ ...named, keepDaily: '3' });
    const ended = await flow.ask();
    assert.deepEqual(savedOf(ended).removed, ['5 days ago', '4 days ago', '3 days ago']);
    assert.deepEqual(backups.files(), [MANIFEST, '1 days ago', '2 days ago', 'now']);
    assert.equal(ended.msg.stash?.['rotation'], undefined);
  });

  it('removes nothing if the new backup is a web page', async () => {
    put(days(3));
    const before = backups.read(MANIFEST);
    backups.stash.answerWith(text(200, '<html>'), downloads);
    const flow = await backups.start({ ...named, keep: '1' });
    assert.ok(failureOf(await flow.ask()));
    assert.deepEqual(backups.files(), [MANIFEST, '1 days ago', '2 days ago', '3 days ago']);
    assert.deepEqual(backups.read(MANIFEST), before);
  });

  it('removes nothing if the manifest is damaged, keeps the new backup, and reports the problem in the message and under the node', async () => {
    put(days(2));
    const content = '{ "version": 1, "backups": [';
    backups.put(MANIFEST, content);
    const flow = await backups.start({ ...named, keep: '1' });
    const ended = await flow.ask();

    assert.deepEqual(savedOf(ended).removed, []);
    assert.match(troubleOf(ended.msg.stash), /damaged .stash-backups.json/);
    assert.equal(backups.read(MANIFEST).toString(), content);
    assert.deepEqual(backups.files(), [MANIFEST, '1 days ago', '2 days ago', 'now']);
    // The status of the check may come before it.
    await flow.until(() => flow.statuses.at(-1)?.text === 'status.notRemoved');
    assert.deepEqual(flow.statuses.at(-1), { fill: 'yellow', shape: 'ring', text: 'status.notRemoved' });
  });

  it('does not apply to a backup in the message', async () => {
    const flow = await backups.start({ folderType: 'message', keep: '1' });
    assert.equal((await flow.ask()).output, 1);
    assert.deepEqual(backups.files(), []);
  });
});

function troubleOf(stash: Record<string, unknown> = {}): string {
  return (stash['rotation'] as { trouble: string }).trouble;
}
