import assert from 'node:assert/strict';
import { isNewer } from '../../../src/operations/library/latest-version';

/** The version and the hash of the latest release, then of the server. */
type Builds = [latest: [string, string?], own: [string | null, string?]];

function compared([[version, shorthash = ''], [own, hash = '']]: Builds): boolean | null {
  return isNewer({ version, shorthash }, { version: own, hash });
}

describe('The latest release', () => {
  for (const [latest, own] of [
    [['v0.31.0'], ['v0.30.1']],
    [['v0.30.1'], ['v0.30.0']],
    [['v0.30.10'], ['v0.30.9']],
    [['v1.0.0'], ['v0.99.9']],
    // Without its commits, the build would have the same number.
    [['v0.31.0'], ['v0.30.1-19-gcf3489efd']],
    [['v0.31.0-2-g0123abc'], ['v0.30.1-190-gcf3489efd']],
    [['v0.30.1-25-g0123abc'], ['v0.30.1-19-gcf3489efd']],
    [['v0.30.1-100-g0123abc'], ['v0.30.1-99-gcf3489efd']],
    [
      ['v0.31.0', '9d1f4c06'],
      ['v0.30.1', '57a3c2fe'],
    ],
  ] as Builds[]) {
    it(`is newer if it is ${latest[0]} and the server is ${String(own[0])}`, () => {
      assert.equal(compared([latest, own]), true);
    });
  }

  for (const [latest, own] of [
    [['v0.30.1'], ['v0.30.1']],
    [['v0.30.1'], ['0.30.1']],
    [['v0.30.1'], ['v0.31.0']],
    // The development build contains the release.
    [['v0.30.1'], ['v0.30.1-19-gcf3489efd']],
    [['v0.30.1'], ['v0.31.0-1-gcf3489efd']],
    [
      ['nightly', '57a3c2fe'],
      [null, '57a3c2fe'],
    ],
    [
      ['v0.30.1-19-gcf3489efd', 'cf3489ef'],
      ['v0.30.1-19-gcf3489efd', 'cf3489ef'],
    ],
  ] as Builds[]) {
    it(`is not newer if it is ${latest[0]} and the server is ${String(own[0])}`, () => {
      assert.equal(compared([latest, own]), false);
    });
  }

  for (const [latest, own] of [
    [['v0.31.0'], [null]],
    [['v0.31.0'], ['head']],
    [['v0.31.0'], ['v0.31']],
    [['v0.31.0'], ['v0.31.0-rc1']],
    [['latest_develop'], ['v0.30.1']],
    [[''], ['v0.30.1']],
    // The build may be of a branch that lacks some of the commits.
    [['v0.30.1-19-g0123abc'], ['v0.30.1-25-gcf3489efd']],
    [['v0.30.1-19-g0123abc'], ['v0.30.1-19-gcf3489efd']],
    [['v0.30.1-19-g0123abc'], ['v0.31.0']],
    [
      ['nightly', ''],
      [null, ''],
    ],
  ] as Builds[]) {
    it(`may be newer or not if it is "${latest[0]}" and the server is ${String(own[0])}`, () => {
      assert.equal(compared([latest, own]), null);
    });
  }
});
