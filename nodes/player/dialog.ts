import { isFilled } from '../../src/contract/values';
import { type EditorNode, inputOf, showRows, stash, TypedInput } from '../../src/editor';

/** The actions that have a value, and the type with which one is entered. */
const VALUES: Readonly<Record<string, string>> = { seek: 'num', message: 'str' };

const value = new TypedInput('value', {
  type: 'num',
  types: ['num', 'str', 'msg', 'flow', 'global', 'env', 'jsonata'],
  item: /./,
  isUsed: (node) => actionIn(node) in VALUES,
  invalid: 'player:invalid.value',
});
const player = new TypedInput('player', {
  type: 'all',
  types: ['msg', 'flow', 'global', 'str', 'env', 'jsonata'],
  bare: { type: 'all', label: 'player:everyone' },
  item: /^"\w{1,20}"$/,
  invalid: 'player:invalid.player',
});

stash.registerType('stash-player', {
  category: 'stash',
  color: '#7DB1DC',
  icon: 'stash-player.svg',
  inputs: 1,
  outputs: 1,
  defaults: {
    action: { value: 'pause' },
    value: value.value,
    valueType: value.type,
    player: player.value,
    playerType: player.type,
  },
  oneditprepare(server) {
    value.show(server);
    player.show(server);
    prepareAction(this);
  },
  labelSuffix() {
    return this['action'] === undefined ? '' : `: ${this._(`action.${actionOf(this)}`)}`;
  },
});

function actionOf(node: EditorNode): string {
  return (node['action'] ?? 'pause') as string;
}

/** Returns the action that is chosen in the open dialog, otherwise the saved one. */
function actionIn(node: EditorNode): string {
  return (inputOf(node, 'action').val() as string | undefined) ?? actionOf(node);
}

/** Shows the value where the action has one. */
function prepareAction(node: EditorNode): void {
  const action = $('#node-input-action');
  const input = $('#node-input-value');
  action
    .on('change', () => {
      const chosen = actionIn(node);
      const type = VALUES[chosen];
      if (type !== undefined && !isFilled(input.typedInput('value'))) input.typedInput('type', type);
      for (const each of Object.keys(VALUES)) $(`.stash-${each}`).toggle(each === chosen);
      showRows(node, $('.stash-value-row'), type !== undefined);
    })
    .trigger('change');
}
