import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import path from 'node:path';
import type { Node, NodeAPI, NodeMessage } from 'node-red';
import { root, runtime } from '../support/runtime';
import type { ErrorCase } from '../../src/errors';
import {
  checkbox,
  checkboxes,
  checkFixed,
  choice,
  type Config,
  count,
  type Evaluate,
  evaluator,
  fileName,
  folder,
  ids,
  job,
  minutes,
  type Named,
  type NamedJob,
  number,
  onlyIf,
  performer,
  type Property,
  readInput,
  selection,
  text,
  texts,
} from '../../src/flow/input';

/** What a property that does not depend on the message comes out as. */
function fixed<T>(property: Property<T>, config: Config): T {
  assert.ok(property.fixed);
  return property.read(config);
}

const unused: Evaluate = () => assert.fail('nothing was to be evaluated');

describe('A checkbox', () => {
  it('is ticked where the flow file says so', () => {
    assert.equal(fixed(checkbox('download'), { download: true }), true);
  });

  it('is not ticked otherwise', () => {
    for (const download of [undefined, false, null, '', 'true', 'false', 1, 0, [], {}]) {
      assert.equal(fixed(checkbox('download'), { download }), false, JSON.stringify(download));
    }
    assert.equal(fixed(checkbox('download'), {}), false);
  });
});

describe('Checkboxes', () => {
  const kinds = checkboxes(['sprites', 'previews', 'markers']);

  it('give the names of those that are ticked', () => {
    assert.deepEqual(fixed(kinds, { markers: true, previews: false, sprites: true }), ['sprites', 'markers']);
    assert.deepEqual(fixed(kinds, { sprites: true, previews: true, markers: true }), [
      'sprites',
      'previews',
      'markers',
    ]);
  });

  it('give no others', () => {
    assert.deepEqual(fixed(kinds, { sprites: true, covers: true, name: true }), ['sprites']);
  });

  it('of which none is ticked are BAD_INPUT', () => {
    for (const config of [{}, { sprites: false }, { sprites: 'true', previews: 1 }, { covers: true }]) {
      assert.throws(() => fixed(kinds, config), { case: 'BAD_INPUT.notChosen' });
    }
  });
});

describe('Checkboxes of which some are ticked from the start', () => {
  const events = checkboxes(['started', 'progress', 'ended'], ['started', 'ended']);

  it('are so where the flow file does not say', () => {
    assert.deepEqual(fixed(events, {}), ['started', 'ended']);
    assert.deepEqual(fixed(events, { progress: true }), ['started', 'progress', 'ended']);
    assert.deepEqual(fixed(events, { started: false, progress: null }), ['ended']);
  });

  it('of which none is left are BAD_INPUT', () => {
    assert.throws(() => fixed(events, { started: false, ended: false }), { case: 'BAD_INPUT.notChosen' });
  });
});

describe('A choice', () => {
  const reply = choice('reply', ['started', 'finished']);

  it('is the first where the flow file has none', () => {
    assert.equal(fixed(reply, {}), 'started');
    assert.equal(fixed(reply, { reply: null }), 'started');
  });

  it('is what was chosen', () => {
    assert.equal(fixed(reply, { reply: 'finished' }), 'finished');
  });

  it('is BAD_INPUT where the node does not know it', () => {
    for (const wrong of ['', 'Finished', 'ended', true, 0, ['finished'], {}]) {
      assert.throws(() => fixed(reply, { reply: wrong }), {
        case: 'BAD_INPUT.unknownChoice',
        details: { choice: JSON.stringify(wrong) },
      });
    }
  });
});

