import type { NodeAPI } from 'node-red';
import type { NamedKind } from '../../src/contract/kinds';
import {
  actionNode,
  addTrialRoute,
  checkbox,
  detail,
  type FindText,
  firstNames,
  MOST_RESULTS,
  type NodeRED,
} from '../../src/flow';
import { type ChangedField, previewUpdate, update } from '../../src/operations/update';
import type words from './words/en-US.json';
import { atMost, edits, kind } from './inputs';

const inputs = { kind, edits, create: checkbox('create'), atMost, dryRun: checkbox('dryRun') };

/** stash-update: changes items of the library. */
export default (RED: NodeRED<typeof words>): void => {
  addTrialRoute(RED as NodeAPI, 'update', {
    inputs,
    run: (server, input, call) => previewUpdate(server, input, MOST_RESULTS, call),
    preview: ({ items, fields, ...numbers }) => ({
      changes: items.map(({ title, changes }) => ({
        title,
        fields: Object.fromEntries(changes.map((change) => [change.field, cellOf(change)])),
      })),
      columns: fields,
      ...numbers,
    }),
  });
  RED.nodes.registerType(
    'stash-update',
    actionNode(RED, {
      inputs,
      run: update,
      reply: ({ operation, ids, unchanged, created, gone, changes, reason }, { kind }, text) => {
        const newOf = (kind: NamedKind) => {
          const names = created.filter((one) => one.kind === kind).map(({ name }) => name);
          return { count: names.length, names: some(names, text) };
        };
        const [tags, studios, performers] = [newOf('tag'), newOf('studio'), newOf('performer')];
        return {
          operation,
          payload: { ids, unchanged, created, gone },
          ...(reason && { stash: { reason } }),
          outcome: reason === 'SKIPPED' ? 'skipped' : reason === 'DRY_RUN' ? 'dryRun' : 'updated',
          values: { count: ids.length, what: text(`what.${kind}`, { count: ids.length }) },
          details: [
            ...changes.map((change) => detail('change', { change: textOf(change, text) })),
            ...(unchanged.length > 0 ? [detail('unchanged', { count: unchanged.length })] : []),
            ...(tags.count > 0 ? [detail('newTag', tags)] : []),
            ...(studios.count > 0 ? [detail('newStudio', studios)] : []),
            ...(performers.count > 0 ? [detail('newPerformer', performers)] : []),
            ...(gone.length > 0 ? [detail('gone', { count: gone.length })] : []),
          ],
        };
      },
    }),
  );
};

/** How many values a sentence names, and the longest of them, in UTF-16 units. */
const LONGEST_NAMED = 40;

/** Returns a change as a table shows it: like a sentence, but without words, because people read tables in another language. */
function cellOf({ set, add, remove }: ChangedField): string {
  const all = [
    ['=', set],
    ['+', add],
    ['−', remove],
  ] as const;
  return all
    .flatMap(([sign, values]) =>
      values.length > 0 ? [`${sign} ${values.map((one) => one ?? '–').join(', ')}`] : [],
    )
    .join(' ');
}

/** Returns a change as a sentence names it, such as "Tags + Sea − Old" or "Rating = 80". */
function textOf({ field, set, add, remove }: ChangedField, text: FindText<typeof words>): string {
  const valueOf = (value: ChangedField['set'][number]) => {
    if (value === null) return '–';
    return typeof value === 'boolean' ? text(value ? 'what.yes' : 'what.no') : String(value);
  };
  const all = [
    ['=', set, text('what.separator')],
    ['+', add, ' + '],
    ['−', remove, ' − '],
  ] as const;
  const parts = all.flatMap(([sign, values, separator]) =>
    values.length === 0 ? [] : [sign, some(values.map(valueOf), text, separator)],
  );
  return [text(`fields.${field}`), ...parts].join(' ');
}

/** Returns the first of some values, and how many more there are. */
function some(
  values: readonly string[],
  text: FindText<typeof words>,
  separator = text('what.separator'),
): string {
  const short = (value: string) =>
    value.length > LONGEST_NAMED ? `${value.slice(0, LONGEST_NAMED - 1)}…` : value;
  return firstNames(values.map(short), separator, (first) => text('what.more', first));
}
