import { isVariable } from '../../contract/values';
import { isByHand, onAddedByHand } from '../by-hand';
import type { EditorNode } from '../node-red';
import { words } from '../words';

/** Selects the server in an open dialog that has none, if there is exactly one. */
export function preselectOnlyServer(): void {
  const select = $('#node-input-server');
  const servers = select
    .find('option')
    .get()
    .map((option) => option.value)
    .filter((id) => id !== '_ADD_');
  const [only = ''] = servers;
  if (select.val() !== '_ADD_' || servers.length !== 1 || RED.nodes.node(only)?.d) return;
  select.val(only).trigger('change');
}

/** Sets the only server for each node that is added by hand, and offers the servers to all nodes that come without one by an import. */
export function useOnlyServer(): void {
  onAddedByHand((node) => {
    const [server, ...others] = usableServers();
    if (!server || others.length > 0 || !canUse(node, server)) return;
    Object.assign(node, { server: server.id });
    RED.nodes.updateConfigNodeUsers(node, { action: 'add' });
  });
  let isNew = false;
  RED.events.on('nodes:add', ({ type }, options) => {
    isNew ||= type.startsWith('stash-') && !isByHand(options);
  });
  // An import makes the workspace dirty when it is placed. Loading the flows does not.
  RED.events.on('workspace:dirty', ({ dirty }) => {
    if (isNew && dirty) setTimeout(offer);
    isNew = false;
  });
}

/** The server that has just been added in its dialog. */
let chosen = '';

/** Sets a server, which is just being added, for all nodes that have none, without a question, if it is the only one. */
export function useForAll(id: string): void {
  chosen = id;
}

/** The open question, which a later one replaces. */
let question: { close(): void } | undefined;

function offer(): void {
  question?.close();
  question = undefined;
  const servers = usableServers().filter((server) => nodesWithoutServer(server).length > 0);
  const [first, ...others] = servers;
  const isChosen = servers.some(({ id }) => id === chosen);
  chosen = '';
  if (!first) return;
  const isOnly = others.length === 0;
  if (isChosen) {
    if (isOnly) setServer(first, nodesWithoutServer(first));
    return;
  }
  const name = nameOf(first);
  const { size: count } = new Set(servers.flatMap(nodesWithoutServer));
  const text = isOnly
    ? words('server:offer.question', { name, count })
    : words('server:offer.several', { count });
  const notification = (question = RED.notify(text, {
    fixed: true,
    buttons: [
      {
        text: words('server:offer.no'),
        click: () => {
          notification.close();
        },
      },
      ...servers.map((server) => ({
        text: isOnly ? words('server:offer.yes') : nameOf(server),
        class: 'primary',
        click: () => {
          notification.close();
          // It may have been deleted meanwhile.
          if (RED.nodes.node(server.id)) setServer(server, nodesWithoutServer(server));
        },
      })),
    ],
  }));
  // Above the one that tells of the import, whose end would move the buttons under the mouse.
  notification.parentElement?.prepend(notification);
}

/** Returns what a server is called, as HTML. */
function nameOf({ name, url }: EditorNode): string {
  return RED.utils.sanitize(name || String(url));
}

/** Returns the servers that are not disabled. */
function usableServers(): EditorNode[] {
  const servers: EditorNode[] = [];
  RED.nodes.eachConfig((node) => {
    if (node.type === 'stash-server' && !node.d) servers.push(node);
  });
  return servers;
}

/** Returns whether a node lacks a server, and could use this one. */
function canUse(node: EditorNode, server: EditorNode): boolean {
  if (node._def.defaults['server']?.type !== server.type) return false;
  const value = String(node['server']);
  const isInScope = !server.z || server.z === node.z;
  return isInScope && !isVariable(value) && !RED.nodes.node(value);
}

/** Returns the nodes that could use a server and have none, except those in an open dialog. */
function nodesWithoutServer(server: EditorNode): EditorNode[] {
  const edited = RED.editor.getEditStack();
  const found: EditorNode[] = [];
  RED.nodes.eachNode((node) => {
    const isFree = !edited.includes(node) && !RED.workspaces.isLocked(node.z);
    if (isFree && canUse(node, server)) found.push(node);
  });
  return found;
}

/** Sets the server of nodes, in one step that can be undone. */
function setServer({ id }: EditorNode, nodes: readonly EditorNode[]): void {
  const dirty = RED.nodes.dirty();
  const events = nodes.map((node) => {
    const event = { t: 'edit', node, changes: { server: node['server'] }, changed: node.changed, dirty };
    Object.assign(node, { server: id, changed: true, dirty: true });
    RED.nodes.updateConfigNodeUsers(node, { action: 'add' });
    RED.editor.validateNode(node);
    RED.events.emit('nodes:change', node);
    return event;
  });
  RED.history.push({ t: 'multi', events, dirty });
  RED.nodes.dirty(true);
  RED.view.redraw();
}