describe('A selection', () => {
  const fields = selection('fields', ['id', 'name', 'url'], ['id', 'name']);

  it('is the default where the flow file has none', () => {
    assert.deepEqual(fixed(fields, {}), ['id', 'name']);
    assert.deepEqual(fixed(fields, { fields: undefined }), ['id', 'name']);
    assert.deepEqual(fixed(fields, { fields: null }), ['id', 'name']);
  });

  it('is everything where there is no other default', () => {
    assert.deepEqual(fixed(selection('fields', ['id', 'name']), {}), ['id', 'name']);
  });

  it('is what was chosen, in the order of the choices', () => {
    assert.deepEqual(fixed(fields, { fields: ['url', 'id'] }), ['id', 'url']);
    assert.deepEqual(fixed(fields, { fields: ['url'] }), ['url']);
  });

  it('has each choice once', () => {
    assert.deepEqual(fixed(fields, { fields: ['url', 'id', 'url', 'id'] }), ['id', 'url']);
  });

  const wrong: [what: string, fields: unknown, error: ErrorCase][] = [
    ['nothing', [], 'BAD_INPUT.notChosen'],
    ['a text', 'id', 'BAD_INPUT.notChosen'],
    ['an empty text', '', 'BAD_INPUT.notChosen'],
    ['a number', 1, 'BAD_INPUT.notChosen'],
    ['a choice', true, 'BAD_INPUT.notChosen'],
    ['an object', { 0: 'id', length: 1 }, 'BAD_INPUT.notChosen'],
    ['something unknown', ['id', 'nope'], 'BAD_INPUT.unknownChoice'],
    ['something in upper case', ['ID'], 'BAD_INPUT.unknownChoice'],
    ['more than a name', ['id name'], 'BAD_INPUT.unknownChoice'],
    ['something that ends the document', ['id } } mutation { x'], 'BAD_INPUT.unknownChoice'],
    ['an empty name', [''], 'BAD_INPUT.unknownChoice'],
    ['null', [null], 'BAD_INPUT.unknownChoice'],
    ['a list within', [['id']], 'BAD_INPUT.unknownChoice'],
    ['what every object has', ['constructor'], 'BAD_INPUT.unknownChoice'],
  ];
  for (const [what, chosen, error] of wrong) {
    it(`of ${what} is BAD_INPUT`, () => {
      assert.throws(() => fixed(fields, { fields: chosen }), { name: 'StashError', case: error });
    });
  }

  it('names what is unknown, if that is not too long', () => {
    assert.throws(() => fixed(fields, { fields: ['id', 'nope'] }), { details: { choice: '"nope"' } });
    assert.throws(() => fixed(fields, { fields: ['x'.repeat(100)] }), {
      details: { choice: `"${'x'.repeat(39)}` },
    });
  });
});

describe('A number', () => {
  const age = number('listMaxAge', 10);

  it('is the default where the flow file has none', () => {
    assert.equal(fixed(age, {}), 10);
    assert.equal(fixed(age, { listMaxAge: null }), 10);
  });

  it('is one, or the text of one, as the dialog saves it', () => {
    for (const [listMaxAge, value] of [
      [30, 30],
      ['30', 30],
      [' 0.5 ', 0.5],
      [0, 0],
      ['0', 0],
    ] as const) {
      assert.equal(fixed(age, { listMaxAge }), value);
    }
  });

  it('is BAD_INPUT otherwise', () => {
    for (const listMaxAge of [
      '',
      ' ',
      'ten',
      '10 min',
      '1,5',
      -1,
      '-1',
      NaN,
      Infinity,
      'Infinity',
      true,
      [],
      {},
    ]) {
      assert.throws(() => fixed(age, { listMaxAge }), {
        case: 'BAD_INPUT.notNumber',
        details: { property: 'listMaxAge' },
      });
    }
  });
});

describe('A number of minutes', () => {
  const limit = minutes('waitLimit', 0);

  it('is told in milliseconds', () => {
    for (const [waitLimit, milliseconds] of [
      [10, 600_000],
      ['10', 600_000],
      ['0.5', 30_000],
    ] as const) {
      assert.equal(fixed(limit, { waitLimit }), milliseconds);
    }
    assert.equal(fixed(minutes('stalledAfter', 10), {}), 600_000);
  });

  it('is without an end where it is 0', () => {
    for (const waitLimit of [0, '0', ' 0.0 ', undefined, null]) {
      assert.equal(fixed(limit, { waitLimit }), Infinity);
    }
  });

  it('is BAD_INPUT where it is no number from 0 on', () => {
    for (const waitLimit of ['', 'ten', -1, NaN, Infinity, true, []]) {
      assert.throws(() => fixed(limit, { waitLimit }), {
        case: 'BAD_INPUT.notNumber',
        details: { property: 'waitLimit' },
      });
    }
  });
});

