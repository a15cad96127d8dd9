import assert from 'node:assert/strict';
import { words } from '../support/words';
import { FAILED, READY, tab } from './servers';
import { KEY, SERVER, type Stage } from './stage';

/** The part of the editor's API that saves the test from opening the dialog of an instance. */
declare const RED: { nodes: { node(id: string): object | null; dirty(isDirty: boolean): void } };

/** The variable that the instances of a subflow set for the server. */
const serverVariable = (name: string, value = '') => ({
  ...{ name, type: 'stash-server', value },
  ui: { type: 'conf-types' },
});
const chosenServer = (name: string, value: string) => ({ name, type: 'conf-type', value });

const node = (type: string, z: string, more: object) => ({ type, z, x: 200, y: 100, wires: [], ...more });
const subflow = (id: string, env: object[] = []) => ({ id, type: 'subflow', name: id, in: [], out: [], env });

/**
 * One subflow whose nodes get the server from a variable, inside another one, of which one instance is enabled; a
 * subflow with a server of its own; a subflow that is not used.
 */
export const subflowFlows: object[] = [
  subflow('inner', [serverVariable('Server'), { name: 'WHO', type: 'str', value: 'nobody' }]),
  node('stash-performer-search', 'inner', {
    ...{ id: 'inner-search', server: '${Server}', query: 'WHO', queryType: 'env' },
  }),
  subflow('outer', [serverVariable('Home')]),
  node('subflow:inner', 'outer', {
    id: 'outer-inner',
    env: [chosenServer('Server', '${Home}'), { name: 'WHO', type: 'str', value: 'Robin' }],
  }),
  node('subflow:outer', tab.id, { id: 'instance-off', d: true, y: 500 }),
  node('subflow:outer', tab.id, { id: 'instance-on', y: 560, env: [chosenServer('Home', SERVER.id)] }),

  subflow('own'),
  node('stash-server', 'own', { id: 'own-server', name: 'own server', url: '${STASH}', auth: 'apiKey' }),
  node('stash-status', 'own', { id: 'own-status', server: 'own-server', fields: ['version'] }),
  node('subflow:own', tab.id, { id: 'instance-own', y: 620 }),

  subflow('unused', [serverVariable('Server')]),
  node('stash-status', 'unused', { id: 'unused-status', server: '${Server}', fields: ['version'] }),
];

/** Describes the dialogs of nodes in a subflow, which the runtime has only in the instances of it. */
export function describeSubflows(stage: Stage): void {
  const release = words('server', 'capabilities.release', { release: 'v0.30.1' });

  it('in a subflow, a dialog knows the server that an instance has, and the trial its variables', async () => {
    const { editor } = stage;
    await editor.show('inner');
    const dialog = await editor.openDialog(editor.node('inner-search'));
    await dialog.text(release).waitFor();
    await editor.page.locator('#stash-trial-start').click();
    await editor.page.locator('#stash-trial-table td', { hasText: 'Robin' }).first().waitFor();
    await dialog.cancel();
  });

  it('a server in a subflow is tested with the variables of an instance', async () => {
    const { editor, stash } = stage;
    const server = await editor.openServer('own-server');
    await server.type('apiKey', KEY);
    assert.equal(await server.test(), FAILED);
    const notSet = ['text', 'remedy'].map((part) =>
      words('server', `errors.NO_SERVER.notSet.${part}`, { name: 'STASH' }),
    );
    assert.equal(await server.line(), [...notSet, words('server', 'capabilities.subflow')].join(' '));
    await server.cancel();

    await editor.page.evaluate((value) => {
      const env = [{ name: 'STASH', type: 'str', value }];
      Object.assign(RED.nodes.node('instance-own') ?? {}, { env, changed: true });
      RED.nodes.dirty(true);
    }, stash.url);
    await editor.deploy();
    const again = await editor.openServer('own-server');
    await again.type('apiKey', KEY);
    assert.equal(await again.test(), READY);
    await again.close();
    await editor.deploy();
    await editor.show('own');
    const dialog = await editor.openDialog(editor.node('own-status'));
    await dialog.text(release).waitFor();
    await dialog.cancel();
  });

  it('in a subflow without an instance, a dialog says that it uses those', async () => {
    const { editor } = stage;
    await editor.show('unused');
    const dialog = await editor.openDialog(editor.node('unused-status'));
    const sentences = ['undeployed', 'subflow'].map((key) => words('server', `capabilities.${key}`));
    await dialog.text(sentences.join(' ')).waitFor();
    await dialog.cancel();
  });
}
