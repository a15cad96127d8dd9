import { StashError } from '../errors';
import { timing } from '../timing';
import type { Address } from './address';
import { keyedHash, type Login } from './credentials';
import type { HttpRequest } from './dispatch';
import { classifyResponse, type HttpResponse } from './response';

const REFUSAL = 'Username or password is invalid';

/**
 * The end of the pause for rejected credentials, by `performance.now()`. Module-level, so that neither a redeploy nor the Test
 * button repeats the attempt; by keyed hash, because a password must not outlive its node.
 */
const refusals = new Map<string, number>();

/**
 * A session with a server that has a username and password. It starts with the first request. Each response renews its cookie.
 * It starts again when the server no longer accepts that.
 */
export class Session {
  readonly #address: Address;
  readonly #login: Login;
  readonly #post: (form: string) => Promise<HttpResponse>;
  #cookie: string | undefined;
  #signingIn: Promise<string> | undefined;

  /** @param post sends a form to the sign-in page, without the cookie of a session. */
  constructor(address: Address, login: Login, post: (form: string) => Promise<HttpResponse>) {
    this.#address = address;
    this.#login = login;
    this.#post = post;
  }

  /**
   * Returns the cookie to send, and signs in if there is none. Concurrent requests share the sign-in, so none of them may abort
   * it.
   * @param rejected a cookie that the server no longer accepts.
   * @throws {StashError} if the sign-in fails.
   */
  async cookie(rejected?: string): Promise<string> {
    if (this.#cookie !== undefined && this.#cookie !== rejected) return this.#cookie;
    this.#signingIn ??= this.#signIn().finally(() => {
      this.#signingIn = undefined;
    });
    return await this.#signingIn;
  }

  get current(): string | undefined {
    return this.#cookie;
  }

  /** Stores the cookie of a response, because a session expires with its cookie, even while it is used. */
  keep({ cookies }: HttpResponse): void {
    this.#cookie = sessionIn(cookies) ?? this.#cookie;
  }

  async #signIn(): Promise<string> {
    const { username, password } = this.#login;
    const key = keyedHash(this.#address.base, username, password);
    checkPause(refusals.get(key));
    const response = await this.#post(new URLSearchParams({ username, password }).toString());
    const { status, text, cookies } = response;
    const cookie = sessionIn(cookies);
    // 302 up to v0.28, 200 from v0.29 on.
    if (cookie !== undefined && [200, 302, 303].includes(status)) {
      this.#cookie = cookie;
      return cookie;
    }
    // The page again up to v0.28, 401 from v0.29 on. Only this refusal is cached: other responses say nothing about the
    // credentials.
    if ((status === 200 || status === 401) && text.includes(REFUSAL)) {
      remember(key);
      throw new StashError('UNAUTHORIZED.signInRefused', { status });
    }
    // A sign-in needs no session, so this 401 is not Stash's.
    if (status === 401) throw new StashError('UNAUTHORIZED.gate', { status });
    throw (
      classifyResponse(response, { address: this.#address, auth: 'session' }) ??
      new StashError('NOT_STASH.notGraphQL', { status })
    );
  }
}

/**
 * @param until when credentials that were rejected may be sent again, by `performance.now()`.
 * @throws {StashError} UNAUTHORIZED before that.
 */
export function checkPause(until = 0): void {
  const wait = until - performance.now();
  if (wait > 0) {
    const seconds = Math.ceil(wait / 1000);
    throw new StashError('UNAUTHORIZED.signInPaused', { details: { seconds } });
  }
}

function remember(key: string): void {
  const now = performance.now();
  for (const [other, until] of refusals) if (until <= now) refusals.delete(other);
  refusals.set(key, now + timing.rejectedCredentials);
}

/** Adds the cookie of a session to headers, beside the cookies that a reverse proxy may need. */
export function withCookie<Headers extends HttpRequest['headers']>(headers: Headers, session?: string) {
  if (session === undefined) return headers;
  const { cookie: others } = headers;
  const cookie = `session=${session}`;
  return { ...headers, cookie: others === undefined ? cookie : `${others}; ${cookie}` };
}

/** Returns the value of the session's cookie; a server ends a session with an empty one. */
function sessionIn(cookies: readonly string[]): string | undefined {
  return cookies.map((cookie) => /^session=([^;]+)/.exec(cookie)?.[1]).find((value) => value !== undefined);
}
