import { type UpdateKind, updateKinds } from '../../src/contract/update';
import {
  ChangeRows,
  checkChangeRows,
  chosenPicker,
  count,
  type EditorNode,
  inputOf,
  shownChanges,
  showTrial,
  stash,
  TypedInput,
  validator,
  words,
} from '../../src/editor';

const items = new TypedInput('items', {
  value: 'payload',
  type: 'msg',
  pickers: [chosenPicker(chosenKind)],
  types: ['msg', 'flow', 'global', 'str', 'json', 'env', 'jsonata'],
  item: () => true,
  invalid: 'update:invalid.items',
});

/** The rows of the open dialog; there is at most one. */
let rows: ChangeRows | undefined;

stash.registerType('stash-update', {
  category: 'stash',
  color: '#7DB1DC',
  icon: 'stash-update.svg',
  inputs: 1,
  outputs: 1,
  defaults: {
    kind: { value: 'scene' },
    items: items.value,
    itemsType: items.type,
    changes: {
      value: [],
      validate: validator('update:invalid.changes', (given, node) => checkChangeRows(given, kindOf(node))),
    },
    create: { value: false },
    atMost: count('1000', 'update:invalid.atMost'),
    dryRun: { value: false },
  },
  oneditprepare(server) {
    items.show(server);
    const list = $('#node-input-changes-container');
    rows = new ChangeRows(list, {
      kind: kindOf(this),
      rows: this['changes'],
      server,
      create: $('#node-input-create'),
    });
    $('#node-input-kind').on('change', () => {
      items.update();
      rows?.useKind(kindOf(this));
    });
    const check = () => {
      rows?.showProblems();
      const isEmpty = rows?.rows().length === 0;
      $('#stash-changes-problem').text(isEmpty ? words('update:invalid.changes') : '');
    };
    list.on('input change', check);
    $('#stash-trial-start').on('click', check);
    // A new node has nothing to be corrected yet.
    if (Array.isArray(this['changes']) && this['changes'].length > 0) setTimeout(check);
    const own = () => ({ changes: rows?.rows() ?? [] });
    showTrial(this, server, { own, first: { items: '[]' }, labelOf: labelOfField });
  },
  oneditsave() {
    Object.assign(this, { changes: rows?.rows() ?? [] });
    rows = undefined;
  },
  oneditcancel() {
    rows = undefined;
  },
  labelSuffix() {
    const what = shownChanges(this['changes']);
    return what && `: ${this['dryRun'] === true ? words('update:what.dryRun', { what }) : what}`;
  },
});

function labelOfField(field: string): string {
  return words(`update:fields.${field}`);
}

/** Returns the kind that is chosen in the open dialog. */
function chosenKind(): UpdateKind {
  return kindIn($('#node-input-kind').val());
}

/** Returns the chosen kind: in an open dialog, otherwise as saved. */
function kindOf(node: EditorNode): UpdateKind {
  return kindIn(inputOf(node, 'kind').val() ?? node['kind']);
}

function kindIn(chosen: unknown): UpdateKind {
  return updateKinds.find((kind) => kind === chosen) ?? 'scene';
}
