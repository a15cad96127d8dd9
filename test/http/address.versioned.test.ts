import assert from 'node:assert/strict';
import type { ErrorCase } from '../../src/errors';
import { Address } from '../../src/http/address';

describe('The address of a server', () => {
  const accepted: [what: string, text: string, base: string, graphqlPath: string][] = [
    ['a host and a port', 'http://nas:9999', 'http://nas:9999', '/graphql'],
    ['a trailing slash', 'http://nas:9999/', 'http://nas:9999', '/graphql'],
    ['several trailing slashes', 'http://nas:9999///', 'http://nas:9999', '/graphql'],
    ['a sub-path', 'https://nas.example/stash', 'https://nas.example/stash', '/stash/graphql'],
    ['a sub-path with slashes', 'https://nas.example/stash//', 'https://nas.example/stash', '/stash/graphql'],
    ['a deep sub-path', 'http://nas/media/stash/', 'http://nas/media/stash', '/media/stash/graphql'],
    ['a sub-path with a space', 'http://nas/my stash', 'http://nas/my%20stash', '/my%20stash/graphql'],
    ['spaces and line breaks around it', ' \thttp://nas:9999/\n', 'http://nas:9999', '/graphql'],
    ['IPv4', 'http://192.168.1.20:9999', 'http://192.168.1.20:9999', '/graphql'],
    ['IPv6', 'http://[fd00::20]:9999/', 'http://[fd00::20]:9999', '/graphql'],
    ['upper case', 'HTTP://NAS.Example:9999/Stash', 'http://nas.example:9999/Stash', '/Stash/graphql'],
    ['the default port', 'https://nas.example:443/', 'https://nas.example', '/graphql'],
    ['a query', 'http://nas:9999/?c=movies&p=2', 'http://nas:9999', '/graphql'],
    ['a query below a sub-path', 'http://nas/stash/?c=movies', 'http://nas/stash', '/stash/graphql'],
    ['a fragment', 'http://nas:9999/#top', 'http://nas:9999', '/graphql'],
    ["the API's path", 'http://nas:9999/graphql', 'http://nas:9999', '/graphql'],
    ["the API's path and a slash", 'http://nas:9999/graphql/', 'http://nas:9999', '/graphql'],
    ["the API's path below a sub-path", 'http://nas/stash/graphql', 'http://nas/stash', '/stash/graphql'],
    ['the path of the playground', 'http://nas:9999/playground#query', 'http://nas:9999', '/graphql'],
    ['no protocol', 'nas.example:9999', 'http://nas.example:9999', '/graphql'],
    ['an IP address and no protocol', '192.168.1.20:9999', 'http://192.168.1.20:9999', '/graphql'],
    ['a host alone', 'nas', 'http://nas', '/graphql'],
    ['slashes and no protocol', '//nas:9999', 'http://nas:9999', '/graphql'],
    ['a sub-path and no protocol', 'nas.example/stash', 'http://nas.example/stash', '/stash/graphql'],
    ['no protocol, and a whole address in its query', 'nas/?from=http://x', 'http://nas', '/graphql'],
    ['a list of scenes', 'http://nas:9999/scenes?sortby=date&disp=1', 'http://nas:9999', '/graphql'],
    ['a scene', 'http://nas/stash/scenes/12?qsort=date', 'http://nas/stash', '/stash/graphql'],
    ['the markers', 'http://nas:9999/scenes/markers', 'http://nas:9999', '/graphql'],
    ['a tab of a performer', 'http://nas:9999/performers/7/galleries', 'http://nas:9999', '/graphql'],
    ['the settings', 'http://nas:9999/settings?tab=security', 'http://nas:9999', '/graphql'],
    ['the images', 'http://nas:9999/images?sortby=path', 'http://nas:9999', '/graphql'],
    ['a movie', 'http://nas:9999/movies/3', 'http://nas:9999', '/graphql'],
    ['a sub-path with the name of a page', 'http://nas/movies', 'http://nas/movies', '/movies/graphql'],
    ['a sub-path that begins like a page', 'http://nas/scenes-2', 'http://nas/scenes-2', '/scenes-2/graphql'],
    [
      'the path of the sign-in page',
      'http://nas/stash/login?returnURL=%2F',
      'http://nas/stash',
      '/stash/graphql',
    ],
    [
      "a sub-path that ends like the API's path",
      'http://nas/my-graphql',
      'http://nas/my-graphql',
      '/my-graphql/graphql',
    ],
    [
      "a sub-path that begins like the API's path",
      'http://nas/graphql/stash',
      'http://nas/graphql/stash',
      '/graphql/stash/graphql',
    ],
    ['quotes around it, as a compose file may add', '"http://nas:9999"', 'http://nas:9999', '/graphql'],
    ['another alphabet', 'http://bücher.example', 'http://xn--bcher-kva.example', '/graphql'],
  ];

  for (const [what, text, base, graphqlPath] of accepted) {
    it(`may have ${what}`, () => {
      const address = new Address(text);
      assert.equal(address.base, base);
      assert.equal(address.graphqlPath, graphqlPath);
      assert.equal(address.origin + address.graphqlPath, `${base}/graphql`);
    });
  }

  it('is parsed quickly, however many slashes it has', () => {
    // A regular expression that tries each slash as the first of the trailing ones would take minutes.
    const slashes = '/'.repeat(400_000);
    assert.equal(new Address(`http://nas${slashes}stash${slashes}`).base, `http://nas${slashes}stash`);
  });

  it('contains a host with the port, unless that is the default port', () => {
    assert.equal(new Address('http://nas:9999/stash').host, 'nas:9999');
    assert.equal(new Address('http://[fd00::20]:9999').host, '[fd00::20]:9999');
    assert.equal(new Address('https://nas.example:443').host, 'nas.example');
  });

  it('puts paths below its sub-path', () => {
    assert.equal(new Address('http://nas/stash/').pathOf('/playground'), '/stash/playground');
    assert.equal(new Address('http://nas:9999').pathOf('/playground'), '/playground');
  });

  const refused: [what: string, text: string, error: ErrorCase][] = [
    ['empty', '', 'NO_SERVER.noAddress'],
    ['spaces alone', ' \t\n', 'NO_SERVER.noAddress'],
    ['a protocol alone', 'http://', 'NO_SERVER.badAddress'],
    ['an invalid port', 'http://nas:99999', 'NO_SERVER.badAddress'],
    ['a space in the host', 'http://my nas:9999', 'NO_SERVER.badAddress'],
    ['an environment variable beside other text', 'http://${HOST}:9999', 'NO_SERVER.variableInAddress'],
    ['an FTP address', 'ftp://nas/stash', 'NO_SERVER.badAddress'],
    ['a WebSocket address', 'ws://nas:9999', 'NO_SERVER.badAddress'],
    ['a path of a file', 'file:///stash', 'NO_SERVER.badAddress'],
    ['an address with a user and a password', 'http://me:secret@nas:9999', 'NO_SERVER.credentialsInAddress'],
    ['an address with a user', 'http://me@nas:9999', 'NO_SERVER.credentialsInAddress'],
    ['an address with a password', 'http://:secret@nas:9999', 'NO_SERVER.credentialsInAddress'],
  ];

  for (const [what, text, error] of refused) {
    it(`cannot be ${what}`, () => {
      assert.throws(() => new Address(text), { case: error, details: {} });
    });
  }
});

