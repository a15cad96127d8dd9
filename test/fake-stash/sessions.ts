import { createHmac, randomBytes } from 'node:crypto';
import type { IncomingMessage, OutgoingHttpHeaders } from 'node:http';
import { type Answer, redirect, text } from './answers';
import { loginPage } from './pages';
import { forwardedPrefix, target } from './proxy';
import type { Quirks } from './quirks';

/** The user who may sign in. */
export interface Credentials {
  username: string;
  password: string;
}

/**
 * Signs users in. Sessions are stateless: a signed cookie contains the time of its creation. It stays valid until it
 * expires, even after a restart of the server and beside newer cookies.
 */
export class Sessions {
  readonly #credentials: Credentials | undefined;
  readonly #seconds: number;
  #generation = 0;

  constructor(credentials: Credentials | undefined, seconds: number) {
    this.#credentials = credentials;
    this.#seconds = seconds;
  }

  /** Expires all cookies so far. */
  expire(): void {
    this.#generation += 1;
  }

  /** Returns whether a request has a valid cookie. */
  has({ headers }: IncomingMessage): boolean {
    const [, given, signature] = /(?:^|;\s*)session=([^;.]+)\.([^;]+)/.exec(headers.cookie ?? '') ?? [];
    if (given === undefined || signature !== this.#sign(given)) return false;
    const [generation, time] = given.split('-').map(Number);
    return generation === this.#generation && Date.now() < Number(time) + this.#seconds * 1000;
  }

  /** Returns the header that sets a new cookie. */
  cookie({ sameSite }: Quirks): OutgoingHttpHeaders {
    const now = Date.now();
    const given = `${this.#generation}-${now}-${randomBytes(6).toString('hex')}`;
    const expires = new Date(now + this.#seconds * 1000).toUTCString();
    const site = sameSite ? '; SameSite=Lax' : '';
    return {
      'Set-Cookie': `session=${given}.${this.#sign(given)}; Path=/; Expires=${expires}; Max-Age=${this.#seconds}${site}`,
    };
  }

  /** Answers a form posted to /login. A server without credentials (`open`) accepts any. */
  async signIn(request: IncomingMessage, body: string, open: boolean, quirks: Quirks): Promise<Answer> {
    const form = await fields(request, body);
    const { username, password } = this.#credentials ?? {};
    const good = open || (form('username') === username && form('password') === password);
    if (!good) {
      const message = 'Username or password is invalid';
      return quirks.loginByStatus ? text(401, message) : loginPage(message);
    }
    const prefix = quirks.forwardedPrefix ? forwardedPrefix(request) : '';
    const answer = quirks.loginByStatus
      ? { status: 200, headers: {}, body: '' }
      : redirect(form('returnURL') || `${prefix}/`);
    return { ...answer, headers: { ...answer.headers, ...this.cookie(quirks) } };
  }

  // The key depends on the credentials alone, so that cookies survive a restart.
  #sign(given: string): string {
    return createHmac('sha256', JSON.stringify(this.#credentials ?? null))
      .update(given)
      .digest('base64url');
  }
}

// Like Go's FormValue: urlencoded or multipart, then the query string. JSON is not a form.
async function fields(request: IncomingMessage, body: string): Promise<(name: string) => string | undefined> {
  const { parameters } = target(request);
  const type = request.headers['content-type'] ?? '';
  const form = await new Response(body, { headers: { 'Content-Type': type } })
    .formData()
    .catch(() => undefined);
  return (name) => {
    const value = form?.get(name) ?? parameters.get(name);
    return typeof value === 'string' ? value : undefined;
  };
}
