import assert from 'node:assert/strict';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { LIGHT, NodeRed } from '../support/node-red';
import { userDirWithPackage } from '../support/user-dir';
import { answerLate } from '../fake-stash/faults';
import { FakeStash } from '../fake-stash/fake-stash';
import { duration } from '../../src/contract/units';

describe('The summary of a backup in a real Node-RED', function () {
  let stash: FakeStash;
  let userDir: string;
  let nodeRed: NodeRed;

  before(async function () {
    this.timeout(120_000);
    stash = await FakeStash.start();
    userDir = await userDirWithPackage();
    const folder = path.join(userDir, 'backups');
    mkdirSync(folder);
    const at = { z: 'tab', x: 10, y: 10 };
    const flows = [
      { id: 'tab', type: 'tab', label: '' },
      { id: 'config', type: 'stash-server', name: 'nas', url: stash.url },
      ...[
        { name: 'made', download: false },
        { name: 'saved', download: true, folder },
      ].flatMap((properties) => [
        {
          id: `in ${properties.name}`,
          type: 'http in',
          url: `/${properties.name}`,
          method: 'get',
          ...at,
          wires: [[properties.name]],
        },
        {
          id: properties.name,
          type: 'stash-backup',
          server: 'config',
          ...properties,
          ...at,
          wires: [['shape']],
        },
      ]),
      {
        id: 'shape',
        type: 'change',
        rules: [
          {
            t: 'set',
            p: 'payload',
            pt: 'msg',
            to: '{ "seconds": payload.seconds, "summary": stash.summary }',
            tot: 'jsonata',
          },
        ],
        ...at,
        wires: [['out']],
      },
      { id: 'out', type: 'http response', ...at, wires: [] },
    ];
    writeFileSync(path.join(userDir, 'flows.json'), JSON.stringify(flows));
    nodeRed = await NodeRed.start(userDir, { settings: LIGHT });
  });
  after(async () => {
    await nodeRed.stop();
    await stash.stop();
    rmSync(userDir, { recursive: true, force: true });
  });

  for (const [name, begin, end] of [
    ['made', 'nas backed up its database to its own disk (', 'not verified).'],
    ['saved', 'Database of nas backed up to … (', 'verified).'],
  ] as const) {
    for (const milliseconds of [0, 200]) {
      it(`states the duration unless it is below 0.1 s (${name}, ${milliseconds} ms)`, async () => {
        // A server makes no second backup in the same second.
        stash.clock.ahead += 1000;
        stash.answerNormally();
        stash.answerWith(answerLate(milliseconds), { field: 'backupDatabase' });
        // The first message also loads packages and the schema.
        await nodeRed.get(name);
        stash.clock.ahead += 1000;
        const { seconds, summary } = (await nodeRed.get(name)) as { seconds: number; summary: string };
        const time = seconds < 0.1 ? '' : `${duration(seconds)}, `;
        const normalized = summary.replace(/ to stash-go\S+ \([\d.]+ KiB, /, ' to … (');
        assert.equal(normalized, `${begin}${time}${end}`);
        assert.ok(milliseconds === 0 || time !== '');
      });
    }
  }
});
