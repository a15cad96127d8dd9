import assert from 'node:assert/strict';
import { nodeRedVersion, runtime, expectedVersions } from '../support/runtime';

/** Returns the part of `^20.20.2` in a package.json that must match: major, or major and minor. */
const series = (range: string | undefined, parts: number) =>
  /\d[\d.]*/
    .exec(range ?? '')?.[0]
    .split('.')
    .slice(0, parts)
    .join('.');

describe(`This run with ${runtime} on Node.js ${process.versions.node}`, () => {
  it('uses the Node.js of its runtime', () => {
    assert.equal(series(process.versions.node, 1), series(expectedVersions['node'], 1));
  });

  it('uses the Node-RED of its runtime', () => {
    assert.equal(series(nodeRedVersion, 2), series(expectedVersions['node-red'], 2));
    assert.ok(runtime.endsWith(series(nodeRedVersion, 2) ?? ''));
  });
});