describe('A typed input for a job', () => {
  const property = job('job', { value: 'payload', type: 'msg' }, 'all');

  async function read(result: unknown, config: Config = {}): Promise<NamedJob | null> {
    assert.ok(!property.fixed);
    return property.read(config, () => Promise.resolve(result));
  }

  const added = '2026-01-11T04:41:59.123456789+01:00';
  const good: [what: string, result: unknown, named: NamedJob][] = [
    ['an id', '12', { id: '12' }],
    ['an id with blanks around it', ' 12\n', { id: '12' }],
    ['a number', 12, { id: '12' }],
    ['what a node gives that has started a job', { id: '12', status: 'STARTED' }, { id: '12' }],
    [
      'all that a node tells of a job',
      { id: '12', status: 'RUNNING', description: 'Scanning...', added, start: added, problems: [] },
      { id: '12', added, description: 'Scanning...' },
    ],
    [
      'a job of a server that gives no ids',
      { id: null, description: 'Scan', added: null },
      { id: null, description: 'Scan' },
    ],
  ];
  for (const [what, result, named] of good) {
    it(`takes ${what}`, async () => {
      assert.deepEqual(await read(result), named);
    });
  }

  const wrong: [what: string, result: unknown, error: ErrorCase][] = [
    ['nothing', undefined, 'BAD_INPUT.empty'],
    ['null', null, 'BAD_INPUT.empty'],
    ['an empty text', '', 'BAD_INPUT.empty'],
    ['blanks', ' \t', 'BAD_INPUT.empty'],
    ['a record with an empty id', { id: '' }, 'BAD_INPUT.empty'],
    ['a name', 'scan', 'BAD_INPUT.notJob'],
    ['an object that is no job', { name: 'scan' }, 'BAD_INPUT.notJob'],
    ['a number with a fraction', 1.5, 'BAD_INPUT.notJob'],
    ['a negative number', -1, 'BAD_INPUT.notJob'],
    ['a list', ['12'], 'BAD_INPUT.notJob'],
    ['an id within an id', { id: { id: '12' } }, 'BAD_INPUT.notJob'],
    ['true', true, 'BAD_INPUT.notJob'],
  ];
  for (const [what, result, error] of wrong) {
    it(`of ${what} is BAD_INPUT, never all jobs`, async () => {
      await assert.rejects(read(result), { name: 'StashError', case: error });
    });
  }

  it('is all jobs only where that is its type', async () => {
    assert.equal(await read(undefined, { job: '', jobType: 'all' }), null);
    await assert.rejects(read(undefined, { job: 'all', jobType: 'str' }), { case: 'BAD_INPUT.empty' });
  });
});

describe('A typed input for a performer', () => {
  const property = performer('performer', { value: 'payload', type: 'msg' });

  async function read(result: unknown, config: Config = {}): Promise<Named> {
    assert.ok(!property.fixed);
    return property.read(config, () => Promise.resolve(result));
  }

  const url = 'https://performers.example/robin-vale';
  const good: [what: string, result: unknown, named: Named][] = [
    ['a name', ' Robin Vale\n', 'Robin Vale'],
    ['a list of one name', ['Robin Vale '], 'Robin Vale'],
    ['an object with a name', { name: ' Robin Vale' }, { name: 'Robin Vale' }],
    ['an address', { name: 'Robin Vale', url: ` ${url} ` }, { name: 'Robin Vale', url }],
    ['a score', { name: 'Robin Vale', score: 0 }, { name: 'Robin Vale', score: 0 }],
    [
      'all that a node gave',
      { name: 'Robin Vale', url, country: 'CA', aliases: 'Wren', score: 0.95, reason: 'alias' },
      { name: 'Robin Vale', url, score: 0.95 },
    ],
    ['a list of one candidate', [{ name: 'Robin Vale', url }], { name: 'Robin Vale', url }],
    [
      'an address and a score of other types',
      { name: 'Robin Vale', url: 42, score: '1', fields: ['name'], source: 'films' },
      { name: 'Robin Vale' },
    ],
    ['an empty address', { name: 'Robin Vale', url: ' ', score: null }, { name: 'Robin Vale' }],
  ];
  for (const [what, result, named] of good) {
    it(`takes ${what}`, async () => {
      assert.deepEqual(await read(result), named);
    });
  }

  const wrong: [what: string, result: unknown, error: ErrorCase][] = [
    ['nothing', undefined, 'BAD_INPUT.empty'],
    ['null', null, 'BAD_INPUT.empty'],
    ['an empty text', '', 'BAD_INPUT.empty'],
    ['blanks', ' \t\r\n\u00a0', 'BAD_INPUT.empty'],
    ['what nobody sees', '\u200b \u00ad', 'BAD_INPUT.empty'],
    ['an empty list', [], 'BAD_INPUT.empty'],
    ['a list of nothing', [null], 'BAD_INPUT.empty'],
    ['a list of a hole', new Array(1), 'BAD_INPUT.empty'],
    ['a list of an empty text', [' '], 'BAD_INPUT.empty'],
    ['an object with an empty name', { name: ' ', url }, 'BAD_INPUT.empty'],
    ['an empty object', {}, 'BAD_INPUT.notPerformer'],
    ['an object without a name', { url, score: 1 }, 'BAD_INPUT.notPerformer'],
    ['an object whose name is no text', { name: ['Robin Vale'] }, 'BAD_INPUT.notPerformer'],
    ['a list of an empty object', [{}], 'BAD_INPUT.notPerformer'],
    ['a list within a list', [['Robin Vale']], 'BAD_INPUT.notPerformer'],
    ['a number', 42, 'BAD_INPUT.notPerformer'],
    ['false', false, 'BAD_INPUT.notPerformer'],
    ['a buffer', Buffer.from('Robin Vale'), 'BAD_INPUT.notPerformer'],
  ];
  for (const [what, result, error] of wrong) {
    it(`that comes out as ${what} is BAD_INPUT`, async () => {
      await assert.rejects(read(result), {
        name: 'StashError',
        case: error,
        details: { property: 'performer', source: 'msg.payload' },
      });
    });
  }

  it('that comes out as a longer list is BAD_INPUT, which tells how long', async () => {
    for (const list of [['Robin Vale', 'Hana Mori'], [{ name: 'Robin Vale' }, null], new Array(2)]) {
      await assert.rejects(read(list), {
        case: 'BAD_INPUT.tooMany',
        details: { property: 'performer', source: 'msg.payload', count: 2 },
      });
    }
  });
});

