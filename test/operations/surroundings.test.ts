import assert from 'node:assert/strict';
import { gatewaysIn } from '../../src/operations/surroundings';

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
    ['are none if the route leads to no gateway', [HEAD, DEFAULT.replace('0003', '0001')], []],
    ['are none if the route is down', [HEAD, DEFAULT.replace('0003', '0002')], []],
    ['are none in any other text', ['', 'what else', '\0'], []],
  ] as const) {
    it(what, () => {
      assert.deepEqual(gatewaysIn(lines.join('\n')), expected);
    });
  }
});
