import type { Node, NodeAPI } from 'node-red';
import { joinSentences } from '../../contract/sentences';
import type { Code, ErrorCase, StashError } from '../../errors';
import { jobValues, type UnfinishedUpdate } from '../../records';
import { redact } from '../../redact';
import type { AbandonedJob, Server } from '../../server';
import { CATALOGUE, redactedValues, sharedText } from './catalogue';

/** Describes an error in the runtime's language, with redacted details. */
export function describeError(RED: NodeAPI, error: StashError) {
  const { property } = error.details;
  const details = {
    ...redactedValues(error.details),
    ...(typeof property === 'string' && { property: fieldLabel(RED, property) }),
  };
  const words = `${CATALOGUE}errors.${error.case}`;
  const remedy = RED._(`${words}.remedy`, details);
  const preface = error.preface ? [sharedText(RED, `preface.${error.preface}`)] : [];
  return { message: joinSentences(...preface, RED._(`${words}.text`, details), remedy), remedy };
}

/** Returns the label of an error for the status under a node: at most 20 characters. A case may have one of its own. */
export function errorLabel(RED: NodeAPI, which: Code | ErrorCase): string {
  const label = RED._(`${CATALOGUE}errors.${which}.label`);
  // Node-RED returns the key if there are no words for it.
  return label.endsWith('.label') ? sharedText(RED, `errors.${which.split('.', 1)[0] as Code}.label`) : label;
}

/** The values that nodes keep in a context store, by their keys there. */
export type StoredKey = 'rateLimiter' | 'positions' | 'jobs' | 'heard';

const STORES = {
  rateLimiter: 'rateLimiterStore.failed',
  positions: 'positionStore.failed',
  jobs: 'jobStore.failed',
  heard: 'heardStore.failed',
} as const;

/** Returns the warning for a failure of the context store. */
export function textOfStore(RED: NodeAPI, key: StoredKey, store: string, error: unknown): string {
  const values = { store: redact(store), reason: redact(String(error)) };
  return sharedText(RED, STORES[key], values);
}

/** Returns the warning about a job that a pause has stopped, and that is not started again now. */
export function textOfAbandoned(RED: NodeAPI, { record, isPersisted }: AbandonedJob): string {
  const { job, description } = jobValues(record);
  const values = { job, description: redact(description) };
  return sharedText(RED, isPersisted ? 'interrupted.kept' : 'interrupted.lost', values);
}

/** Returns the label in the dialog for a property of the flow file; the property itself if there is none. */
function fieldLabel(RED: NodeAPI, property: string): string {
  const keys = [`field.${property}`, `fields.${property}`, `${CATALOGUE}field.${property}`];
  // Node-RED returns the key if there are no words for it.
  return keys.map((key) => RED._(key)).find((label) => !label.endsWith(`.${property}`)) ?? property;
}

/** An error as a node reports it, in the runtime's language. */
export interface Report {
  /** For `done` and `node.error`. */
  error: Error;
  /** For `msg.stash`. */
  facts: {
    /** Which node failed, on which server, and the text of the error. */
    summary: string;
    error: { code: Code; status: number | null; remedy: string; retry: boolean };
  };
}

/** What the label of a node is made of. */
type Labelled = Pick<Node, 'name' | 'type'>;

/**
 * Renders an error for `msg.stash`, Catch nodes and the log.
 * @param node what reports it. @param update what an update had done before it.
 */
export function reportOf(
  RED: NodeAPI,
  thrown: StashError,
  {
    node,
    server,
    update,
  }: { node: Labelled; server?: Server | undefined; update?: UnfinishedUpdate | undefined },
): Report {
  const { code, status, retry } = thrown;
  const { message, remedy } = describeError(RED, thrown);
  const text = joinSentences(message, ...soFar(RED, update));
  // A notification is read without the flow, and without the other server's notifications.
  const summary = joinSentences(failureOf(RED, node, server), text);
  return {
    error: new Sentence(text, code) as unknown as Error,
    facts: { summary, error: { code, status, remedy, retry } },
  };
}

/** Returns the sentence that a node failed, by its label in the flow. */
function failureOf(RED: NodeAPI, { name, type }: Labelled, server?: Server): string {
  const key = `@stash-flows/node-red-stash/${type.replace('stash-', '')}:node`;
  const node = redact(name || RED._(key));
  return server
    ? sharedText(RED, 'preface.failedOnServer', { node, server: server.name })
    : sharedText(RED, 'preface.failed', { node });
}

/** How many created items a sentence names. */
const MOST_NAMED = 5;

/** Returns the sentence about what an update had done; none if that is nothing. */
function soFar(RED: NodeAPI, update?: UnfinishedUpdate): string[] {
  if (!update) return [];
  const { ids, created, gone, uncertain, remaining } = update;
  if ([ids, created, gone, uncertain].every(({ length }) => length === 0)) return [];
  const names = created.slice(0, MOST_NAMED).map(({ name }) => name);
  if (created.length > names.length) names.push('…');
  const separator = sharedText(RED, 'details.separator');
  const counted = (key: 'gone' | 'uncertain' | 'remaining', { length: count }: readonly unknown[]) =>
    count > 0 ? [sharedText(RED, `soFar.${key}`, { count })] : [];
  const named = redactedValues({ names: names.join(separator) }) as { names: string };
  const parts = [
    ...(names.length > 0 ? [sharedText(RED, 'soFar.created', named)] : []),
    ...counted('gone', gone),
    ...counted('uncertain', uncertain),
    ...counted('remaining', remaining),
  ];
  const details = parts.length > 0 ? sharedText(RED, 'details.all', { list: parts.join(separator) }) : '';
  return [sharedText(RED, 'soFar.text', { count: ids.length, details })];
}

/**
 * A text with a code, used instead of an `Error`. The debug sidebar folds an `Error` and cuts its text after 30 characters,
 * and a plain text after 80. It shows a value in full if its constructor is called `RegExp`. A Catch node reads `toString()`
 * and an own `code` of each of them.
 */
class Sentence extends String {
  static override readonly name = 'RegExp';
  readonly code: Code;

  constructor(text: string, code: Code) {
    super(text);
    this.code = code;
  }
}
