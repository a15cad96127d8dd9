import assert from 'node:assert/strict';
import { scanOptions } from '../../src/operations/scan';
import { Flow, useStandIn } from '../flow';
import { tellSchema } from '../schema';
import { json } from '../stand-in/answers';

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

    it('sends nothing at all when the server lacks one that is ticked', async () => {
      tellSchema(stash(), { lacks: { ScanMetadataInput: ['rescan'] } });
      const flow = await start({ rescan: true, scanGenerateCovers: true });
      const { msg } = await flow.ask();

      assert.equal(msg.error?.code, 'UNSUPPORTED');
      assert.deepEqual(scans(), []);
    });

    it('works where the server lacks one that is not ticked', async () => {
      tellSchema(stash(), { lacks: { ScanMetadataInput: ['rescan'] } });
      const flow = await start({ rescan: false, scanGenerateCovers: true });

      assert.equal((await flow.ask()).output, 1);
      assert.deepEqual(scans(), [{ scanGenerateCovers: true }]);
    });
  });

  describe('with folders', () => {
    beforeEach(() => {
      const general = { stashes: [{ path: '/data/films' }, { path: '/data/clips' }] };
      stash().answerWith(json({ data: { configuration: { general } } }), { field: 'configuration' });
    });

    for (const [what, properties, payload, paths] of [
      [
        'a text of the message',
        { paths: 'payload', pathsType: 'msg' },
        '/data/films/new',
        ['/data/films/new'],
      ],
      [
        'a list of the message',
        { paths: 'payload', pathsType: 'msg' },
        ['/data/films/a', '/data/clips/b.mp4'],
        ['/data/films/a', '/data/clips/b.mp4'],
      ],
      ['a text of the dialog', { paths: '/data/clips', pathsType: 'str' }, 1, ['/data/clips']],
      [
        'a JSON list of the dialog',
        { paths: '["/data/films", "/data/clips"]', pathsType: 'json' },
        1,
        ['/data/films', '/data/clips'],
      ],
      [
        'an expression',
        { paths: '"/data/films/" & payload', pathsType: 'jsonata' },
        'new',
        ['/data/films/new'],
      ],
    ] as const) {
      it(`scans ${what}`, async () => {
        const flow = await start(properties);
        const { output, msg } = await flow.ask({ payload });

        assert.equal(output, 1, msg.error?.message);
        assert.deepEqual(scans(), [{ paths }]);
      });
    }

    for (const payload of [undefined, null, '', '  ', [], ['/data/films', ' ']]) {
      it(`never takes what is empty for the whole library: ${JSON.stringify(payload)}`, async () => {
        const flow = await start({ paths: 'payload', pathsType: 'msg' });
        const { msg } = await flow.ask({ payload });

        assert.equal(msg.error?.code, 'BAD_INPUT');
        assert.deepEqual(stash().requests, []);
      });
    }

    for (const payload of [12, { path: '/data/films' }, ['/data/films', 12]]) {
      it(`takes nothing but texts: ${JSON.stringify(payload)}`, async () => {
        const flow = await start({ paths: 'payload', pathsType: 'msg' });

        assert.equal((await flow.ask({ payload })).msg.error?.code, 'BAD_INPUT');
        assert.deepEqual(stash().requests, []);
      });
    }

    it('tells one that is not in the library', async () => {
      const flow = await start({ paths: 'payload', pathsType: 'msg' });
      const { msg } = await flow.ask({ payload: ['/data/films', '/data/other'] });

      assert.equal(msg.error?.code, 'PATH_NOT_IN_LIBRARY');
      assert.deepEqual(scans(), []);
    });
  });
});
