import assert from 'node:assert/strict';
import { type Example, useExamples } from '../support/example';
import { useUserDir } from '../support/user-dir';
import { until } from '../support/waiting';
import { json } from '../fake-stash/answers';
import { FakeStash, type FakeStashOptions } from '../fake-stash/fake-stash';

const NAME = 'Clean, with a question before it';
const FOLDER = '/media/videos';
const GONE = `${FOLDER}/Window Seat.mp4`;
const NOTIFICATION = 'your notification';

describe(`The example "${NAME}" in a real Node-RED`, () => {
  const userDir = useUserDir();
  const runExample = useExamples(userDir);
  let stash: FakeStash;
  let example: Example;

  const begin = async (options: FakeStashOptions = {}) => {
    stash = await FakeStash.start({ release: 'v0.30.1', jobSeconds: 0.1, ...options });
    stash.serverLog.every = 20;
    example = await runExample(NAME, stash.url);
  };
  const end = async () => {
    await example.stop();
    await stash.stop();
  };

  beforeEach(() => begin());
  afterEach(end);

  it('asks before it removes anything, and cleans after a yes', async () => {
    stash.library.vanish(GONE);
    const before = scenes();
    await example.press('every Sunday');
    assert.match(
      await example.next(NOTIFICATION),
      /^Clean task \(dry run\) on nas finished \(1 entry would be removed, .*\)\. Remove 1 entry from nas: Window Seat\.mp4\? Answer yes or no within a day\.$/,
    );
    assert.equal(scenes(), before);
    await example.press('yes, clean');
    assert.match(await example.next(NOTIFICATION), /^Clean task on nas finished \(/);
    assert.equal(scenes(), before - 1);
    await example.press('yes, clean');
    assert.equal(await example.next(NOTIFICATION), 'Nothing was cleaned: no question is open.');
  });

  it('names three of the files that a clean would remove, counts the others, and lists all in the debug sidebar', async () => {
    const folder = `${FOLDER}/Lanterna`;
    for (let index = 1; index <= 5; index++) {
      stash.library.add({ path: `${folder}/${index}.mp4` }, '2024-01-10T10:00:00Z');
      stash.library.vanish(`${folder}/${index}.mp4`);
    }
    await example.press('every Sunday');
    assert.match(
      await example.next(NOTIFICATION),
      / Remove 5 entries from nas: 1\.mp4, 2\.mp4, 3\.mp4 and 2 more\? Answer /,
    );
    const isListed = (index: number) => example.log.some((line) => line.includes(`'${folder}/${index}.mp4'`));
    await until(() => [1, 2, 3, 4, 5].every(isListed));
  });

  it('removes nothing after a no', async () => {
    stash.library.vanish(GONE);
    await example.press('every Sunday');
    await example.next(NOTIFICATION);
    await example.press('no');
    assert.equal(await example.next(NOTIFICATION), 'Nothing was cleaned.');
    await example.press('yes, clean');
    assert.match(await example.next(NOTIFICATION), /no question is open/);
  });

  it('asks nothing if there is nothing to remove', async () => {
    await example.press('every Sunday');
    assert.match(await example.next(NOTIFICATION), /^Clean task \(dry run\) on nas finished \((?!.*yes)/);
    await example.press('yes, clean');
    assert.match(await example.next(NOTIFICATION), /no question is open/);
  });

  it('says so if Stash does not tell what it would remove, and removes nothing', async () => {
    await end();
    await begin({ verifies: true });
    stash.library.vanish(GONE);
    const before = scenes();
    await example.press('every Sunday');
    assert.match(await example.next(NOTIFICATION), / Stash did not tell how many entries .* no question\.$/);
    await example.press('yes, clean');
    assert.match(await example.next(NOTIFICATION), /no question is open/);
    assert.equal(scenes(), before);
  });

  it('says that the dry run failed, not the clean', async () => {
    stash.answerWith(json({ data: null, errors: [{ message: 'database is locked' }] }), {
      field: 'metadataClean',
    });
    await example.press('every Sunday');
    assert.match(
      await example.next(NOTIFICATION),
      /^“dry run of clean” on nas failed\. .*database is locked/,
    );
  });

  it('removes nothing while a disk is missing, and cleans after another yes once it is back', async () => {
    stash.library.unmount(FOLDER);
    const before = scenes();
    await example.press('every Sunday');
    assert.match(await example.next(NOTIFICATION), / Remove \d+ entries from nas: /);
    await example.press('yes, clean');
    assert.match(await example.next(NOTIFICATION), /^“clean” on nas failed\. .*Nothing was removed\. Mount /);
    assert.equal(scenes(), before);
    stash.library.reappear(FOLDER);
    await example.press('yes, clean');
    assert.match(await example.next(NOTIFICATION), /^Clean task on nas finished \(/);
  });

  function scenes(): number {
    return stash.library.all('scene').length;
  }
});
