import type { FakeStash, FakeStashOptions } from '../fake-stash/fake-stash';
import { html, json, redirect, text } from '../fake-stash/answers';
import { certificate, expired, forOtherName } from '../support/certificate';
import { freePort } from '../support/connect';
import { ForwardProxy } from '../support/forward-proxy';
import { passOn } from '../support/gateway';
import { PacketHole } from '../support/packet-hole';
import { RawServer, type Reply } from '../support/raw-server';
import type { Remedy } from '../support/results';
import { FakeStash as Fake } from '../fake-stash/fake-stash';

/** The values of the dialog. */
export interface Typed {
  url: string;
  auth: string;
  apiKey?: string;
  username?: string;
  password?: string;
  headers?: string;
  tls?: string;
  proxy?: string;
  pathMap?: { here: string; there: string }[];
}

/** What a test finds, and what the user then does. */
export interface Step {
  /** The check that fails or has a hint, and the text or the case of the error. */
  finds: readonly [check: string, which: string];
  /** The button to press: an address, a way to sign in, or one that leads to a field. */
  press?: Remedy['kind'];
  /** What the user does, after the press if there is one. Changes the values that it returns. */
  then?: (typed: Typed) => Partial<Typed> | Promise<Partial<Typed>>;
}

/** A set-up in which something is wrong, and the way out. */
export interface SetUp {
  title: string;
  /** It works on Linux only. */
  isOfLinux?: true;
  /** What has to run out of time at first. */
  runsOut?: 'connection' | 'request';
  /** Starts the servers. @returns the values of the dialog at first, and the steps of the user. */
  start: (world: World) => Promise<{ typed: Partial<Typed>; steps: readonly Step[] }>;
}

/** The servers of one set-up. */
export class World {
  /** The names that a table has for hosts. */
  readonly names = new Map<string, string>();
  /** The address of the proxy in the flows. */
  proxyUrl = '';
  /** The usual port of Stash: that of the first server. */
  port: number | undefined;
  /** The hosts outside of the container. */
  hosts: string[] = [];
  #open: { close: () => Promise<unknown> }[] = [];

  async stash(options: FakeStashOptions = {}): Promise<FakeStash> {
    const stash = await Fake.start({ release: 'v0.30.1', ...options });
    this.#open.push({ close: () => stash.stop() });
    this.port ??= stash.port;
    this.names.set(`127.0.0.1:${stash.port}`, 'nas:9999');
    this.names.set(`localhost:${stash.port}`, 'host.docker.internal:9999');
    return stash;
  }

  /** Starts a server that answers instead of Stash, or in front of it. */
  async server(
    answer: RawServer['answer'] | Reply,
    tls?: Parameters<typeof RawServer.open>[1],
    name = 'stash.example',
  ): Promise<RawServer> {
    const server = await RawServer.open(typeof answer === 'function' ? answer : () => answer, tls);
    this.#open.push(server);
    this.names.set(server.host, name);
    return server;
  }

  async proxy(): Promise<ForwardProxy> {
    const proxy = await ForwardProxy.start();
    this.#open.push({ close: () => proxy.stop() });
    this.names.set(proxy.host, 'proxy:3128');
    return proxy;
  }

  async hole(): Promise<PacketHole> {
    const hole = await PacketHole.open();
    this.#open.push(hole);
    this.names.set(`127.0.0.1:${hole.port}`, 'nas:9000');
    return hole;
  }

  async nobody(name = 'nas:9000'): Promise<string> {
    const port = await freePort();
    this.names.set(`127.0.0.1:${port}`, name);
    return `127.0.0.1:${port}`;
  }