describe('A typed input for text', () => {
  const query = text('query', { value: 'payload', type: 'msg' });

  async function read(result: unknown, config: Config = {}): Promise<string> {
    assert.ok(!query.fixed);
    return query.read(config, () => Promise.resolve(result));
  }

  it('is evaluated as the dialog says', async () => {
    assert.ok(!query.fixed);
    const asked: string[][] = [];
    const evaluate: Evaluate = (value, type) => {
      asked.push([value, type]);
      return Promise.resolve('x');
    };
    await query.read({ query: 'topic', queryType: 'flow' }, evaluate);
    await query.read({ query: '', queryType: 'str' }, evaluate);
    assert.deepEqual(asked, [
      ['topic', 'flow'],
      ['', 'str'],
    ]);
  });

  it('has its default where the flow file has nothing', async () => {
    assert.ok(!query.fixed);
    const asked: string[][] = [];
    const evaluate: Evaluate = (value, type) => {
      asked.push([value, type]);
      return Promise.resolve('x');
    };
    await query.read({}, evaluate);
    await query.read({ query: null, queryType: undefined }, evaluate);
    await query.read({ queryType: 'global' }, evaluate);
    assert.deepEqual(asked, [
      ['payload', 'msg'],
      ['payload', 'msg'],
      ['payload', 'global'],
    ]);
  });

  it('loses the blanks around it', async () => {
    assert.equal(await read(' \tRobin Vale\r\n'), 'Robin Vale');
    assert.equal(await read('Robin  Vale'), 'Robin  Vale');
  });

  const wrong: [what: string, result: unknown, error: ErrorCase][] = [
    ['nothing', undefined, 'BAD_INPUT.empty'],
    ['null', null, 'BAD_INPUT.empty'],
    ['an empty text', '', 'BAD_INPUT.empty'],
    ['blanks', ' \t\r\n', 'BAD_INPUT.empty'],
    ['what nobody sees', '\u200b\ufeff \u00ad', 'BAD_INPUT.empty'],
    ['a number', 42, 'BAD_INPUT.notText'],
    ['zero', 0, 'BAD_INPUT.notText'],
    ['not a number', NaN, 'BAD_INPUT.notText'],
    ['true', true, 'BAD_INPUT.notText'],
    ['false', false, 'BAD_INPUT.notText'],
    ['an object', { name: 'Robin' }, 'BAD_INPUT.notText'],
    ['a list', ['Robin'], 'BAD_INPUT.notText'],
    ['a buffer', Buffer.from('Robin'), 'BAD_INPUT.notText'],
    ['a date', new Date(0), 'BAD_INPUT.notText'],
  ];
  for (const [what, result, error] of wrong) {
    it(`that comes out as ${what} is BAD_INPUT`, async () => {
      await assert.rejects(read(result), {
        name: 'StashError',
        case: error,
        details: { property: 'query', source: 'msg.payload' },
      });
    });
  }

  for (const [config, source] of [
    [{}, 'msg.payload'],
    [{ query: 'movie.name', queryType: 'msg' }, 'msg.movie.name'],
    [{ query: 'name', queryType: 'flow' }, 'flow.name'],
    [{ query: 'name', queryType: 'global' }, 'global.name'],
    [{ query: 'NAME', queryType: 'env' }, 'env.NAME'],
    [{ query: '', queryType: 'str' }, 'str'],
    [{ query: '$x', queryType: 'jsonata' }, 'jsonata'],
  ] as const) {
    it(`names ${source} as the source of what is wrong`, async () => {
      await assert.rejects(read('', config), { details: { property: 'query', source } });
    });
  }

  for (const config of [{ query: 42 }, { query: true }, { query: ['a'] }, { query: {} }]) {
    it(`of which the flow file holds ${JSON.stringify(config.query)} is BAD_INPUT`, async () => {
      assert.ok(!query.fixed);
      await assert.rejects(query.read(config, unused), {
        case: 'BAD_INPUT.notText',
        details: { property: 'query', source: 'query' },
      });
    });
  }

  it('of a type that is no text is BAD_INPUT', async () => {
    assert.ok(!query.fixed);
    await assert.rejects(query.read({ queryType: 1 }, unused), { case: 'BAD_INPUT.notText' });
  });

  it('that cannot be evaluated is BAD_INPUT, with the reason', async () => {
    assert.ok(!query.fixed);
    for (const [thrown, reason] of [
      [new TypeError('no such thing'), 'no such thing'],
      ['only a text', 'only a text'],
      [new Error('x'.repeat(1000)), 'x'.repeat(300)],
    ] as const) {
      // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors -- as expressions may do
      const evaluate: Evaluate = () => Promise.reject(thrown);
      await assert.rejects(query.read({}, evaluate), {
        case: 'BAD_INPUT.notEvaluated',
        details: { property: 'query', source: 'msg.payload', reason },
      });
    }
  });
});

