import { KeyedLock } from '../../async';
import { aside, type Call } from '../../call';
import { StashError } from '../../errors';
import { hasString, isString, parsed } from '../../guards';
import type { Server } from '../../server';
import { aliasesIn, tidy } from '../library';
import { checkLost } from '../lost-response';
import {
  type Changes,
  changesTo,
  type Existing,
  type StoredPerformer,
  hasAll,
  type KnownFields,
} from './changes';
import { type Candidate, SCORE_OF_ALIAS } from './match';
import { siteOfPicture, withPicture } from './picture';
import { findStored, type FoundPerformers, type Sought, storedText } from './saved';

/** A performer to save. */
export interface PerformerToSave extends KnownFields {
  /** Its ID on the server. Without one, the name is given, and the performer is found by it or created. */
  id?: string;
}

/** What to save, and what to do with a performer that the server has. */
export interface SaveInput {
  performer: PerformerToSave;
  /** `keep` writes nothing to it. */
  existing: Existing | 'keep';
}

/** The performer is on the server. */
export interface Saved extends Omit<Changes, 'input'> {
  /** The root field of the mutation; without one, of the last query. */
  operation: string;
  id: string;
  /** The name on the server. */
  name: string;
  created: boolean;
  /** The response was lost, and the server has what was to be written. */
  adopted?: true;
}

/** Several performers of the server fit. Nothing was written. */
interface SeveralFit {
  operation: string;
  /** In the server's order. */
  candidates: StoredCandidate[];
}

/** A performer of the server, as the look-up of a performer describes one of a site. */
interface StoredCandidate extends Candidate {
  id: string;
}

/**
 * All saves of a server run one after another in this process, so that two messages about the same new performer create one. The
 * key is the address, because two config nodes may have the same.
 */
const lock = new KeyedLock<string>();

/** What to write, and where. */
interface Writing {
  /** How to find the performer again. */
  sought: Sought;
  /** The performer to change; undefined for a new one. */
  stored?: StoredPerformer;
  known: KnownFields;
  existing: Existing;
  /** The queue for the site from which the server fetches the picture; undefined if it fetches none. */
  site: string | undefined;
}

/**
 * Saves a performer: creates it, or changes the one that fits. Sends no mutation if nothing changes.
 * @throws {StashError} as `findStored`, `Server.lookUp` and a mutation; QUEUE_FULL if too many wait; OUTCOME_UNKNOWN if the
 * response was lost and the server does not have what was to be written.
 */
export async function savePerformer(
  server: Server,
  input: SaveInput,
  call: Call,
): Promise<Saved | SeveralFit> {
  if (lock.waiting(server.url) >= server.maxPending) {
    throw new StashError('QUEUE_FULL.saves', { details: { count: server.maxPending }, retry: true });
  }
  if (lock.isLocked(server.url)) call.report?.({ queue: 'waiting' });
  return await lock.run(server.url, call.waiting, async (release) => {
    call.report?.({ queue: 'asking' });
    const plan = await planSave(server, input, call);
    if (!('sought' in plan)) return plan;
    const { site: source } = plan;
    if (source === undefined) return await write(server, plan, input, call);
    // The site may refuse for an hour, which must not hold up all other saves. Afterwards the performer may be another.
    release();
    return await server.lookUp({ source, call }, (_send, run) =>
      run(() =>
        lock.run(server.url, call.waiting, async () => {
          const renewed = await planSave(server, input, call);
          return 'sought' in renewed ? await write(server, renewed, input, call) : renewed;
        }),
      ),
    );
  });
}

/** Finds out what to write; returns the result if that is nothing. */
async function planSave(server: Server, input: SaveInput, call: Call): Promise<Saved | SeveralFit | Writing> {
  const { performer } = input;
  const { id, name = '', disambiguation } = performer;
  const sought = {
    name,
    ...(id !== undefined && { id }),
    ...(disambiguation !== undefined && { disambiguation }),
  };
  const found = await findStored(server, sought, call);
  if (found.performers.length > 0) return await planChange(server, found, input, call);
  const known = { ...performer, name: tidy(name) };
  return { sought, known, existing: 'fill', site: siteOfPicture(known.picture) };
}

