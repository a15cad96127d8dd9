import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { TestServer, failure, options } from '../support/connect';
import { RawServer, GOOD } from '../support/raw-server';
import { root } from '../support/root';
import { load } from '../../src/http/load';

/** Returns the imports at run time in a text that do not stand in `load('name', () => import('name'))`. */
function otherImports(text: string): string[] {
  const others = text.replaceAll(/\bload(?:<.*?>)?\(\s*('[^']+'),\s*\(\) => import\(\1\)/g, '');
  return others.match(/(?<!typeof )\bimport\((?!\)).*/g) ?? [];
}

describe('An npm package', () => {
  const failed = () => Promise.reject(Object.assign(new Error('too many open files'), { code: 'EMFILE' }));

  it('is loaded in another way if Node.js remembers a failed import', async () => {
    const undici = await load<typeof import('undici')>('undici', failed);
    assert.equal(typeof undici.Pool, 'function');
  });

  it('that cannot be loaded leads to UNREACHABLE, with the reason', async () => {
    const error = await failure(load('no-such-library', failed));
    assert.equal(error.case, 'UNREACHABLE.notLoaded');
    assert.equal(error.details['code'], 'EMFILE');
    assert.equal(error.retry, true);
    const withoutCode = await failure(load('no-such-library', () => Promise.reject(new Error('failed'))));
    assert.equal(withoutCode.details['code'], '–');
  });

  it('is imported in src/ only with load', () => {
    const src = path.join(root, 'src');
    const texts = readdirSync(src, { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts'))
      .map((file) => readFileSync(path.join(src, file), 'utf8'));
    assert.deepEqual(texts.flatMap(otherImports), []);
    for (const other of [
      "await import('ws')",
      'await import(`ws`)',
      "await import(/* late */ 'ws')",
      "await other('ws', () => import('ws'))",
      "await load('undici', () => import('ws'))",
    ]) {
      assert.equal(otherImports(other).length, 1, other);
    }
  });
});

describe('A transport that could not be created', () => {
  it('is created again for the next message', async () => {
    const origin = await RawServer.open(() => GOOD);
    const server = new TestServer(options(origin.url.replace('127.0.0.1', 'localhost')));
    const { no_proxy = '', NO_PROXY = '' } = process.env;
    Object.assign(process.env, { http_proxy: 'ftp://nowhere', no_proxy: '', NO_PROXY: '' });
    try {
      assert.equal((await failure(server.query())).case, 'NO_SERVER.badProxy');
    } finally {
      Reflect.deleteProperty(process.env, 'http_proxy');
      Object.assign(process.env, { no_proxy, NO_PROXY });
    }
    assert.deepEqual(await server.query(), { status: 'OK' });
    await server.close();
    await origin.close();
  });
});
