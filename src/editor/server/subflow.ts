import { joinSentences } from '../../contract/sentences';
import { variableIn } from '../../contract/values';
import type { EditorNode, SubflowVariable } from '../node-red';
import { words } from '../words';

/** The part of a node that says where it is. */
type Placed = Pick<EditorNode, 'id' | 'z'>;

/** An enabled instance of a subflow. */
interface Instance {
  /** The ID by which the runtime knows it. */
  id: string;
  /** The flow or subflow that has it. */
  z: string;
  variables: readonly SubflowVariable[];
}

/**
 * Returns the ID by which the runtime knows a node. A node of a subflow runs once for each instance, with the ID of the
 * instance before its own; this is the one of the first instance. Without an instance, it is the node's own.
 */
export function runtimeId({ id, z }: Placed): string {
  const instance = firstInstance(z);
  return instance ? `${instance.id}-${id}` : id;
}

/**
 * Returns the config node that a property selects.
 * @param value its ID, or in a subflow `${NAME}`, for which each instance has the ID.
 * @param z the flow or subflow of the node that uses it.
 */
export function configNode(value: string, z: string): EditorNode | undefined {
  const name = variableIn(value);
  if (name === undefined) return RED.nodes.node(value) ?? undefined;
  const instance = firstInstance(z);
  const chosen = instance?.variables.find((variable) => variable.name === name);
  return instance && chosen ? configNode(String(chosen.value), instance.z) : undefined;
}

/** Says that a server is not deployed. */
export function undeployedText(): string {
  return withSubflow(words('server:capabilities.undeployed'));
}

/**
 * Returns a text about what a dialog lacks; in a subflow also what the dialog uses.
 * @param language another one than that of the editor.
 */
export function withSubflow(text: string, language?: { lng: string }): string {
  const [edited] = RED.editor.getEditStack().slice(-1);
  return edited && RED.nodes.subflow(edited.z)
    ? joinSentences(text, words('server:capabilities.subflow', language))
    : text;
}

/** Returns the first enabled instance of a subflow; undefined without one, and for a flow. */
function firstInstance(z: string): Instance | undefined {
  const subflow = RED.nodes.subflow(z);
  if (!subflow) return undefined;
  let first: Instance | undefined;
  RED.nodes.eachNode((node) => {
    if (first || node.type !== `subflow:${z}` || node.d || RED.nodes.workspace(node.z)?.disabled) return;
    // A subflow without an instance has no nodes in the runtime.
    if (RED.nodes.subflow(node.z) && !firstInstance(node.z)) return;
    // Those of the instance come first, because they replace the defaults.
    const variables = [...(node.env ?? []), ...(subflow.env ?? [])];
    first = { id: runtimeId(node), z: node.z, variables };
  });
  return first;
}
