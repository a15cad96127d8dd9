import type { NodeAPI } from 'node-red';
import { fileKinds, kinds } from '../../src/contract/kinds';
import { picturePath } from '../../src/contract/pictures';
import { duration } from '../../src/contract/units';
import {
  addTrialRoute,
  checkboxes,
  choice,
  detail,
  type FindText,
  firstNames,
  fixed,
  MOST_RESULTS,
  type NodeRED,
  triggerNode,
} from '../../src/flow';
import { itemUnits, type PicturedItem, pictureFormats, shortTitle } from '../../src/operations/items';
import { followNew, latestItems, type NewItemsEvent } from '../../src/operations/library';
import type words from './words/en-US.json';

type NewNodeEvent = NewItemsEvent | { type: 'polled' };

/** What the last poll with new items has found. */
interface LastPoll {
  count: number;
  time: Date;
}

const lists = checkboxes(['scenes', 'images', 'galleries'], ['scenes']);

const inputs = {
  kinds: fixed((config) => {
    const ticked = lists.read(config);
    return fileKinds.filter((kind) => ticked.includes(kinds[kind].list));
  }),
  // True by default, unlike other checkboxes.
  each: fixed(({ each }) => each !== false),
  picture: choice('picture', pictureFormats),
};

/** stash-new: sends the scenes, images and galleries that have come into the library. */
export default (RED: NodeRED<typeof words>): void => {
  addTrialRoute(RED as NodeAPI, 'new', {
    inputs,
    run: (server, { kinds, picture }, call) =>
      latestItems(server, { kinds, most: MOST_RESULTS, picture: picture !== 'none' }, call),
    preview: ({ items, count, missing }, { picture }) => ({
      list: items.map(({ item, pictured }) => ({
        ...(picture !== 'none' && { picture: pictured && picturePath(pictured) }),
        ...item,
      })),
      count,
      units: itemUnits,
      missing,
    }),
  });
  RED.nodes.registerType(
    'stash-new',
    triggerNode(RED, {
      inputs,
      follow: (server, emit, { input, keep, delivered }) =>
        followNew(server, { wanted: input, cursors: keep('positions'), delivered }, emit),
      message: (event: NewNodeEvent, { each }) =>
        event.type === 'new' ? newItemsMessage(RED._, event, each) : undefined,
      activityAfter: lastPoll,
      status: newItemsStatus,
    }),
  );
};

function newItemsMessage(text: FindText<typeof words>, event: NewItemsEvent, each: boolean) {
  const { kind, items, operation, missing } = event;
  const [item] = items;
  const about = { topic: kind, operation, missing };
  if (each && item) {
    return {
      ...about,
      payload: item,
      outcome: 'item',
      values: { title: shortTitle(item) },
      details: itemDetails(item),
    } as const;
  }
  return {
    ...about,
    payload: items,
    outcome: kinds[kind].list,
    values: {
      count: items.length,
      titles: firstNames(items.map(shortTitle), text('what.separator'), (first) => text('what.more', first)),
    },
  } as const;
}

/** Returns the duration of a scene, or the number of images of a gallery. */
function itemDetails({ seconds, images }: PicturedItem) {
  if (seconds) return [detail('duration', { time: duration(seconds) })];
  return images ? [detail('images', { count: images })] : [];
}

function lastPoll(event: NewNodeEvent, before: LastPoll | undefined): LastPoll | undefined {
  return event.type === 'new' ? { count: event.count, time: new Date() } : before;
}

function newItemsStatus({ count, time }: LastPoll) {
  return { fill: 'green', status: 'new', values: { count, time: timeOfDay(time) } } as const;
}

/** Formats a time of day in this machine's time zone, such as `04:41`. */
function timeOfDay(time: Date): string {
  return time.toLocaleTimeString('sv', { hour: '2-digit', minute: '2-digit' });
}
