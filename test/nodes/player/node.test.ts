import assert from 'node:assert/strict';
import { timing } from '../../../src/timing';
import { askedWords, Flow, shared, useFakeStash } from '../../support/flow';
import { commandsTo, hasPolled, obeyingSoon, openFilm, pollingOften, tell } from '../../support/playback';
import { until } from '../../support/waiting';

describe('stash-player', () => {
  const stash = useFakeStash({ release: 'v0.30.1' });
  const start = (properties: object = {}) =>
    Flow.start({ type: 'stash-player', properties, server: { url: stash().url } });
  const sent = () => commandsTo(stash()).map(({ action, value, player }) => [action, value, player]);
  const standing = () => stash().pluginSettings.at(-1)?.input.commands;

  it('pauses all players, and replies with those that have obeyed', async () => {
    await obeyingSoon(stash(), async () => {
      openFilm(stash());
      openFilm(stash(), { id: 'b2', name: 'Chrome on Android', scene: '2', position: 7.5 });
      const flow = await start();
      const { output, msg } = await flow.ask({ topic: 'kept' });

      assert.deepEqual([output, msg['topic']], [1, 'kept']);
      assert.deepEqual(msg.payload, {
        players: [
          { id: 'a1', name: 'Firefox on Linux', scene: '1', position: 12 },
          { id: 'b2', name: 'Chrome on Android', scene: '2', position: 7.5 },
        ],
      });
      assert.deepEqual(msg.stash, {
        server: { name: 'nas', url: stash().url },
        operation: 'configurePlugin',
        summary: 'summary.pause',
      });
      const players = askedWords.find(({ key }) => key === 'summary.pause')?.values['players'];
      assert.equal(players, 'Firefox on Linuxwhat.separatorChrome on Android');
      await flow.until(() => flow.statuses.at(-1)?.text === 'status.obeyed');
      await until(() => standing() === undefined);
    });
  });

  for (const [what, properties, command] of [
    ['plays', { action: 'play', value: 'unused', valueType: 'str' }, ['play', null, null]],
    ['stops', { action: 'stop', value: 'payload', valueType: 'msg' }, ['stop', null, null]],
    ['seeks to seconds', { action: 'seek', value: '90.5', valueType: 'num' }, ['seek', 90.5, null]],
    ['seeks to the beginning', { action: 'seek', value: '0', valueType: 'num' }, ['seek', 0, null]],
    ['seeks to a number in a text', { action: 'seek', value: 'at', valueType: 'msg' }, ['seek', 75, null]],
    [
      'shows a text',
      { action: 'message', value: ' Dinner! ', valueType: 'str' },
      ['message', 'Dinner!', null],
    ],
    ['shows a number', { action: 'message', value: '7', valueType: 'num' }, ['message', '7', null]],
    [
      'shows the beginning of a long text',
      { action: 'message', value: 'x'.repeat(400), valueType: 'str' },
      ['message', 'x'.repeat(300), null],
    ],
    ['pauses one player', { player: 'b2', playerType: 'str' }, ['pause', null, 'b2']],
  ] as const) {
    it(what, async () => {
      await obeyingSoon(stash(), async () => {
        openFilm(stash(), { id: 'b2' });
        const { msg } = await (await start(properties)).ask({ at: '75' });
        assert.equal((msg.payload as { players: object[] }).players.length, 1);
        assert.deepEqual(sent(), [command]);
      });
    });
  }

  it('goes on as soon as the player in a message of a playback node has obeyed', async () => {
    await obeyingSoon(
      stash(),
      async () => {
        const playback = await playing('b2');
        for (const id of ['a1', 'b2']) openFilm(stash(), { id });
        const properties = { player: 'payload', playerType: 'msg' };
        await playback.redeploy({ type: 'stash-player', properties, server: { url: stash().url } });
        const { payload } = playback.sent[0] ?? {};

        const { msg } = await playback.ask({ payload });
        const { players } = msg.payload as { players: { id: string }[] };
        assert.deepEqual(
          players.map(({ id }) => id),
          ['b2'],
        );
      },
      60_000,
    );
  });

  /** Returns a playback node that has reported a film. */
  async function playing(id: string): Promise<Flow> {
    return await pollingOften(async () => {
      const flow = await Flow.start({ type: 'stash-playback', server: { url: stash().url } });
      await flow.until(() => hasPolled(stash()) && stash().sockets.subscribed.includes('loggingSubscribe'));
      tell(stash(), 'playing', { id });
      await flow.until(() => flow.sent.length === 1);
      return flow;
    });
  }

  it('replies without an error if no player obeys', async () => {
    await obeyingSoon(stash(), async () => {
      const flow = await start({ action: 'message', value: 'Dinner', valueType: 'str' });
      const { output, msg } = await flow.ask();
      assert.deepEqual([output, msg.payload, msg.stash?.reason], [1, { players: [] }, 'NO_PLAYER']);
      assert.equal(msg.stash?.summary, 'summary.none');
      await flow.until(() => flow.statuses.at(-1)?.text === 'status.none');
      assert.equal(flow.statuses.at(-1)?.fill, 'yellow');
      assert.equal(commandsTo(stash()).length, 1);
    });
  });

  for (const [what, properties, text] of [
    ['a value that is no number', { action: 'seek', value: 'half', valueType: 'str' }, 'notNumber'],
    ['a negative number', { action: 'seek', value: '-5', valueType: 'num' }, 'notNumber'],
    ['a time of a film that is unknown', { action: 'seek', value: 'payload', valueType: 'msg' }, 'notNumber'],
    ['a player without an id', { player: 'payload', playerType: 'msg' }, 'notPlayer'],
  ] as const) {
    it(`sends nothing for ${what}`, async () => {
      const { msg } = await (await start(properties)).ask({ payload: { title: 'Low Tide' } });
      assert.equal(msg.error?.code, 'BAD_INPUT');
      assert.ok(
        askedWords.some(({ key }) => key === shared(`errors.BAD_INPUT.${text}.text`)),
        JSON.stringify(askedWords),
      );
      assert.deepEqual(stash().pluginSettings, []);
    });
  }

  for (const [what, prepare, text] of [
    ['lacks the plugin', () => (stash().plugins = []), 'noPlugin'],
    ['has turned the plugin off', () => disable(), 'pluginDisabled'],
    ['refuses WebSockets', () => (stash().sockets.refused = true), 'noLog'],
  ] as const) {
    it(`ends in an error if Stash ${what}`, async () => {
      await obeyingSoon(stash(), async () => {
        timing.player.log = 20;
        prepare();
        const { msg } = await (await start()).ask();
        assert.equal(msg.error?.code, 'UNSUPPORTED');
        assert.ok(askedWords.some(({ key }) => key === shared(`errors.UNSUPPORTED.${text}.text`)));
        assert.deepEqual(stash().pluginSettings, []);
      });
    });
  }

  function disable(): void {
    stash().plugins = stash().plugins.map((plugin) => ({ ...plugin, enabled: false }));
  }

  for (const [what, end] of [
    ['is cancelled', (flow: Flow) => flow.send({ reset: true })],
    ['ends because its node is deleted', (flow: Flow) => remove(flow)],
  ] as const) {
    it(`leaves no command behind for a message that ${what}`, async () => {
      await obeyingSoon(
        stash(),
        async () => {
          const flow = await start();
          flow.send();
          await until(() => standing() !== undefined);
          await end(flow);
          await until(() => standing() === undefined);
        },
        60_000,
      );
    });
  }

  async function remove(flow: Flow): Promise<void> {
    await flow.redeploy({ type: 'stash-player', server: { url: stash().url }, without: 'deleted' });
  }
});
