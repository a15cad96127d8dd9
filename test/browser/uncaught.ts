import assert from 'node:assert/strict';
import { words } from '../support/words';
import { eventually } from './eventually';
import type { Stage } from './stage';

const TAB = 'uncaught';

/** An unreachable server: nothing listens on this port. */
const NOBODY = { id: 'uncaught-server', type: 'stash-server', name: 'gone', url: 'http://127.0.0.1:9' };

/** A flow without a Catch node, as most first flows are. */
export const uncaughtFlows: object[] = [
  { id: TAB, type: 'tab', label: 'uncaught', disabled: false, info: '' },
  { ...NOBODY, auth: 'none' },
  {
    id: 'uncaught-inject',
    type: 'inject',
    z: TAB,
    props: [],
    repeat: '',
    crontab: '',
    once: false,
    x: 120,
    y: 100,
    wires: [['uncaught-status']],
  },
  { id: 'uncaught-status', type: 'stash-status', z: TAB, server: NOBODY.id, x: 360, y: 100, wires: [[]] },
];

/** Describes what the editor shows of an error that no Catch node receives. */
export function describeUncaught(stage: Stage): void {
  it('stash-status: without a Catch node, the debug sidebar shows the whole error message', async () => {
    const { editor } = stage;
    const { url } = NOBODY;
    const [text, remedy] = ['text', 'remedy'].map((part) =>
      words('server', `errors.UNREACHABLE.refusedHere.${part}`, { url }),
    );
    await editor.show(TAB);
    await editor.node('uncaught-inject').press();
    const message = editor.debugged(editor.node('uncaught-status')).last();
    await message.waitFor();
    await eventually(
      () => message.innerText(),
      (shown) => {
        assert.ok(shown.includes(`${text ?? ''} ${remedy ?? ''}`), shown);
      },
    );
    // The text does not overflow the sidebar.
    assert.ok(await message.evaluate(({ scrollWidth, clientWidth }) => scrollWidth <= clientWidth));
  });
}
