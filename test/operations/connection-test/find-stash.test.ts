import assert from 'node:assert/strict';
import { gatewaysIn, surroundings } from '../../../src/operations/connection-test/find-stash';

/** The table of a container, as Linux has it in /proc/net/route. */
const HEAD = 'Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT';
const DEFAULT = 'eth0\t00000000\t010011AC\t0003\t0\t0\t0\t00000000\t0\t0\t0';
const NET = 'eth0\t000011AC\t00000000\t0001\t0\t0\t0\t0000FFFF\t0\t0\t0';

describe('The gateways in a table of routes', () => {
  for (const [what, lines, expected] of [
    ['are those of the default routes', [HEAD, DEFAULT, NET], ['172.17.0.1']],
    [
      'are all different ones',
      [HEAD, DEFAULT, DEFAULT, DEFAULT.replace('010011AC', 'FE01A8C0')],
      ['172.17.0.1', '192.168.1.254'],
    ],
    ['are none without a default route', [HEAD, NET], []],
    [
      'are none in a container with the network of its machine: the gateway is a router there',
      [HEAD, DEFAULT.replace('010011AC', 'FE01A8C0'), NET.replace('eth0', 'docker0')],
      [],
    ],
    ['are none if the route leads to no gateway', [HEAD, DEFAULT.replace('0003', '0001')], []],
    ['are none if the route is down', [HEAD, DEFAULT.replace('0003', '0002')], []],
    ['are none in any other text', ['', 'what else', '\0'], []],
  ] as const) {
    it(what, () => {
      assert.deepEqual(gatewaysIn(lines.join('\n')), expected);
    });
  }
});

describe('The hosts around Node-RED', () => {
  const { marks } = surroundings;
  afterEach(() => {
    surroundings.marks = marks;
  });

  it('are none outside of a container: the gateway is a router there', async () => {
    surroundings.marks = ['/no/such/file'];
    assert.deepEqual(await surroundings.hosts(), []);
  });

  for (const marks of [[__filename], ['/no/such/file', __filename]]) {
    it(`are outside of the container that the ${marks.length}. mark shows`, async () => {
      surroundings.marks = marks;
      assert.equal((await surroundings.hosts())[0], 'host.docker.internal');
    });
  }
});
