import { isVariable } from '../../contract/values';
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

/**
 * Offers the only server to all nodes that have none, after a server or such a node was added, by hand or by an import:
 * Node-RED itself sets it only for a node from the palette.
 */
export function offerOnlyServer(): void {
  let isNew = false;
  RED.events.on('nodes:add', ({ type }) => {
    isNew ||= type.startsWith('stash-');
  });
  // An import makes the workspace dirty when it is placed. Loading the flows does not.
  RED.events.on('workspace:dirty', ({ dirty }) => {
    if (isNew && dirty) setTimeout(offer);
    isNew = false;
  });
}

/** The server that all nodes without one get without a question. */
let chosen = '';

/** Sets a server, which is just being added, for all nodes that have none, without a question. */
export function useForAll(id: string): void {
  chosen = id;
}

function offer(): void {
  const [server, ...others] = usableServers();
  if (!server || others.length > 0) return;
  const isChosen = server.id === chosen;
  chosen = '';
  const nodes = nodesWithoutServer(server);
  if (nodes.length === 0) return;
  if (isChosen) {
    setServer(server, nodes);
    return;
  }
  const name = RED.utils.sanitize(server.name || String(server['url']));
  const notification = RED.notify(words('server:offer.question', { name, count: nodes.length }), {
    fixed: true,
    buttons: [
      {
        text: words('server:offer.no'),
        click: () => {
          notification.close();
        },
      },
      {
        text: words('server:offer.yes'),
        class: 'primary',
        click: () => {
          notification.close();
          setServer(server, nodesWithoutServer(server));
        },
      },
    ],
  });
}

function usableServers(): EditorNode[] {
  const servers: EditorNode[] = [];
  RED.nodes.eachConfig((node) => {
    if (node.type === 'stash-server' && !node.d) servers.push(node);
  });
  return servers;
}

/** Returns the nodes that could use a server and have none, except those in an open dialog. */
function nodesWithoutServer(server: EditorNode): EditorNode[] {
  const edited = RED.editor.getEditStack();
  const found: EditorNode[] = [];
  RED.nodes.eachNode((node) => {
    if (!node._def.defaults['server'] || node._def.defaults['server'].type !== server.type) return;
    const isFree = !edited.includes(node) && !RED.workspaces.isLocked(node.z);
    const isInScope = !server.z || server.z === node.z;
    const value = String(node['server']);
    if (isFree && isInScope && !isVariable(value) && !RED.nodes.node(value)) found.push(node);
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
