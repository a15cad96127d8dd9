import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import type { State, Walkthrough } from '../browser/walkthrough';
import type { FakeStash } from '../fake-stash/fake-stash';
import type { CheckedServer } from './checked-server';
import type { Message as CallOfMessage } from './connect';
import { Flow, type Message } from './flow';
import { helper } from './runtime';

/** What the tests of all nodes need to know of one: `test/nodes/<name>.ts` exports it as `sample`. */
export interface Sample {
  /** Its row in the README's table of nodes: what it does, and what `msg.payload` is then. */
  readme: { does: string; payload: string };
  /** The fields that its dialog offers, as its operation has them. */
  fields?: readonly string[];
  /** Its checkboxes for what a server can do besides, as its operation has them. */
  checkboxes?: readonly string[];
  /** The release that has one of these first, where not every release has it. */
  since?: Readonly<Record<string, string>>;
  /** The input for a node fresh from the palette, and the code of the error in which that ends. */
  asDragged?: { payload?: unknown; code?: string };
  /** Columns of the table of releases: what can be said of the node with a server. */
  releases: Readonly<Record<string, (stash: FakeStash) => Promise<string>>>;
  /** Runs its operation in every way, so that each of its documents is validated against a schema. */
  documents: Readonly<Record<string, AskAll>>;
  /** From the palette to the answer, in a browser. */
  byHand: Walkthrough;
  /** The states in which its dialog shows rows or texts that it does not show otherwise. */
  states?: State[];
}

type AskAll = (server: CheckedServer, call: CallOfMessage) => Promise<void>;

/** What a node receives, and what its result must hold to count. */
interface ColumnCheck {
  /** What goes on at the server, until the message has come to its end. */
  before?: (stash: FakeStash) => void;
  after?: (stash: FakeStash) => void;
  /** Each way to send the request. */
  ways: { properties: object; msg?: object }[];
  holds: (msg: Message, stash: FakeStash) => void;
  /** What the answer has not that others have, beside what it names itself. */
  lacks?: (msg: Message) => string[];
}

/** Runs a node in each way, for a column of the table of releases. */
export function releaseColumn(type: string, { before, after, ways, holds, lacks }: ColumnCheck) {
  return async (stash: FakeStash): Promise<string> => {
    let cell = 'works';
    for (const { properties, msg } of ways) {
      before?.(stash);
      const flow = await Flow.start({ type, properties, server: { url: stash.url, pause: 0 } });
      const end = await flow.ask(msg);
      await helper.unload();
      after?.(stash);
      // Before v0.8.0 a job that comes while another runs is dropped.
      while (stash.jobs.queue !== null) await sleep(5);
      if (end.msg.error) return end.msg.error.code ?? '';
      holds(end.msg, stash);
      const missing = [...(lacks?.(end.msg) ?? []), ...(end.msg.stash?.missing ?? [])];
      if (missing.length > 0) cell = `without ${missing.join(', ')}`;
    }
    return cell;
  };
}

/** Runs it with the built-in scraper, and with another one where the server offers a choice. */
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

/** The answer is a job that was started. */
export function isJob({ payload }: Message, stash: FakeStash): void {
  const { id, status } = payload as { id: string | null; status: string };
  assert.deepEqual([id === null, status], [!stash.quirks.queuesJobs, 'STARTED']);
}
