import { StashError } from '../errors';

/** A file that a server gives away once. */
export interface Download {
  /** Its path on the configured origin. */
  path: string;
  /** As the server named it, which may hold anything but slashes. */
  name: string;
}

/** Paths of the server itself (all releases) that people paste with its address, such as the one its API page shows. */
const OWN_PATHS = /\/(?:graphql|playground|login)$/;

/**
 * The address of a server as people type it: its start page, with or without a trailing slash, perhaps below a
 * sub-path of a reverse proxy. The paths of its API, playground and sign-in page count as its start page.
 */
export class Address {
  /** Without a trailing slash: `https://nas.example/stash`. */
  readonly base: string;
  readonly origin: string;
  readonly #url: URL;

  /** @throws {StashError} NO_SERVER where nothing can be sent to `text`. */
  constructor(text: string) {
    const trimmed = text.trim();
    if (trimmed === '') throw new StashError('NO_SERVER.noAddress');
    // The text itself is not repeated: a half-typed address may hold a password too.
    if (!URL.canParse(trimmed)) throw new StashError('NO_SERVER.badAddress');
    const url = new URL(trimmed);
    if (url.username !== '' || url.password !== '') throw new StashError('NO_SERVER.credentialsInAddress');
    if (url.protocol !== 'http:' && url.protocol !== 'https:') throw new StashError('NO_SERVER.badAddress');
    url.search = '';
    url.hash = '';
    url.pathname = withoutSlashes(withoutSlashes(url.pathname).replace(OWN_PATHS, ''));
    this.#url = url;
    this.base = url.href.replace(/\/$/, '');
    this.origin = url.origin;
  }

  get host(): string {
    return this.#url.host;
  }

  /** Host and port, the port always. */
  get endpoint(): string {
    return `${this.#url.hostname}:${this.#url.port || (this.isSecure ? 443 : 80)}`;
  }

  get isSecure(): boolean {
    return this.#url.protocol === 'https:';
  }

  /** Whether the server is looked for on the machine that Node-RED runs on: in a container, in the container. */
  get isLoopback(): boolean {
    return /^(localhost|127\..*|\[::1\])$/.test(this.#url.hostname);
  }

  /** The path of the GraphQL endpoint, without origin (interface document, part 4). */
  get graphqlPath(): string {
    return this.pathOf('/graphql');
  }

  /** The path of the sign-in page, without origin (interface document, part 5). */
  get loginPath(): string {
    return this.pathOf('/login');
  }

  /** The path on the configured origin of something that the server has at `path`. */
  pathOf(path: string): string {
    return this.#url.pathname.replace(/\/$/, '') + path;
  }

  /** Whether a redirect's `location` leads to the server's own sign-in page (`/login?returnURL=`, all releases). */
  isLogin(location: string): boolean {
    if (!URL.canParse(location, this.#url)) return false;
    const { origin, pathname, searchParams } = new URL(location, this.#url);
    return origin === this.origin && pathname.endsWith('/login') && searchParams.has('returnURL');
  }

  /**
   * What a download link of the server leads to, on the configured address, or undefined if `link` is none. The host in
   * the link is only as good as the headers a proxy sent to the server (all releases), and a key must never follow it.
   */
  download(link: string): Download | undefined {
    // The server escapes nothing, so all behind the hash is the file's name; halves of characters cannot be sent.
    const text = Buffer.from(link).toString();
    const [, hash = '', name] = /\/downloads\/([0-9a-f]+)\/(?!\.{1,2}$)([^/\\]+)$/.exec(text) ?? [];
    if (name === undefined) return undefined;
    return { path: this.pathOf(`/downloads/${hash}/${encodeURIComponent(name)}`), name };
  }
}

function withoutSlashes(path: string): string {
  let end = path.length;
  while (path[end - 1] === '/') end -= 1;
  return path.slice(0, end);
}
