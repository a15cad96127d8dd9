import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import type { State, Walkthrough } from '../browser/walkthrough';
import type { Case, Special } from '../contract/stage';
import type { FakeStash } from '../fake-stash/fake-stash';
import type { StartedJob } from '../../src/records';
import type { CheckedServer } from './checked-server';
import type { Message as CallOfMessage } from './connect';
import { Flow, type Message } from './flow';
import { helper } from './runtime';

/** The data that tests need about a node. `test/nodes/<name>/sample.ts` exports it. */
export interface Sample {
  /** What it does, as the README says. */
  readme: string;
  /** The fields in its dialog, with the names of its operation. */
  fields?: readonly string[];
  /** The checkboxes for options of the server, with the names of its operation. */
  checkboxes?: readonly string[];
  /** The first release that supports an option, if not every release does. */
  since?: Readonly<Record<string, string>>;
  /** The input of a node fresh from the palette, and the code of the resulting error. */
  asDragged?: { payload?: unknown; code?: string };
  /** What is tried with each release, each with the result for a server: `works`, what is missing, or the code of an error. */
  releases: Readonly<Record<string, (stash: FakeStash) => Promise<string>>>;
  /** Run the operation in every way, so that each document is validated against a schema. */
  documents: Readonly<Record<string, AskAll>>;
  /** The kinds of messages that it sends, for the contract in `test/contract/messages.json`. */
  messages: Readonly<Record<string, Case | Special>>;
  /** The steps from the palette to the result, in a browser. */
  byHand: Walkthrough;
  /** The states in which its dialog shows more rows or texts. */
  states?: State[];
}

type AskAll = (server: CheckedServer, call: CallOfMessage) => Promise<void>;
/** Runs an operation with this input. */
export type Ask<Input> = (server: CheckedServer, call: CallOfMessage, input: Input) => Promise<unknown>;

/** The messages for a node, and the checks of its results. */
interface ColumnCheck {
  /** Prepares the server; `after` restores it when the message has ended. */
  before?: (stash: FakeStash) => void;
  after?: (stash: FakeStash) => void;
  /** The ways to send the request. */
  ways: { properties: object; msg?: object }[];
  holds: (msg: Message, stash: FakeStash) => void;
  /** Returns the parts that are missing in the result, besides those that it lists itself. */
  lacks?: (msg: Message) => string[];
}

/** Runs a node in each way, for a column in the table of releases. */
export function releaseColumn(type: string, { before, after, ways, holds, lacks }: ColumnCheck) {
  return async (stash: FakeStash): Promise<string> => {
    let cell = 'works';
    for (const { properties, msg } of ways) {
      before?.(stash);
      const flow = await Flow.start({ type, properties, server: { url: stash.url, pause: 0 } });
      const end = await flow.ask(msg);
      await helper.unload();
      after?.(stash);
      // The next column begins with an idle server.
      while (stash.jobs.queue !== null) await sleep(5);
      if (end.msg.error) return end.msg.error.code ?? '';
      holds(end.msg, stash);
      const missing = [...(lacks?.(end.msg) ?? []), ...(end.msg.stash?.missing ?? [])];
      if (missing.length > 0) cell = `without ${missing.join(', ')}`;
    }
    return cell;
  };
}

/** Runs a look-up with the built-in scraper, and with another one if the server supports a choice. */
export function forEachSource(
  title: string,
  ask: (source: string, ...from: Parameters<AskAll>) => Promise<void>,
): Record<string, AskAll> {
  const askOf =
    (source: string): AskAll =>
    async (server, call) => {
      if (server.knows(source)) await ask(source, server, call);
    };
  return {
    [`${title}, with the built-in scraper`]: askOf(''),
    [`${title}, with localtest`]: askOf('localtest'),
  };
}

/** Checks that the result is a started job. */
export function isJob({ payload }: Message): void {
  const { id, status } = payload as StartedJob;
  assert.deepEqual([typeof id, status], ['string', 'STARTED']);
}
