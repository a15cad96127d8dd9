import type { NodeAPI } from 'node-red';
import { allKinds } from '../../src/contract/kinds';
import { picturePath } from '../../src/contract/pictures';
import { duration } from '../../src/contract/units';
import {
  actionNode,
  addQuestionRoute,
  addTrialRoute,
  checkbox,
  choice,
  detail,
  type FindText,
  MOST_RESULTS,
  type NodeRED,
  plainText,
  text,
  TEXT_TYPES,
  unlessType,
} from '../../src/flow';
import { filterNames, find, findItems, type Found } from '../../src/operations/find';
import { itemUnits, type PicturedItem, pictureFormats, shortTitle } from '../../src/operations/items';
import { filter, limit } from './inputs';
import type words from './words/en-US.json';

const inputs = {
  kind: choice('kind', allKinds),
  filter: filter('filter'),
  search: unlessType(
    'none',
    { name: 'search', presetType: 'none' },
    text('search', { value: '', type: 'none' }, TEXT_TYPES),
  ),
  sort: plainText('sort'),
  direction: choice('direction', ['', 'ASC', 'DESC']),
  limit: limit('limit', 25),
  each: checkbox('each'),
  picture: choice('picture', pictureFormats),
};

/** stash-find: finds items of the library, all in one message or one after the other. */
export default (RED: NodeRED<typeof words>): void => {
  addQuestionRoute(RED as NodeAPI, 'filters', filterNames);
  addTrialRoute(RED as NodeAPI, 'find', {
    inputs,
    run: (server, input, call) =>
      findItems(server, { ...input, limit: Math.min(input.limit, MOST_RESULTS) }, call),
    preview: ({ items, count, missing }, { picture, limit }) => ({
      list: items.map(({ item, pictured }) => ({
        ...(picture !== 'none' && { picture: pictured && picturePath(pictured) }),
        ...item,
      })),
      count,
      sent: Math.min(count, limit),
      units: itemUnits,
      missing,
    }),
  });
  RED.nodes.registerType(
    'stash-find',
    actionNode(RED, {
      inputs,
      run: find,
      reply: (found, { kind, each }, text) => {
        const { operation, items, count, missing, part } = found;
        const about = { operation, missing, ...(part && { part }) };
        const [item] = items;
        if (!item) {
          const nothing = { ...about, outcome: 'nothing' as const };
          // One message for each item is none then.
          return each ? { ...nothing, sequence: [] } : { ...nothing, payload: [], stash: { count } };
        }
        if (each) return { ...about, ...oneItem(item, found) };
        const isCut = count > items.length;
        return {
          ...about,
          payload: items,
          stash: { count },
          outcome: 'found',
          ...(isCut ? CUT : WHOLE),
          values: { count: items.length, total: count, what: countOf(text, kind, items.length) },
          details: isCut ? [detail('all', { total: count })] : [],
        };
      },
    }),
  );
};

/** What the status shows where more fit than were sent, and otherwise. */
const CUT = { status: 'some', isBad: true } as const;
const WHOLE = { status: 'found' } as const;

function oneItem(item: PicturedItem, { count, part }: Found) {
  const { id, title, name } = item as { id: string; title?: string | null; name?: string | null };
  const { seconds, kind } = item;
  const isFilm = kind === 'scene' && typeof seconds === 'number' && seconds > 0;
  return {
    payload: item,
    stash: { count },
    outcome: 'item',
    ...(part?.count !== undefined && part.count < count ? CUT : WHOLE),
    values: {
      title: shortTitle({ title: title ?? name ?? null, id }),
      count: (part?.index ?? 0) + 1,
      total: count,
    },
    details: isFilm ? [detail('duration', { time: duration(seconds) })] : [],
  } as const;
}

function countOf(text: FindText<typeof words>, kind: Found['kind'], count: number): string {
  return text(`what.${kind}`, { count });
}
