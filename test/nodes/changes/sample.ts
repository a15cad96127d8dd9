import assert from 'node:assert/strict';
import { allKinds } from '../../../src/contract/kinds';
import { StashError } from '../../../src/errors';
import { libraryItems } from '../../../src/operations/items';
import type { Sent, Stage } from '../../contract/stage';
import type { FakeStash } from '../../fake-stash/fake-stash';
import { runHook } from '../../fake-stash/hooks';
import { checkingOften, installPlugin, isHearing, mutate, rate } from '../../support/changes';
import { Flow } from '../../support/flow';
import { helper } from '../../support/runtime';
import type { Sample } from '../../support/sample';
import { until } from '../../support/waiting';
import { words } from '../../support/words';

export const sample: Sample = {
  readme: 'reports what anybody adds, changes or removes',
  releases: { changes: listen },
  documents: Object.fromEntries(
    allKinds.map((kind): [string, Sample['documents'][string]] => [
      `a changed ${kind}`,
      async (server, call) => {
        const error = await libraryItems(server.asServer, kind, ['1'], false, call).then(
          () => undefined,
          (reason: unknown) => reason,
        );
        assert.ok(!error || (error instanceof StashError && error.code === 'UNSUPPORTED'), String(error));
      },
    ]),
  ),
  messages: {
    created: (stage) => messageOf(stage, 'created', addTag),
    changed: (stage) => messageOf(stage, 'changed', rateNew),
    removed: (stage) => messageOf(stage, 'removed', ({ stash }) => runHook(stash, 'scene.Destroy', '1')),
    gap: (stage) =>
      messageOf(stage, 'gap', async ({ stash }, flow) => {
        await rate(stash, '1', 80);
        await flow.until(() => flow.sent.some(({ topic }) => topic === 'changed'));
        stash.sockets.cut();
      }),
  },
  byHand: {
    mistake: async (dialog) => {
      await dialog.tick('created');
      await dialog.tick('updated');
      await dialog.tells('created', words('changes', 'invalid.events'));
    },
    correct: async (dialog) => {
      const release = words('server', 'capabilities.release', { release: 'v0.30.1' });
      await dialog.text(`${release} – ${words('server', 'capabilities.needsPlugin')}`).waitFor();
      await dialog.tick('updated');
      await dialog.openSection('changes');
      await dialog.tick('own');
      await dialog.isSilent('created');
    },
    kept: { created: false, fields: [], own: true },
    answers: [
      {
        happens: async (stash) => {
          installPlugin(stash);
          await until(() => isHearing(stash));
          await rate(stash, '5', 100);
        },
        payload: /title: "Window Seat"/,
        summary: /Scene “Window Seat” was changed on home \(Rating\)\./,
      },
    ],
    status: /^changed · \d\d:\d\d$/,
  },
};

/** Returns the table cell of the node, which has no input. */
async function listen(stash: FakeStash): Promise<string> {
  return await checkingOften(async () => {
    installPlugin(stash);
    const { length: before } = stash.requests;
    const flow = await Flow.start({
      type: 'stash-changes',
      properties: { kinds: ['scene'] },
      server: { url: stash.url },
    });
    await flow.until(() => isHearing(stash, before) || flow.ownErrors.length > 0);
    const [error] = flow.ownErrors;
    if (!error) {
      await rate(stash, '1', 80);
      await flow.until(() => flow.sent.some(({ topic }) => topic === 'changed'));
    }
    await helper.unload();
    return error ? (error.error?.code ?? '') : 'works';
  });
}

/** Rates a scene of which everything is known. */
async function rateNew({ stash }: Stage): Promise<void> {
  const people = { studio: 'Lanterna', performers: ['Hana'], tags: ['Sea'] };
  const details = { date: '2026-01-10', text: 'A harbour at night.', ...people };
  const { id } = stash.library.add({ path: '/media/videos/Night.mp4', details }, '2026-01-11T04:41:59Z');
  await rate(stash, id, 80);
}

async function addTag({ stash }: Stage): Promise<void> {
  await mutate(stash, 'tagCreate(input: { name: "Sea" }) { id }');
}

/** Returns the message about something that happens at a server with the plugin. */
async function messageOf(
  stage: Stage,
  topic: string,
  happen: (stage: Stage, flow: Flow) => unknown,
): Promise<Sent> {
  return await checkingOften(async () => {
    installPlugin(stage.stash);
    const flow = await stage.start({ kinds: ['scene', 'tag'], removed: true });
    await flow.until(() => isHearing(stage.stash));
    await happen(stage, flow);
    const found = () => flow.sent.find((msg) => msg.topic === topic);
    await flow.until(() => found() !== undefined);
    return { output: 1, msg: found() ?? {} };
  });
}
