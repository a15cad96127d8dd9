import type { NodeAPI } from 'node-red';
import { untilAborted } from '../../async';
import { type Call, editorCall, type News } from '../../call';
import type { TrialLine, TrialState, TrialTable } from '../../contract/trial';
import { StashError } from '../../errors';
import type { Server } from '../../server';
import { timing } from '../../timing';
import { type Properties, readInput } from '../inputs';
import { type Preview, tableOf } from '../preview';
import { connectionOf } from '../server-node';
import { type DialogContent, readableDialog } from '../trial-input';
import { wholeRefusal } from './refusal';
import { addLinesRoute, type WriteLine } from './route';
import { ServerTurns } from './server-turns';

/** How the dialog of a node tries its content. */
interface Trial<Input, Result> {
  /** Reads the operation's input, as the node does. */
  inputs: Properties<Input>;
  /** The operation, which changes nothing on the server. */
  run: (server: Server, input: NoInfer<Input>, call: Call) => Promise<Result>;
  /** Returns what the dialog shows of the result. */
  preview: (result: Result) => Preview;
}

/** The trials of all nodes take turns. */
const turns = new ServerTurns();

/**
 * Adds the route `/stash-server/try/<name>`, with which the dialog of the node `stash-<name>` shows what its content gives,
 * deployed or not. It responds with lines: each state of the trial, then a `TrialTable`, or a
 * `Refusal`. No node sends anything.
 *
 * It sends requests only to a deployed server, but requires the permission to change flows: the browser decides what is sent,
 * and can read the environment of Node-RED.
 */
export function addTrialRoute<Input, Result>(RED: NodeAPI, name: string, trial: Trial<Input, Result>): void {
  addLinesRoute<TrialLine>(RED, { name: `try/${name}`, permission: 'write' }, async (body, write, signal) => {
    const dialog: DialogContent = { ...body, type: `stash-${name}` };
    const server = connectionOf(RED, dialog.id);
    const states = new States(write);
    const end = await tryOut(RED, server, dialog, trial, states, signal)
      .catch((error: unknown) => {
        if (signal.aborted) throw error;
        return wholeRefusal(withLimitOfTrial(error), (text) => server.redact(text));
      })
      .finally(() => {
        states.end();
      });
    await write(end);
  });
}

/** Tells the browser the state of a trial. Repeats it, because a proxy in between may end a response that is silent. */
class States {
  readonly #write: WriteLine<TrialLine>;
  #last: TrialState = 'asking';
  readonly #repeating = setInterval(() => {
    this.tell(this.#last);
  }, timing.silence);

  constructor(write: WriteLine<TrialLine>) {
    this.#write = write;
  }

  tell(state: TrialState): void {
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
  if (turns.isTaken(server)) states.tell('queued');
  return await turns.run(server, signal, async (release) => {
    const { config, evaluate } = await readableDialog(RED, dialog);
    const input = await untilAborted(readInput(inputs, config, evaluate), signal);
    let start = performance.now();
    const report = (news: News) => {
      if (!('queue' in news)) return;
      // The queue may take minutes, and spaces the requests itself.
      if (news.queue !== 'asking') release();
      start = performance.now();
      states.tell(news.queue);
    };
    states.tell('asking');
    const result = await run(server, input, { ...editorCall(signal), report });
    const milliseconds = Math.round(performance.now() - start);
    return { ...tableOf(preview(result), (text) => server.redact(text)), milliseconds };
  });
}

/** Replaces the error of a request that took too long for a dialog: the time limits of the server are longer. */
function withLimitOfTrial(error: unknown): unknown {
  const seconds = timing.editor / 1000;
  const isOfTrial = error instanceof StashError && error.case === 'TIMEOUT.noAnswer';
  if (!isOfTrial || error.details['seconds'] !== seconds) return error;
  return new StashError('TIMEOUT.test', { details: { seconds } });
}
