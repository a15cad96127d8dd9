import type { Call } from '../server/call';
import type { Server } from '../server/server';
import { isRecord, nullOr } from '../server/shape';
import { searchPerformers } from './search-performers';

/** Selectable attributes of a performer, as the interface document names them (part 2). */
export const performerFields = [
  'name',
  'url',
  'twitter',
  'instagram',
  'birthdate',
  'ethnicity',
  'country',
  'eye_color',
  'height',
  'measurements',
  'fake_tits',
  'career_length',
  'tattoos',
  'piercings',
  'aliases',
] as const;
export type PerformerField = (typeof performerFields)[number];

/** A performer with just the selected attributes; null where the site has none. */
export type Performer = Partial<Record<PerformerField, string | null>>;

/** Somebody at the external site who may have been meant. */
export interface Candidate {
  name: string;
}

export type Scraped = { operation: string } & (
  { performer: Performer } | { reason: 'NOT_FOUND' | 'AMBIGUOUS'; candidates: Candidate[] }
);

/**
 * Looks one performer up at the external site. The site's list is asked first and the attributes only of a name that
 * is exactly in it once (interface document, part 4, rule 1); anything else gives the candidates.
 */
export async function scrapePerformer(
  server: Server,
  { performer, fields }: { performer: string; fields: readonly PerformerField[] },
  call: Call,
): Promise<Scraped> {
  const list = await searchPerformers(server, { query: performer }, call);
  const matches = list.names.filter((name) => name === performer).length;
  const candidates = list.names.map((name) => ({ name }));
  if (matches !== 1) {
    return { operation: list.operation, reason: matches === 0 ? 'NOT_FOUND' : 'AMBIGUOUS', candidates };
  }
  const operation = 'scrapeSite';
  const found = await server.request({
    operation,
    document: `query ($performer_name: String!) { scrapeSite(performer_name: $performer_name) { ${fields.join(' ')} } }`,
    variables: { performer_name: performer },
    shape: nullOr(isPerformer),
    kind: 'lookup',
    call,
  });
  return found === null ? { operation, reason: 'NOT_FOUND', candidates } : { operation, performer: found };
}

/** The fields are the server's own, so only their frame is looked at. */
function isPerformer(value: unknown): value is Performer {
  return isRecord(value);
}
