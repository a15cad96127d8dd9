import { allKinds } from '../../src/contract/kinds';
import {
  checkbox,
  checkboxes,
  detail,
  type FindText,
  firstNames,
  fixed,
  type NodeRED,
  selection,
  triggerNode,
} from '../../src/flow';
import { type ChangesEvent, followChanges, type ItemEvent } from '../../src/operations/changes';
import { shortTitle } from '../../src/operations/items';
import { changedFieldNames } from '../../src/contract/changes';
import type words from './words/en-US.json';

type ChangesNodeEvent = Exclude<ChangesEvent, { type: 'failed' }>;
type SentEvent = Exclude<ChangesNodeEvent, { type: 'polled' }>;

/** In the editor, each node has a `changed` of its own: whether it is deployed as it is. */
const events = checkboxes(['created', 'updated', 'removed'], ['created', 'updated']);

const chosenFields = selection('fields', changedFieldNames);

/** stash-changes: sends a message when an item is created, changed or removed, by whoever's hand. */
export default (RED: NodeRED<typeof words>): void => {
  RED.nodes.registerType(
    'stash-changes',
    triggerNode(RED, {
      inputs: {
        kinds: selection('kinds', allKinds),
        types: fixed((config) => events.read(config).map((name) => (name === 'updated' ? 'changed' : name))),
        // None stands for any.
        fields: fixed(({ fields = [] }) =>
          Array.isArray(fields) && fields.length === 0 ? [] : chosenFields.read({ fields }),
        ),
        own: checkbox('own'),
      },
      follow: (server, emit, { input, keep, delivered }) => ({
        end: followChanges(server, { wanted: input, heard: keep('heard'), delivered }, emit),
      }),
      message: (event: ChangesNodeEvent) =>
        event.type === 'polled'
          ? undefined
          : event.type === 'gap'
            ? gapMessage(event)
            : itemMessage(RED._, event),
      activityAfter: (event: ChangesNodeEvent, before: LastEvent | undefined): LastEvent | undefined =>
        event.type === 'polled' ? before : { type: event.type, time: new Date() },
      status: ({ type, time }: LastEvent) =>
        ({
          fill: type === 'gap' ? 'yellow' : 'green',
          status: type,
          values: { time: time.toLocaleTimeString('sv', { hour: '2-digit', minute: '2-digit' }) },
        }) as const,
    }),
  );
};

/** What was sent last, for the status. */
interface LastEvent {
  type: SentEvent['type'];
  time: Date;
}

function gapMessage({ type, since }: Extract<SentEvent, { type: 'gap' }>) {
  // The Swedish format is `2026-01-11 04:41:59`.
  const time = new Date(since).toLocaleString('sv');
  return { topic: type, payload: { since }, outcome: type, values: { time } } as const;
}

function itemMessage(text: FindText<typeof words>, { type, item, fields, operation, missing }: ItemEvent) {
  const { id, kind } = item;
  const given = fields && inOrder(fields);
  const { title, name, tag } = item as Partial<Record<'title' | 'name' | 'tag', string | null>>;
  return {
    topic: type,
    // Copied, because a flow may change its message.
    payload: { ...item, ...(given && { fields: given }) },
    ...(operation !== undefined && { operation }),
    missing,
    outcome: type,
    values: { what: text(`what.${kind}`), title: shortTitle({ id, title: title ?? name ?? tag ?? null }) },
    details: given ? [detail('fields', { names: namesOf(text, given) })] : [],
  } as const;
}

/** Returns fields in the order of the dialog, because Stash has none, and then those that it lacks. */
function inOrder(fields: readonly string[]): string[] {
  const known = changedFieldNames.filter((name) => fields.includes(name));
  return [...new Set([...known, ...[...fields].sort()])];
}

/** Returns the first fields for the sentence, in the user's language. */
function namesOf(text: FindText<typeof words>, fields: readonly string[]): string {
  const names = fields.map((field) => {
    const known = changedFieldNames.find((name) => name === field);
    return known ? text(`fields.${known}`) : field;
  });
  return firstNames(names, text('what.separator'), (first) => text('what.more', first));
}
