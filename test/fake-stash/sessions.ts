import { createHmac, randomBytes } from 'node:crypto';
import type { IncomingMessage, OutgoingHttpHeaders } from 'node:http';
import { type Answer, redirect, text } from './answers';
import { loginPage } from './pages';
import type { Quirks } from './quirks';

/** How long a session lasts after its last request. */
const SECONDS = 3600;

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
  #generation = 0;

  constructor(credentials: Credentials | undefined) {
    this.#credentials = credentials;
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
    return generation === this.#generation && Date.now() < Number(time) + SECONDS * 1000;
  }

  /** Returns the header that sets a new cookie. */
  cookie(): OutgoingHttpHeaders {
    const now = Date.now();
    const given = `${this.#generation}-${now}-${randomBytes(6).toString('hex')}`;
    const expires = new Date(now + SECONDS * 1000).toUTCString();
    return {
      'Set-Cookie': `session=${given}.${this.#sign(given)}; Path=/; Expires=${expires}; Max-Age=${SECONDS}`,
    };
  }

  /** Answers a form posted to /login. A server without credentials (`open`) accepts any. */
  signIn(body: string, open: boolean, { loginByStatus }: Quirks): Answer {
    const form = new URLSearchParams(body);
    const { username, password } = this.#credentials ?? {};
    const good = open || (form.get('username') === username && form.get('password') === password);
    if (!good) {
      const message = 'Username or password is invalid';
      return loginByStatus ? text(401, message) : loginPage(message);
    }
    const answer = loginByStatus ? { status: 200, headers: {}, body: '' } : redirect('/');
    return { ...answer, headers: { ...answer.headers, ...this.cookie() } };
  }

  // The key depends on the credentials alone, so that cookies survive a restart.
  #sign(given: string): string {
    return createHmac('sha256', JSON.stringify(this.#credentials ?? null))
      .update(given)
      .digest('base64url');
  }
}
