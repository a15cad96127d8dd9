import type { Scraper } from '../../contract/capabilities';
import { folderPicker, scenePicker, scraperPicker } from '../pickers';
import type { Key } from '../words';
import { TypedInput } from './typed-input';

/**
 * Returns the input of stash-scan and stash-generate for folders of the library.
 * @param library the label of the whole library in the menu.
 */
export function pathsInput(library?: Key): TypedInput {
  return new TypedInput('paths', {
    type: 'library',
    pickers: [folderPicker()],
    bare: { type: 'library', ...(library && { label: library }) },
    // No path begins like a list in JSON, which is one only if its type is selected.
    item: /^" *[^" [\]]/,
    invalid: 'server:invalid.paths',
  });
}

/** Returns the input of stash-generate and stash-task for scenes by their IDs. */
export function sceneIDsInput(): TypedInput {
  return new TypedInput('sceneIDs', {
    type: 'all',
    pickers: [scenePicker()],
    bare: { type: 'all' },
    item: /^"?\d+"?$/,
    invalid: 'server:invalid.sceneIDs',
  });
}

/**
 * Returns the input of the performer nodes for a scraper of the server.
 * @param isUsable whether a scraper does what the node needs.
 */
export function sourceInput(isUsable: (scraper: Scraper) => boolean): TypedInput {
  return new TypedInput('source', {
    type: 'str',
    pickers: [scraperPicker(isUsable)],
    types: ['msg', 'flow', 'global', 'env', 'jsonata'],
    item: /./,
  });
}
