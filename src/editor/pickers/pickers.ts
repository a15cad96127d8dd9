import type { Plugin, Scraper } from '../../contract/capabilities';
import { type ChoiceKind, type NamedKind, type RowKind, rowKinds } from '../../contract/kinds';
import { isRefusal, type Refusal } from '../../contract/refusal';
import { isFilled } from '../../contract/values';
import { inputOf } from '../node-red';
import { listOf } from '../values';
import { type Key, words } from '../words';
import type { Entry } from './entries';
import { filterSource } from './filter-source';
import { itemSource, nameInValue, type NewNames, valueOfName } from './item-source';
import { cachedSource } from './cached-source';
import { comboboxPicker, oneText, type Picker, severalTexts } from './picker';

/** Returns the picker of folders of the library. */
export function folderPicker(): Picker {
  return comboboxPicker({
    type: 'folders',
    label: 'server:picker.folders',
    icon: 'fa-folder-open',
    ...severalTexts,
    source: (server) =>
      cachedSource(server, {
        list: ({ folders }) => entries(folders, ({ path, label }) => [{ value: path, label }]),
        none: words('server:doctor.text.noFolders'),
      }),
  });
}

export function scenePicker(): Picker {
  const look = { type: 'scenes', label: 'server:picker.scenes', icon: 'fa-film' } as const;
  return itemPicker(() => 'scene', severalTexts, look);
}

/** Returns the picker of items of the chosen kind. */
export function chosenPicker(kind: () => ChoiceKind): Picker {
  const look = { type: 'chosen', label: 'server:picker.items', icon: 'fa-list' } as const;
  return { ...itemPicker(kind, severalTexts, look), of: kind };
}

/** Returns the picker of a performer, by name, because an external site knows no ID of a library. */
export function performerPicker(): Picker {
  return comboboxPicker({
    type: 'performer',
    label: 'server:picker.performer',
    icon: 'fa-user',
    ...oneText,
    source: (server) => itemSource(server, 'performer', { isByName: true }),
  });
}

const items: Readonly<Record<RowKind, { label: Key; icon: string }>> = {
  scene: { label: 'server:picker.scene', icon: 'fa-film' },
  studio: { label: 'server:picker.studio', icon: 'fa-video-camera' },
  performer: { label: 'server:picker.performer', icon: 'fa-user' },
  tag: { label: 'server:picker.tag', icon: 'fa-tag' },
};

interface ItemLook {
  type: string;
  label: Key;
  icon: string;
}

/** Returns the pickers for the value of a variable: an ID, or a list of them. */
export function itemPickers(isMultiple: boolean): Picker[] {
  return rowKinds.map((kind) =>
    itemPicker(() => kind, isMultiple ? severalTexts : oneText, { type: kind, ...items[kind] }),
  );
}

/** Returns the picker of items that also takes names of what the server does not have: one item, or a list of them. */
export function namedPicker(kind: NamedKind, isMultiple: boolean, newNames: NewNames): Picker {
  const isValue = (value: string) => isId(value) || nameInValue(value) !== undefined;
  const form: typeof oneText = isMultiple
    ? {
        isMultiple,
        read: (value) => valuesIn(value).filter(isValue),
        write: (values) => (values.length === 0 ? '' : `[${values.map(inList).join(',')}]`),
      }
    : { ...oneText, read: (value) => [value].filter(isValue) };
  return comboboxPicker({
    ...{ type: kind, ...items[kind] },
    ...form,
    // A text is a name in other types, and a number an ID.
    toOther: (value) => nameInValue(value) ?? Number(value),
    fromOther: (entered) => (typeof entered === 'number' ? String(entered) : valueOfName(entered)),
    source: (server) => itemSource(server, kind, { newNames }),
  });
}

function isId(text: string): boolean {
  return /^\d+$/.test(text);
}

/** Returns a value as it is in a JSON list. */
function inList(value: string): string {
  return isId(value) ? JSON.stringify(value) : value;
}

/** Returns the values in a JSON list; none if it is no JSON. */
function valuesIn(json: string): string[] {
  try {
    return listOf(json).map((item) => (isFilled(item) ? item : JSON.stringify(item)));
  } catch {
    return [];
  }
}

