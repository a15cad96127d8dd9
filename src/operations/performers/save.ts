import { aside, type Call } from '../../call';
import { StashError } from '../../errors';
import { hasString, isString, parsed } from '../../guards';
import type { Schema, Server } from '../../server';
import { aliasesIn, tidy } from '../items';
import { checkLost } from '../lost-response';
import { whenOthersHaveWritten } from '../write-lock';
import {
  type Changes,
  changesTo,
  type Existing,
  type StoredPerformer,
  hasAll,
  namedAsGiven,
  type GivenFields,
} from './changes';
import { isImage } from './image-type';
import { type Candidate, SCORE_OF_ALIAS } from './match';
import { OTHER, putBack, siteOfPicture, storedPicture, withPicture } from './picture';
import { findStored, type FoundPerformers, type PerformerQuery, storedText } from './saved';
import type { PictureFault } from './values';

export interface PerformerToSave extends GivenFields {
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
  name: string;
  created: boolean;
  /** The response was lost, and the server has what was to be written. */
  adopted?: true;
}

/** Several performers of the server fit. Nothing was written. */
interface SeveralFit {
  operation: string;
  /** In the server's order, as the look-up of a performer describes those of a site. */
  candidates: (Candidate & { id: string; kind: 'performer' })[];
}

/** What a save would do. */
interface SavePreview extends Omit<Changes, 'input' | 'changed'> {
  name: string;
  /** Whether the performer is new. */
  created: boolean;
  /** What would be written, as the server gets it; empty for a performer that has it. */
  written: Changes['input'];
}

/** What to write, and where. */
interface Writing {
  /** How to find the performer again. */
  query: PerformerQuery;
  /** The performer to change; undefined for a new one. */
  stored?: StoredPerformer;
  given: GivenFields;
  existing: Existing;
}

/**
 * Saves a performer: creates it, or changes the one that fits. Sends no mutation if nothing changes. A picture that the server has to
 * fetch follows in a mutation of its own.
 * @throws {StashError} as `findStored`, `addPicture` and a mutation; QUEUE_FULL if too many wait; OUTCOME_UNKNOWN if the
 * response was lost and the server does not have what was to be written.
 */
export async function savePerformer(
  server: Server,
  { performer, existing }: SaveInput,
  call: Call,
): Promise<Saved | SeveralFit> {
  const { picture, ...others } = performer;
  const site = siteOfPicture(picture);
  const input = { performer: site === undefined ? performer : others, existing };
  const saved = await whenOthersHaveWritten(server, 'QUEUE_FULL.saves', call, async () => {
    // A message that will wait for a site has not begun before that.
    if (site === undefined) call.report?.({ queue: 'asking' });
    const plan = await planSave(server, input, call);
    return 'query' in plan ? await write(server, plan, input, call) : plan;
  });
  if (site === undefined || picture === undefined || 'candidates' in saved) return saved;
  if (existing === 'keep' && !saved.created) return saved;
  return await addPicture(server, saved, { picture, site, existing }, call);
}

/**
 * Finds out what a save would write, and sends no mutation. A picture that the server would fetch is not looked at.
 * @throws {StashError} as `findStored`.
 */
export async function previewSave(
  server: Server,
  input: SaveInput,
  call: Call,
): Promise<SavePreview | SeveralFit> {
  const plan = await planSave(server, input, call);
  if ('candidates' in plan) return plan;
  if (!('query' in plan)) return { ...plan, written: {} };
  const { schema, stored, given, existing } = plan;
  const { input: written, ...changes } = changesTo(schema, stored, given, existing);
  return {
    name: stored ? storedText(stored, 'name') : (given.name ?? ''),
    created: !stored,
    written: namedAsGiven(schema, written),
    ...changes,
  };
}

/**
 * Adds the picture that the server fetches, when the queue of its site allows that: outside the lock, because a site may be slow, or
 * refuse for an hour. A picture that cannot be had is unusable. Servers store whatever the address gives, so the node looks
 * at it, and puts back what was there if it is no image.
 * @throws {StashError} as `Server.lookUp`; OUTCOME_UNKNOWN.
 */