/** Plans to change the only performer that fits; returns all that fit if there are several. */
async function planChange(
  server: Server,
  { operation, schema, by, performers }: FoundPerformers,
  { performer, existing }: SaveInput,
  call: Call,
): Promise<Saved | SeveralFit | Writing> {
  const [found, ...others] = performers;
  if (!found || others.length > 0) {
    return { operation, candidates: performers.map((one) => candidateOf(one, by)) };
  }
  const { name = '', ...fields } = performer;
  // The name by which a performer was found is no new name for it.
  const known = by === 'id' && name !== '' ? { ...fields, name: tidy(name) } : fields;
  const id = storedText(found, 'id');
  const about = { operation, id, name: storedText(found, 'name'), created: false };
  if (existing === 'keep') return { ...about, changed: [], missing: [], unusable: [] };
  const { picture } = known;
  const stored = picture === undefined ? found : await withPicture(server, found, picture, call);
  const { changed, missing, unusable } = changesTo(schema, stored, known, existing);
  if (changed.length === 0) return { ...about, changed, missing, unusable };
  const site = changed.includes('picture') ? siteOfPicture(picture) : undefined;
  return { sought: { id, name: '' }, stored, known, existing, site };
}

/** Writes what was planned. */
async function write(
  server: Server,
  writing: Writing,
  input: SaveInput,
  call: Call,
): Promise<Saved | SeveralFit> {
  try {
    return await send(server, writing, call);
  } catch (error) {
    const isRefused = error instanceof StashError && error.case === 'GRAPHQL.failed';
    if (writing.stored || !isRefused) throw error;
    // Servers refuse a name that they have: somebody else may have added the performer since.
    const plan = await planSave(server, input, aside(call));
    if (!('sought' in plan)) return plan;
    if (!plan.stored) throw error;
    return await send(server, plan, call);
  }
}

/** Sends the mutation. After a lost response, the node checks whether the server has what was to be written. */
async function send(server: Server, writing: Writing, call: Call): Promise<Saved> {
  const { stored, known, site } = writing;
  const operation = stored ? 'performerUpdate' : 'performerCreate';
  const name = stored ? storedText(stored, 'name') : (known.name ?? '');
  let sent: Changes | undefined;
  const resultOf = ({ changed, missing, unusable }: Changes, id: string) => {
    return { operation, id, name, created: !stored, changed, missing, unusable };
  };
  try {
    return await server.request({
      kind: site === undefined ? 'mutation' : 'fetch',
      call,
      build: (schema) => {
        if (!schema.has('Mutation', operation)) throw schema.lacks(operation);
        const changes = changesTo(schema, stored, known, writing.existing);
        sent = changes;
        const type = stored ? 'PerformerUpdateInput' : 'PerformerCreateInput';
        return {
          rootField: operation,
          document: `mutation ($input: ${type}!) { ${operation}(input: $input) { id } }`,
          variables: { input: { ...(stored && { id: stored['id'] }), ...changes.input } },
          read: parsed(hasString('id'), ({ id }) => resultOf(changes, id)),
        };
      },
    });
  } catch (error) {
    if (!(error instanceof StashError) || error.code !== 'OUTCOME_UNKNOWN' || !sent) throw error;
    const found = await findWritten(server, writing, sent.input, call);
    if (!found) throw error;
    return { ...resultOf(sent, storedText(found, 'id')), adopted: true };
  }
}

/** Looks for the only performer that has all of `input`. @throws as `checkLost`. */
async function findWritten(
  server: Server,
  { sought, stored, known: { picture = '' } }: Writing,
  { image, ...others }: Changes['input'],
  call: Call,
): Promise<StoredPerformer | undefined> {
  return await checkLost(call, async (check) => {
    const { performers } = await findStored(server, sought, check);
    const [found, ...further] = performers.filter((one) => hasAll(one, others));
    if (!found || further.length > 0) return undefined;
    // A server writes all or nothing, so another field proves that it has the picture.
    if (image === undefined || Object.keys(others).length > 0) return found;
    const now = await withPicture(server, found, picture, check);
    return now['image'] === stored?.['image'] ? undefined : found;
  });
}

/** Describes a performer that fits as the look-up of a performer describes one of a site. */
function candidateOf(stored: StoredPerformer, by: FoundPerformers['by']): StoredCandidate {
  const [url = stored['url']] = Array.isArray(stored['urls']) ? (stored['urls'] as unknown[]) : [];
  const aliases = aliasesIn(stored).join(', ');
  const { disambiguation, gender, birthdate, country } = stored;
  const known = Object.entries({ url, disambiguation, gender, birthdate, country, aliases });
  return {
    id: storedText(stored, 'id'),
    name: storedText(stored, 'name'),
    ...Object.fromEntries(known.filter(([, value]) => isString(value) && value !== '')),
    score: by === 'alias' ? SCORE_OF_ALIAS : 1,
    reason: by === 'alias' ? 'alias' : 'name',
  };
}
