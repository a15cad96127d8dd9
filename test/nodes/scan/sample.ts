import assert from 'node:assert/strict';
import { usualTemporaryNames } from '../../../src/operations/scan/collector';
import { newContent } from '../../../src/operations/scan/new-content';
import { scan, scanOptions, scanSince } from '../../../src/operations/scan/scan';
import type { JobRecord } from '../../../src/records';
import { finished, mistakes } from '../../browser/fields';
import { words } from '../../support/words';
import { helper } from '../../support/runtime';
import { isJob, releaseColumn, type Sample } from '../../support/sample';
import { type Case, progressOfJob, replyFinished, type Special } from '../../contract/stage';
import { json } from '../../fake-stash/answers';
import { otherTask } from '../../fake-stash/tasks';

const BROKEN = '/media/videos/Broken.mp4';
const NEW = '/media/videos/New';

/** How a job ends, with the record that all nodes that start jobs share. */
const endsOfJobs: Record<string, Case | Special> = {
  'FINISHED, with problems and what is new': async ({ stash, ask }) => {
    stash.broken = [BROKEN];
    for (const name of ['a.mp4', 'b.jpg', 'Pictures/1.jpg']) stash.arrive({ path: `${NEW}/${name}` });
    stash.arrive({ path: `${NEW}/Pictures` });
    return await ask({ ...replyFinished, listNew: '2' });
  },
  FAILED: async ({ stash, ask }) => {
    stash.jobs.failure = 'disk full';
    return await ask(replyFinished);
  },
  'FAILED, as an error': async ({ stash, ask }) => {
    stash.jobs.failure = 'disk full';
    return await ask({ reply: 'finished' });
  },
  CANCELLED: async ({ stash, start }) => {
    stash.jobs.seconds = 3;
    const flow = await start(replyFinished);
    const id = flow.send();
    await flow.until(() => stash.jobs.find('1')?.status === 'RUNNING');
    stash.jobs.stop('1');
    await flow.until(() => flow.hasEnded(id));
    return flow.endOf(id);
  },
  LOST: async ({ stash, start, restart }) => {
    stash.jobs.seconds = 60;
    const flow = await start(replyFinished);
    const id = flow.send();
    await flow.until(() => stash.jobs.find('1')?.status === 'RUNNING');
    await restart();
    await flow.until(() => flow.hasEnded(id));
    return flow.endOf(id);
  },
  'TIMEOUT, as an error with the job that goes on': async ({ stash, ask }) => {
    stash.jobs.seconds = 60;
    // The limit includes the start of the job, which takes longer on a busy machine.
    for (let waitLimit = 0.01; ; waitLimit *= 2) {
      const sent = await ask({ reply: 'finished', waitLimit: String(waitLimit) });
      if (sent.msg.stash?.job) return sent;
      stash.jobs.stopAll();
      await helper.unload();
    }
  },
};

