import assert from 'node:assert/strict';
import { scanOptions } from '../../src/operations/scan';
import { Flow, useStandIn } from '../flow';

describe('stash-scan', () => {
  // With jobs that still run when they are looked at, however busy the machine is.
  const stash = useStandIn({ jobSeconds: 60 });
  const start = (properties: object) =>
    Flow.start({ type: 'stash-scan', properties, server: { url: stash().url } });

  /** The input of each scan that was asked for. */
  function scans(): unknown[] {
    return stash()
      .requests.filter(({ operation }) => operation === 'metadataScan')
      .map(({ body }) => body?.variables?.['input']);
  }

  it('starts a scan and answers with the job', async () => {
    const flow = await Flow.start({ type: 'stash-scan', server: { url: stash().url } });
    const { output, msg } = await flow.ask({ payload: 'anything', topic: 'kept' });

    assert.equal(output, 1);
    assert.deepEqual(msg.payload, { id: '1', status: 'STARTED' });
    assert.equal(msg['topic'], 'kept');
    assert.deepEqual(msg.stash, {
      server: { name: 'nas', url: stash().url },
      operation: 'metadataScan',
      summary: 'summary.started',
    });
    assert.equal(stash().jobs.find('1')?.status, 'RUNNING');
  });

  it('sends an empty input, as the interface document describes it', async () => {
    const flow = await Flow.start({ type: 'stash-scan', server: { url: stash().url } });
    await flow.ask();

    assert.deepEqual(stash().requests.at(-1)?.body, {
      query: 'mutation ($input: ScanMetadataInput!) { metadataScan(input: $input) }',
      variables: { input: {} },
    });
  });

  it('is triggered by any message and starts a job for each', async () => {
    const flow = await Flow.start({ type: 'stash-scan', server: { url: stash().url } });
    const ends = [
      await flow.ask(),
      await flow.ask({ payload: null }),
      await flow.ask({ payload: { deep: [1] } }),
    ];

    assert.deepEqual(
      ends.map(({ msg }) => (msg.payload as { id: string }).id),
      ['1', '2', '3'],
    );
  });

  describe('with options', () => {
    for (const option of scanOptions) {
      it(`sends ${option} when it is ticked, and nothing for the others`, async () => {
        const flow = await start({ [option]: true });
        const { output } = await flow.ask();

        assert.equal(output, 1);
        assert.deepEqual(scans(), [{ [option]: true }]);
      });
    }

    it('sends none that is unticked', async () => {
      const flow = await start(Object.fromEntries(scanOptions.map((option) => [option, false])));
      await flow.ask();

      assert.deepEqual(scans(), [{}]);
    });
  });

  describe('with an option that the server lacks', () => {
    const stash = useStandIn({ release: 'v0.25.1' });
    const start = (properties: object) =>
      Flow.start({ type: 'stash-scan', properties, server: { url: stash().url } });
    const asked = () => stash().requests.map(({ operation }) => operation);

    it('sends nothing at all when it is ticked', async () => {
      const flow = await start({ rescan: true, scanGenerateCovers: true });
      const { msg } = await flow.ask();

      assert.equal(msg.error?.code, 'UNSUPPORTED');
      assert.ok(!asked().includes('metadataScan'));
    });

    it('works when it is not ticked', async () => {
      const flow = await start({ rescan: false, scanGenerateCovers: true });

      assert.equal((await flow.ask()).output, 1);
      assert.deepEqual(stash().requests.at(-1)?.body?.variables, { input: { scanGenerateCovers: true } });
    });
  });

  describe('with folders', () => {
    const stash = useStandIn({ release: 'v0.30.1' });
    const start = (properties: object) =>
      Flow.start({ type: 'stash-scan', properties, server: { url: stash().url } });
    const scans = () =>
      stash()
        .requests.filter(({ operation }) => operation === 'metadataScan')
        .map(({ body }) => body?.variables?.['input']);

    for (const [what, properties, payload, paths] of [
      [
        'a text of the message',
        { paths: 'payload', pathsType: 'msg' },
        '/media/videos/new',
        ['/media/videos/new'],
      ],
      [
        'a list of the message',
        { paths: 'payload', pathsType: 'msg' },
        ['/media/videos/a', '/media/pictures/b.mp4'],
        ['/media/videos/a', '/media/pictures/b.mp4'],
      ],
      ['a text of the dialog', { paths: '/media/pictures', pathsType: 'str' }, 1, ['/media/pictures']],
      [
        'a JSON list of the dialog',
        { paths: '["/media/videos", "/media/pictures"]', pathsType: 'json' },
        1,
        ['/media/videos', '/media/pictures'],
      ],
      [
        'an expression',
        { paths: '"/media/videos/" & payload', pathsType: 'jsonata' },
        'new',
        ['/media/videos/new'],
      ],
    ] as const) {
      it(`scans ${what}`, async () => {
        const flow = await start(properties);
        const { output, msg } = await flow.ask({ payload });

        assert.equal(output, 1, msg.error?.message);
        assert.equal(msg.stash?.summary, 'summary.inFolders');
        assert.deepEqual(scans(), [{ paths }]);
      });
    }

    for (const payload of [undefined, null, '', '  ', [], ['/media/videos', ' ']]) {
      it(`never takes what is empty for the whole library: ${JSON.stringify(payload)}`, async () => {
        const flow = await start({ paths: 'payload', pathsType: 'msg' });
        const { msg } = await flow.ask({ payload });

        assert.equal(msg.error?.code, 'BAD_INPUT');
        assert.deepEqual(stash().requests, []);
      });
    }

    for (const payload of [12, { path: '/media/videos' }, ['/media/videos', 12], new Array(1)]) {
      it(`takes nothing but texts: ${JSON.stringify(payload)}`, async () => {
        const flow = await start({ paths: 'payload', pathsType: 'msg' });

        assert.equal((await flow.ask({ payload })).msg.error?.code, 'BAD_INPUT');
        assert.deepEqual(stash().requests, []);
      });
    }

    it('tells one that is not in the library', async () => {
      const flow = await start({ paths: 'payload', pathsType: 'msg' });
      const { msg } = await flow.ask({ payload: ['/media/videos', '/media/other'] });

      assert.equal(msg.error?.code, 'PATH_NOT_IN_LIBRARY');
      assert.deepEqual(scans(), []);
    });
  });
});
