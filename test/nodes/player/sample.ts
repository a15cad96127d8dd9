import assert from 'node:assert/strict';
import { plugin } from '../../../src/contract/plugin';
import { StashError } from '../../../src/errors';
import type { Server } from '../../../src/server';
import { timing } from '../../../src/timing';
import { commandPlayers } from '../../../src/operations/playback';
import type { CheckedServer } from '../../support/checked-server';
import { type Sample, releaseColumn } from '../../support/sample';
import { obeyingSoon, openFilm } from '../../support/playback';
import { installPlugin } from '../../support/changes';
import { words } from '../../support/words';

const works = releaseColumn('stash-player', {
  before: (stash) => openFilm(stash),
  after: (stash) => (stash.players = []),
  ways: [{ properties: {} }, { properties: { action: 'message', value: 'Dinner', valueType: 'str' } }],
  holds: ({ payload }) => {
    const { players } = payload as { players: { id: string }[] };
    assert.deepEqual(
      players.map(({ id }) => id),
      ['a1'],
    );
  },
});

export const sample: Sample = {
  readme: 'pauses a film in Stash’s pages, or shows a message',
  asDragged: { code: 'UNSUPPORTED' },
  releases: { player: (stash) => obeyingSoon(stash, () => works(stash)) },
  documents: {
    'a command to the players': async (server, call) => {
      const usual = timing.player.obey;
      timing.player.obey = 1;
      const input = { action: 'pause', value: null, player: null } as const;
      const error: unknown = await commandPlayers(withPlugin(server), input, call).catch(
        (reason: unknown) => reason,
      );
      timing.player.obey = usual;
      const isUnsupported = error instanceof StashError && error.code === 'UNSUPPORTED';
      assert.ok(isUnsupported || !(error instanceof Error), String(error));
    },
  },
  messages: {
    obeyed: async ({ stash, ask }) => {
      openFilm(stash);
      return await obeyingSoon(stash, () => ask());
    },
    'no player': ({ stash, ask }) => obeyingSoon(stash, () => ask(), 1),
  },
  byHand: {
    mistake: async (dialog) => {
      await dialog.choose('action', words('player', 'action.message'));
      await dialog.typeValue('value', '');
      await dialog.tells('value', words('player', 'invalid.value'));
    },
    correct: async (dialog) => {
      await dialog.typeValue('value', 'Dinner is ready');
      await dialog.isSilent('value');
    },
    kept: { action: 'message', value: 'Dinner is ready', valueType: 'str' },
    answers: [
      {
        before: (stash) => {
          installPlugin(stash);
          openFilm(stash);
        },
        payload: /players: array\[1\]/,
        summary: /Shown on home: Firefox on Linux\./,
      },
    ],
    status: /^1 player$/,
  },
  states: [{ action: 'seek' }, { action: 'message' }, { player: ['str', 'a1'] }],
};

/** Returns a server that has the plugin, and whose log is heard. */
function withPlugin(checked: CheckedServer): Server {
  const { asServer } = checked;
  const request: Server['request'] = ({ build }) => {
    const buildOne: typeof build = (schema) => {
      const operation = build(schema);
      const plugins = [{ ...plugin, enabled: true }];
      const read = () => operation.read({ plugins, jobQueue: [] });
      return operation.rootField === 'plugins' ? { ...operation, read } : operation;
    };
    return checked.request({ build: buildOne } as Parameters<Server['request']>[0]) as Promise<never>;
  };
  const jobs = Object.assign(Object.create(asServer.jobs) as Server['jobs'], { logSince: 0 });
  return Object.assign(Object.create(asServer) as Server, { jobs, request });
}