  async end(): Promise<void> {
    for (const one of this.#open.splice(0).reverse()) await one.close();
  }
}

const KEY = 'a-k3y-for-the-doctor';
/** The TLS configurations in the flows. */
export const TLS = {
  trusting: { cadata: `${certificate.cert}${expired.cert}${forOtherName.cert}` },
  named: { cadata: forOtherName.cert },
  client: { cadata: certificate.cert, certdata: certificate.cert, keydata: certificate.key },
};
let passwords = 0;

const page = (body = '<title>Sign in</title>'): Reply => asReply(html(200, body));
const asReply = ({ status, headers, body }: ReturnType<typeof html>): Reply => ({
  status,
  headers: headers as Record<string, string>,
  body: body.toString(),
});

/** Starts a server in front of Stash, which answers by itself unless `passes` accepts the request. */
async function gate(
  world: World,
  passes: (headers: Readonly<Record<string, unknown>>) => boolean,
  refusal: Reply,
): Promise<RawServer> {
  const stash = await world.stash();
  // Nothing is at the usual port.
  world.port = await freePort();
  return await world.server((request) => (passes(request.headers) ? passOn(stash, request) : refusal));
}

export const setUps: SetUp[] = [
  {
    title: 'a wrong port',
    async start(world) {
      await world.stash();
      return {
        typed: { url: `http://${await world.nobody()}` },
        steps: [{ finds: ['port', 'UNREACHABLE.refusedHere'], press: 'address' }],
      };
    },
  },
  {
    title: 'https:// for a server without TLS',
    async start(world) {
      const { url } = await world.stash();
      return {
        typed: { url: url.replace('http:', 'https:') },
        steps: [{ finds: ['tls', 'TLS.protocol'], press: 'address' }],
      };
    },
  },
  {
    title: 'http:// for a port with TLS',
    async start(world) {
      const stash = await world.stash();
      const secure = await world.server((request) => passOn(stash, request), certificate, 'nas:9443');
      return {
        typed: { url: secure.url.replace('https:', 'http:') },
        steps: [
          { finds: ['stash', 'UNREACHABLE.lost'], press: 'address' },
          { finds: ['tls', 'TLS.authority'], press: 'field', then: () => ({ tls: 'trusting' }) },
        ],
      };
    },
  },
  {
    title: 'http:// for a port with TLS that says so',
    async start(world) {
      const refusal = asReply(text(400, 'Client sent an HTTP request to an HTTPS server.\n'));
      const server = await world.server(refusal);
      return {
        typed: { url: server.url },
        steps: [
          {
            finds: ['stash', 'NOT_STASH.tlsExpected'],
            then: async () => {
              const stash = await world.stash();
              const secure = await world.server((request) => passOn(stash, request), certificate);
              return { url: secure.url, tls: 'trusting' };
            },
          },
        ],
      };
    },
  },
  {
    title: 'an expired certificate',
    async start(world) {
      const stash = await world.stash();
      const secure = await world.server((request) => passOn(stash, request), expired);
      return {
        typed: { url: secure.url, tls: 'trusting' },
        steps: [
          {
            finds: ['tls', 'TLS.expired'],
            then: async () => ({
              url: (await world.server((request) => passOn(stash, request), certificate)).url,
            }),
          },
        ],
      };
    },
  },
  {
    title: 'a self-signed certificate',
    async start(world) {
      const stash = await world.stash();
      const secure = await world.server((request) => passOn(stash, request), certificate);
      return {
        typed: { url: secure.url },
        steps: [{ finds: ['tls', 'TLS.authority'], press: 'field', then: () => ({ tls: 'trusting' }) }],
      };
    },
  },
  {
    title: 'a certificate for another name',
    async start(world) {
      const stash = await world.stash();
      const secure = await world.server((request) => passOn(stash, request), forOtherName);
      return {
        typed: { url: secure.url, tls: 'trusting' },
        steps: [{ finds: ['tls', 'TLS.name'], press: 'field', then: () => ({ tls: 'named' }) }],
      };
    },
  },
  {
    title: 'a server that requires a client certificate',
    async start(world) {
      const stash = await world.stash();
      const secure = await world.server((request) => passOn(stash, request), {
        ...certificate,
        ca: certificate.cert,
        requestCert: true,
      });
      return {
        typed: { url: secure.url, tls: 'trusting' },
        steps: [
          { finds: ['stash', 'TLS.clientCertificate'], press: 'field', then: () => ({ tls: 'client' }) },
        ],
      };
    },
  },
  {
    title: "a reverse proxy's sign-in page",
    async start(world) {
      const { url } = await gate(world, (headers) => headers['x-gate'] === '1', page());
      const then = () => ({ headers: '{"X-Gate":"1"}' });
      return { typed: { url }, steps: [{ finds: ['stash', 'NOT_STASH.page'], press: 'field', then }] };
    },
  },
  {
    title: 'a redirect to a sign-in on another host',
    async start(world) {
      const away = asReply(redirect('https://sso.example/login?rd=stash'));
      const { url } = await gate(world, (headers) => headers['x-gate'] === '1', away);
      const then = () => ({ headers: '{"X-Gate":"1"}' });
      return { typed: { url }, steps: [{ finds: ['stash', 'NOT_STASH.redirect'], press: 'field', then }] };
    },
  },
  {
    title: 'a reverse proxy with basic authentication',
    async start(world) {
      const login = `Basic ${Buffer.from('amy:gate').toString('base64')}`;
      const refusal = { status: 401, headers: { 'www-authenticate': 'Basic realm="nas"' } };
      const { url } = await gate(world, ({ authorization }) => authorization === login, refusal);
      const then = () => ({ headers: JSON.stringify({ Authorization: login }) });
      return { typed: { url }, steps: [{ finds: ['stash', 'UNAUTHORIZED.gate'], press: 'field', then }] };
    },
  },
  {
    title: 'a reverse proxy that requires a header',
    async start(world) {
      const { url } = await gate(world, (headers) => headers['cf-access'] === 'x', asReply(html(403, 'No')));
      const then = () => ({ headers: '{"CF-Access":"x"}' });
      return { typed: { url }, steps: [{ finds: ['stash', 'HTTP.status'], press: 'field', then }] };
    },
  },
  {
    title: 'a wrong API key',
    async start(world) {
      const { url } = await world.stash({ apiKey: KEY });
      const then = () => ({ apiKey: KEY });
      return {
        typed: { url, auth: 'apiKey', apiKey: 'an-0ld-key' },
        steps: [{ finds: ['signIn', 'UNAUTHORIZED.keyRefused'], press: 'field', then }],
      };
    },
  },
  {
    title: 'an API key for a server without a password',
    async start(world) {
      const { url } = await world.stash();
      return {
        typed: { url, auth: 'apiKey', apiKey: KEY },
        steps: [{ finds: ['signIn', 'keyUnneeded'], press: 'auth' }],
      };
    },
  },
  {
    title: 'no API key for a server with a password',
    async start(world) {
      const { url } = await world.stash({ apiKey: KEY });
      return {
        typed: { url },
        steps: [
          { finds: ['signIn', 'UNAUTHORIZED.keyNeeded'], press: 'auth', then: () => ({ apiKey: KEY }) },
        ],
      };
    },
  },
  {
    title: 'a wrong password',
    async start(world) {
      // A new one each time, because a refused one is not sent again for a minute.
      const password = `right ${++passwords}`;
      const { url } = await world.stash({ credentials: { username: 'amy', password } });
      return {
        typed: { url, auth: 'session', username: 'amy', password: `wrong ${passwords}` },
        steps: [
          { finds: ['signIn', 'UNAUTHORIZED.signInRefused'], press: 'field', then: () => ({ password }) },
        ],
      };
    },
  },
  {
    title: 'a username and a password for a server without any',
    async start(world) {
      const { url } = await world.stash();
      return {
        typed: { url, auth: 'session', username: 'amy', password: `unneeded ${++passwords}` },
        steps: [{ finds: ['signIn', 'unneeded'], press: 'auth' }],
      };
    },
  },
  {
    title: 'a server that was reached from the internet without a password',
    async start(world) {
      const stash = await world.stash();
      stash.exposed = true;
      const then = () => {
        stash.apiKey = KEY;
        return { auth: 'apiKey', apiKey: KEY };
      };
      return { typed: { url: stash.url }, steps: [{ finds: ['signIn', 'UNAUTHORIZED.exposed'], then }] };
    },
  },
  {
    title: 'a server that is not set up',
    async start(world) {
      const stash = await world.stash();
      stash.status = 'SETUP';
      const then = () => {
        stash.status = 'OK';
        return {};
      };
      return { typed: { url: stash.url }, steps: [{ finds: ['state', 'setup'], press: 'open', then }] };
    },
  },
  {
    title: 'a server that waits for a migration',
    async start(world) {
      const stash = await world.stash();
      stash.status = 'NEEDS_MIGRATION';
      const then = () => {
        stash.status = 'OK';
        return {};
      };
      return { typed: { url: stash.url }, steps: [{ finds: ['state', 'migration'], press: 'open', then }] };
    },
  },
  {
    title: 'a proxy without WebSockets',
    async start(world) {
      const stash = await world.stash();
      stash.sockets.refused = true;
      const then = () => {
        stash.sockets.refused = false;
        return {};
      };
      return { typed: { url: stash.url }, steps: [{ finds: ['socket', 'polled'], then }] };
    },
  },
  {
    title: 'a missing sub-path',
    async start(world) {
      const stash = await world.stash({ basePath: '/stash' });
      return {
        typed: { url: stash.url.replace('/stash', '') },
        steps: [{ finds: ['stash', 'NOT_STASH.notGraphQL'], press: 'address' }],
      };
    },
  },
  {
    title: 'an extra sub-path, at a server with a password',
    async start(world) {
      const { url } = await world.stash({ apiKey: KEY });
      return {
        typed: { url: `${url}/stash`, auth: 'apiKey', apiKey: KEY },
        steps: [{ finds: ['stash', 'NOT_STASH.redirect'], press: 'address' }],
      };
    },
  },
  {
    title: 'an extra sub-path, at a server without one',
    async start(world) {
      const { url } = await world.stash();
      return {
        typed: { url: `${url}/stash/` },
        steps: [{ finds: ['stash', 'NOT_STASH.page'], press: 'address' }],
      };
    },
  },
  {
    title: 'the pasted address of a page that is unknown here',
    async start(world) {
      const { url } = await world.stash();
      return {
        typed: { url: `${url}/sceneDuplicateChecker?distance=0` },
        steps: [{ finds: ['stash', 'NOT_STASH.page'], press: 'address' }],
      };
    },
  },
  {
    title: 'the pasted address of the scenes',
    async start(world) {
      const { url } = await world.stash();
      return { typed: { url: `${url}/scenes?sortby=date&sortdir=desc` }, steps: [] };
    },
  },
  {
    title: 'localhost in a container',
    async start(world) {
      await world.stash();
      world.hosts.push('localhost');
      return {
        typed: { url: `http://${await world.nobody('localhost:9999')}` },
        steps: [{ finds: ['port', 'UNREACHABLE.refusedHere'], press: 'address' }],
      };
    },
  },
  {
    title: 'an unknown host name',
    async start(world) {
      await world.stash();
      return {
        typed: { url: 'http://nas.invalid:9999' },
        steps: [{ finds: ['name', 'UNREACHABLE.unknownHost'], press: 'find' }],
      };
    },
  },
  {
    title: 'a host that drops packets',
    isOfLinux: true,
    runsOut: 'connection',
    async start(world) {
      await world.stash();
      const hole = await world.hole();
      return {
        typed: { url: `http://127.0.0.1:${hole.port}` },
        steps: [{ finds: ['port', 'UNREACHABLE.noRoute'], press: 'find' }],
      };
    },
  },
  {
    title: 'a server that accepts connections but does not respond',
    runsOut: 'request',
    async start(world) {
      await world.stash();
      const silent = await world.server(() => undefined);
      return {
        typed: { url: silent.url },
        steps: [{ finds: ['stash', 'TIMEOUT.test'], press: 'address' }],
      };
    },
  },
  {
    title: 'a reverse proxy whose server is down',
    async start(world) {
      const server = await world.server(asReply(html(502, 'Bad Gateway')));
      const then = async () => {
        const stash = await world.stash();
        server.answer = (request) => passOn(stash, request);
        return {};
      };
      return { typed: { url: server.url }, steps: [{ finds: ['stash', 'HTTP.status'], then }] };
    },
  },
  {
    title: 'another program with JSON',
    async start(world) {
      await world.stash();
      const server = await world.server(
        asReply(json({ status: 'ok', version: '4.2' })),
        undefined,
        'nas:8080',
      );
      return {
        typed: { url: server.url },
        steps: [{ finds: ['stash', 'NOT_STASH.notGraphQL'], press: 'address' }],
      };
    },
  },
  {
    title: 'another program with GraphQL',
    async start(world) {
      await world.stash();
      const unknown = json({ errors: [{ message: 'Cannot query field "version" on type "Query".' }] }, 400);
      const server = await world.server(asReply(unknown), undefined, 'nas:8080');
      return {
        typed: { url: server.url },
        steps: [{ finds: ['stash', 'NOT_STASH.otherGraphQL'], press: 'address' }],
      };
    },
  },
  {
    title: 'another program that requires a sign-in',
    async start(world) {
      await world.stash();
      const refusal = { status: 401, headers: { 'content-type': 'application/json' }, body: '{}' };
      const server = await world.server(refusal, undefined, 'nas:8080');
      return {
        typed: { url: server.url, auth: 'apiKey', apiKey: KEY },
        steps: [
          {
            finds: ['signIn', 'UNAUTHORIZED.keyRefused'],
            press: 'address',
            then: () => ({ auth: 'none' }),
          },
        ],
      };
    },
  },
  {
    title: 'a proxy that is down',
    async start(world) {
      const stash = await world.stash();
      world.proxyUrl = `http://${await world.nobody('proxy:3128')}`;
      return {
        typed: { url: stash.url, proxy: 'proxy1' },
        steps: [{ finds: ['port', 'UNREACHABLE.proxy'], press: 'field', then: () => ({ proxy: '' }) }],
      };
    },
  },
  {
    title: 'a proxy that allows no tunnel',
    async start(world) {
      const stash = await world.stash();
      const secure = await world.server((request) => passOn(stash, request), certificate);
      const proxy = await world.proxy();
      proxy.refuse = 403;
      world.proxyUrl = proxy.url;
      const then = () => {
        proxy.refuse = 0;
        return {};
      };
      return {
        typed: { url: secure.url, tls: 'trusting', proxy: 'proxy1' },
        steps: [{ finds: ['tls', 'UNREACHABLE.proxyRefused'], press: 'field', then }],
      };
    },
  },
  {
    title: 'a proxy that requires a sign-in',
    async start(world) {
      const stash = await world.stash();
      const proxy = await world.proxy();
      proxy.login = 'amy:proxy';
      world.proxyUrl = proxy.url;
      return {
        typed: { url: stash.url, proxy: 'proxy1' },
        steps: [{ finds: ['stash', 'UNREACHABLE.proxySignIn'], press: 'field', then: () => ({ proxy: '' }) }],
      };
    },
  },
];
