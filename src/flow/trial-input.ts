import type { Node, NodeAPI, NodeMessage } from 'node-red';
import { messageTypes } from '../contract/trial';
import { StashError } from '../errors';
import { isRecord, isString } from '../guards';
import { withEnvironment } from './environment';
import { findNode } from './find-node';
import { type Config, type Evaluate, evaluator, typed } from './inputs';
import { serverNode } from './server-node';

/** The content of a dialog that was not deployed, as the browser sends it: any JSON. */
export interface DialogContent {
  /** The type of the node. */
  type: string;
  /** The ID of the selected server. */
  id?: unknown;
  /** The ID of the node. */
  node?: unknown;
  /** What a flow file would have. */
  properties?: unknown;
  /** Values of properties of a message, such as `{ property: 'payload', value: 'Robin', type: 'str' }`. */
  message?: unknown;
}

/** The most values of the message: more than a dialog has inputs. */
const MOST_VALUES = 50;

/** The properties of a dialog, and what evaluates them. */
interface ReadableDialog {
  config: Config;
  evaluate: Evaluate;
}

/**
 * Prepares the properties of a dialog for reading, as if its node had received the message. Context and environment are those
 * of the deployed node. A node that is not deployed has no flow: the global context and the environment of Node-RED are left.
 * @throws {StashError} BAD_INPUT for a wrong value of the message.
 */
export async function readableDialog(RED: NodeAPI, dialog: DialogContent): Promise<ReadableDialog> {
  const own = isString(dialog.node) ? findNode(RED, dialog.node, dialog.type) : undefined;
  const node = own ?? (isString(dialog.id) ? serverNode(RED, dialog.id) : undefined);
  const properties = withEnvironment(RED, node, dialog.properties);
  const config = isRecord(properties) ? properties : {};
  const msg = await messageOf(RED, node, dialog.message);
  const evaluateInNode = evaluator(RED, node as Node, msg);
  const evaluate: Evaluate = async (value, type) => {
    if (type === 'flow' && !own) {
      throw new StashError('BAD_INPUT.notDeployed', { details: { source: `flow.${value}` } });
    }
    return await evaluateInNode(value, type);
  };
  return { config, evaluate };
}

/** Makes a message of the values in a dialog. An empty property stands for the whole message. */
async function messageOf(RED: NodeAPI, node: Node | undefined, values: unknown): Promise<NodeMessage> {
  const msg: NodeMessage = { _msgid: RED.util.generateId() };
  const evaluate = evaluator(RED, node as Node, msg);
  for (const one of [values].flat().filter(isRecord).slice(0, MOST_VALUES)) {
    const property = isString(one['property']) ? one['property'] : '';
    const name = property === '' ? 'msg' : `msg.${property}`;
    const input = typed(name, { value: '', type: 'str' }, messageTypes, (result, details) => {
      if (property !== '') RED.util.setMessageProperty(msg, property, result, true);
      else if (isRecord(result)) Object.assign(msg, result);
      else throw new StashError('BAD_INPUT.notObject', { details });
    });
    await input.read({ [name]: one['value'], [`${name}Type`]: one['type'] }, evaluate);
  }
  return msg;
}
