import { hasCredentials, parseAddress, startPage } from '../contract/server';
import { StashError } from '../errors';

/** The longest address of a redirect that an error names. */
const LONGEST_TARGET = 200;

/** A file that the server serves for a short time. */
export interface DownloadLink {
  path: string;
  /** The name from the server: any text without slashes. */
  name: string;
}

/**
 * The address of a server as a user enters it: of its start page or any other page, with or without `http://` and a trailing
 * slash, and with the sub-path of a reverse proxy.
 */
export class Address {
  /** Without a trailing slash: `https://nas.example/stash`. */
  readonly base: string;
  readonly origin: string;
  readonly host: string;
  /** An IPv6 address has no brackets. */
  readonly hostname: string;
  readonly port: number;
  readonly endpoint: string;
  readonly isSecure: boolean;
  /** Whether the address is that of the machine, or the container, in which Node-RED runs. */
  readonly isLoopback: boolean;
  /** The sub-path, without a trailing slash; empty for none. */
  readonly path: string;
  /** Without origin (interface document, part 4). */
  readonly graphqlPath: string;
  /** Without origin (interface document, part 5). */
  readonly loginPath: string;
  readonly #url: URL;

  /** @throws {StashError} NO_SERVER for a text that is not the address of a web server. */
  constructor(text: string) {
    if (text.trim() === '') throw new StashError('NO_SERVER.noAddress');
    if (text.includes('${')) throw new StashError('NO_SERVER.variableInAddress');
    const url = parseAddress(text);
    // The error does not quote the text, because an incomplete address may contain a password.
    if (!url) throw new StashError('NO_SERVER.badAddress');
    if (hasCredentials(url)) throw new StashError('NO_SERVER.credentialsInAddress');
    this.base = startPage(url);
    this.#url = new URL(this.base);
    const { host, hostname, origin, pathname, port, protocol } = this.#url;
    this.origin = origin;
    this.host = host;
    this.hostname = hostname.replace(/^\[|\]$/g, '');
    this.isSecure = protocol === 'https:';
    this.port = Number(port) || (this.isSecure ? 443 : 80);
    this.endpoint = `${hostname}:${this.port}`;
    this.isLoopback = /^(localhost|127\..*|\[::1\])$/.test(hostname);
    this.path = pathname.replace(/\/$/, '');
    this.graphqlPath = this.pathOf('/graphql');
    this.loginPath = this.pathOf('/login');
  }

  /** Without origin. */
  pathOf(path: string): string {
    return this.path + path;
  }

  /** Whether a redirect's `location` leads to the server's own sign-in page (`/login?returnURL=`, all releases). */
  isLogin(location: string): boolean {
    if (!URL.canParse(location, this.#url)) return false;
    const { origin, pathname, searchParams } = new URL(location, this.#url);
    return origin === this.origin && pathname.endsWith('/login') && searchParams.has('returnURL');
  }

  /** Returns the start page to which a redirect's `location` leads, without what may be secret; undefined for none. */
  redirectTo(location: string): string | undefined {
    if (location === '' || !URL.canParse(location, this.#url)) return undefined;
    return startPage(new URL(location, this.#url)).slice(0, LONGEST_TARGET);
  }

  /**
   * Finds the file of a download link on the configured address. The server takes the host in a link from the headers that a
   * proxy sent (all releases), so a key must never follow it.
   * @returns undefined if `link` is no download link.
   */
  download(link: string): DownloadLink | undefined {
    // The server escapes nothing, so everything after the hash is the file's name. A lone surrogate cannot be sent.
    const text = link.toWellFormed();
    const [, hash = '', name] = /\/downloads\/([0-9a-f]+)\/(?!\.{1,2}$)([^/\\]+)$/.exec(text) ?? [];
    if (name === undefined) return undefined;
    return { path: this.pathOf(`/downloads/${hash}/${encodeURIComponent(name)}`), name };
  }
}
