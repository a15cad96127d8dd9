import type { Node, NodeAPI, NodeMessage } from 'node-red';
import { KeyedLock, untilAborted } from '../../async';
import { type Call, editorCall, type CallEvent } from '../../call';
import { messageTypes, type TrialLine, type TrialState, type TrialTable } from '../../contract/trial';
import { StashError } from '../../errors';
import { isRecord, isString } from '../../guards';
import type { Server } from '../../server';
import { timing } from '../../timing';
import { withEnvironment } from '../environment';
import { type Evaluate, evaluator, type Properties, readInput, typed } from '../inputs';
import { type Preview, tableOf } from '../preview';
import { findNode, serverNode } from '../server-node';
import { withServer } from '../undeployed-server';
import { addLinesRoute, wholeRefusal, type WriteLine } from './add-route';

/** How the dialog of a node tries its content. */
interface Trial<Input, Result> {
  /** Reads the operation's input, as the node does. */
  inputs: Properties<Input>;
  /** The operation, which changes nothing on the server. */
  run: (server: Server, input: NoInfer<Input>, call: Call) => Promise<Result>;
  /** Returns what the dialog shows of the result. */
  preview: (result: Result, input: Input) => Preview;
}

/** With one server, one trial runs after another, of whichever node. */
const lock = new KeyedLock<Server>();

/**
 * Adds the route `/stash-server/try/<name>`, with which the dialog of the node `stash-<name>` shows what its content gives,
 * deployed or not. It responds with lines: each state of the trial, then a `TrialTable`, or a
 * `Refusal`. No node sends anything.
 *
 * It requires the permission to change flows: the browser decides what is sent and where, and can read the environment of
 * Node-RED.
 */
export function addTrialRoute<Input, Result>(RED: NodeAPI, name: string, trial: Trial<Input, Result>): void {
  addLinesRoute<TrialLine>(RED, { name: `try/${name}`, permission: 'write' }, async (body, write, signal) => {
    const dialog: DialogContent = { ...body, type: `stash-${name}` };
    await withServer(RED, dialog, async (server) => {
      const states = new States(write);
      const end = await tryOut(RED, server, dialog, trial, states, signal)
        .catch((error: unknown) => {
          if (signal.aborted) throw error;
          const refusal = wholeRefusal(withLimitOfTrial(error), (text) => server.redact(text));
          if (dialog.content === undefined) return refusal;
          // As `refusalOf`: nobody has deployed the address.
          const { text: _, ...details } = refusal.details;
          return { ...refusal, details };
        })
        .finally(() => states.end());
      await write(end);
    });
  });
}

/** Sends the state of a trial to the browser. Repeats it, because a proxy in between may end a response that is silent. */
class States {
  readonly #write: WriteLine<TrialLine>;
  #last: TrialState = 'asking';
  readonly #repeating = setInterval(() => this.send(this.#last), timing.silence);

  constructor(write: WriteLine<TrialLine>) {
    this.#write = write;
  }

  send(state: TrialState): void {
    this.#last = state;
    // A browser that is gone ends the trial by the signal.
    this.#write({ state }).catch(() => undefined);
  }

  end(): void {
    clearInterval(this.#repeating);
  }
}

async function tryOut<Input, Result>(
  RED: NodeAPI,
  server: Server,
  dialog: DialogContent,
  { inputs, run, preview }: Trial<Input, Result>,
  states: States,
  signal: AbortSignal,
): Promise<TrialTable> {
  if (lock.isLocked(server)) states.send('queued');
  return await lock.run(server, signal, async (release) => {
    const { config, evaluate } = await readableDialog(RED, dialog);
    const input = await untilAborted(readInput(inputs, config, evaluate), signal);
    let start = performance.now();
    const report = (event: CallEvent) => {
      if (!('queue' in event)) return;
      // The queue may take minutes, and spaces the requests itself.
      if (event.queue !== 'asking') release();
      start = performance.now();
      states.send(event.queue);
    };
    states.send('asking');
    const result = await run(server, input, { ...editorCall(signal), report });
    const milliseconds = Math.round(performance.now() - start);
    return { ...tableOf(preview(result, input), (text) => server.redact(text)), milliseconds };
  });
}

/** Replaces the error of a request that took too long for a dialog: the time limits of the server are longer. */
function withLimitOfTrial(error: unknown): unknown {
  const seconds = timing.editor / 1000;
  const isOfTrial = error instanceof StashError && error.case === 'TIMEOUT.noAnswer';
  if (!isOfTrial || error.details['seconds'] !== seconds) return error;
  return new StashError('TIMEOUT.test', { details: { seconds } });
}

/** The content of a dialog that was not deployed, as the browser sends it: any JSON. */
export interface DialogContent {
  type: string;
  /** The ID of the selected server, and its content if that is not deployed. */
  id?: unknown;
  content?: unknown;
  /** The ID of the node. */
  node?: unknown;
  /** What a flow file would have. */
  properties?: unknown;
  /** Values of properties of a message, such as `{ property: 'payload', value: 'Robin', type: 'str' }`. */
  message?: unknown;
}

/** The most values of the message: more than a dialog has inputs. */
const MOST_VALUES = 50;

/**
 * Prepares the properties of a dialog for reading, as if its node had received the message. Context and environment are those
 * of the deployed node. A node that is not deployed has no flow: the global context and the environment of Node-RED are left, and
 * without a deployed server only the environment.
 * @throws {StashError} BAD_INPUT for a wrong value of the message.
 */
export async function readableDialog(RED: NodeAPI, dialog: DialogContent) {
  const own = isString(dialog.node) ? findNode(RED, dialog.node, dialog.type) : undefined;
  const node = own ?? (isString(dialog.id) ? serverNode(RED, dialog.id) : undefined);
  const properties = withEnvironment(RED, node, dialog.properties);
  const config = isRecord(properties) ? properties : {};
  const msg = await messageOf(RED, node, dialog.message);
  const evaluateInNode = evaluator(RED, node as Node, msg);
  const evaluate: Evaluate = async (value, type, item) => {
    const missing = contextsIn(value, type).find(({ context }) => !(context === 'flow' ? own : node));
    if (missing) throw new StashError('BAD_INPUT.notDeployed', { details: { source: missing.source } });
    return await evaluateInNode(value, type, item);
  };
  return { config, evaluate };
}

/** Returns the contexts that a value reads. An expression finds an empty one where there is none. */
function contextsIn(value: string, type: string): { context: string; source: string }[] {
  if (type === 'flow' || type === 'global') return [{ context: type, source: `${type}.${value}` }];
  if (type !== 'jsonata') return [];
  return [...value.matchAll(/\$(flow|global)Context\b/g)].map(([source, context = '']) => ({
    context,
    source,
  }));
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