async function addPicture(
  server: Server,
  saved: Saved,
  { picture, site, existing }: { picture: string; site: string; existing: SaveInput['existing'] },
  call: Call,
): Promise<Saved> {
  const { id, name } = saved;
  const isWanted = async () => {
    const stored = await withPicture(server, { id, name }, picture, call);
    return existing === 'replace' || stored['image'] === null ? stored : undefined;
  };
  const kept = { ...saved, kept: [...saved.kept, 'picture' as const] };
  const unusable = (pictureFault: PictureFault) => {
    return { ...saved, unusable: [...saved.unusable, 'picture' as const], pictureFault };
  };
  if (!(await isWanted())) return kept;
  return await server.lookUp({ source: site, call }, async (_send, run) => {
    // It may have got one meanwhile.
    const stored = await isWanted();
    if (!stored) return kept;
    const before = stored['image'] === null ? null : await storedPicture(server, id, call);
    try {
      const writing = { query: { id, name: '' }, stored, given: { picture }, existing: 'replace' } as const;
      const { operation, adopted } = await run(() => send(server, writing, call));
      const content = await storedPicture(server, id, call);
      if (content && !isImage(content)) {
        await putBack(server, id, before, call);
        return { ...unusable('otherFetched'), operation };
      }
      const changed = [...saved.changed, 'picture' as const];
      return { ...saved, operation, changed, ...(adopted && { adopted }) };
    } catch (error) {
      if (!(error instanceof StashError) || error.case !== 'GRAPHQL.failed') throw error;
      return unusable('notFetched');
    }
  });
}

/** Finds out what to write; returns the result if that is nothing, and all performers that fit if there are several. */
async function planSave(
  server: Server,
  { performer, existing }: SaveInput,
  call: Call,
): Promise<Saved | SeveralFit | (Writing & { schema: Schema })> {
  const { id: wanted, name = '', disambiguation } = performer;
  const query = {
    name,
    ...(wanted !== undefined && { id: wanted }),
    ...(disambiguation !== undefined && { disambiguation }),
  };
  const { operation, schema, by, performers } = await findStored(server, query, call);
  const [found, ...others] = performers;
  if (!found) return { schema, query, given: { ...performer, name: tidy(name) }, existing: 'fill' };
  if (others.length > 0) return { operation, candidates: performers.map((one) => candidateOf(one, by)) };
  const { name: _name, ...fields } = performer;
  // The name by which a performer was found is no new name for it.
  const given = by === 'id' && name !== '' ? { ...fields, name: tidy(name) } : fields;
  const id = storedText(found, 'id');
  const about = { operation, id, name: storedText(found, 'name'), created: false };
  if (existing === 'keep') return { ...about, changed: [], missing: [], unusable: [], kept: [] };
  const { picture } = given;
  const stored = picture === undefined ? found : await withPicture(server, found, picture, call);
  const { input: _input, ...changes } = changesTo(schema, stored, given, existing);
  if (changes.changed.length === 0) return { ...about, ...changes };
  return { schema, query: { id, name: '' }, stored, given, existing };
}

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
    if (!('query' in plan)) return plan;
    if (!plan.stored) throw error;
    return await send(server, plan, call);
  }
}

/** Sends the mutation. After a lost response, the node checks whether the server has what was to be written. */
async function send(server: Server, writing: Writing, call: Call): Promise<Saved> {
  const { stored, given } = writing;
  const operation = stored ? 'performerUpdate' : 'performerCreate';
  const name = stored ? storedText(stored, 'name') : (given.name ?? '');
  let sent: Changes | undefined;
  const resultOf = ({ input: _input, ...changes }: Changes, id: string) => {
    return { operation, id, name, created: !stored, ...changes };
  };
  try {
    return await server.request({
      kind: given.picture === undefined ? 'mutation' : 'picture',
      call,
      build: (schema) => {
        if (!schema.has('Mutation', operation)) throw schema.lacks(operation);
        const changes = changesTo(schema, stored, given, writing.existing);
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
  { query, stored, given: { picture } }: Writing,
  { image, ...others }: Changes['input'],
  call: Call,
): Promise<StoredPerformer | undefined> {
  const before = stored?.['image'];
  // That the server has replaced a picture with one that it has fetched, nothing shows.
  if (before === OTHER && siteOfPicture(picture) !== undefined) return undefined;
  return await checkLost(call, async (check) => {
    const { performers } = await findStored(server, query, check);
    const [found, ...further] = performers.filter((one) => hasAll(one, others));
    if (!found || further.length > 0) return undefined;
    if (image === undefined || picture === undefined) return found;
    const { image: now } = await withPicture(server, found, picture, check);
    const isWritten = siteOfPicture(picture) === undefined ? now === picture : now !== before;
    return isWritten ? found : undefined;
  });
}

function candidateOf(stored: StoredPerformer, by: FoundPerformers['by']): SeveralFit['candidates'][number] {
  const [url = stored['url']] = Array.isArray(stored['urls']) ? (stored['urls'] as unknown[]) : [];
  const aliases = aliasesIn(stored).join(', ');
  const { disambiguation, gender, birthdate, country } = stored;
  const fields = Object.entries({ url, disambiguation, gender, birthdate, country, aliases });
  return {
    id: storedText(stored, 'id'),
    kind: 'performer',
    name: storedText(stored, 'name'),
    ...Object.fromEntries(fields.filter(([, value]) => isString(value) && value !== '')),
    score: by === 'alias' ? SCORE_OF_ALIAS : 1,
    reason: by === 'alias' ? 'alias' : 'name',
  };
}
