import assert from 'node:assert/strict';
import type { Node } from 'node-red';
import { StashError } from '../../src/errors';
import { RecentErrors } from '../../src/flow/recent-errors';

const SCAN = { id: 'scan', type: 'stash-scan' } as unknown as Node;
/** A node in an instance of a subflow. */
const INNER = { id: 'generated', _alias: 'inner', type: 'stash-scan' } as unknown as Node;

function outside(path: string): StashError {
  return new StashError('PATH_NOT_IN_LIBRARY.outside', { details: { path, folders: '/media' } });
}

describe('The recent errors of a server', () => {
  let log: RecentErrors;
  const shown = () => log.newest.map(({ node, error, count }) => [node, error?.details['path'], count]);

  beforeEach(() => {
    RecentErrors.drop('server');
    log = RecentErrors.of('server');
  });

  it('are kept for a server, also across a deploy', () => {
    log.add(SCAN, outside('/a'));
    assert.equal(RecentErrors.of('server').newest.length, 1);
    assert.equal(RecentErrors.of('another').newest.length, 0);
    RecentErrors.drop('server');
    assert.equal(RecentErrors.of('server').newest.length, 0);
  });

  it('are counted if they are equal and of one node, and the last one counts as new', () => {
    for (const path of ['/a', '/b', '/a']) log.add(SCAN, outside(path));
    log.add(INNER, outside('/a'));
    assert.deepEqual(shown(), [
      ['inner', '/a', 1],
      ['scan', '/a', 2],
      ['scan', '/b', 1],
    ]);
  });

  it('are the last twenty', () => {
    for (let count = 1; count <= 30; count++) log.add(SCAN, outside(`/${count}`));
    assert.equal(log.newest.length, 20);
    assert.deepEqual(shown()[0], ['scan', '/30', 1]);
  });

  it('include bugs, but not the end of a message by a deploy', () => {
    log.add(SCAN, new StashError('CLOSED.closed'));
    assert.deepEqual(shown(), []);
    log.add(SCAN, new TypeError('undefined is not a function'));
    assert.deepEqual(shown(), [['scan', undefined, 1]]);
  });
});
