import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { type Example, useExamples } from '../support/example';
import { json, send } from '../fake-stash/answers';
import { useUserDir } from '../support/user-dir';
import { FakeStash } from '../fake-stash/fake-stash';
import type { Handler } from '../fake-stash/faults';
import { FOLDER } from '../fake-stash/library';
import type { RequestBody } from '../fake-stash/request-body';
import { until } from '../support/waiting';

const NAME = 'The whole night';
const BUTTON = 'at two';
/** The steps by the names of their nodes, each with its mutation, in the order of the night. */
const STEPS = {
  scan: 'metadataScan',
  identify: 'metadataIdentify',
  'auto tag': 'metadataAutoTag',
  generate: 'metadataGenerate',
  'dry run of clean': 'metadataClean',
  clean: 'metadataClean',
  backup: 'backupDatabase',
} as const;
type Step = keyof typeof STEPS;
const steps = Object.keys(STEPS) as Step[];
const NEW = [`${FOLDER}/Lanterna/Late Show.mp4`, `${FOLDER}/Quiet Hill/Thaw.mp4`];
const GONE = `${FOLDER}/Window Seat.mp4`;

describe(`The example "${NAME}" in a real Node-RED`, function () {
  this.timeout(30_000);
  const userDir = useUserDir();
  const runExample = useExamples(userDir);
  let stash: FakeStash;
  let example: Example;
  let backups: string;

  beforeEach(async () => {
    backups = path.join(userDir(), 'backups');
    mkdirSync(backups, { recursive: true });
    stash = await FakeStash.start({ release: 'v0.30.1', jobSeconds: 0.1 });
    // A real server waits for a second between two batches of its log.
    stash.serverLog.every = 20;
    stash.defaults = { identify: { sources: [{ source: { scraper_id: 'builtin_autotag' } }] } };
    example = await runExample(NAME, stash.url, { 'stash-backup': { folder: backups } });
  });

  afterEach(async () => {
    await example.stop();
    await stash.stop();
  });

  describe('with two new files and one that has gone', () => {
    beforeEach(() => {
      for (const one of NEW) stash.arrive({ path: one });
      stash.library.vanish(GONE);
    });

    it('runs all steps in their order, for what is new, and tells it in one notification', async () => {
      const text = await night();

      assert.deepEqual(sent(), steps);
      const ids = ['6', '7'];
      assert.deepEqual(idsOf('identify')?.sort(), ids);
      assert.deepEqual(idsOf('generate')?.sort(), ids);
      assert.match(
        text,
        new RegExp(
          [
            /^Scan on nas finished \(2 new scenes, no problems[^)]*\)\./,
            /Identify task for 2 items on nas finished \(nothing changed, no problems[^)]*\)\./,
            /Auto tag task for 2 paths on nas finished \(nothing changed, no problems[^)]*\)\./,
            /Generate task for 2 scenes on nas finished \(no problems[^)]*\)\./,
            /Clean task \(dry run\) on nas finished \(1 entry would be removed, no problems[^)]*\)\./,
            /Clean task on nas finished \(1 entry removed, no problems[^)]*\)\./,
            /Database of nas backed up to [^(]*\([^)]*, verified\)\.$/,
          ]
            .map(({ source }) => source)
            .join(' '),
        ),
      );
    });

    for (const step of steps) {
      it(`ends at the failure of one step, and says which: ${step}`, async () => {
        fail(step);
        const text = await night();

        const done = steps.slice(0, steps.indexOf(step));
        assert.deepEqual(sent(), [...done, step]);
        const [first = '', ...before] = text.split(' Before that: ');
        assert.ok(first.startsWith(`The night stopped. “${step}” on nas failed. `), first);
        assert.match(first, /disk full/);
        assert.equal(before.join('').match(/\)\./g)?.length ?? 0, done.length, text);
      });
    }

    it('says that an unknown source ended identify', async () => {
      stash.defaults = { identify: { sources: [{ source: { scraper_id: 'nope' } }] } };
      const text = await night();

      assert.match(
        text,
        /^The night stopped\. “identify” on nas failed\. .*“not found: scraper with id "nope"”/,
      );
      assert.match(text, / Before that: Scan on nas finished \(2 new scenes, /);
      assert.deepEqual(sent(), ['scan', 'identify']);
    });

    it('says where to save sources if Stash has none', async () => {
      stash.defaults = {};
      const text = await night();

      assert.match(text, /^The night stopped\. “identify” on nas failed\. .*Settings → Tasks → Identify/);
      assert.deepEqual(sent(), ['scan']);
    });

    it('ends at a job that somebody cancelled', async () => {
      await example.press(BUTTON);
      await runs('metadataGenerate');
      await fetch(`${stash.url}/graphql`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ query: 'mutation { stopAllJobs }' }),
      });
      stash.jobs.release();

      assert.match(
        await notification(),
        /^The night stopped\. “generate” on nas failed\. Job 4 .* was cancelled\./,
      );
      assert.deepEqual(sent(), steps.slice(0, 4));
    });

    it('ends at a job that was lost because the server restarted', async () => {
      await example.press(BUTTON);
      await runs('metadataGenerate');
      const { port } = stash;
      await stash.stop();
      stash = await FakeStash.start({ release: 'v0.30.1', port });

      assert.match(
        await notification(),
        /^The night stopped\. “generate” on nas failed\. The outcome of job 4 /,
      );
      assert.deepEqual(sent(), []);
    });

    it('starts no second night while one runs', async () => {
      await example.press(BUTTON);
      await runs('metadataIdentify');
      assert.match(await night(), /^The last night still runs, so no other one was started\.$/);
      assert.match(await night(), /The last night still runs/, 'the refusal ends nothing');
      stash.jobs.release();
      assert.match(await notification(), /^Scan on nas finished \(2 new scenes, .*, verified\)/);
      assert.deepEqual(sent(), steps);
      assert.equal(notifications().length, 3);
    });

    for (const what of ['all nodes', 'the node that waits']) {
      it(`goes on after a deploy of ${what}, and no other night starts meanwhile`, async () => {
        await example.press(BUTTON);
        await runs('metadataIdentify');
        if (what === 'all nodes') await example.deploy();
        else await example.deployNode('identify', { waitLimit: '60' });
        assert.match(await night(), /^The last night still runs/);
        stash.jobs.release();

        assert.match(await notification(), /^Scan on nas finished \(2 new scenes, .*, verified\)/);
        assert.deepEqual(sent(), steps);
      });
    }
  });

  it('skips identify, auto tag and generate without anything new, and the clean without anything to remove', async () => {
    assert.match(
      await night(),
      /^Scan on nas finished \(nothing new, [^)]*\)\. Clean task \(dry run\) on nas finished \(nothing to remove, [^)]*\)\. Database of nas backed up to [^(]*\([^)]*, verified/,
    );
    assert.deepEqual(sent(), ['scan', 'dry run of clean', 'backup']);
  });

  it('is a night of its own each time', async () => {
    await night();
    stash.clock.ahead += 1000;
    const text = await night();
    assert.equal(text.match(/Scan on nas finished/g)?.length, 1);
  });

  it('ends at the safety check of the clean while a library folder is empty', async () => {
    stash.library.unmount(FOLDER);
    const text = await night();

    assert.match(
      text,
      /^The night stopped\. “clean” on nas failed\. Stash finds too few files in the library folder “\/media\/videos”.*Mount its disk/,
    );
    assert.match(
      text,
      / Before that: .*Clean task \(dry run\) on nas finished \(\d+ entries would be removed/,
    );
    assert.deepEqual(sent(), ['scan', 'dry run of clean']);
  });

  it('counts files that could not be read as problems, and goes on', async () => {
    stash.broken = [`${FOLDER}/Broken.mp4`];
    assert.match(
      await night(),
      /^Scan on nas finished \(nothing new, 1 problem: “.*Broken\.mp4.*, verified\)/,
    );
  });

  it('removes nothing if the dry run lists more than 200 entries, says so, and goes on', async () => {
    removeMany();
    const before = stash.library.all('scene').length;
    const text = await night();

    assert.match(
      text,
      /\(20\d entries would be removed, .*Nothing was cleaned: that is more than the limit\. .*, verified\)/,
    );
    assert.deepEqual(sent(), ['scan', 'dry run of clean', 'backup']);
    assert.equal(stash.library.all('scene').length, before);
  });

  it('waits for the list of the dry run, however late it comes', async () => {
    removeMany();
    await example.press(BUTTON);
    await runs('metadataClean');
    stash.serverLog.hold();
    stash.jobs.release();
    await requestedOnceMore('findTags');
    stash.serverLog.deliver(50);
    stash.serverLog.release();

    assert.match(await notification(), /Nothing was cleaned: that is more than the limit\./);
    assert.deepEqual(sent(), ['scan', 'dry run of clean', 'backup']);
  });

  it('removes nothing if Stash does not tell how much, says so, and goes on', async () => {
    stash.sockets.refused = true;
    const text = await night();

    assert.match(text, /Nothing was cleaned: Stash did not tell how many entries\. .*, verified\)/);
    assert.deepEqual(sent(), ['scan', 'dry run of clean', 'backup']);
  });

  it('removes nothing if the connection broke during the dry run, says so, and goes on', async () => {
    stash.library.vanish(GONE);
    await example.press(BUTTON);
    await runs('metadataClean');
    stash.sockets.cut();
    stash.jobs.release();

    assert.match(
      await notification(),
      /Nothing was cleaned: Stash did not tell how many entries\. .*, verified\)/,
    );
    assert.deepEqual(sent(), ['scan', 'dry run of clean', 'backup']);
  });

  /** Removes a folder with more files from the disk than the example cleans. */
  function removeMany(): void {
    const folder = `${FOLDER}/Lanterna/Series`;
    for (let index = 0; index < 201; index++) {
      stash.library.add({ path: `${folder}/${index}.mp4` }, '2024-01-10T10:00:00Z');
    }
    stash.library.vanish(folder);
  }

  /** Presses the button, and waits for the only notification. */
  async function night(): Promise<string> {
    const before = notifications().length;
    await example.press(BUTTON);
    const text = await notification();
    assert.equal(notifications().length, before + 1);
    return text;
  }

  function notification(): Promise<string> {
    return example.next('your notification');
  }

  function notifications(): string[] {
    return example.outputs('your notification');
  }

  /** Returns the steps that the server was asked for, in order. */
  function sent(): Step[] {
    return requests().map(({ step }) => step);
  }

  function idsOf(step: Step): string[] | undefined {
    const { input } = requests().find((request) => request.step === step) ?? {};
    return input?.['sceneIDs'] as string[] | undefined;
  }

  function requests() {
    return stash.requests.flatMap(({ operation, body }) => {
      const step = steps.find((one) => STEPS[one] === operation && isDryRun(one) === isDryRun(inputOf(body)));
      return step ? [{ step, input: inputOf(body) }] : [];
    });
  }

  /** Waits until the server is asked for a field once more. */
  async function requestedOnceMore(field: string): Promise<void> {
    const count = () => stash.requests.filter(({ operation }) => operation === field).length;
    const before = count();
    await until(() => count() > before);
  }

  /** Makes a step fail: its job, or the mutation that makes the backup. */
  function fail(step: Step): void {
    const handler: Handler = async (request, response, body, execute) => {
      if (step === 'backup') {
        send(request, response, json({ data: null, errors: [{ message: 'disk full' }] }));
        return;
      }
      if (isDryRun(step) === isDryRun(inputOf(body))) stash.jobs.failure = 'disk full';
      send(request, response, await execute());
    };
    stash.answerWith(handler, { field: STEPS[step] });
  }

  /** Waits until the job of a mutation runs, which then stays so until the jobs are released. */
  async function runs(field: string): Promise<void> {
    let isThere = false;
    stash.answerWith(
      async (request, response, _body, execute) => {
        stash.jobs.hold();
        send(request, response, await execute());
        isThere = true;
      },
      { field },
    );
    await until(() => isThere);
  }
});

function inputOf(body: RequestBody | undefined): Readonly<Record<string, unknown>> | undefined {
  const { input } = (body?.variables ?? {}) as { input?: Record<string, unknown> };
  return input;
}

function isDryRun(step: Step | ReturnType<typeof inputOf>): boolean {
  return typeof step === 'string' ? step === 'dry run of clean' : step?.['dryRun'] === true;
}
