import assert from 'node:assert/strict';
import { StashError } from '../../src/errors';
import { type ViewSource, viewOf } from '../../src/flow/server-view';
import type { ServerNode } from '../../src/flow/server-node';

const NODE = { id: 'server' } as unknown as ServerNode;

/** Returns what is known of a server for which so many nodes wait at so many sites. */
function known(sites: number, nodes: number): ViewSource {
  const waiting = new Map(Array.from({ length: nodes }, (_, index) => [`node ${index}`, 1]));
  return {
    server: {
      name: 'nas',
      url: 'http://nas:9999',
      redact: (text: string) => text.replace('canary', '•••'),
      reachability: { hasRecoveredFrom: () => true },
      jobs: { pause: { pending: { interrupted: [], waiting: 0 } } },
      watched: new Map(),
      sites: Array.from({ length: sites }, (_, index) => ({
        ...{ source: `site ${index}`, state: 'waiting', nextAt: 0, waiting: nodes, nodes: waiting },
      })),
    },
    queue: { view: () => ({ jobs: null, count: 0 }) },
    reachability: { reachable: true, release: 'v0.30.1', back: false },
    errors: [],
  } as unknown as ViewSource;
}

describe('The view of a server', () => {
  it('has no old reason for unknown jobs once the server is back', () => {
    const failure = new StashError('UNREACHABLE.refused', {
      details: { url: 'http://nas:9999', host: 'nas', code: 'ECONNREFUSED' },
    });
    const queue = { view: () => ({ jobs: null, count: 0, failure }) } as unknown as ViewSource['queue'];
    const back = { ...known(0, 0), queue };
    assert.equal(viewOf(NODE, back).jobsError, null);
    Object.assign(back.server.reachability, {
      outage: { since: new Date(), reason: failure },
      hasRecoveredFrom: () => false,
    });
    assert.equal(viewOf(NODE, back).jobsError?.case, failure.case);
  });

  it('has a bounded number of sites and of nodes that wait', () => {
    const { sites } = viewOf(NODE, known(100, 1000));
    assert.equal(sites.length, 20);
    const [site] = sites;
    assert.deepEqual([site?.nodes.length, site?.waiting], [50, 1000]);
  });
});