describe('A typed input that throws while it is read', () => {
  const failing = () => {
    throw new Error('cannot be read');
  };
  const proxy = new Proxy({}, { get: failing, has: failing, getPrototypeOf: failing, ownKeys: failing });
  const revoked = Proxy.revocable({}, {});
  revoked.revoke();
  const elements: unknown[] = [];
  Object.defineProperty(elements, 0, { get: failing, enumerable: true });
  const { proxy: gone } = revoked;
  const bad: [what: string, result: unknown][] = [
    ['a proxy', proxy],
    ['a list of a proxy', [proxy]],
    ['a proxy that is gone', gone],
    ['a list of one that is gone', [gone]],
    ['a list with an element that cannot be read', elements],
    [
      'an object with properties that cannot be read',
      Object.defineProperties(
        {},
        Object.fromEntries(['name', 'url', 'id', 'new'].map((name) => [name, { get: failing }])),
      ),
    ],
  ];
  const properties: [what: string, property: Property<unknown>][] = [
    ['a performer', performer('value', { value: 'payload', type: 'msg' })],
    ['a job', job('value', { value: 'payload', type: 'msg' }, 'all')],
    ['a text', text('value', { value: 'payload', type: 'msg' })],
    ['folders', texts('value', 'library')],
    ['scenes', ids('value', 'all')],
  ];
  for (const [what, property] of properties) {
    for (const [how, result] of bad) {
      it(`for ${what} is BAD_INPUT: ${how}`, async () => {
        assert.ok(!property.fixed);
        const config = { value: 'payload', valueType: 'msg' };
        await assert.rejects(
          property.read(config, () => Promise.resolve(result)),
          { name: 'StashError', code: 'BAD_INPUT' },
        );
      });
    }
  }

  it('is BAD_INPUT whatever it throws', async () => {
    const [, property] = properties[0] ?? assert.fail();
    assert.ok(!property.fixed);
    for (const thrown of [
      Object.create(null) as object,
      proxy,
      { message: proxy },
      { message: Symbol('x') },
      gone,
    ]) {
      // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors -- as a message may do
      const evaluate: Evaluate = () => Promise.reject(thrown);
      await assert.rejects(property.read({}, evaluate), { case: 'BAD_INPUT.notEvaluated' });
    }
  });
});

describe('A typed input for scenes', () => {
  const scenes = ids('sceneIDs', 'all');

  async function read(result: unknown): Promise<readonly string[] | null> {
    assert.ok(!scenes.fixed);
    return scenes.read({ sceneIDs: 'payload', sceneIDsType: 'msg' }, () => Promise.resolve(result));
  }

  const first = [{ id: '981', title: 'b.mp4', path: '/media/b.mp4' }, { id: 982 }];
  const found = { scenes: { count: 7, first }, images: { count: 1, first: [{ id: '5' }] } };
  const good: [what: string, result: unknown, ids: string[]][] = [
    ['an id', '12', ['12']],
    ['a number', 12, ['12']],
    ['an id with zeros', '0012', ['12']],
    ['a list of both', [12, '13'], ['12', '13']],
    ['a scene', { id: '12', title: 'x' }, ['12']],
    ['the scenes that a scan lists as new', first, ['981', '982']],
    ['all that it lists', found, ['981', '982']],
    ['the record of the scan', { id: '3', status: 'FINISHED', new: found }, ['981', '982']],
    ['a scan that has found none', { id: '3', new: { scenes: { count: 0, first: [] } } }, []],
  ];
  for (const [what, result, wanted] of good) {
    it(`takes ${what}`, async () => {
      assert.deepEqual(await read(result), wanted);
    });
  }

  const wrong: [what: string, result: unknown, error: ErrorCase][] = [
    ['a word', 'abc', 'BAD_INPUT.notIds'],
    ['several in a text', '1, 2', 'BAD_INPUT.notIds'],
    ['a fraction', 1.5, 'BAD_INPUT.notIds'],
    ['a number that is too long', '9'.repeat(19), 'BAD_INPUT.notIds'],
    ['a number of 4 MiB', '0'.repeat(4 * 2 ** 20), 'BAD_INPUT.notIds'],
    ['an object without an id', { title: 'x' }, 'BAD_INPUT.notIds'],
    ['a list within a list', [['12']], 'BAD_INPUT.notIds'],
    ['a job that was only started', { id: '2', status: 'STARTED' }, 'BAD_INPUT.notIds'],
    ['a scan that lists nothing', { id: '2', status: 'FINISHED' }, 'BAD_INPUT.notIds'],
    ['a scan of which it is not known', { id: '2', status: 'FINISHED', new: null }, 'BAD_INPUT.notIds'],
    ['a scan that lists no scenes', { id: '2', status: 'FINISHED', new: { images: {} } }, 'BAD_INPUT.notIds'],
    [
      'a scan that lists something else',
      { new: { scenes: { first: [{ title: 'x' }] } } },
      'BAD_INPUT.notIds',
    ],
    ['an empty list', [], 'BAD_INPUT.empty'],
    ['an empty text', ' ', 'BAD_INPUT.empty'],
  ];
  for (const [what, result, error] of wrong) {
    it(`of ${what} is BAD_INPUT`, async () => {
      await assert.rejects(read(result), {
        case: error,
        details: { property: 'sceneIDs', source: 'msg.payload' },
      });
    });
  }
});

