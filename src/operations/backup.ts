import path from 'node:path';
import { sleep, untilAborted } from '../async';
import {
  BackupBuffer,
  BackupFile,
  checkFileName,
  fillTemplate,
  hasRules,
  isTaken,
  lastPictures,
  openFolder,
  picturesIn,
  type ReceivedBackup,
  removeStaleTempFiles,
  type RetentionPolicy,
  rotate,
  safeName,
  schemaOf,
  zipName,
} from '../backups';
import type { Call } from '../call';
import { StashError } from '../errors';
import { isRecord, isString, nullable, parsed } from '../guards';
import type { Requirements, Server } from '../server';
import { timing } from '../timing';

const OPERATION = 'backupDatabase';
const INCLUDE_BLOBS_SINCE = 'v0.31.0';

/** What the dialog offers that not every release has. */
export const backupRequirements: Requirements = {
  includeBlobs: { anyOf: [['BackupDatabaseInput', 'includeBlobs']], since: INCLUDE_BLOBS_SINCE },
};

/** What to do with a backup. All fields but `download` and `includeBlobs` apply only to a backup that is downloaded. */
export interface BackupInput {
  /** Whether to download the backup; the server then removes its own. Otherwise the server keeps it on its own disk. */
  download: boolean;
  /** Whether to add the pictures, if Stash keeps them as files beside the database. */
  includeBlobs: boolean;
  /** The absolute path of the folder for the backup; null for a backup into the message. */
  folder: string | null;
  /** The file name, which may be a template for `fillTemplate`; null for the name that the server gives. */
  filename: { text: string; isTemplate: boolean } | null;
  /** Whether to replace a file of the same name. */
  overwrite: boolean;
  /** Which older backups stay in the folder. */
  retention: RetentionPolicy;
  /** Whether to run `PRAGMA quick_check` on a backup in a folder, if Node.js has SQLite (since 22.13). */
  quickCheck: boolean;
  /** The limit of a backup into the message, in bytes. */
  messageLimit: number;
  /** The ids of the node and of its config node. Retention removes only backups of the same pair. */
  owner: { node: string; server: string };
}

export interface FetchedBackup extends ReceivedBackup {
  /** Its name, without folder. */
  filename: string;
  /** The version of the database's schema; null if the server's name for the backup does not contain it. */
  schema: number | null;
  /** The absolute path of the file; null for a backup in the message. */
  path: string | null;
  /** The bytes of a backup in the message; null for a backup in a folder. */
  content: Buffer | null;
  /**
   * Whether it was to have the pictures and has none of them, or under half of those of the last one; it then counts as a backup
   * without them.
   */
  lacksPictures: boolean;
  /** How many pictures the last backup with them had; 0 if there is none. */
  lastPictures: number;
  /** The names of the older backups that retention removed; null if no retention rule is set. */
  removed: readonly string[] | null;
  /** Why retention failed in part, as in `Rotation`; null if nothing failed. */
  trouble: string | null;
}

export interface Backup {
  /** The root field of the request. */
  operation: string;
  /** From the start to the end of everything, with download and checks, but without the rest after a failed backup. */
  seconds: number;
  /** Null if the server wrote the backup to its own disk, where it cannot be checked. */
  fetched: FetchedBackup | null;
}

/**
 * Backs up the server's database (`backupDatabase`), then downloads and checks the backup if the input says so.
 * @throws {StashError} as `Server.request` and `Server.download`; BAD_INPUT for a file name that cannot be used; DISK;
 * BACKUP_INVALID; TOO_LARGE; TIMEOUT.check.
 * @throws the reason of the call's signals. No part of the backup stays in the folder then.
 */