export const sample: Sample = {
  readme: 'scans the library, or some of its folders, and lists what is new',
  checkboxes: scanOptions,
  since: scanSince,
  releases: {
    scan: releaseColumn('stash-scan', {
      ways: [{ properties: {} }],
      holds: isJob,
    }),
    'end of a job': releaseColumn('stash-scan', {
      ways: [{ properties: { reply: 'finished', listNew: '1' } }],
      holds: ({ payload }) => {
        assert.equal((payload as JobRecord).status, 'FINISHED');
      },
      lacks: ({ payload }) => ((payload as JobRecord).problems === null ? ['problems'] : []),
    }),
  },
  documents: {
    'scan, with any option and with paths': async (server, call) => {
      await scan(server.asServer, { paths: null, options: [] }, call);
      await server.understands('paths', scan(server.asServer, { paths: ['/text'], options: [] }, call));
      const since = scan(server.asServer, { paths: null, options: [], minModTime: Date.now() }, call);
      await server.understands('minModTime', since);
      for (const option of scanOptions) {
        await server.understands(option, scan(server.asServer, { paths: null, options: [option] }, call));
      }
    },
    'what a scan has found, of every kind or of none': async (server, call) => {
      const time = '2026-01-11T04:41:59Z';
      const found = await newContent(server.asServer, { start: time, end: time }, null, 5, call);
      const all = server.tellsWhen ? ['scenes', 'images', 'galleries'] : [];
      assert.deepEqual(Object.keys(found), all);
    },
  },
  messages: {
    STARTED: ({ ask }) => ask(),
    'STARTED, behind another job': async ({ stash, ask }) => {
      stash.jobs.add(otherTask('Generating...', 'one'));
      return await ask();
    },
    'STARTED, without an id': async ({ stash, ask }) => {
      stash.answerWith(json({ data: { metadataScan: 'todo' } }), { field: 'metadataScan' });
      return await ask();
    },
    ...endsOfJobs,
    'that collected, and waited for files': async ({ ask }) =>
      await ask({ paths: '/media/videos/Lanterna', pathsType: 'str', collect: '0.01', settle: '0.01' }),
    'that collected for the whole library': async ({ ask }) => await ask({ collect: '0.01' }),
    progress: progressOfJob,
  },
  byHand: {
    mistake: async (dialog) => {
      const note = dialog.text(words('scan', 'note.library'));
      await note.waitFor();
      await dialog.chooseType('paths', 'msg.');
      assert.equal(await note.count(), 0);
      await dialog.tells('paths', words('server', 'invalid.property', { type: 'msg' }));
      // A path is no property.
      await dialog.typeValue('paths', '/media/videos');
      await dialog.tells('paths', words('server', 'invalid.property', { type: 'msg' }));
      await dialog.chooseType('paths', 'string');
      await dialog.typeValue('paths', '["/media/videos"]');
      await dialog.tells('paths', words('server', 'invalid.paths'));
      await dialog.chooseType('paths', 'JSON');
      await dialog.typeValue('paths', '["/media/videos"');
      await dialog.tells('paths', /^Invalid JSON data/);
      await dialog.typeValue('paths', '[""]');
      await dialog.tells('paths', words('server', 'invalid.paths'));
      await dialog.chooseType('minModTime', 'string');
      for (const wrong of ['', 'yesterday', '24', '1785513600']) {
        await dialog.typeValue('minModTime', wrong);
        await dialog.tells('minModTime', words('scan', 'invalid.minModTime'));
      }
      await dialog.type('listNew', '2.5');
      await dialog.tells('listNew', words('scan', 'invalid.listNew'));
      await dialog.openSection('waiting');
      await dialog.type('waitLimit', '');
      await dialog.tells('waitLimit', words('server', 'invalid.waitLimit'));
      await dialog.type('stalledAfter', '-1');
      await dialog.tells('stalledAfter', words('server', 'invalid.stalledAfter'));
      await dialog.openSection('files');
      for (const name of ['temporaryNames', 'collectAtMost']) {
        assert.ok(await dialog.input(name).isDisabled());
      }
      assert.equal(await dialog.input('temporaryNames').inputValue(), usualTemporaryNames);
      await dialog.type('settle', 'soon');
      await dialog.tells('settle', words('scan', 'invalid.seconds'));
      await dialog.type('collect', '-1');
      await dialog.tells('collect', words('scan', 'invalid.seconds'));
    },
    reasons: [
      words('server', 'invalid.paths'),
      words('scan', 'invalid.seconds'),
      words('scan', 'invalid.seconds'),
      words('scan', 'invalid.minModTime'),
      words('server', 'invalid.waitLimit'),
      words('server', 'invalid.stalledAfter'),
      words('scan', 'invalid.listNew'),
    ],
    correct: async (dialog) => {
      await dialog.typeValue('paths', '["/media/videos"]');
      await dialog.isSilent('paths');
      await dialog.openSection('generate');
      assert.ok(await dialog.input('scanGenerateImagePreviews').isDisabled());
      await dialog.tick('rescan');
      await dialog.type('listNew', '3');
      await dialog.tick('sendFailed');
      await dialog.type('waitLimit', '0.5');
      await dialog.type('stalledAfter', '0');
      await dialog.type('settle', '0.1');
      await dialog.type('temporaryNames', '*.part');
      await dialog.type('collect', '0.2');
      await dialog.type('collectAtMost', '60');
      for (const right of ['2026-07-31', '2026-07-31 18:00', '1785513600000', '${SINCE}', '7 days']) {
        await dialog.typeValue('minModTime', right);
        await dialog.isSilent('minModTime');
      }
    },
    kept: {
      paths: '["/media/videos"]',
      pathsType: 'json',
      settle: '0.1',
      temporaryNames: '*.part',
      collect: '0.2',
      collectAtMost: '60',
      minModTime: '7 days',
      minModTimeType: 'str',
      rescan: true,
      scanGenerateCovers: true,
      reply: 'finished',
      sendFailed: true,
      waitLimit: '0.5',
      stalledAfter: '0',
      listNew: '3',
      outputs: 2,
    },
    shown: { reply: words('server', 'reply.finished'), outputs: '2' },
    answers: [
      {
        payload: /status: "FINISHED"/,
        summary: /^"?Scan of \/media\/videos on home found no changed files \(1 path not visible to Node/,
      },
    ],
    status: /^no changed files$/,
  },
  states: [
    finished,
    { ...finished, ...mistakes, paths: ['str', ''], listNew: '' },
    { minModTime: ['str', 'yesterday'] },
    { paths: ['folders', '["/media/videos", "/a/folder/that/this/server/does/not/have"]'] },
    { paths: ['folders', ''] },
  ],
};
