import assert from 'node:assert/strict';
import { FakeStash } from '../fake-stash/fake-stash';
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

  it('Tag what is new by its folder: creates the tag, and adds it to each new scene', async () => {
    example = await runExample('Tag what is new by its folder', stash.url);
    await untilFollowed(stash);
    // What is there already is known after two requests.
    await until(() => looks() >= 2);
    stash.library.add({ path: '/media/videos/Night Boats/One.mp4' }, '2026-01-11T04:41:59Z');
    stash.jobs.add(otherTask('Scanning...', 'a step'));
    assert.equal(await example.next(NOTIFICATION), 'Changed on nas: 1 scene (new: Night Boats).');
    assert.deepEqual(await tagsOf('6'), ['Night Boats']);
    stash.library.add({ path: '/media/videos/Night Boats/Two.mp4' }, '2026-01-11T04:41:59Z');
    stash.jobs.add(otherTask('Scanning...', 'a step'));
    assert.equal(await example.next(NOTIFICATION), 'Changed on nas: 1 scene.');
    assert.deepEqual(await tagsOf('7'), ['Night Boats']);
  });
});
