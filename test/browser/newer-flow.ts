import assert from 'node:assert/strict';
import { type FlowNode, released } from '../contract/released';
import { dialogOf } from '../support/dialog';
import type { Stage } from './stage';

/** A choice, a type of a value, and a property of a row that only a newer version knows. */
const NEW = 'of a newer version';

/** What a newer version may have in lists of rows. */
const rows: Readonly<Record<string, object[]>> = {
  changes: [
    { field: 'tags', action: NEW, value: 'Sea', valueType: NEW, [NEW]: true },
    { field: NEW, action: 'add', value: 'Sea', valueType: 'str' },
  ],
  values: [{ name: 'filter', value: '{}', type: NEW, [NEW]: true }],
  pathMap: [{ here: '/downloads', there: '/data', [NEW]: true }],
};

/** Of these, a node has the value of one at a time. */
const others = ['paths', 'markerIDs', 'imageIDs', 'galleryIDs'];

/** A released node of each type with rows, lists, types or choices of its own; other choices are kept by the code that all dialogs share. */
const OWN = ['scan', 'generate', 'task', 'find', 'update', 'query', 'server'];
const nodes = released.filter(
  ({ type }, index) =>
    OWN.includes(type.replace('stash-', '')) && released.findIndex((one) => one.type === type) === index,
);

declare const RED: { nodes: { node(id: string): Record<string, unknown> } };

/** Describes that a dialog keeps what only a newer version knows. */
export function describeNewerFlow(stage: Stage): void {
  for (const node of nodes) {
    it(`${node.type}: Done keeps the choices, types and rows that only a newer version knows`, async () => {
      const { editor } = stage;
      const given = madeUp(node);
      await editor.page.evaluate(([id, properties]) => Object.assign(RED.nodes.node(id), properties), [
        node.id,
        given,
      ] as const);
      if (node.z) {
        await editor.show(node.z);
        await (await editor.openDialog(editor.node(node.id))).close();
      } else {
        await (await editor.openServer(node.id)).close();
      }
      const kept = await editor.page.evaluate(
        ([id, names]) => names.map((name) => [name, RED.nodes.node(id)[name]]),
        [node.id, Object.keys(given)] as const,
      );
      assert.deepEqual(Object.fromEntries(kept), given);
    });
  }
}

/** Returns the properties of a node, with what only a newer version knows wherever the dialog offers choices. */
function madeUp(node: FlowNode): Record<string, unknown> {
  const { definition, template } = dialogOf(node.type.replace('stash-', ''));
  const isList = (name: string) =>
    new RegExp(`<select id="node(-config)?-input-${name}" multiple`).test(template);
  const isChoice = (name: string) => new RegExp(`<select id="node(-config)?-input-${name}"`).test(template);
  const names = Object.keys(definition.defaults);
  return Object.fromEntries(
    names.flatMap((name) => {
      if (definition.defaults[name]?.type) return [];
      if (rows[name]) return [[name, rows[name]]];
      if (isList(name)) return [[name, [...(node[name] as string[]), NEW]]];
      const isTyped = names.includes(`${name}Type`) || name.endsWith('Type');
      const isOther = others.includes(name.replace(/Type$/, '')) && names.includes('sceneIDs');
      const isNew = isChoice(name) || (isTyped && !isOther);
      if (isOther) return [[name, definition.defaults[name]?.value]];
      return [[name, isNew ? NEW : node[name]]];
    }),
  );
}
