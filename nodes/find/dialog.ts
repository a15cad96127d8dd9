import { type Sort, sorts } from '../../src/contract/sorts';
import { isFilled } from '../../src/contract/values';
import {
  count,
  type EditorNode,
  enteredType,
  filterPicker,
  selectSaved,
  showTrial,
  stash,
  TypedInput,
  words,
} from '../../src/editor';

const filter = new TypedInput('filter', {
  type: 'none',
  pickers: [
    filterPicker(chosenKind),
    enteredType({ type: 'url', label: 'find:filter.url', icon: 'fa-link', invalid: 'find:invalid.url' }),
  ],
  types: ['json', 'msg', 'flow', 'global', 'jsonata'],
  bare: { type: 'none', label: 'find:filter.none' },
  item: /^\{/,
  invalid: 'find:invalid.filter',
});
const search = new TypedInput('search', {
  type: 'none',
  types: ['str', 'msg', 'flow', 'global', 'env', 'jsonata'],
  bare: { type: 'none', label: 'find:search.none' },
  item: /./,
  invalid: 'find:invalid.search',
});

stash.registerType('stash-find', {
  category: 'stash',
  color: '#7DB1DC',
  icon: 'stash-find.svg',
  inputs: 1,
  outputs: 1,
  defaults: {
    kind: { value: 'scene' },
    filter: filter.value,
    filterType: filter.type,
    search: search.value,
    searchType: search.type,
    sort: { value: '' },
    direction: { value: '' },
    limit: count('25', 'find:invalid.limit'),
    each: { value: false },
    picture: { value: 'none' },
  },
  oneditprepare(server) {
    filter.show(server);
    search.show(server);
    prepareSort(this);
    showTrial(this, server);
  },
  labelSuffix() {
    const { kind = 'scene' } = this;
    const format = this['filterType'] === 'url' ? pathOf : undefined;
    const shown = filter.shownIn(this, format) || search.shownIn(this);
    if (kind === 'scene' && !shown) return '';
    // A kind that only a newer version knows has no words here.
    const what = isFilled(kind) && kind in sorts ? words(`find:kind.${kind}`) : '';
    return `: ${[what, shown].filter(Boolean).join(', ')}`;
  },
});

/** Returns the path of an address, such as `/studios/2/scenes`: the criteria after it are no text for people. */
function pathOf(address: string): string {
  return address
    .trim()
    .replace(/^\w+:\/\/[^/]*/, '')
    .replace(/\?.*$/, '?…');
}

/** Returns the kind that is chosen in the open dialog. */
function chosenKind(): string {
  return String($('#node-input-kind').val() ?? 'scene');
}

/** Offers the orders of the chosen kind, and says which one it is without a choice. */
function prepareSort(node: EditorNode): void {
  const sort = $('#node-input-sort');
  const direction = $('#node-input-direction').attr('aria-label', words('find:field.direction'));
  /** What was chosen last, also while the kind does not have it. */
  let chosen = String(sort.val() ?? '');
  const update = () => {
    // A saved filter has an order, and so has the address of a list. Its direction belongs to that.
    const isSaved = ['saved', 'url'].includes(filter.typeIn(node));
    const isSavedDirection = isSaved && sort.val() === '';
    const firstOf = (select: JQuery) => select.find('option').first();
    firstOf(sort).text(words(isSaved ? 'find:sort.filter' : 'find:sort.usual'));
    firstOf(direction).text(words(isSavedDirection ? 'find:sort.filter' : 'find:direction.usual'));
  };
  const offer = () => {
    const offered = sortsOf(chosenKind());
    sort
      .empty()
      .append(
        $('<option>', { value: '' }),
        ...offered.map((value) => $('<option>', { value, text: words(`find:sorts.${value}`) })),
      );
    const isOfOthers = Object.values(sorts)
      .flat()
      .some((one) => one === chosen);
    // A flow file may have any other that the server knows.
    if (isFilled(chosen) && (offered.some((one) => one === chosen) || !isOfOthers)) selectSaved(sort, chosen);
    update();
  };
  sort.on('change', () => {
    chosen = String(sort.val());
    update();
  });
  $('#node-input-kind').on('change', offer);
  $('#node-input-filter').on('change', update);
  offer();
}

/** Returns the orders of a kind; none of one that only a newer version knows. */
function sortsOf(kind: string): readonly Sort[] {
  return Object.entries(sorts).find(([name]) => name === kind)?.[1] ?? [];
}