describe('A download link', () => {
  const file = '/downloads/0a1b2c3d/stash-go.sqlite.75.20260111_120000';
  const rebased: [what: string, base: string, link: string][] = [
    ['to the address itself', 'http://nas:9999', `http://nas:9999${file}`],
    ['to the name that a proxy reports to the server', 'https://nas.example', `http://127.0.0.1:9999${file}`],
    ['to any other host', 'http://nas:9999', `https://evil.example${file}`],
    ['without the sub-path of the address', 'https://nas.example/stash', `http://nas.example${file}`],
    ['with the sub-path of the address', 'https://nas.example/stash', `https://nas.example/stash${file}`],
    ['with another sub-path', 'http://nas:9999', `https://nas.example/stash${file}`],
    ['without a host', 'http://nas:9999/stash', file],
    ['with a user and a password', 'http://nas:9999', `http://me:secret@evil.example${file}`],
  ];

  for (const [what, base, link] of rebased) {
    it(`${what} is moved to the configured address`, () => {
      const path = new Address(base).download(link)?.path ?? '';
      assert.equal(new URL(path, base).href, base + file);
    });
  }

  const none: [what: string, link: string][] = [
    ['empty', ''],
    ['another page', 'http://evil/x'],
    ['another page of the server', 'http://nas:9999/settings?tab=tasks'],
    ['the folder of downloads', 'http://nas:9999/downloads/'],
    ['a link without a file name', 'http://nas:9999/downloads/0a1b2c3d'],
    ['a link with an empty file name', 'http://nas:9999/downloads/0a1b2c3d/'],
    ['a link that continues after the file name', `http://nas:9999${file}/../../graphql`],
    ['a link to a folder instead of a file', 'http://nas:9999/downloads/0a1b2c3d/.'],
    ['a link to the folder above', 'http://nas:9999/downloads/0a1b2c3d/..'],
    ['a program', 'javascript:alert(1)'],
  ];

  for (const [what, link] of none) {
    it(`cannot be ${what}`, () => {
      assert.equal(new Address('http://nas:9999').download(link), undefined);
    });
  }

  it('never leads away from the configured address', () => {
    const tails = [
      '/downloads/../x',
      '/downloads/@evil/x',
      '/downloads/\\evil/..\\..\\x',
      '/downloads/ /:80',
    ];
    for (const link of tails.flatMap((tail) => [tail, `http://evil.example${tail}`, `//evil${tail}`])) {
      const fetched = new Address('http://nas:9999').download(link);
      if (fetched !== undefined) assert.match(fetched.path, /^\/downloads\/[0-9a-f]+\/[^/\\]+$/);
    }
  });

  it('may have a file name that begins with dots', () => {
    for (const name of ['.sqlite', '..sqlite', '...']) {
      assert.equal(new Address('http://nas:9999').download(`/downloads/0a1b2c3d/${name}`)?.name, name);
    }
  });

  it('may have an unescaped file name with any characters but slashes', () => {
    const name = 'my 100% #1? database.sqlite.75.20260111_120000';
    const fetched = new Address('http://nas:9999/stash').download(
      `http://nas:9999/downloads/0a1b2c3d/${name}`,
    );
    assert.equal(fetched?.name, name);
    assert.equal(
      fetched.path,
      '/stash/downloads/0a1b2c3d/my%20100%25%20%231%3F%20database.sqlite.75.20260111_120000',
    );
  });
});

