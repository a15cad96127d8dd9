import assert from 'node:assert/strict';
import { furtherFields, status, statusFields } from '../../../src/operations/library/status';
import { fieldsTried } from '../../browser/fields';
import { selections } from '../../support/checked-server';
import { releaseColumn, type Sample } from '../../support/sample';
import { otherTask } from '../../fake-stash/tasks';

export const sample: Sample = {
  readme: 'tells the status, release, queue and statistics of the server',
  fields: [...statusFields, ...furtherFields],
  releases: {
    status: releaseColumn('stash-status', {
      ways: [{ properties: { fields: statusFields } }],
      holds: ({ payload }) => {
        const { databasePath, status: reported } = payload as Record<string, unknown>;
        assert.deepEqual([databasePath, reported], ['/config/stash-go.sqlite', 'OK']);
      },
    }),
    'latest version': releaseColumn('stash-status', {
      ways: [{ properties: { fields: ['latestVersion'] } }],
      holds: ({ payload, stash }, { github, quirks }) => {
        const { latestVersion = null } = payload as { latestVersion?: { version: string; isNewer: boolean } };
        const isNewer = quirks.version !== github.latest.version;
        if (stash?.missing) assert.equal(latestVersion, null);
        else
          assert.deepEqual(
            [latestVersion?.version, latestVersion?.isNewer],
            [github.latest.version, isNewer],
          );
      },
    }),
    statistics: releaseColumn('stash-status', {
      ways: [{ properties: { fields: ['stats'] } }],
      holds: ({ payload, stash }, { library }) => {
        const { stats } = payload as { stats?: Record<string, number> };
        const count = library.all('scene').length;
        if (!stash?.missing) assert.deepEqual([stats?.['scene_count'], stats?.['group_count']], [count, 4]);
      },
      lacks: ({ payload }) => {
        const { stats } = payload as { stats?: Record<string, number> };
        return stats ? ['scenes_duration', 'scenes_played'].filter((name) => !(name in stats)) : [];
      },
    }),
  },
  documents: {
    'status, with any selection': async (server, call) => {
      for (const fields of selections(statusFields)) {
        const { status: found, missing } = await status(server.asServer, { fields }, call);
        assert.deepEqual([...Object.keys(found), ...missing].sort(), [...fields].sort());
      }
    },
    'the latest release': async (server, call) => {
      const { status: found, missing } = await status(server.asServer, { fields: ['latestVersion'] }, call);
      assert.deepEqual([...Object.keys(found), ...missing], ['latestVersion']);
    },
    'the statistics': async (server, call) => {
      const { status: found, missing } = await status(server.asServer, { fields: ['stats'] }, call);
      assert.deepEqual([...Object.keys(found), ...missing], ['stats']);
    },
    'the release of the server': async (server, call) => {
      const { status: found, missing } = await status(server.asServer, { fields: ['version'] }, call);
      assert.deepEqual([Object.keys(found), missing], [['version'], []]);
    },
  },
  messages: {
    'by default': ({ ask }) => ask(),
    'with all that it offers': async ({ stash, ask }) => {
      stash.jobs.seconds = 60;
      for (const name of ['Generating...', 'Scanning...']) stash.jobs.add(otherTask(name, 'a step'));
      const fields = ['databaseSchema', 'databasePath', 'configPath', 'appSchema', 'status'];
      return await ask({ fields: [...fields, 'jobs', 'version', 'latestVersion', 'stats'] });
    },
    'with a field that this server lacks': {
      options: { release: 'v0.17.2' },
      run: ({ ask }) => ask({ fields: ['status', 'latestVersion'] }),
    },
  },
  byHand: {
    ...fieldsTried(['status', 'databaseSchema']),
    answers: [{ payload: /databaseSchema: \d+, status: "OK"/, summary: /home reports status OK\./ }],
    status: /^OK$/,
  },
  states: [{ fields: '' }],
};