/** Returns a picker whose values are IDs. Another type may have left a text that is none. */
function itemPicker(kind: () => ChoiceKind, form: typeof oneText, look: ItemLook): Picker {
  return comboboxPicker({
    ...look,
    ...form,
    read: (value) => form.read(value).filter(isId),
    isValid(value) {
      const texts = isFilled(value) ? form.read(value) : [];
      return (texts.length > 0 && texts.every(isId)) || words('server:picker.none');
    },
    source: (server) => itemSource(server, kind()),
  });
}

/**
 * Returns the picker of a scraper, whose ID can be typed as well, for example while the server is down. An empty value is the
 * built-in scraper. Its type is that of a text, as before there was a picker.
 * @param isUsable whether a scraper does what the node needs.
 */
export function scraperPicker(isUsable: (scraper: Scraper) => boolean): Picker {
  return comboboxPicker({
    type: 'str',
    label: 'server:picker.scraper',
    icon: 'fa-globe',
    isMultiple: false,
    isValid: () => true,
    read: (value) => [value],
    write: ([value = '']) => value,
    source: (server) =>
      cachedSource(server, {
        list: ({ scrapers }) =>
          entries(scrapers, (scraper) =>
            isUsable(scraper) ? [{ value: scraper.id, label: scraper.name }] : [],
          ),
        always: [{ value: '', label: words('server:picker.builtin') }],
        hint: words('server:picker.anyScraper'),
        fromText: (text) => text,
      }),
  });
}

/** Returns the picker of a filter that is saved in Stash for the chosen kind of items, by its name. */
export function filterPicker(chosenKind: () => string): Picker {
  return comboboxPicker({
    type: 'saved',
    label: 'server:picker.filter',
    icon: 'fa-bookmark',
    ...oneText,
    isValid: (value) => isFilled(value) || words('server:picker.chooseFilter'),
    source: (server) => filterSource(server, chosenKind),
  });
}

/**
 * Returns the picker of a plugin's task. The value is the ID of the plugin; the property `pluginTask` has the name of the task.
 */
export function pluginTaskPicker(): Picker {
  const task = '#node-input-pluginTask';
  return comboboxPicker({
    type: 'str',
    label: 'server:picker.pluginTask',
    icon: 'fa-plug',
    isMultiple: false,
    isValid: (plugin, node) =>
      isFilled(plugin) && isFilled(inputOf(node, 'pluginTask').val() ?? node['pluginTask']),
    read: (plugin) => {
      const title = $(task).val();
      return isFilled(plugin) && isFilled(title) ? [pluginTaskValue(plugin, title)] : [];
    },
    write: ([value]) => {
      const [plugin, title] = value === undefined ? ['', ''] : pluginTaskParts(value);
      $(task).val(title);
      return plugin;
    },
    source: (server) =>
      cachedSource(server, {
        list: ({ plugins }) => entries(plugins, tasksOf),
        hint: words('server:picker.anyPluginTask'),
        none: words('server:picker.noPluginTasks'),
        textOf: (value) => pluginTaskParts(value).join('/'),
        fromText: (text) => {
          const [plugin = '', title = ''] = text.split(/\/(.*)/s).map((part) => part.trim());
          return plugin && title ? pluginTaskValue(plugin, title) : undefined;
        },
      }),
  });
}

/** Returns the entries for a list, unless the server did not give it. */
function entries<Item extends object>(
  list: readonly Item[] | Refusal,
  toEntries: (item: Item) => Entry[],
): Entry[] | Refusal {
  return isRefusal(list) ? list : list.flatMap(toEntries);
}

function tasksOf({ id, name: group, tasks }: Plugin): Entry[] {
  return tasks.map(({ name, label, description: detail }) => ({
    value: pluginTaskValue(id, name),
    label,
    detail,
    group,
  }));
}

function pluginTaskValue(plugin: string, task: string): string {
  return JSON.stringify([plugin, task]);
}

function pluginTaskParts(value: string): [plugin: string, task: string] {
  return JSON.parse(value) as [string, string];
}
