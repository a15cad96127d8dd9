import assert from 'node:assert/strict';
import { generateKinds } from '../../../src/contract/generate';
import { generateOptions } from '../../../src/operations/tasks/generate';
import type { JobRecord } from '../../../src/records';
import { json } from '../../fake-stash/answers';
import { Flow, shared, useFakeStash } from '../../support/flow';
import { helper } from '../../support/runtime';
import { hasten, TEMPO } from '../../support/tempo';

describe('stash-generate', () => {
  hasten();
  const stash = useFakeStash({ tempo: TEMPO });
  const start = (properties: object) =>
    Flow.start({ type: 'stash-generate', properties, server: { url: stash().url } });

  it('sends true for the ticked kinds and false for the others', async () => {
    const flow = await start({ sprites: true, markers: true, previews: false });
    const { output, msg } = await flow.ask();

    assert.equal(output, 1);
    assert.deepEqual(msg.payload, { id: '1', status: 'STARTED' });
    assert.equal(msg.stash?.operation, 'metadataGenerate');
    assert.deepEqual(
      stash().requests.find(({ operation }) => operation === 'metadataGenerate')?.body?.variables,
      {
        input: { sprites: true, previews: false, imagePreviews: false, markers: true, transcodes: false },
      },
    );
  });

  const off = { sprites: false, previews: false, imagePreviews: false, markers: false, transcodes: false };

  /** Returns the input of each metadataGenerate request. */
  function generations(): unknown[] {
    return stash()
      .requests.filter(({ operation }) => operation === 'metadataGenerate')
      .map(({ body }) => body?.variables?.['input']);
  }

  for (const option of generateOptions) {
    it(`sends ${option} when it is ticked, but not without a kind`, async () => {
      const flow = await start({ markers: true, [option]: true });
      await flow.ask();
      assert.deepEqual(generations(), [{ ...off, markers: true, [option]: true }]);

      await flow.redeploy({
        type: 'stash-generate',
        properties: { [option]: true },
        server: { url: stash().url },
      });
      assert.equal((await flow.ask()).msg.error?.code, 'BAD_INPUT');
    });
  }

  it('generates for the scenes in the message', async () => {
    const flow = await start({ sprites: true, sceneIDs: 'payload', sceneIDsType: 'msg' });
    const { msg } = await flow.ask({ payload: [12, '13'] });

    assert.equal(msg.stash?.summary, shared('summary.job.started'));
    assert.deepEqual(generations(), [{ ...off, sprites: true, sceneIDs: ['12', '13'] }]);
  });

  describe('with preview options', () => {
    const stash = useFakeStash({ tempo: TEMPO, release: 'v0.9.0' });
    const ask = async (properties: object) => {
      const flow = await Flow.start({ type: 'stash-generate', properties, server: { url: stash().url } });
      return (await flow.ask()).msg;
    };
    const options = () =>
      stash()
        .requests.filter(({ operation }) => operation === 'metadataGenerate')
        .map(({ body }) => (body?.variables?.['input'] as { previewOptions?: unknown }).previewOptions);

    it('sends those that are set', async () => {
      await ask({ previews: true, previewSegments: '5', previewExcludeStart: '2%', previewPreset: 'fast' });
      assert.deepEqual(options(), [{ previewSegments: 5, previewExcludeStart: '2%', previewPreset: 'fast' }]);
    });
  });

  describe('for markers', () => {
    const stash = useFakeStash({ tempo: TEMPO, release: 'v0.30.1', jobSeconds: 0.1 });
    const markers = { markers: true, markerIDs: 'payload', markerIDsType: 'msg' };
    const start = (properties: object) =>
      Flow.start({ type: 'stash-generate', properties, server: { url: stash().url } });
    const inputs = () =>
      stash()
        .requests.filter(({ operation }) => operation === 'metadataGenerate')
        .map(({ body }) => body?.variables?.['input']);

    it('sends each id once, and no kind that Stash would ignore', async () => {
      const flow = await start({ ...markers, sprites: true, reply: 'finished' });
      const { msg } = await flow.ask({ payload: ['2', 1, { id: '2' }] });

      assert.equal((msg.payload as JobRecord).status, 'FINISHED');
      assert.deepEqual((msg.payload as JobRecord).problems, []);
      assert.equal(msg.stash?.summary, shared('summary.job.finished'));
      assert.deepEqual(inputs(), [{ ...off, markers: true, markerIDs: ['2', '1'] }]);
    });

    it('generates for scenes, too, if the flow file has both', async () => {
      const flow = await start({ ...markers, sprites: true, sceneIDs: '[1, 999]', sceneIDsType: 'json' });
      await flow.ask({ payload: 1 });

      assert.deepEqual(inputs(), [
        { ...off, sprites: true, markers: true, sceneIDs: ['1'], markerIDs: ['1'] },
      ]);
    });

    it('generates for the markers if none of the scenes is in the library', async () => {
      const flow = await start({ ...markers, sceneIDs: '999', sceneIDsType: 'str', reply: 'finished' });
      const { msg } = await flow.ask({ payload: 1 });

      assert.equal(msg.stash?.summary, shared('summary.job.finished'));
      assert.deepEqual(inputs(), [{ ...off, markers: true, markerIDs: ['1'] }]);
    });

    it('reports an unknown one as a problem', async () => {
      const flow = await start({ ...markers, reply: 'finished' });
      const { msg } = await flow.ask({ payload: [1, 99] });

      assert.deepEqual(
        (msg.payload as JobRecord).problems?.map(({ text }) => text),
        ['scene marker with id 99 not found'],
      );
    });
  });

  describe('on a server since v0.31', () => {
    const stash = useFakeStash({ tempo: TEMPO, release: 'v0.31.0', jobSeconds: 0.1 });
    const ask = async (properties: object, payload: unknown) => {
      const flow = await Flow.start({ type: 'stash-generate', properties, server: { url: stash().url } });
      try {
        return await flow.ask({ payload });
      } finally {
        await helper.unload();
      }
    };
    const inputs = () =>
      stash()
        .requests.filter(({ operation }) => operation === 'metadataGenerate')
        .map(({ body }) => body?.variables?.['input']);
    const images = { imagePhashes: true, imageIDs: 'payload', imageIDsType: 'msg' };
    const galleries = { imagePhashes: true, galleryIDs: 'payload', galleryIDsType: 'msg' };

    beforeEach(() => {
      for (const path of ['/media/pictures/Trip', '/media/pictures/Trip/1.jpg']) {
        stash().library.add({ path }, '2026-01-01T00:00:00Z');
      }
    });

    for (const kind of generateKinds) {
      it(`can generate ${kind} alone`, async () => {
        assert.equal((await ask({ [kind]: true }, '')).output, 1);
        assert.deepEqual(inputs(), [{ ...off, [kind]: true }]);
      });
    }

    it('sends images that are in the library, each once, and no kind that Stash would ignore', async () => {
      const { msg } = await ask({ ...images, sprites: true }, [1, { id: '2', kind: 'image' }, '1', 99]);

      assert.equal(msg.error, undefined);
      assert.deepEqual(inputs(), [{ ...off, imagePhashes: true, imageIDs: ['1', '2'] }]);
    });

    it('takes the new images and galleries of a scan', async () => {
      const ids = (...given: string[]) => ({ count: given.length, first: [], ids: given });
      const found = { scenes: ids('7'), images: ids('2'), galleries: ids('1') };
      const record = { id: '3', status: 'FINISHED', new: found };
      await ask(images, record);
      await ask(galleries, record);

      assert.deepEqual(inputs(), [
        { ...off, imagePhashes: true, imageIDs: ['2'] },
        { ...off, imagePhashes: true, galleryIDs: ['1'] },
      ]);
    });

    it('starts nothing if none is in the library', async () => {
      for (const properties of [images, galleries]) {
        const { msg } = await ask(properties, 99);
        assert.deepEqual(msg.payload, { id: null, status: 'SKIPPED' });
      }
      assert.deepEqual(inputs(), []);
    });

    it('sends folders', async () => {
      await ask(
        { sprites: true, imagePhashes: true, paths: 'payload', pathsType: 'msg' },
        '/media/pictures/Trip',
      );

      assert.deepEqual(inputs(), [
        { ...off, sprites: true, imagePhashes: true, paths: ['/media/pictures/Trip'] },
      ]);
    });

    it('rejects an item of another kind, and what names none', async () => {
      for (const payload of [{ id: '1', kind: 'gallery' }, 'first', { id: '3', status: 'STARTED' }]) {
        assert.equal((await ask(images, payload)).msg.error?.code, 'BAD_INPUT');
      }
      assert.deepEqual(inputs(), []);
    });
  });

  it('reports UNSUPPORTED for images and galleries on releases up to v0.30, known or not', async () => {
    for (const name of ['imageIDs', 'galleryIDs']) {
      for (const id of ['1', '999']) {
        const flow = await start({ imageThumbnails: true, [name]: id, [`${name}Type`]: 'str' });
        const { msg } = await flow.ask();
        assert.equal(msg.error?.code, 'UNSUPPORTED', `${name} ${id}`);
        await helper.unload();
      }
    }
    assert.deepEqual(generations(), []);
  });

  it('reports UNSUPPORTED for folders on releases up to v0.30', async () => {
    const flow = await start({ sprites: true, paths: '/data', pathsType: 'str' });
    const { msg } = await flow.ask();

    assert.equal(msg.error?.code, 'UNSUPPORTED');
    assert.match(msg.error.message, /UNSUPPORTED\.lacking/);
    assert.deepEqual(generations(), []);
  });

  describe('on a server that answers an unknown scene with an error', () => {
    const stash = useFakeStash({ tempo: TEMPO, release: 'v0.17.2', jobSeconds: 0.1 });

    const ask = async (sceneIDs: string) => {
      const properties = { reply: 'finished', previews: true, sceneIDs, sceneIDsType: 'json' };
      const flow = await Flow.start({ type: 'stash-generate', properties, server: { url: stash().url } });
      return (await flow.ask()).msg;
    };

    it('skips that scene and generates for the others', async () => {
      const msg = await ask('[999, 1, 998, 2, 997]');

      assert.equal((msg.payload as JobRecord).status, 'FINISHED');
      assert.equal(msg.stash?.summary, shared('summary.job.finished'));
      const input = stash().requests.find(({ operation }) => operation === 'metadataGenerate')?.body
        ?.variables?.['input'];
      assert.deepEqual((input as { sceneIDs: string[] }).sceneIDs, ['1', '2']);
    });

    it('starts nothing if it is the only scene', async () => {
      const msg = await ask('[999]');

      assert.deepEqual(msg.payload, { id: null, status: 'SKIPPED' });
      assert.equal(msg.stash?.summary, shared('summary.job.noScene'));
    });
  });

  describe('that awaits its job', () => {
    const stash = useFakeStash({ tempo: TEMPO, release: 'v0.30.1', jobSeconds: 0.1 });
    const waiting = (properties: object = {}) =>
      Flow.start({
        type: 'stash-generate',
        properties: { reply: 'finished', previews: true, ...properties },
        server: { url: stash().url },
      });

    for (const [what, properties] of [
      ['for everything', {}],
      ['for some scenes', { sceneIDs: '[1, 2]', sceneIDsType: 'json' }],
    ] as const) {
      it(`returns the record of the job, ${what}`, async () => {
        const { output, msg } = await (await waiting(properties)).ask();

        assert.equal(output, 1);
        const { id, status, description, problems } = msg.payload as JobRecord;
        assert.deepEqual([id, status, description], ['1', 'FINISHED', 'Generating...']);
        assert.deepEqual(problems, []);
        assert.equal(msg.stash?.operation, 'metadataGenerate');
        assert.equal(msg.stash.summary, shared('summary.job.finished'));
      });
    }

    /** Returns the scenes of each generate request. */
    const sent = () =>
      stash()
        .requests.filter(({ operation }) => operation === 'metadataGenerate')
        .map(({ body }) => (body?.variables?.['input'] as { sceneIDs?: string[] }).sceneIDs);
    const scenes = { sceneIDs: 'payload', sceneIDsType: 'msg' };

    for (const [payload, reply] of [
      ['999999', 'finished'],
      [[999, '1000'], 'finished'],
      ['999999', 'started'],
    ] as const) {
      it(`starts nothing for unknown scenes: ${JSON.stringify(payload)}, reply ${reply}`, async () => {
        const flow = await waiting({ ...scenes, reply });
        const { output, msg } = await flow.ask({ payload });

        assert.equal(output, 1);
        assert.deepEqual(msg.payload, { id: null, status: 'SKIPPED' });
        const which = [payload].flat().length > 1 ? 'noneKnown' : 'noScene';
        assert.equal(msg.stash?.summary, shared(`summary.job.${which}`));
        assert.deepEqual(sent(), []);
        await flow.until(() => flow.statuses.at(-1)?.text === shared(`status.job.${which}`));
        assert.equal(flow.statuses.at(-1)?.fill, 'yellow');
      });
    }

    it('generates once for each known scene, although others are unknown', async () => {
      const flow = await waiting(scenes);
      const { msg } = await flow.ask({ payload: ['2', 1, '2', 999, '001', 1000] });

      assert.deepEqual(sent(), [['2', '1']]);
      assert.equal((msg.payload as JobRecord).status, 'FINISHED');
      assert.equal(msg.stash?.summary, shared('summary.job.finished'));
    });

    it('reports the start of the job although a scene is unknown', async () => {
      const flow = await waiting({ ...scenes, reply: 'started' });
      const { msg } = await flow.ask({ payload: [1, 999] });

      assert.equal(msg.stash?.summary, shared('summary.job.started'));
    });

    it('checks 10,000 scenes with few requests', async () => {
      const flow = await waiting(scenes);
      const { msg } = await flow.ask({ payload: Array.from({ length: 10_000 }, (_, index) => index + 1) });

      assert.deepEqual(sent(), [['1', '2', '3', '4', '5']]);
      assert.equal(msg.stash?.summary, shared('summary.job.finished'));
      assert.equal(stash().requests.filter(({ operation }) => operation === 'findScene').length, 50);
    });

    it('starts nothing after a scan without new items, and shows no error', async () => {
      const flow = await waiting(scenes);
      const { msg } = await flow.ask({
        payload: { id: '12', new: { scenes: { count: 0, first: [], ids: [] } } },
      });

      assert.deepEqual(msg.payload, { id: null, status: 'SKIPPED' });
      assert.deepEqual(sent(), []);
      await flow.until(() => flow.statuses.at(-1)?.fill === 'green');
    });

    it('reports that the job had nothing to do', async () => {
      // As if somebody deletes the scene after the node has checked its id.
      stash().answerWith(json({ data: { item0: { id: '999' } } }), { field: 'findScene' });
      const flow = await waiting(scenes);
      const { msg } = await flow.ask({ payload: 999 });

      assert.equal((msg.payload as JobRecord).status, 'FINISHED');
      assert.equal(msg.stash?.summary, shared('summary.job.idle'));
      await flow.until(() => flow.statuses.at(-1)?.text === shared('status.job.idle'));
    });

    it('reports SERVER_STATE for scenes in NEEDS_MIGRATION', async () => {
      stash().status = 'NEEDS_MIGRATION';
      const { msg } = await (await waiting(scenes)).ask({ payload: 1 });

      assert.equal(msg.error?.code, 'SERVER_STATE');
      assert.deepEqual(sent(), []);
    });
  });
});
