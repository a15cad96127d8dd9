import { isFilled } from '../../src/contract/values';
import {
  count,
  type EditorNode,
  enteredType,
  filterPicker,
  showTrial,
  stash,
  TypedInput,
  words,
} from '../../src/editor';

/** The orders that all releases have for a kind. Others can be entered. */
const SORTS: Readonly<Record<string, readonly string[]>> = {
  scene: [
    'random',
    'date',
    'created_at',
    'updated_at',
    'title',
    'path',
    'rating',
    'duration',
    'filesize',
    'o_counter',
  ],
  image: ['random', 'created_at', 'updated_at', 'title', 'path', 'rating', 'filesize', 'o_counter'],
  gallery: ['random', 'date', 'created_at', 'updated_at', 'title', 'path', 'rating', 'images_count'],
  performer: ['random', 'name', 'birthdate', 'created_at', 'updated_at', 'rating', 'scenes_count'],
  studio: ['random', 'name', 'created_at', 'updated_at', 'rating', 'scenes_count'],
  tag: ['random', 'name', 'created_at', 'updated_at', 'scenes_count'],
  marker: ['random', 'title', 'seconds', 'created_at', 'updated_at', 'scene_id'],
  group: ['random', 'name', 'date', 'created_at', 'updated_at', 'rating', 'duration', 'scenes_count'],
};

const filter = new TypedInput('filter', {
  type: 'none',
  pickers: [
    filterPicker(chosenKind),
    enteredType({ type: 'url', label: 'find:filter.url', icon: 'fa-link' }),
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
    const shown = filter.shownIn(this) || search.shownIn(this);
    if (kind === 'scene' && !shown) return '';
    // A kind that only a newer version knows has no words here.
    const what = isFilled(kind) && kind in SORTS ? words(`find:kind.${kind}`) : '';
    return `: ${[what, shown].filter(Boolean).join(', ')}`;
  },
});

/** Returns the kind that is chosen in the open dialog. */
function chosenKind(): string {
  return String($('#node-input-kind').val() ?? 'scene');
}

/** Offers the orders of the chosen kind, and says which one it is without a choice. */
function prepareSort(node: EditorNode): void {
  const sort = $('#node-input-sort');
  const direction = $('#node-input-direction').attr('aria-label', words('find:field.direction'));
  const update = () => {
    const options = (SORTS[chosenKind()] ?? []).map((value) => $('<option>', { value }));
    $('#stash-sorts').empty().append(options);
    // A saved filter has an order, and so has the address of a list. That belongs to its sort.
    const isSaved = ['saved', 'url'].includes(filter.typeIn(node));
    sort.attr('placeholder', words(isSaved ? 'find:sort.saved' : 'find:sort.usual'));
    const isSavedDirection = isSaved && sort.val() === '';
    direction
      .find('option')
      .first()
      .text(words(isSavedDirection ? 'find:sort.saved' : 'find:direction.usual'));
  };
  $('#node-input-kind, #node-input-filter').on('change', update);
  sort.on('input change', update);
  update();
}
