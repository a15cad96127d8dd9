import assert from 'node:assert/strict';
import type { Editor } from './editor';
import { eventually } from './eventually';

/** In pixels: what Node-RED 5 has beside palette and sidebar in a window of 1,440 pixels. */
const WIDEST = 860;
/** In pixels: edges that are closer than this look as if they should be one. */
const NEAR = 20;
/** In pixels: what is closer to the left edge of the tab looks cut off. */
const MARGIN = 24;
/** In pixels: what a font may move an edge, because Node-RED widens a node around its middle, in steps of 20 pixels. */
const FONT = 10;

/** A tab, node or group in a flow file. */
export interface Saved {
  id: string;
  type: string;
  z?: string;
  label?: string;
  name?: string;
  /** The middle of a node, or the left edge of a group. A config node has none. */
  x?: number;
  /** Only a group has a width in the file. */
  w?: number;
}

/** A node in the editor. */
interface Node {
  id: string;
  type: string;
  z: string;
  name?: string;
  x: number;
  y: number;
  w: number;
  h: number;
  /** Nodes to inject and debug have a button beside them, to debug at the right. */
  _def: { button?: object; align?: string };
}

/** A group in the editor. */
interface Group {
  id: string;
  name: string;
  x: number;
  y: number;
  w: number;
  h: number;
  style: { fill?: string };
}

interface Box {
  name: string;
  left: number;
  top: number;
  right: number;
  bottom: number;
}

/** The part of the editor's API that knows the sizes. */
declare const RED: {
  utils: { getNodeLabel(node: Node): string };
  nodes: { eachNode(callback: (node: Node) => void): void; groups(tab: string): Group[] };
};

/**
 * Returns what hides, in the open tab, what the flow does and what to edit there.
 * @param nodes the nodes and groups of this tab, as the flow file has them.
 */
export async function faultsOf({ page }: Editor, tab: string, nodes: readonly Saved[]): Promise<string[]> {
  // Nodes and groups have a size once they are drawn.
  await eventually(
    () => page.locator('.red-ui-flow-node-group').count(),
    (count) => {
      assert.equal(count, nodes.filter(({ type, x }) => x !== undefined && type !== 'group').length);
    },
  );
  const groups = await page.evaluate((id) => RED.nodes.groups(id).map(({ id, x, w }) => ({ id, x, w })), tab);
  return [
    ...(await page.evaluate(faultsInPage, [tab, WIDEST, MARGIN] as const)),
    ...unaligned(nodes, groups),
  ];
}

/** Returns the edges of groups that are a little beside another one, in the author's font, as the file has them, or in this one. */
function unaligned(nodes: readonly Saved[], measured: readonly Pick<Group, 'id' | 'x' | 'w'>[]): string[] {
  return ['left', 'right'].flatMap((side, end) => {
    const edges = nodes.flatMap(({ type, id, name = '', x = 0, w = 0 }) =>
      type === 'group' ? [{ id, name, at: x + end * w }] : [],
    );
    return edges.flatMap(({ id, name, at }) => {
      const group = measured.find((one) => one.id === id);
      const isStale = group && Math.abs(group.x + end * group.w - at) > FONT;
      const isBeside =
        isNextTo(
          at,
          edges.map((other) => other.at),
        ) ||
        (group !== undefined &&
          isNextTo(
            group.x + end * group.w,
            measured.map((other) => other.x + end * other.w),
          ));
      return [
        ...(isStale ? [`the ${side} edge of “${name}” is elsewhere than in the file`] : []),
        ...(isBeside ? [`the ${side} edge of “${name}” is a little beside another one`] : []),
      ];
    });
  });
}

/** Whether one of the others is a little before it. */
function isNextTo(at: number, others: readonly number[]): boolean {
  return others.some((other) => other < at && at - other < NEAR);
}

