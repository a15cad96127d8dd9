/** The id of the scraper for the built-in site, which the interface document describes (all releases). */
export const BUILTIN_SCRAPER = 'builtin_freeones';

/** The queue for GitHub. No scraper has this id, because ids are names of files. */
export const GITHUB = 'github.com/stashapp/stash';

/** Returns the site whose queue a look-up with this scraper uses; empty for the built-in site. */
export function siteOf(scraper: string): string {
  return scraper === BUILTIN_SCRAPER ? '' : scraper;
}
