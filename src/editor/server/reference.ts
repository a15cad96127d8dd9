import { textIn } from '../../contract/values';
import type { EditorNode } from '../node-red';
import { configNode, runtimeId } from './subflow';

/** What a request says about its server. */
export interface ServerReference {
  /** The ID by which the runtime knows its node; empty if none is selected. */
  readonly id: string;
  /** What was entered, with the typed credentials, if that is not deployed. */
  readonly content?: object;
}

/** Node-RED's placeholder for a stored secret. */
export const STORED = '__PWRD__';

/**
 * Returns the server that a property selects, as requests of dialogs have it.
 * @param z the flow or subflow of the node that uses it.
 */
export function referenceTo(value: string, z: string): ServerReference {
  const node = configNode(value, z);
  if (!node) return { id: value };
  const isUsable = node.d !== true && !isDeployed(node);
  return isUsable ? referenceWith(node, contentOf(node)) : { id: runtimeId(node) };
}

/** Returns the server of a node with a content that is not deployed. A user who may not change flows uses the deployed one. */
export function referenceWith(node: EditorNode, content: object): ServerReference {
  const id = runtimeId(node);
  return RED.user.hasPermission('stash-server.write') ? { id, content } : { id };
}

/** Returns the entered values that the runtime needs: without secrets that only the runtime knows. */
export function entered(
  node: EditorNode,
  values: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const content = Object.entries(values).map(([name, value]) => [
    name,
    node._def.defaults[name]?.type === undefined ? value : networkChoice(textIn(value), node.z),
  ]);
  return Object.fromEntries(content.filter(([, value]) => value !== STORED)) as Record<string, unknown>;
}

function contentOf(node: EditorNode): Record<string, unknown> {
  const { defaults, credentials = {} } = node._def;
  const known = (node['credentials'] ?? {}) as Readonly<Record<string, unknown>>;
  return entered(node, {
    ...Object.fromEntries(Object.keys(defaults).map((name) => [name, node[name]])),
    ...Object.fromEntries(Object.keys(credentials).map((name) => [name, known[name]])),
  });
}

/** Returns the ID of a TLS configuration or a proxy, or its content if that does not run; empty for none. */
function networkChoice(value: string, z: string): string | object {
  const node = configNode(value, z);
  if (!node) return value === '_ADD_' ? '' : value;
  const { d } = node;
  if (d !== true && isAsDeployed(node)) return runtimeId(node);
  return { ...contentOf(node), id: runtimeId(node), ...(d === true && { d }) };
}

/** Whether Node-RED has a server and what it uses as they are in the editor. */
function isDeployed(node: EditorNode): boolean {
  const { tls, proxy } = node as EditorNode & Record<'tls' | 'proxy', unknown>;
  return [node, ...[tls, proxy].map((value) => configNode(textIn(value), node.z))].every(
    (one) => !one || isAsDeployed(one),
  );
}

/** Whether Node-RED has a node as it is in the editor. */
function isAsDeployed(node: EditorNode): boolean {
  if (node.changed) return false;
  // An undo past a deploy, and an import that replaces a node, leave no mark.
  const deployed = RED.nodes.originalFlow()?.find(({ id }) => id === node.id);
  const textOf = (value: unknown) => JSON.stringify(value);
  return (
    deployed !== undefined &&
    Object.keys(node._def.defaults).every((name) => textOf(node[name]) === textOf(deployed[name]))
  );
}