describe('A redirect', () => {
  const plain = 'http://nas:9999';
  const below = 'https://nas.example/stash';
  const own: [what: string, base: string, location: string][] = [
    ['as a path', plain, '/login?returnURL=%2Fgraphql'],
    ['as a whole address', plain, 'http://nas:9999/login?returnURL=%2Fgraphql'],
    ['below the sub-path', below, '/stash/login?returnURL=%2Fstash%2Fgraphql'],
    ['without the sub-path, which the server does not know', below, '/login?returnURL=%2Fgraphql'],
    ['with an empty return address', plain, '/login?returnURL='],
    ['with more parameters', plain, '/login?lang=en&returnURL=%2F'],
  ];
  const others: [what: string, base: string, location: string][] = [
    ['on another host', plain, 'http://evil.example/login?returnURL=%2Fgraphql'],
    ['on another port', plain, 'http://nas:8080/login?returnURL=%2Fgraphql'],
    ['with another protocol', plain, 'https://nas:9999/login?returnURL=%2Fgraphql'],
    ['without a protocol, on another host', plain, '//evil.example/login?returnURL=%2Fgraphql'],
    ['of an identity provider', plain, 'https://auth.example/oauth2/start?rd=http%3A%2F%2Fnas%3A9999%2F'],
    ['of a proxy on the same address', plain, '/oauth2/sign_in?rd=%2Fgraphql'],
    ['without a return address', plain, '/login'],
    ['with another spelling of the return address', plain, '/login?returnurl=%2F'],
    ['whose path only begins like that of the page', plain, '/login/sso?returnURL=%2F'],
    ['whose path only ends like that of the page', plain, '/weblogin?returnURL=%2F'],
    ['that is missing', plain, ''],
    ['that is not an address', plain, 'http://[x/login?returnURL=%2F'],
  ];

  for (const [what, base, location] of own) {
    it(`${what} leads to the sign-in page of the server`, () => {
      assert.equal(new Address(base).isLogin(location), true);
    });
  }
  for (const [what, base, location] of others) {
    it(`${what} does not lead to the sign-in page of the server`, () => {
      assert.equal(new Address(base).isLogin(location), false);
    });
  }
});
