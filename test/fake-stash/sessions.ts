import { createHmac, randomBytes } from 'node:crypto';
import type { IncomingMessage, OutgoingHttpHeaders } from 'node:http';
import { type Answer, redirect, text } from './answers';
import { loginPage } from './pages';
import { forwardedPrefix, target } from './proxy';
import type { Quirks } from './quirks';

/** Who may sign in. */
export interface Credentials {
  username: string;
  password: string;
}

/**
 * Signs people in. Nothing is kept of a session: its cookie tells when it was given and is signed, so it is
 * good until it is too old, after a restart of the server as well, and however many newer ones there are.
 */
export class Sessions {
  readonly #credentials: Credentials | undefined;
  readonly #seconds: number;
  #generation = 0;

  constructor(credentials: Credentials | undefined, seconds: number) {
    this.#credentials = credentials;
    this.#seconds = seconds;
  }

  /** All that were given until now are too old from now on. */
  expire(): void {
    this.#generation += 1;
  }

  /** Whether a request has a cookie that is still good. */
  has({ headers }: IncomingMessage): boolean {
    const [, given, signature] = /(?:^|;\s*)session=([^;.]+)\.([^;]+)/.exec(headers.cookie ?? '') ?? [];
    if (given === undefined || signature !== this.#sign(given)) return false;
    const [generation, time] = given.split('-').map(Number);
    return generation === this.#generation && Date.now() < Number(time) + this.#seconds * 1000;
  }

  /** The header with a new cookie. */
  cookie({ sameSite }: Quirks): OutgoingHttpHeaders {
    const now = Date.now();
    const given = `${this.#generation}-${now}-${randomBytes(6).toString('hex')}`;
    const expires = new Date(now + this.#seconds * 1000).toUTCString();
    const site = sameSite ? '; SameSite=Lax' : '';
    return {
      'Set-Cookie': `session=${given}.${this.#sign(given)}; Path=/; Expires=${expires}; Max-Age=${this.#seconds}${site}`,
    };
  }

  /** Answers a form that was posted to /login. A server that has no credentials lets in whoever asks. */
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

  // The key belongs to the credentials, so that a server which comes back knows its cookies again.
  #sign(given: string): string {
    return createHmac('sha256', JSON.stringify(this.#credentials ?? null))
      .update(given)
      .digest('base64url');
  }
}

// Go's FormValue: urlencoded or multipart, and what is not in it is looked for in the address. JSON is none.
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
