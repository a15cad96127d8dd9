import { createHmac, randomBytes } from 'node:crypto';
import { StashError } from '../errors';
import type { Address } from './address';
import type { Login } from './credentials';
import { classifyResponse, type HttpResponse } from './response';

/** How long credentials are not tried again that a server has refused. */
const REFUSED_MILLISECONDS = 60_000;
const REFUSAL = 'Username or password is invalid';

/**
 * Until when refused credentials are not sent again. Kept outside the config nodes, so that neither a redeploy nor the
 * Test button makes an attempt of each; and as keyed hashes, since a password must not outlive its node.
 */
const refusals = new Map<string, number>();
const secret = randomBytes(32);

/**
 * A session of a server that knows a user (releases before v0.7 know nothing else): begun with the first request, kept
 * alive by the cookie that each answer renews, and begun anew when the server has forgotten it.
 */
export class Session {
  readonly #address: Address;
  readonly #login: Login;
  readonly #post: (form: string) => Promise<HttpResponse>;
  #cookie: string | undefined;
  #signingIn: Promise<string> | undefined;

  /** `post` sends a form to the sign-in page, without the cookie of a session. */
  constructor(address: Address, login: Login, post: (form: string) => Promise<HttpResponse>) {
    this.#address = address;
    this.#login = login;
    this.#post = post;
  }

  /**
   * The cookie to send. Signs in where there is none, or none but that which was `refused`; whoever comes meanwhile
   * waits for the same sign-in, which therefore none of them may end.
   * @throws {StashError} where the sign-in fails.
   */
  async cookie(refused?: string): Promise<string> {
    if (this.#cookie !== undefined && this.#cookie !== refused) return this.#cookie;
    this.#signingIn ??= this.#signIn().finally(() => {
      this.#signingIn = undefined;
    });
    return this.#signingIn;
  }

  /** The cookie that is sent now, if there is one. */
  get current(): string | undefined {
    return this.#cookie;
  }

  /** Keeps the cookie of an answer, since the age of the first one ends a session however busy it is. */
  keep({ cookies }: HttpResponse): void {
    this.#cookie = sessionIn(cookies) ?? this.#cookie;
  }

  async #signIn(): Promise<string> {
    const key = this.#key();
    const wait = (refusals.get(key) ?? 0) - performance.now();
    if (wait > 0) {
      const seconds = Math.ceil(wait / 1000);
      throw new StashError('UNAUTHORIZED.signInPaused', { details: { seconds } });
    }
    const answer = await this.#post(new URLSearchParams({ ...this.#login }).toString());
    const { status, text, cookies } = answer;
    const cookie = sessionIn(cookies);
    // 302 up to v0.28, 200 from v0.29 on.
    if (cookie !== undefined && [200, 302, 303].includes(status)) {
      this.#cookie = cookie;
      return cookie;
    }
    // The page again up to v0.28, 401 from v0.29 on. Nothing else is remembered: it says nothing of the credentials.
    if ((status === 200 || status === 401) && text.includes(REFUSAL)) {
      remember(key);
      throw new StashError('UNAUTHORIZED.signInRefused', { status });
    }
    // Who signs in need not be signed in: this 401 is not Stash's.
    if (status === 401) throw new StashError('UNAUTHORIZED.gate', { status });
    throw (
      classifyResponse(answer, { address: this.#address, auth: 'session' }) ??
      new StashError('NOT_STASH.notGraphQL', { status })
    );
  }

  #key(): string {
    const { username, password } = this.#login;
    const text = JSON.stringify([this.#address.base, username, password]);
    return createHmac('sha256', secret).update(text).digest('base64');
  }
}

function remember(key: string): void {
  const now = performance.now();
  for (const [other, until] of refusals) if (until <= now) refusals.delete(other);
  refusals.set(key, now + REFUSED_MILLISECONDS);
}

/** The value of the session's cookie; an empty one is how a session ends. */
function sessionIn(cookies: readonly string[]): string | undefined {
  return cookies.map((cookie) => /^session=([^;]+)/.exec(cookie)?.[1]).find((value) => value !== undefined);
}