describe('A typed input of great size', () => {
  /** How long the processor is busy with it, in milliseconds. */
  async function busy(property: Property<unknown>, result: unknown): Promise<number> {
    assert.ok(!property.fixed);
    const config = { value: 'payload', valueType: 'msg' };
    const start = process.cpuUsage();
    await property.read(config, () => Promise.resolve(result)).catch(() => undefined);
    const { user, system } = process.cpuUsage(start);
    return (user + system) / 1000;
  }

  for (const [what, property, result] of [
    ['paths', texts('value', 'library'), new Array(1_000_000).fill('/media/videos/a.mp4')],
    ['ids', ids('value', 'all'), Array.from({ length: 1_000_000 }, (_, index) => index)],
    ['invisible characters', text('value', { value: '', type: 'msg' }), '\u00ad'.repeat(4 * 2 ** 20)],
    ['blanks', text('value', { value: '', type: 'msg' }), ' '.repeat(4 * 2 ** 20)],
    ['letters', performer('value', { value: '', type: 'msg' }), 'x\u00ad'.repeat(2 ** 21)],
  ] as const) {
    it(`keeps nobody waiting: ${what}`, async () => {
      const time = await busy(property, result);
      assert.ok(time < 2000, `${time} ms`);
    });
  }

  it('does not make an error as long as it is', async () => {
    const property = folder('value');
    assert.ok(!property.fixed);
    const long = 'x'.repeat(4 * 2 ** 20);
    await assert.rejects(
      property.read({ valueType: 'env' }, () => Promise.resolve(long)),
      (error: Error) => {
        assert.ok(JSON.stringify(error).length < 1000 && error.message.length < 1000);
        return true;
      },
    );
  });
});

