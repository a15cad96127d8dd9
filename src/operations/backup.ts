import path from 'node:path';
import { untilAborted } from '../async';
import {
  BackupBuffer,
  BackupFile,
  checkName,
  fillTemplate,
  hasRules,
  isTaken,
  openFolder,
  type ReceivedBackup,
  removeStaleTempFiles,
  type RetentionPolicy,
  rotate,
  safeName,
  schemaOf,
} from '../backups';
import type { Call } from '../call';
import { StashError } from '../errors';
import { isString, nullable, parsed } from '../guards';
import type { Server } from '../server';

const OPERATION = 'backupDatabase';

/** What is to become of a backup. All but the first is about one that is fetched. */
export interface BackupInput {
  /** The backup is fetched, and the server keeps none. */
  download: boolean;
  /** An absolute path, or null: into the message. */
  folder: string | null;
  /** What people named it, as it stands or with the places of a template; null: as the server names it. */
  filename: { text: string; isTemplate: boolean } | null;
  /** One of that name is replaced. */
  overwrite: boolean;
  retention: RetentionPolicy;
  /** SQLite shall look through it, where Node.js has one. */
  quickCheck: boolean;
  /** The most bytes that a message takes. */
  messageLimit: number;
  /** Whose backups these are: the ids of the node and of its config node. */
  owner: { node: string; server: string };
}

/** A backup that was fetched. */
export interface FetchedBackup extends ReceivedBackup {
  filename: string;
  /** The number of the database's schema, where the server's name for the backup tells it. */
  schema: number | null;
  /** Where it is; null of one in the message. */
  path: string | null;
  /** All of it, of one in the message. */
  content: Buffer | null;
  /** The older backups that were removed for it; null where all are kept. */
  removed: readonly string[] | null;
  /** Why some that should have been were not. */
  trouble: string | null;
}

export interface Backup {
  operation: string;
  /** From asking for it to the end. */
  seconds: number;
  /** Null where the server keeps it on its own disk, where nobody can look at it from here. */
  fetched: FetchedBackup | null;
}

/** Makes the server back its database up, and fetches the backup if that is wished. */
export async function backup(server: Server, input: BackupInput, call: Call): Promise<Backup> {
  const start = performance.now();
  const fetched = await makeAndFetch(server, input, call);
  return { operation: OPERATION, seconds: Math.round(performance.now() - start) / 1000, fetched };
}

/** Removes what the node left in its folder when it was stopped amid a backup. @throws {StashError} DISK. */
export async function removeLeftovers(folder: string, node: string): Promise<void> {
  await removeStaleTempFiles(await openFolder(folder), node);
}

async function makeAndFetch(server: Server, input: BackupInput, call: Call): Promise<FetchedBackup | null> {
  const { download, folder } = input;
  if (!download) {
    await requestBackup(server, false, call);
    return null;
  }
  return folder === null ? intoMessage(server, input, call) : intoFolder(server, folder, input, call);
}

async function intoMessage(server: Server, input: BackupInput, call: Call): Promise<FetchedBackup> {
  const nameOf = naming(server, input.filename, new Date());
  nameOf('');
  const link = await requestBackup(server, true, call);
  const about = nameOf(server.downloadName(link));
  const sink = new BackupBuffer(input.messageLimit);
  await server.download({ link, call, sink });
  return { ...about, ...sink.finish(), path: null, removed: null, trouble: null };
}

async function intoFolder(
  server: Server,
  chosen: string,
  input: BackupInput,
  call: Call,
): Promise<FetchedBackup> {
  const { filename, overwrite, quickCheck, retention, owner } = input;
  const { node } = owner;
  const time = new Date();
  const nameOf = naming(server, filename, time);
  const folder = await openFolder(chosen);
  await removeStaleTempFiles(folder, node);
  const checkFree = async (name: string) => {
    if (!filename || !(await isTaken(folder, name, overwrite))) return;
    throw new StashError('DISK.exists', { details: { name, folder } });
  };
  // What is wrong with a name is better known before a backup is made, unless it is a part of the backup's own.
  const early = nameOf('').filename;
  if (!filename?.text.includes('{schema}')) await checkFree(early);
  const link = await requestBackup(server, true, call);
  const { filename: wanted, schema } = nameOf(server.downloadName(link));
  await checkFree(wanted);

  const partial = await BackupFile.create({ folder, node });
  try {
    await server.download({ link, call, sink: partial });
    const check = quickCheck
      ? { signal: AbortSignal.any([call.signal, call.waiting]), seconds: server.backupTimeout }
      : undefined;
    const arrived = await untilAborted(partial.finish(check), call.signal);
    const file = await partial.commit(wanted, { overwrite, mayNumber: filename === null });
    const { bytes, sha256 } = arrived;
    const made = { owner: `${node} ${owner.server}`, file, bytes, sha256, madeAt: time.toISOString() };
    const { removed, trouble } = hasRules(retention)
      ? await rotate(folder, made, retention, call.signal)
      : { removed: null, trouble: null };
    return {
      ...arrived,
      filename: file,
      schema,
      path: path.join(folder, file),
      content: null,
      removed,
      trouble,
    };
  } catch (error) {
    await partial.discard();
    throw error;
  }
}

/** What a backup gets its name from, which throws BAD_INPUT for one that cannot be: the name that the server gave it. */
function naming(server: Server, chosen: BackupInput['filename'], time: Date) {
  return (given: string): { filename: string; schema: number | null } => {
    const schema = schemaOf(given);
    if (!chosen) return { filename: safeName(given), schema };
    const { text, isTemplate } = chosen;
    const name = isTemplate ? fillTemplate(text, { time, server: server.name, schema }) : text;
    return { filename: checkName(name), schema };
  };
}

/** @returns the link to the backup, if it is to be fetched. */
async function requestBackup(server: Server, download: boolean, call: Call): Promise<string> {
  const link = await server
    .request({
      kind: 'backup',
      call,
      build: (schema) => {
        if (!schema.has('Mutation', OPERATION)) throw schema.lacks(OPERATION, 'v0.5.0');
        return {
          rootField: OPERATION,
          document: 'mutation ($input: BackupDatabaseInput!) { backupDatabase(input: $input) }',
          variables: { input: { download } },
          read: parsed(nullable(isString), (link) => link),
        };
      },
    })
    .catch((error: unknown) => {
      throw error instanceof StashError ? refusal(error, download) : error;
    });
  return link ?? '';
}

/** What is known of why servers fail to make a backup, in better words than theirs. */
function refusal(error: StashError, download: boolean): StashError {
  const { code, case: which, details } = error;
  const status = error.status ?? undefined;
  // Of one that is to be fetched the server keeps nothing, so another one does no harm.
  if (code === 'OUTCOME_UNKNOWN' && download) return new StashError(which, { status, details, retry: true });
  if (which !== 'GRAPHQL.failed') return error;
  const text = String(details['text']);
  // "vacuum failed: output file already exists", or "Vacuum failed"; of two that come at the very same time
  // "table schema_migrations already exists" (all releases).
  if (/vacuum failed: .* already exists/i.test(text))
    return new StashError('GRAPHQL.backupTwice', { status, retry: true });
  // v0.29.0 to v0.29.3, where the generated files are on another file system than the database.
  if (/moving database backup failed/.test(text)) {
    return new StashError('GRAPHQL.backupMove', { status, details: { text } });
  }
  return error;
}
