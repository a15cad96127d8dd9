import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { StashError } from '../../../src/errors';
import { type CommandInput, commandPlayers } from '../../../src/operations/playback/command';
import { timing } from '../../../src/timing';
import { json, send } from '../../fake-stash/answers';
import { FakeStash } from '../../fake-stash/fake-stash';
import type { Plugin } from '../../fake-stash/plugins';
import { Message, options, TestServer } from '../../support/connect';
import { tell } from '../../support/playback';
import { until } from '../../support/waiting';

const PLUGIN: Plugin = { id: 'node-red', name: 'Node-RED', version: '1.0.0', tasks: [] };

interface Standing extends CommandInput {
  id: string;
}

describe('A command to the players in pages of Stash', () => {
  const usual = { ...timing.player };
  let stash: FakeStash;
  let server: TestServer;

  beforeEach(async () => {
    stash = await FakeStash.start({ release: 'v0.30.1' });
    stash.serverLog.every = 1;
    stash.plugins = [PLUGIN];
    server = new TestServer(options(stash.url), null);
    timing.player.check = 1;
  });
  afterEach(async () => {
    Object.assign(timing.player, usual);
    await server.close();
    await stash.stop();
  });

  const command = (change: Partial<CommandInput> = {}, message = new Message()) =>
    commandPlayers(server, { action: 'pause', value: null, player: null, ...change }, message);
  /** Returns what stands in the plugin's settings. */
  const standing = (): Standing[] => {
    const input = stash.pluginSettings.at(-1)?.input;
    return JSON.parse(input?.commands ?? '[]') as Standing[];
  };
  const codeOf = async (failing: Promise<unknown>) => {
    const error: unknown = await failing.catch((reason: unknown) => reason);
    return error instanceof StashError ? error.case : String(error);
  };

  it('stands in the settings of the plugin until the players have had time to obey, and then no more', async () => {
    timing.player.obey = 300;
    const obeying = command();
    await until(() => standing().length === 1);
    const [{ id, action, value, player } = {} as Standing] = standing();
    assert.deepEqual([action, value, player], ['pause', null, null]);
    tell(stash, 'playing', { id: 'b2', scene: '2' });
    tell(stash, 'paused', { command: id, position: 7 });
    tell(stash, 'paused', { id: 'c3', scene: '3', command: 'another' });
    assert.deepEqual(await obeying, {
      operation: 'configurePlugin',
      players: [{ id: 'a1', name: 'Firefox on Linux', scene: '1', position: 7 }],
    });
    await until(() => standing().length === 0);
    assert.deepEqual(stash.pluginSettings.at(-1), { id: 'node-red', input: {} });
  });

  it('has no player if none obeys', async () => {
    timing.player.obey = 5;
    assert.deepEqual((await command()).players, []);
  });

  it('is over as soon as the one player for which it is has obeyed', async () => {
    const obeying = command({ action: 'message', value: 'At the door', player: 'b2' });
    await until(() => standing().length === 1);
    const { id: command1 } = standing()[0] as Standing;
    tell(stash, 'playing', { command: command1 });
    tell(stash, 'playing', { id: 'b2', command: command1 });
    const { players } = await obeying;
    assert.deepEqual(players.map(({ id }) => id).sort(), ['a1', 'b2']);
  });

  it('stands beside another one of the same moment', async () => {
    const first = command({ player: 'a1' });
    const second = command({ action: 'message', value: 'x', player: 'b2' });
    await until(() => standing().length === 2);
    const idFor = (player: string) => standing().find((one) => one.player === player)?.id;
    tell(stash, 'paused', { command: idFor('a1') });
    await until(() => standing().length === 1);
    tell(stash, 'playing', { id: 'b2', command: idFor('b2') });
    assert.deepEqual([(await first).players.length, (await second).players.length], [1, 1]);
    await until(() => standing().length === 0);
  });

  it('stands beside another one of another config node with the same address', async () => {
    timing.player.obey = 300;
    const other = new TestServer(options(stash.url), null);
    const first = command({ player: 'a1' });
    await until(() => standing().length > 0);
    const second = commandPlayers(other, { action: 'play', value: null, player: 'b2' }, new Message());
    await until(() => standing().some(({ player }) => player === 'b2'));
    const players = standing().map(({ player }) => player);
    await Promise.all([first, second]);
    await other.close();
    assert.deepEqual(players, ['a1', 'b2']);
  });

  it('is not taken out by the end of an earlier one, whose request is slow', async () => {
    timing.player.obey = 300;
    let end = () => {};
    const first = command({ player: 'a1' });
    await until(() => standing().length === 1);
    stash.answerWith(
      async (request, response, _body, execute) => {
        await new Promise<void>((resolve) => (end = resolve));
        send(request, response, await execute());
      },
      { field: 'configurePlugin', times: 1 },
    );
    tell(stash, 'paused', { command: standing()[0]?.id });
    await first;
    const second = command({ player: 'b2' });
    await sleep(100);
    end();
    await sleep(100);
    const players = standing().map(({ player }) => player);
    await second;
    assert.deepEqual(players, ['b2']);
  });

  it('stands no more when its message has ended', async () => {
    const message = new Message();
    const failing = codeOf(command({}, message));
    await until(() => standing().length === 1);
    const reason = new StashError('CLOSED.closed');
    message.end(reason);
    message.reset(reason);
    assert.equal(await failing, 'CLOSED.closed');
    await until(() => standing().length === 0);
  });

  it('is refused without the plugin, and without a WebSocket, before anything is set', async () => {
    stash.plugins = [];
    assert.equal(await codeOf(command()), 'UNSUPPORTED.noPlugin');
    stash.plugins = [PLUGIN];
    stash.sockets.refused = true;
    timing.player.log = 20;
    assert.equal(await codeOf(command()), 'UNSUPPORTED.noLog');
    assert.deepEqual(stash.pluginSettings, []);
  });

  it('is taken out again when the first attempt has failed', async () => {
    Object.assign(timing.player, { obey: 5, retry: 5 });
    const obeying = command();
    await until(() => standing().length === 1);
    stash.answerWith(json({ errors: [{ message: 'busy' }], data: null }), {
      field: 'configurePlugin',
      times: 2,
    });
    await obeying;
    await until(() => standing().length === 0);
  });

  it('ends with the error of the server that does not set it', async () => {
    stash.answerWith(json({ errors: [{ message: 'read only' }], data: null }), { field: 'configurePlugin' });
    assert.equal(await codeOf(command()), 'GRAPHQL.failed');
  });
});