describe('A typed input in Node-RED', () => {
  const fromRuntime = createRequire(path.join(root, 'test', 'runtimes', runtime, 'package.json'));
  const fromNodeRed = createRequire(fromRuntime.resolve('node-red'));
  const RED = fromNodeRed('@node-red/util') as NodeAPI;
  const stored = new Map([['name', 'from the flow']]);
  const store = {
    get: (name: string, _store: unknown, found: (error: unknown, value: unknown) => void) => {
      if (name === 'broken') found(new Error('the store is gone'), undefined);
      else found(undefined, stored.get(name));
    },
  };
  // What Node-RED looks at when it evaluates a typed input.
  const node = {
    id: 'n1',
    context: () => ({ flow: store, global: store }),
    _flow: { getSetting: (name: string) => ({ PERFORMER: 'from the environment' })[name] },
  } as unknown as Node;
  const msg: NodeMessage = { _msgid: 'm1', payload: { names: ['Robin', 'Hana'], empty: '' }, topic: 'Zoë' };

  async function read(query: string, queryType: string): Promise<string> {
    const property = text('query', { value: 'payload', type: 'msg' });
    const { input } = await readInput({ input: property }, { query, queryType }, evaluator(RED, node, msg));
    return input;
  }

  const values: [value: string, type: string, result: string][] = [
    ['topic', 'msg', 'Zoë'],
    ['payload.names[1]', 'msg', 'Hana'],
    ['name', 'flow', 'from the flow'],
    ['name', 'global', 'from the flow'],
    ['PERFORMER', 'env', 'from the environment'],
    [' as it stands ', 'str', 'as it stands'],
    ['payload.names[0] & "!"', 'jsonata', 'Robin!'],
  ];
  for (const [value, type, result] of values) {
    it(`of type ${type} gives the value of ${value}`, async () => {
      assert.equal(await read(value, type), result);
    });
  }

  const wrong: [what: string, value: string, type: string, error: ErrorCase][] = [
    ['a property that is missing', 'nope', 'msg', 'BAD_INPUT.empty'],
    ['a property of nothing', 'nope.nope', 'msg', 'BAD_INPUT.notEvaluated'],
    ['a property that is empty', 'payload.empty', 'msg', 'BAD_INPUT.empty'],
    ['a property that is no text', 'payload', 'msg', 'BAD_INPUT.notText'],
    ['a property that cannot be', 'payload[', 'msg', 'BAD_INPUT.notEvaluated'],
    ['a flow variable that is not set', 'nope', 'flow', 'BAD_INPUT.empty'],
    ['a flow variable whose store fails', 'broken', 'flow', 'BAD_INPUT.notEvaluated'],
    ['an environment variable that is not set', 'STASH_TEST_NOT_SET', 'env', 'BAD_INPUT.empty'],
    ['an expression that finds nothing', 'payload.nope', 'jsonata', 'BAD_INPUT.empty'],
    ['an expression that gives a number', '$count(payload.names)', 'jsonata', 'BAD_INPUT.notText'],
    ['an expression that fails', '$number("abc")', 'jsonata', 'BAD_INPUT.notEvaluated'],
    ['an expression that is none', '$uppercase(', 'jsonata', 'BAD_INPUT.notEvaluated'],
    ['of a type that no dialog offers', '{}', 'json', 'BAD_INPUT.unknownChoice'],
  ];
  for (const [what, value, type, error] of wrong) {
    it(`that is ${what} is BAD_INPUT`, async () => {
      await assert.rejects(read(value, type), { name: 'StashError', case: error });
    });
  }

  for (const [written, named] of [
    ['"Robin Vale"', 'Robin Vale'],
    ['["Robin Vale"]', 'Robin Vale'],
    ['{ "name": "Robin Vale", "score": 1 }', { name: 'Robin Vale', score: 1 }],
  ] as const) {
    it(`of type json gives the performer ${written}`, async () => {
      const input = performer('input', { value: 'payload', type: 'msg' });
      const config = { input: written, inputType: 'json' };
      assert.deepEqual(await readInput({ input }, config, evaluator(RED, node, msg)), { input: named });
    });
  }

  it('that is a promise is BAD_INPUT, as nobody would know when it ends', async () => {
    const property = text('query', { value: 'payload', type: 'msg' });
    for (const payload of [new Promise(() => undefined), { then: () => undefined }]) {
      const reading = readInput({ input: property }, {}, evaluator(RED, node, { _msgid: 'm2', payload }));
      await assert.rejects(reading, { case: 'BAD_INPUT.notEvaluated' });
    }
  });

  it('tells in words why an expression fails', async () => {
    for (const [expression, reason] of [
      ['$number("abc")', 'Unable to cast value to a number: "abc"'],
      ['$error("so it is")', 'so it is'],
    ] as const) {
      await assert.rejects(read(expression, 'jsonata'), {
        details: { property: 'query', source: 'jsonata', reason },
      });
    }
  });
});

describe("A node's input", () => {
  const order: string[] = [];
  const property = (name: string): Property<string> => ({
    fixed: false,
    read: async (config, evaluate) => {
      order.push(`${name}?`);
      const value = String(await evaluate(String(config[name]), 'str'));
      order.push(`${name}!`);
      return value;
    },
  });
  const evaluate: Evaluate = (value) => Promise.resolve(value.toUpperCase());

  beforeEach(() => {
    order.splice(0);
  });

  it('is one plain object', async () => {
    const properties = { download: checkbox('download'), folder: property('folder') };
    assert.deepEqual(await readInput(properties, { download: true, folder: 'a', name: 'x' }, evaluate), {
      download: true,
      folder: 'A',
    });
  });

  it('may be empty', async () => {
    assert.deepEqual(await readInput({}, { name: 'x' }, unused), {});
  });

  it('is read one after the other, in the order in which it is declared', async () => {
    const properties = { second: property('b'), first: property('a') };
    assert.deepEqual(await readInput(properties, { a: 'one', b: 'two' }, evaluate), {
      second: 'TWO',
      first: 'ONE',
    });
    assert.deepEqual(order, ['b?', 'b!', 'a?', 'a!']);
  });

  it('ends with the first that is wrong', async () => {
    const properties = { first: checkboxes(['x']), second: property('a') };
    await assert.rejects(readInput(properties, { a: 'one' }, unused), { case: 'BAD_INPUT.notChosen' });
    assert.deepEqual(order, []);
  });

  it('can be checked before a message comes, as far as it does not depend on one', () => {
    const properties = { download: checkbox('download'), folder: property('folder') };
    checkFixed(properties, {});
    assert.deepEqual(order, []);
    assert.throws(
      () => {
        checkFixed({ ...properties, kinds: checkboxes(['x']) }, {});
      },
      { case: 'BAD_INPUT.notChosen' },
    );
  });
});

