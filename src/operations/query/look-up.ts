import { StashError } from '../../errors';
import { isRecord, isString } from '../../guards';
import { type CheckedDocument, hostOf, siteOf, siteOfAddress } from '../../server';

/** Root fields for which the server calls an external site: scrapers and stash-boxes. */
const LOOK_UP = /^(scrape[A-Z]|queryStashBox)/;

/**
 * Returns the external site that the server calls for a document, as the queue for it is named; undefined if it calls none.
 * @throws {StashError} BAD_INPUT for several calls: nothing could space them.
 */
export function lookUpIn(
  document: CheckedDocument,
  variables: Readonly<Record<string, unknown>>,
): { source: string } | undefined {
  const [field, ...others] = document.rootFields.filter(({ name }) => LOOK_UP.test(name));
  if (!field) return undefined;
  if (others.length > 0) throw new StashError('BAD_INPUT.severalLookUps');
  return { source: sourceOf(document.argumentsOf(field, variables)) };
}

/**
 * Returns the ID of the scraper, or the stash-box, or the host of the page; empty for the built-in scraper, as in the
 * performer nodes.
 */
function sourceOf(given: Readonly<Record<string, unknown>>): string {
  const [source = given] = [given['source'], given['input']].filter(isRecord);
  const { scraper_id: id, stash_box_endpoint: endpoint, stash_box_index: index, url } = source;
  if (isString(id)) return siteOf(id);
  if (isString(endpoint)) return `stash-box ${hostOf(endpoint)}`;
  if (typeof index === 'number' || isString(index)) return `stash-box ${index}`;
  return isString(url) ? siteOfAddress(url) : '';
}
