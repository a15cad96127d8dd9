import assert from 'node:assert/strict';
import { nodeRedVersion, runtime, expectedVersions } from '../support/runtime';

/** `^20.20.2` of a package.json as far as it must agree: major, or major and minor. */
const series = (range: string | undefined, parts: number) =>
  /\d[\d.]*/
    .exec(range ?? '')?.[0]
    .split('.')
    .slice(0, parts)
    .join('.');

describe(`this run, ${runtime} on Node.js ${process.versions.node}`, () => {
  it('uses the Node.js of its runtime', () => {
    assert.equal(series(process.versions.node, 1), series(expectedVersions['node'], 1));
  });

  it('uses the Node-RED of its runtime', () => {
    assert.equal(series(nodeRedVersion, 2), series(expectedVersions['node-red'], 2));
    assert.ok(runtime.endsWith(series(nodeRedVersion, 2) ?? ''));
  });
});
