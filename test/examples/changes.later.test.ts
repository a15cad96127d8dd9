import assert from 'node:assert/strict';
import { FakeStash } from '../fake-stash/fake-stash';
import { installPlugin, isHearing, mutate, rate } from '../support/changes';
import { type Example, useExamples } from '../support/example';
import { useUserDir } from '../support/user-dir';
import { until } from '../support/waiting';

const NOTIFICATION = 'your notification';

describe('The examples of the changes node in a real Node-RED', () => {
  const userDir = useUserDir();
  const runExample = useExamples(userDir);
  let stash: FakeStash;
  let example: Example;

  beforeEach(async () => {
    stash = await FakeStash.start({ release: 'v0.30.1', jobSeconds: 0.2 });
    installPlugin(stash);
  });

  afterEach(async () => {
    await example.stop();
    await stash.stop();
  });

  const organize = (id: number, organized: boolean) =>
    mutate(stash, `sceneUpdate(input: { id: ${id}, organized: ${organized} }) { id }`);

  it('Tell me what somebody changes in Stash: says which item, and what was set', async () => {
    example = await runExample('Tell me what somebody changes in Stash', stash.url);
    await until(() => isHearing(stash));
    await rate(stash, '1', 80);
    assert.equal(await example.next(NOTIFICATION), 'Scene “Low Tide” was changed on nas (Rating).');
    await mutate(stash, 'tagCreate(input: { name: "Sea" }) { id }');
    assert.equal(await example.next(NOTIFICATION), 'Tag “Sea” was added on nas.');
  });

  it('Generate for what is organized: generates once for all that is organized in a while', async () => {
    example = await runExample('Generate for what is organized', stash.url, { join: { timeout: '3' } });
    await until(() => isHearing(stash));
    await rate(stash, '1', 80);
    await organize(1, false);
    for (const id of [2, 3]) await organize(id, true);
    assert.match(await example.next(NOTIFICATION), /^Generate task for 2 scenes on nas finished /);
    const jobs = stash.requests.filter(({ operation }) => operation === 'metadataGenerate');
    const inputs = jobs.map(({ body }) => body?.variables?.['input'] as { sceneIDs: string[] });
    assert.deepEqual(
      inputs.map(({ sceneIDs }) => sceneIDs),
      [['2', '3']],
    );
  });
});
