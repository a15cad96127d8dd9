import { textIn, unquoted } from './values';

/** Defaults for properties that a flow file lacks: the values of a new server's dialog. */
export const serverDefaults = {
  url: 'http://localhost:9999',
  auth: 'none',
  tls: '',
  proxy: '',
  pathMap: [],
  pause: 5,
  retryFor: 60,
  timeout: 30,
  lookupTimeout: 90,
  backupTimeout: 3600,
} as const;

/** The paths of Stash's own pages (all releases), because users paste the address from their browser. */
const PAGES = [
  /\/(graphql|playground|login|setup|migrate|settings|stats)$/,
  /\/(scenes|performers|studios|tags|groups|galleries)(\/(\d+|new|markers)(\/.*)?)?$/,
  /\/(images|movies)\/\d+(\/.*)?$/,
];

/** Without a query, a reverse proxy may as well have Stash there. */
const PAGE_IF_QUERY = /\/(images|movies)$/;

/** Parses the address of a web server as a user enters it, with or without `http://`; undefined for any other text. */
export function parseAddress(text: string): URL | undefined {
  const trimmed = unquoted(text);
  const whole = /^[a-z][a-z\d+.-]*:\/\//i.test(trimmed) ? trimmed : `http://${trimmed}`;
  try {
    const url = new URL(whole);
    // Browsers also accept spaces in a host, and all accept the characters of an unset environment variable.
    const isUsable = /^https?:$/.test(url.protocol) && /^[\w.:[\]-]+$/.test(url.hostname);
    return isUsable && !whole.includes('${') ? url : undefined;
  } catch {
    return undefined;
  }
}

/** Returns whether an address contains a username or a password. */
export function hasCredentials({ username, password }: URL): boolean {
  return username !== '' || password !== '';
}

/** Returns a username or a password of an address as it was meant. */
export function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Returns the address of Stash's start page for that of any of its pages, without a trailing slash. */
export function startPage({ origin, pathname, search }: URL): string {
  const pages = search === '' ? PAGES : [...PAGES, PAGE_IF_QUERY];
  return (
    origin + pages.reduce((path, page) => withoutSlashes(path.replace(page, '')), withoutSlashes(pathname))
  );
}

/** A regular expression would take minutes for a long path of slashes. */
function withoutSlashes(path: string): string {
  let end = path.length;
  while (path[end - 1] === '/') end -= 1;
  return path.slice(0, end);
}

/** Reads the headers in the text of a JSON object; their names become lower case. Undefined for unusable ones. */
export function headersIn(text: string): Record<string, string> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
    const headers = Object.entries(value).map(([name, one]: [string, unknown]) => [name.toLowerCase(), one]);
    return headers.every(isHeader) ? Object.fromEntries(headers) : undefined;
  } catch {
    return undefined;
  }
}

function isHeader(header: unknown[]): header is [string, string] {
  const [name, value] = header;
  return (
    /^[\w!#$%&'*+.^`|~-]+$/.test(String(name)) &&
    typeof value === 'string' &&
    /^[\t\x20-\x7e\x80-\xff]*$/.test(value)
  );
}

/** A row of the path map: one folder, as this machine and as the server sees it. */
export interface PathRow {
  here: string;
  there: string;
}

/**
 * Reads a row of a path map, which may be anything. What is no text becomes an empty one. Other properties, which only a newer
 * version knows, stay.
 */
export function pathRowIn(row: unknown): PathRow {
  const given = (typeof row === 'object' ? row : {}) as Record<keyof PathRow, unknown> | null;
  return { ...given, here: textIn(given?.here), there: textIn(given?.there) };
}

/** Returns whether a path is absolute on Windows or on any other system. */
export function isAbsolutePath(path: string): boolean {
  return /^(\/|\\|[a-z]:[\\/])/i.test(path);
}
