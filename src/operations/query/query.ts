import type { Call, JobOptions } from '../../call';
import { StashError } from '../../errors';
import type { JobRecord, StartedJob } from '../../records';
import {
  type CheckedDocument,
  type Operation,
  readId,
  type RootField,
  type Server,
  uncheckedDocument,
} from '../../server';
import { reportedJob } from '../tasks';
import { lookUpIn } from './look-up';
import { firstPageOf, pagesOf, type SendValues } from './pages';

/** A question to the server, or a change, in GraphQL. */
export interface QueryInput extends Partial<JobOptions> {
  /** One query or mutation. */
  document: string;
  /** Values of its variables. Those that it does not declare are not sent. */
  variables: Readonly<Record<string, unknown>>;
  /** Whether to request page by page, through its variables of type FindFilterType. */
  pages: boolean;
  perPage: number;
  /** Whether data beside errors is a result. */
  partial: boolean;
}

export interface QueryAnswer {
  /** The first root field. */
  operation: string;
  type: CheckedDocument['type'];
  /** `data` of the response, with secrets masked. */
  data: Readonly<Record<string, unknown>>;
  /** The texts of errors beside the data, at most ten. */
  errors?: readonly string[];
  /** The job that a mutation has started, or its record when it has ended. */
  job?: StartedJob | JobRecord;
  /** Which page it is, counted from 0. The last one has the number of all pages. */
  part?: { index: number; count?: number };
}

/** Mutations that respond when a copy of the database has been made. */
const BACKUPS = ['backupDatabase', 'anonymiseDatabase'];

/** Tasks without the type `ID!`: in some releases (`stashBoxBatch…`), and where the schema is unknown. */
const TASKS = /^(metadata|stashBoxBatch)[A-Z]/;

/**
 * Sends a document of the user; with `pages` once for each page, the next one when the last one was taken.
 * @throws {StashError} BAD_INPUT for a document or variables that the server would refuse; otherwise as `Server.request`, as
 * `Server.lookUp` for a document that makes the server call an external site, and as `runTask` for one that starts a job.
 */
export function query(
  server: Server,
  input: QueryInput,
  call: Call,
): Promise<QueryAnswer> | AsyncIterable<QueryAnswer, void> {
  return input.pages ? sendPages(server, input, call) : sendOnce(server, input, call);
}

/**
 * Sends a document of the user that changes nothing; with `pages` only for the first page.
 * @throws {StashError} BAD_INPUT for a mutation or a subscription, before anything is sent; otherwise as `query`.
 */
export async function tryQuery(server: Server, input: QueryInput, call: Call): Promise<QueryAnswer> {
  if ((await uncheckedDocument(input.document)).type !== 'query') throw new StashError('BAD_INPUT.mutation');
  const { document, send } = await checked(server, input, call);
  return await (input.pages ? firstPageOf(document, input, send) : send(input.variables));
}

async function sendOnce(server: Server, input: QueryInput, call: Call): Promise<QueryAnswer> {
  const { send } = await checked(server, input, call);
  return await send(input.variables);
}

async function* sendPages(server: Server, input: QueryInput, call: Call): AsyncGenerator<QueryAnswer, void> {
  const { document, send } = await checked(server, input, call);
  yield* pagesOf(document, input, send);
}

/** Checks the document. @returns also what sends it with values. */
async function checked(server: Server, input: QueryInput, call: Call) {
  const document = await server.client.checkDocument(input.document, call);
  call.report?.({ operation: rootFieldOf(document) });
  const send: SendValues<QueryAnswer> = (values) =>
    sendDocument(server, document, document.valuesOf(values), input, call);
  return { document, send };
}

async function sendDocument(
  server: Server,
  document: CheckedDocument,
  variables: Readonly<Record<string, unknown>>,
  input: QueryInput,
  call: Call,
): Promise<QueryAnswer> {
  const { rootFields, type } = document;
  const lookUp = lookUpIn(document, variables);
  let errors: readonly string[] | undefined;
  const operation: Operation<QueryAnswer['data']> = {
    rootField: rootFieldOf(document),
    document: document.text,
    ...(document.variables.length > 0 && { variables }),
    isWhole: true,
    runsBeforeMigration: !rootFields.some((field) => field.name !== 'migrate' && startsJob(field)),
    ...(input.partial && { onErrors: (texts: readonly string[]) => (errors = texts) }),
    read: (data) => data as QueryAnswer['data'],
  };
  const answered = (data: QueryAnswer['data']): QueryAnswer => ({
    operation: operation.rootField,
    type,
    data,
    ...(errors && { errors }),
  });
  if (type === 'query') {
    const build = () => operation;
    if (!lookUp) return answered(await server.request({ kind: 'query', call, build }));
    return answered(await server.lookUp({ ...lookUp, call }, (sendThrottled) => sendThrottled(build)));
  }
  const [field, ...others] = rootFields;
  if (field && others.length === 0 && startsJob(field)) {
    let data: QueryAnswer['data'] = {};
    const start = {
      call,
      // The server's own description of an arbitrary job is unknown, so a lost one is never adopted.
      description: field.name,
      build: (): Operation<string | null> => ({
        ...operation,
        read: (value) => {
          data = operation.read(value);
          return readId(data[field.responseName]);
        },
      }),
    };
    const job = await reportedJob(server, start, input);
    return { ...answered(data), job };
  }
  const kind = rootFields.some(({ name }) => BACKUPS.includes(name)) ? 'backup' : 'mutation';
  return answered(await server.request({ kind, call, build: () => operation }));
}

/** Whether a mutation starts a job. Tasks are the only mutations that always respond with an ID. */
export function startsJob({ name, type }: RootField): boolean {
  return type === null ? TASKS.test(name) : type === 'ID!' || (TASKS.test(name) && name.startsWith('stash'));
}

/** Returns the name of the document's first root field. */
function rootFieldOf({ rootFields }: CheckedDocument): string {
  return (rootFields[0]?.name ?? 'query').slice(0, 100);
}
