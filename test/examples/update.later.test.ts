import assert from 'node:assert/strict';
import { FakeStash } from '../fake-stash/fake-stash';
import type { Entry } from '../fake-stash/library';
import { otherTask } from '../fake-stash/tasks';
import { type Example, useExamples } from '../support/example';
import { untilFollowed } from '../support/followed';
import { useUserDir } from '../support/user-dir';
import { until } from '../support/waiting';

const NOTIFICATION = 'your notification';

describe('The examples of the update node in a real Node-RED', () => {
  const userDir = useUserDir();
  const runExample = useExamples(userDir);
  let stash: FakeStash;
  let example: Example;

  beforeEach(async () => {
    stash = await FakeStash.start({ release: 'v0.30.1', jobSeconds: 0.2 });
  });

  afterEach(async () => {
    await example.stop();
    await stash.stop();
  });

  function looks(): number {
    return stash.requests.filter(({ operation, endedAt }) => operation === 'findScenes' && endedAt < Infinity)
      .length;
  }

  /** Returns the names of the tags of a scene, by its ID. */
  async function tagsOf(id: string): Promise<string[]> {
    const query = `{ findScene(id: ${id}) { tags { name } } }`;
    const response = await fetch(`${stash.url}/graphql`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ query }),
    });
    const { data } = (await response.json()) as { data: { findScene: { tags: { name: string }[] } } };
    return data.findScene.tags.map(({ name }) => name);
  }

  it('Tag what is new by its folder: creates the tags, and adds them to the new scenes at once', async () => {
    example = await runExample('Tag what is new by its folder', stash.url);
    await untilFollowed(stash);
    // What is there already is known after two requests.
    await until(() => looks() >= 2);
    for (const path of ['Night Boats/1', 'Sea/2', 'Night Boats/3', '4', 'Pier/5', '2024/6']) {
      stash.library.add({ path: `/media/videos/${path}.mp4` }, '2026-01-11T04:41:59Z');
    }
    stash.jobs.add(otherTask('Scanning...', 'a step'));
    assert.equal(
      await example.next(NOTIFICATION),
      'Changed on nas: 5 scenes (Tags + Night Boats + Sea + Pier and 1 more, 1 unchanged, new tags: Night Boats, Sea, Pier and 1 more).',
    );
    const tags = await Promise.all(['6', '7', '8', '9', '10', '11'].map(tagsOf));
    assert.deepEqual(tags, [['Night Boats'], ['Sea'], ['Night Boats'], [], ['Pier'], ['2024']]);
    stash.library.add({ path: '/media/videos/Sea/7.mp4' }, '2026-01-11T04:41:59Z');
    stash.jobs.add(otherTask('Scanning...', 'a step'));
    assert.equal(await example.next(NOTIFICATION), 'Changed on nas: 1 scene (Tags + Sea).');
  });

  it('Empty the inbox every evening: says which name in its filter an older server does not know', async () => {
    await stash.stop();
    stash = await FakeStash.start({ release: 'v0.17.2' });
    example = await runExample('Empty the inbox every evening', stash.url);
    await example.press('every evening');
    assert.equal(
      await example.next(NOTIFICATION),
      '“find” on nas failed. This server (v0.17.2) does not know “tags_filter”. Nothing was sent. Correct the name, or upgrade Stash.',
    );
  });

  describe('Empty the inbox every evening', () => {
    const INBOX = { id: '90', name: 'Inbox' };
    let performers: string[];

    beforeEach(async () => {
      stash.tags = [...stash.tags, INBOX];
      stash.people.add({ name: 'Hana' });
      performers = stash.people.all.map(({ id }) => id);
      example = await runExample('Empty the inbox every evening', stash.url);
    });

    function scene(id: string): Entry {
      const found = stash.library.all('scene').find((each) => each.id === id);
      assert.ok(found, id);
      return found;
    }

    /** Puts a scene into the inbox. */
    function put(id: string, has: { studio?: string; performers?: readonly string[] }): void {
      if (has.studio) stash.library.studioOf.set(scene(id), has.studio);
      stash.library.changes.set(scene(id), { tags: ['1', INBOX.id], performers: has.performers ?? [] });
    }

    /** Waits for a notification of several lines. The log has them below a line of its own. */
    async function notified(count: number): Promise<string[]> {
      assert.equal(await example.next(NOTIFICATION), '');
      const lines = () => example.log.slice(example.log.findIndex((line) => line.includes(NOTIFICATION)) + 1);
      await until(() => lines().length >= count);
      return lines();
    }

    it('takes the tag from what has a studio and performers, organizes it, and lists the others', async () => {
      put('1', { studio: '1', performers });
      put('2', { performers });
      put('3', { studio: '1' });
      await example.press('every evening');
      assert.deepEqual(await notified(4), [
        'Changed on nas: 1 scene (Tags − Inbox, Organized = yes).',
        'Left in the inbox: 2',
        `Morning Ferry  ${stash.url}/scenes/2`,
        `Paper Moon  ${stash.url}/scenes/3`,
      ]);
      const tags = await Promise.all(['1', '2', '3'].map(tagsOf));
      assert.deepEqual(
        tags.map((names) => names.includes(INBOX.name)),
        [false, true, true],
      );
      assert.equal(tags[0]?.length, 1, 'it keeps its other tag');
      const organized = ['1', '2', '3'].map((id) => stash.library.changes.get(scene(id))?.organized ?? false);
      assert.deepEqual(organized, [true, false, false]);
    });

    it('changes nothing if nothing is done, and lists what is left', async () => {
      put('2', { performers });
      await example.press('every evening');
      assert.deepEqual(await notified(3), [
        'Nothing to change on nas: the list is empty.',
        'Left in the inbox: 1',
        `Morning Ferry  ${stash.url}/scenes/2`,
      ]);
      assert.deepEqual(await tagsOf('2'), ['Black and white', 'Inbox']);
    });

    it('says nothing if the inbox is empty', async () => {
      await example.press('every evening');
      await until(() => looks() >= 1);
      put('1', { studio: '1', performers });
      await example.press('every evening');
      assert.deepEqual(await notified(2), [
        'Changed on nas: 1 scene (Tags − Inbox, Organized = yes).',
        'Left in the inbox: 0',
      ]);
      assert.equal(example.outputs(NOTIFICATION).length, 1);
    });
  });
});