describe('A folder', () => {
  const properties = { target: folder('folder') };
  const given =
    (value: unknown): Evaluate =>
    () =>
      Promise.resolve(value);
  const read = async (config: Config, evaluate: Evaluate = (value) => Promise.resolve(value)) =>
    (await readInput(properties, config, evaluate)).target;

  it('is an absolute path, typed or from the environment or the context', async () => {
    assert.equal(await read({ folder: ' /backups/stash ' }), '/backups/stash');
    for (const folderType of ['str', 'env', 'flow', 'global']) {
      assert.equal(await read({ folder: 'NAME', folderType }, given('/backups')), '/backups', folderType);
    }
  });

  it('is none where the backup goes into the message', async () => {
    assert.equal(await read({ folder: 'left over', folderType: 'message' }, unused), null);
  });

  it('is never taken from a message', async () => {
    for (const folderType of ['msg', 'jsonata', 'json', 'num', 'bin', '']) {
      await assert.rejects(read({ folder: '/backups', folderType }, unused), {
        case: 'BAD_INPUT.unknownChoice',
      });
    }
  });

  it('is BAD_INPUT where it is missing, no text or no absolute path', async () => {
    const wrong: [value: unknown, error: ErrorCase][] = [
      ['', 'BAD_INPUT.empty'],
      ['  ', 'BAD_INPUT.empty'],
      [undefined, 'BAD_INPUT.empty'],
      [null, 'BAD_INPUT.empty'],
      [7, 'BAD_INPUT.notText'],
      [['/backups'], 'BAD_INPUT.notText'],
      ['backups', 'BAD_INPUT.notAbsolute'],
      ['./backups', 'BAD_INPUT.notAbsolute'],
      ['~/backups', 'BAD_INPUT.notAbsolute'],
    ];
    for (const [value, error] of wrong) {
      await assert.rejects(read({}, given(value)), { case: error }, JSON.stringify(value));
    }
  });
});

describe('A file name', () => {
  const properties = { filename: fileName('filename') };
  const read = async (config: Config, value: unknown) =>
    (await readInput(properties, config, () => Promise.resolve(value))).filename;

  it("is the server's own unless said", async () => {
    assert.equal(await readInput(properties, {}, unused).then(({ filename }) => filename), null);
    assert.equal(await read({ filename: 'x', filenameType: 'server' }, 'x'), null);
  });

  it('is a template only where the dialog itself holds it', async () => {
    assert.deepEqual(await read({ filenameType: 'str' }, '{date}'), { text: '{date}', isTemplate: true });
    for (const filenameType of ['msg', 'flow', 'global', 'env', 'jsonata']) {
      assert.deepEqual(await read({ filenameType }, '{date}'), { text: '{date}', isTemplate: false });
    }
  });

  it('that comes out empty is BAD_INPUT', async () => {
    for (const value of ['', ' ', undefined, null]) {
      await assert.rejects(read({ filenameType: 'msg' }, value), { case: 'BAD_INPUT.empty' });
    }
  });
});

describe('What matters only where a checkbox is ticked', () => {
  const properties = {
    target: onlyIf('download', folder('folder')),
    count: onlyIf('download', count('keep', 0)),
  };

  it('is not looked at otherwise', async () => {
    assert.deepEqual(await readInput(properties, { folder: '', keep: 'x' }, unused), {
      target: null,
      count: null,
    });
  });

  it('is read as ever where it is', async () => {
    const config = { download: true, folder: '/backups', keep: '3' };
    const evaluate: Evaluate = (value) => Promise.resolve(value);
    assert.deepEqual(await readInput(properties, config, evaluate), { target: '/backups', count: 3 });
  });
});

describe('A whole number', () => {
  it('is 0 or more, and the default where the flow file has none', () => {
    assert.equal(fixed(count('keep', 2), { keep: '7' }), 7);
    assert.equal(fixed(count('keep', 2), { keep: 0 }), 0);
    assert.equal(fixed(count('keep', 2), {}), 2);
  });

  it('is BAD_INPUT with a fraction, or where it is no number', () => {
    assert.throws(() => fixed(count('keep', 0), { keep: '1.5' }), {
      case: 'BAD_INPUT.notWhole',
      details: { property: 'keep' },
    });
    for (const keep of ['', 'x', -1, Infinity]) {
      assert.throws(() => fixed(count('keep', 0), { keep }), { case: 'BAD_INPUT.notNumber' });
    }
  });
});