export async function backup(server: Server, input: BackupInput, call: Call): Promise<Backup> {
  let start = performance.now();
  let isRequested = false as boolean;
  const request = async () => {
    const requestedAt = performance.now();
    const rest = (failedAt.get(server) ?? -Infinity) + timing.downloads.rest - requestedAt;
    if (rest > 0) await sleep(rest, call.waiting);
    start += performance.now() - requestedAt;
    isRequested = true;
    return await requestBackup(server, input, call);
  };
  try {
    let fetched: FetchedBackup | null = null;
    if (!input.download) await request();
    else if (input.folder === null) fetched = await intoMessage(server, input, request, call);
    else fetched = await intoFolder(server, input.folder, input, request, call);
    return { operation: OPERATION, seconds: Math.round(performance.now() - start) / 1000, fetched };
  } catch (error) {
    if (isRequested) failedAt.set(server, performance.now());
    throw error;
  }
}

/** Makes the server make a backup. `link` is empty without `download`; `hasBlobs`: it is to be an archive with the pictures. */
type RequestBackup = () => Promise<{ link: string; hasBlobs: boolean }>;

/** When the last backup of a server failed. A flow that sends each failed message again must not fill the disk of the server. */
const failedAt = new WeakMap<Server, number>();

/** Checks that a backup can be saved to a folder. @throws {StashError} DISK. */
export async function checkFolder(folder: string): Promise<void> {
  await openFolder(folder);
}

/** Removes the temp files that a node left in its folder because Node-RED ended during a backup. @throws {StashError} DISK. */
export async function removeLeftovers(folder: string, node: string): Promise<void> {
  await removeStaleTempFiles(await openFolder(folder), node);
}

async function intoMessage(
  server: Server,
  input: BackupInput,
  request: RequestBackup,
  call: Call,
): Promise<FetchedBackup> {
  const nameOf = naming(server, input.filename, new Date());
  nameOf('', input.includeBlobs);
  const { link, hasBlobs } = await request();
  const given = server.downloadName(link);
  const sink = new BackupBuffer(input.messageLimit);
  await server.download({ link, call, sink });
  const arrived = await sink.finish(call.signal);
  const lacksPictures = hasBlobs && !arrived.pictures;
  const about = nameOf(given, arrived.pictures !== null);
  return { ...about, ...arrived, path: null, lacksPictures, lastPictures: 0, removed: null, trouble: null };
}

async function intoFolder(
  server: Server,
  chosen: string,
  input: BackupInput,
  request: RequestBackup,
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
  // Checks the name before the server makes the backup. Only `{schema}` is not known until then.
  const early = nameOf('', input.includeBlobs).filename;
  if (!filename?.text.includes('{schema}')) await checkFree(early);
  const { link, hasBlobs } = await request();
  const given = server.downloadName(link);
  await checkFree(nameOf(given, hasBlobs).filename);

  const partial = await BackupFile.create({ folder, node });
  try {
    await server.download({ link, call, sink: partial });
    // `call.waiting` only now: a reset during the download must not end the check.
    const signal = AbortSignal.any([call.signal, call.waiting]);
    const check = { signal, seconds: server.backupTimeout, quickCheck };
    const arrived = await untilAborted(partial.finish(check), call.signal);
    const { bytes, sha256 } = arrived;
    const { filename: wanted, schema } = nameOf(given, arrived.pictures !== null);
    const pictures = arrived.pictures ?? 0;
    const maker = `${node} ${owner.server}`;
    // Without rules, nothing is known but the file that the backup would replace.
    const known = hasRules(retention) ? await lastPictures(folder, maker) : 0;
    const last = known > 0 || !overwrite ? known : await picturesIn(path.join(folder, wanted));
    const hasPictures = pictures > 0 && 2 * pictures >= last;
    const lacksPictures = hasBlobs && !hasPictures;
    // A backup without the pictures must never displace the only one with them.
    const file = await partial.commit(wanted, {
      overwrite: overwrite && !lacksPictures,
      mayNumber: filename === null || (overwrite && lacksPictures),
    });
    const madeAt = time.toISOString();
    const made = { owner: maker, pictures, hasPictures, file, bytes, sha256, madeAt };
    const { removed, trouble } = hasRules(retention)
      ? await rotate(folder, made, retention, call.signal)
      : { removed: null, trouble: null };
    return {
      ...arrived,
      filename: file,
      schema,
      path: path.join(folder, file),
      content: null,
      lacksPictures,
      lastPictures: last,
      removed,
      trouble,
    };
  } catch (error) {
    await partial.discard();
    throw error;
  }
}

