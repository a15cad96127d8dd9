import assert from 'node:assert/strict';
import fs from 'node:fs/promises';
import path from 'node:path';
import sinon from 'sinon';
import { NoAnswer, Volumes } from '../../src/files/volumes';
import { blockEventLoop } from '../support/block';
import { useFolder } from '../support/folder';

const ANSWER = 50;

describe('Volumes', () => {
  const folder = useFolder();
  let volumes: Volumes;

  /** Lets folders be roots of volumes. */
  function mount(...roots: readonly string[]): void {
    const table = roots.map((root) => `22 27 0:21 / ${root.replaceAll(' ', '\\040')} rw - nfs nas:/ rw\n`);
    sinon
      .stub(fs, 'readFile')
      .callThrough()
      .withArgs('/proc/self/mountinfo', 'utf8')
      .resolves(table.join(''));
  }

  const volumeOf = async (given: string) => (await volumes.of(given)).volume;

  beforeEach(() => {
    volumes = new Volumes(ANSWER);
  });
  afterEach(() => {
    sinon.restore();
  });

  describe('of Linux', () => {
    before(function () {
      if (process.platform !== 'linux') this.skip();
    });

    it('are the innermost mounts above a folder', async () => {
      const [share, inner] = [path.join(folder(), 'my share'), path.join(folder(), 'my share', 'inner')];
      mount('/', share, inner);
      const all = [share, `${share}/a`, inner, `${inner}/a/b`, folder(), '/'];
      const [one, two, three, four, five, six] = await Promise.all(all.map((one) => volumeOf(one)));
      assert.equal(one, two);
      assert.equal(three, four);
      assert.equal(five, six);
      assert.equal(new Set([one, three, five]).size, 3);
    });

    it('are found through links, without a question to the volume that they lead to', async () => {
      const share = path.join(folder(), 'share');
      mount('/', share);
      await fs.symlink(share, path.join(folder(), 'link'));
      await fs.symlink('link/series', path.join(folder(), 'another'));
      const asked = sinon.spy(fs, 'readlink');
      assert.equal(await volumeOf(path.join(folder(), 'link')), await volumeOf(share));
      assert.equal(asked.getCalls().filter(({ args: [file] }) => String(file).startsWith(share)).length, 0);
      assert.equal(await volumeOf(path.join(folder(), 'another')), await volumeOf(share));
    });

    it('are found despite links in a circle', async () => {
      mount('/');
      await fs.symlink(path.join(folder(), 'b'), path.join(folder(), 'a'));
      await fs.symlink(path.join(folder(), 'a'), path.join(folder(), 'b'));
      assert.equal(await volumeOf(path.join(folder(), 'a', 'c')), await volumeOf('/'));
    });

    it('are found after few questions although each link leads through two others', async () => {
      mount('/');
      await fs.symlink('.', path.join(folder(), 'l0'));
      for (let index = 1; index < 40; index += 1) {
        await fs.symlink(`l${index - 1}/l${index - 1}`, path.join(folder(), `l${index}`));
      }
      const asked = sinon.spy(fs, 'readlink');
      assert.equal(await volumeOf(path.join(folder(), 'l39')), await volumeOf('/'));
      assert.ok(asked.callCount < 1000, `${asked.callCount} questions`);
    });
  });

  it('pass on answers and errors', async () => {
    const volume = await volumeOf(folder());
    assert.equal(await volume.ask(() => Promise.resolve(7)), 7);
    await assert.rejects(
      volume.ask(() => fs.stat(path.join(folder(), 'missing'))),
      { code: 'ENOENT' },
    );
  });

  it('get at most four questions at a time', async () => {
    const volume = await volumeOf(folder());
    let [asked, most] = [0, 0];
    const question = async () => {
      most = Math.max(most, (asked += 1));
      await new Promise((resolve) => setTimeout(resolve, 2));
      asked -= 1;
    };
    await Promise.all(Array.from({ length: 50 }, () => volume.ask(question)));
    assert.equal(most, 4);
  });

  it('have answered in time although the process was busy when the answer came', async () => {
    const volume = await volumeOf(folder());
    const answer = volume.ask(() => fs.stat(folder()));
    await Promise.resolve();
    blockEventLoop(2 * ANSWER);
    assert.ok((await answer).isDirectory());
  });

  it('that do not answer get no further question until the answer comes', async () => {
    const volume = await volumeOf(folder());
    const answers: (() => void)[] = [];
    const question = () =>
      new Promise<void>((resolve) => {
        answers.push(resolve);
      });
    const all = Array.from({ length: 30 }, () => volume.ask(question));
    for (const result of await Promise.allSettled(all)) {
      assert.ok(result.status === 'rejected' && result.reason instanceof NoAnswer);
    }
    assert.equal(answers.length, 4);
    await assert.rejects(volume.ask(question), NoAnswer);
    assert.equal(answers.length, 4);

    for (const answer of answers) answer();
    await new Promise(setImmediate);
    assert.equal(await volume.ask(() => Promise.resolve('back')), 'back');
  });
});