/** Returns what is too wide, out of view, too close, crossed by a wire, or will grow. Runs in the page. */
function faultsInPage([tab, widest, margin]: readonly [
  tab: string,
  widest: number,
  margin: number,
]): string[] {
  /** In pixels: the least space between two nodes, and the size of a text under a node. */
  const [SPACE, TEXT] = [8, { width: 80, height: 16 }];
  const found: Node[] = [];
  RED.nodes.eachNode((node) => {
    if (node.z === tab) found.push(node);
  });
  const nodes = found.map((node) => ({ node, box: boxOf(node) }));
  const groups = RED.nodes.groups(tab).map(({ name, x, y, w, h, style }) => ({
    isToEdit: style.fill !== undefined,
    box: { name: `“${name}”`, left: x, top: y, right: x + w, bottom: y + h },
  }));
  // Nodes that talk to a server or a broker say under themselves what they do.
  const statuses = nodes.flatMap(({ node, box }) => {
    const { name, left, bottom } = box;
    const text = { left, top: bottom, right: left + TEXT.width, bottom: bottom + TEXT.height };
    return /^(stash-|mqtt )/.test(node.type)
      ? [{ node, box: { name: `the status of ${name}`, ...text } }]
      : [];
  });
  const origin = rectOf('#red-ui-workspace-chart');
  const titles = [...document.querySelectorAll('.red-ui-flow-group-label')].map((label) => {
    const { left, top, right, bottom } = label.getBoundingClientRect();
    const [x, y] = [origin.left, origin.top];
    const place = { left: left - x, top: top - y, right: right - x, bottom: bottom - y };
    return { node: undefined, box: { name: `the title “${label.textContent}”`, ...place } };
  });
  const boxes = [...nodes, ...groups].map(({ box }) => box);
  const width = Math.max(...boxes.map(({ right }) => right)) - Math.min(...boxes.map(({ left }) => left));
  const end = rectOf('#red-ui-workspace-scroll-v').left - origin.left;
  const bottom = rectOf('#red-ui-workspace-scroll-h').top - origin.top;

  return [
    ...(width > widest ? [`it is ${width} px wide`] : []),
    ...[...nodes, ...groups]
      .filter(({ box: { left } }) => left < margin)
      .map(({ box: { name, left } }) => `${name} begins at ${left} px`),
    // Such a label has what the user enters, and may then lie under the next node.
    ...found
      .filter(({ type, name }) => type.startsWith('stash-') && !name)
      .map((node) => RED.utils.getNodeLabel(node))
      .filter((label) => /: | → /.test(label))
      .map((label) => `“${label}” has no name, so that its label grows with a value`),
    ...groups
      .filter(({ isToEdit, box }) => isToEdit && (box.right > end || box.bottom > bottom))
      .map(({ box }) => `${box.name} is out of view`),
    ...[...pairs(groups), ...pairs(nodes)]
      .filter(([{ box: one }, { box: other }]) => isNear(one, other, SPACE))
      .map(([{ box: one }, { box: other }]) => `${one.name} and ${other.name} touch`),
    ...statuses.flatMap(({ node, box }) =>
      nodes
        .filter((other) => other.node !== node && isNear(box, other.box, 0))
        .map((other) => `${box.name} touches ${other.box.name}`),
    ),
    ...[...document.querySelectorAll<SVGPathElement>('.red-ui-flow-link-line')].flatMap(faultsOfWire),
  ];

  function boxOf({ name, type, x, y, w, h, _def: { button, align } }: Node): Box {
    const beside = { left: 0, right: 0, ...(button && { [align ?? 'left']: 20 }) };
    const [left, right] = [x - w / 2 - beside.left, x + w / 2 + beside.right];
    return { name: name || type, left, top: y - h / 2, right, bottom: y + h / 2 };
  }

  function rectOf(selector: string): DOMRect {
    return document.querySelector(selector)?.getBoundingClientRect() ?? new DOMRect();
  }

  function pairs<Item>(items: readonly Item[]): [Item, Item][] {
    return items.flatMap((one, index) => items.slice(index + 1).map((other): [Item, Item] => [one, other]));
  }

  function isNear(one: Box, other: Box, space: number): boolean {
    const isBeside = one.left < other.right + space && other.left < one.right + space;
    return isBeside && one.top < other.bottom + space && other.top < one.bottom + space;
  }

  function faultsOfWire(path: SVGPathElement): string[] {
    const { link, source, target } = (
      path as unknown as { __data__: { link?: boolean; source: Node; target: Node } }
    ).__data__;
    // The line between two link nodes is drawn only while one of them is selected.
    if (link) return [];
    const [start, goal] = [boxOf(source), boxOf(target)];
    const points = Array.from({ length: Math.ceil(path.getTotalLength() / 4) }, (_, index) =>
      path.getPointAtLength(4 * index),
    );
    const crossed = [...nodes, ...statuses, ...titles].filter(
      ({ node, box: { left, top, right, bottom } }) =>
        node !== source &&
        node !== target &&
        points.some(({ x, y }) => x > left && x < right && y > top && y < bottom),
    );
    return [
      ...(start.right > goal.left ? ['runs back'] : []),
      ...crossed.map(({ box }) => `runs through ${box.name}`),
    ].map((fault) => `the wire from ${start.name} to ${goal.name} ${fault}`);
  }
}