/** Returns a function from the server's name for the backup to its final name. It throws BAD_INPUT for an unusable name. */
function naming(server: Server, chosen: BackupInput['filename'], time: Date) {
  return (given: string, isArchive: boolean): { filename: string; schema: number | null } => {
    const schema = schemaOf(given);
    const completed = (name: string) => (isArchive ? zipName(name) : name);
    if (!chosen) return { filename: safeName(completed(given)), schema };
    const { text, isTemplate } = chosen;
    const name = isTemplate ? fillTemplate(text, { time, server: server.name, schema }) : text;
    return { filename: checkFileName(completed(name)), schema };
  };
}

async function requestBackup(
  server: Server,
  { download, includeBlobs: isWanted }: BackupInput,
  call: Call,
): ReturnType<RequestBackup> {
  // A server that keeps its pictures in the database backs them up with it, and ignores the option.
  const includeBlobs = isWanted && (await blobStorage(server, call)) !== 'DATABASE';
  const link = await server
    .request({
      kind: 'backup',
      call,
      build: (schema) => {
        if (!schema.has('Mutation', OPERATION)) throw schema.lacks(OPERATION);
        if (includeBlobs && !schema.has('BackupDatabaseInput', 'includeBlobs')) {
          throw schema.lacks('includeBlobs', INCLUDE_BLOBS_SINCE);
        }
        return {
          rootField: OPERATION,
          document: 'mutation ($input: BackupDatabaseInput!) { backupDatabase(input: $input) }',
          variables: { input: { download, ...(includeBlobs && { includeBlobs }) } },
          read: parsed(nullable(isString), (link) => link),
        };
      },
    })
    .catch((error: unknown) => {
      throw error instanceof StashError ? backupError(error, download) : error;
    });
  return { link: link ?? '', hasBlobs: includeBlobs };
}

/** Returns where the server keeps its pictures: `DATABASE` or `FILESYSTEM`; null if it does not say. */
async function blobStorage(server: Server, call: Call): Promise<unknown> {
  return await server.request({
    kind: 'query',
    call,
    build: (schema) => {
      if (!schema.has('ConfigGeneralResult', 'blobsStorage'))
        throw schema.lacks('includeBlobs', INCLUDE_BLOBS_SINCE);
      return {
        rootField: 'configuration',
        document: '{ configuration { general { blobsStorage } } }',
        read: parsed(isRecord, ({ general }) => (isRecord(general) ? general['blobsStorage'] : null)),
      };
    },
  });
}

/** Returns a more specific error for failures of `backupDatabase` whose cause is known, otherwise `error` itself. */
function backupError(error: StashError, download: boolean): StashError {
  const { code, case: which, details } = error;
  const status = error.status ?? undefined;
  // The server removes a backup that is downloaded, so a second one does no harm. After a time limit, it would end likewise.
  if (code === 'OUTCOME_UNKNOWN' && which !== 'OUTCOME_UNKNOWN.form' && download) {
    const { seconds } = details;
    if (seconds !== undefined)
      return new StashError('OUTCOME_UNKNOWN.downloadNoAnswer', { details: { seconds } });
    if (status !== undefined)
      return new StashError('OUTCOME_UNKNOWN.downloadGateway', { status, details: { status } });
    return new StashError('OUTCOME_UNKNOWN.download', { retry: true });
  }
  if (which !== 'GRAPHQL.failed') return error;
  const text = String(details['text']);
  // Two backups at nearly the same time: "vacuum failed: output file already exists", or "table schema_migrations already
  // exists" (all releases; some write "Vacuum").
  if (/vacuum failed: .* already exists/i.test(text))
    return new StashError('GRAPHQL.backupTwice', { status, retry: true });
  // v0.29.0 to v0.29.3, if the generated files and the database are on different file systems.
  if (/moving database backup failed/.test(text)) {
    return new StashError('GRAPHQL.backupMove', { status, details: { text } });
  }
  return error;
}
