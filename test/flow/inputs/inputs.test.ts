import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import path from 'node:path';
import type { Node, NodeAPI, NodeMessage } from 'node-red';
import { installed } from '../../support/root';
import { runtime } from '../../support/runtime';
import { folder } from '../../../nodes/backup/inputs';
import { performerToSave } from '../../../nodes/performer-save/inputs';
import { performer } from '../../../nodes/performer-scrape/inputs';
import { job } from '../../../nodes/stop/inputs';
import type { ErrorCase } from '../../../src/errors';
import {
  checkbox,
  checkboxes,
  checkFixed,
  choice,
  chosenItems,
  type Config,
  type Evaluate,
  evaluator,
  markerIds,
  minutes,
  NAME_TYPES,
  number,
  optionalText,
  type Property,
  readInput,
  sceneIds,
  selection,
  text,
  texts,
} from '../../../src/flow/inputs';

/** Reads a property that does not depend on the message. */
function fixed<T>(property: Property<T>, config: Config): T {
  assert.ok(property.fixed);
  return property.read(config);
}

const unused: Evaluate = () => assert.fail('the property evaluates nothing');

describe('A checkbox', () => {
  it('is ticked if the flow file says true', () => {
    assert.equal(fixed(checkbox('download'), { download: true }), true);
  });

  it('is not ticked for any other value', () => {
    for (const download of [undefined, false, null, '', 'true', 'false', 1, 0, [], {}]) {
      assert.equal(fixed(checkbox('download'), { download }), false, JSON.stringify(download));
    }
    assert.equal(fixed(checkbox('download'), {}), false);
  });
});

describe('Checkboxes', () => {
  const kinds = checkboxes(['sprites', 'previews', 'markers']);

  it('return the names of the ticked boxes', () => {
    assert.deepEqual(fixed(kinds, { markers: true, previews: false, sprites: true }), ['sprites', 'markers']);
    assert.deepEqual(fixed(kinds, { sprites: true, previews: true, markers: true }), [
      'sprites',
      'previews',
      'markers',
    ]);
  });

  it('ignore unknown names', () => {
    assert.deepEqual(fixed(kinds, { sprites: true, covers: true, name: true }), ['sprites']);
  });

  it('lead to BAD_INPUT if none is ticked', () => {
    for (const config of [{}, { sprites: false }, { sprites: 'true', previews: 1 }, { covers: true }]) {
      assert.throws(() => fixed(kinds, config), { case: 'BAD_INPUT.notChosen' });
    }
  });
});

describe('Checkboxes with defaults', () => {
  const events = checkboxes(['started', 'progress', 'ended'], ['started', 'ended']);

  it('use their default if the flow file has no value', () => {
    assert.deepEqual(fixed(events, {}), ['started', 'ended']);
    assert.deepEqual(fixed(events, { progress: true }), ['started', 'progress', 'ended']);
    assert.deepEqual(fixed(events, { started: false, progress: null }), ['ended']);
  });

  it('lead to BAD_INPUT if none remains', () => {
    assert.throws(() => fixed(events, { started: false, ended: false }), { case: 'BAD_INPUT.notChosen' });
  });
});

describe('A choice', () => {
  const reply = choice('reply', ['started', 'finished']);

  it('is the first option if the flow file has none', () => {
    assert.equal(fixed(reply, {}), 'started');
    assert.equal(fixed(reply, { reply: null }), 'started');
  });

  it('is the option in the flow file', () => {
    assert.equal(fixed(reply, { reply: 'finished' }), 'finished');
  });

  it('leads to BAD_INPUT if the node does not know it', () => {
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

  it('is the default if the flow file has none', () => {
    assert.deepEqual(fixed(fields, {}), ['id', 'name']);
    assert.deepEqual(fixed(fields, { fields: undefined }), ['id', 'name']);
    assert.deepEqual(fixed(fields, { fields: null }), ['id', 'name']);
  });

  it('is everything if there is no default', () => {
    assert.deepEqual(fixed(selection('fields', ['id', 'name']), {}), ['id', 'name']);
  });

  it('follows the order of the options', () => {
    assert.deepEqual(fixed(fields, { fields: ['url', 'id'] }), ['id', 'url']);
    assert.deepEqual(fixed(fields, { fields: ['url'] }), ['url']);
  });

  it('contains each option once', () => {
    assert.deepEqual(fixed(fields, { fields: ['url', 'id', 'url', 'id'] }), ['id', 'url']);
  });

  const wrong: [what: string, fields: unknown, error: ErrorCase][] = [
    ['nothing', [], 'BAD_INPUT.notChosen'],
    ['a text', 'id', 'BAD_INPUT.notChosen'],
    ['an empty text', '', 'BAD_INPUT.notChosen'],
    ['a number', 1, 'BAD_INPUT.notChosen'],
    ['a boolean', true, 'BAD_INPUT.notChosen'],
    ['an object', { 0: 'id', length: 1 }, 'BAD_INPUT.notChosen'],
    ['something unknown', ['id', 'nope'], 'BAD_INPUT.unknownChoice'],
    ['something in upper case', ['ID'], 'BAD_INPUT.unknownChoice'],
    ['two names in one', ['id name'], 'BAD_INPUT.unknownChoice'],
    ['text that would end the document', ['id } } mutation { x'], 'BAD_INPUT.unknownChoice'],
    ['an empty name', [''], 'BAD_INPUT.unknownChoice'],
    ['null', [null], 'BAD_INPUT.unknownChoice'],
    ['a nested list', [['id']], 'BAD_INPUT.unknownChoice'],
    ['a property of every object', ['constructor'], 'BAD_INPUT.unknownChoice'],
  ];
  for (const [what, chosen, error] of wrong) {
    it(`of ${what} leads to BAD_INPUT`, () => {
      assert.throws(() => fixed(fields, { fields: chosen }), { name: 'StashError', case: error });
    });
  }

  it('leads to an error with the unknown field, cut off at 40 characters', () => {
    assert.throws(() => fixed(fields, { fields: ['id', 'nope'] }), { details: { choice: '"nope"' } });
    assert.throws(() => fixed(fields, { fields: ['x'.repeat(100)] }), {
      details: { choice: `"${'x'.repeat(39)}` },
    });
  });
});

describe('A number', () => {
  const age = number('listMaxAge', 10);

  it('is the default if the flow file has none', () => {
    assert.equal(fixed(age, {}), 10);
    assert.equal(fixed(age, { listMaxAge: null }), 10);
  });

  it('is read from a number or from text, as dialogs save it', () => {
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

  it('leads to BAD_INPUT for anything else', () => {
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
        details: { property: 'listMaxAge', least: 0 },
      });
    }
  });
});

describe('A number of minutes', () => {
  const limit = minutes('waitLimit', 0);

  it('is converted to milliseconds', () => {
    for (const [waitLimit, milliseconds] of [
      [10, 600_000],
      ['10', 600_000],
      ['0.5', 30_000],
    ] as const) {
      assert.equal(fixed(limit, { waitLimit }), milliseconds);
    }
    assert.equal(fixed(minutes('stalledAfter', 10), {}), 600_000);
  });

  it('is infinite if it is 0', () => {
    for (const waitLimit of [0, '0', ' 0.0 ', undefined, null]) {
      assert.equal(fixed(limit, { waitLimit }), Infinity);
    }
  });

  it('leads to BAD_INPUT if it is negative or not a number', () => {
    for (const waitLimit of ['', 'ten', -1, NaN, Infinity, true, []]) {
      assert.throws(() => fixed(limit, { waitLimit }), {
        case: 'BAD_INPUT.notNumber',
        details: { property: 'waitLimit', least: 0 },
      });
    }
  });
});

describe('A typed input for text', () => {
  const query = text('query', { value: 'payload', type: 'msg' });

  async function read(result: unknown, config: Config = {}): Promise<string> {
    assert.ok(!query.fixed);
    return await query.read(config, () => Promise.resolve(result));
  }

  it('is evaluated with the value and type of the dialog', async () => {
    assert.ok(!query.fixed);
    const evaluated: string[][] = [];
    const evaluate: Evaluate = (value, type) => {
      evaluated.push([value, type]);
      return Promise.resolve('x');
    };
    await query.read({ query: 'topic', queryType: 'flow' }, evaluate);
    await query.read({ query: '', queryType: 'str' }, evaluate);
    assert.deepEqual(evaluated, [
      ['topic', 'flow'],
      ['', 'str'],
    ]);
  });

  it('has its default value if the flow file has none', async () => {
    assert.ok(!query.fixed);
    const evaluated: string[][] = [];
    const evaluate: Evaluate = (value, type) => {
      evaluated.push([value, type]);
      return Promise.resolve('x');
    };
    await query.read({}, evaluate);
    await query.read({ query: null, queryType: undefined }, evaluate);
    await query.read({ queryType: 'global' }, evaluate);
    assert.deepEqual(evaluated, [
      ['payload', 'msg'],
      ['payload', 'msg'],
      ['payload', 'global'],
    ]);
  });

  it('is trimmed', async () => {
    assert.equal(await read(' \tRobin Vale\r\n'), 'Robin Vale');
    assert.equal(await read('Robin  Vale'), 'Robin  Vale');
  });

  const wrong: [what: string, result: unknown, error: ErrorCase][] = [
    ['nothing', undefined, 'BAD_INPUT.empty'],
    ['null', null, 'BAD_INPUT.empty'],
    ['an empty text', '', 'BAD_INPUT.empty'],
    ['blanks', ' \t\r\n', 'BAD_INPUT.empty'],
    ['invisible characters', '\u200b\ufeff \u00ad', 'BAD_INPUT.empty'],
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
    it(`that evaluates to ${what} leads to BAD_INPUT`, async () => {
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
    it(`leads to an error that names ${source} as the source`, async () => {
      await assert.rejects(read('', config), { details: { property: 'query', source } });
    });
  }

  for (const config of [{ query: 42 }, { query: true }, { query: ['a'] }, { query: {} }]) {
    it(`that is ${JSON.stringify(config.query)} in the flow file leads to BAD_INPUT`, async () => {
      assert.ok(!query.fixed);
      await assert.rejects(query.read(config, unused), {
        case: 'BAD_INPUT.notText',
        details: { property: 'query', source: 'query' },
      });
    });
  }

  it('whose type is not text leads to BAD_INPUT', async () => {
    assert.ok(!query.fixed);
    await assert.rejects(query.read({ queryType: 1 }, unused), { case: 'BAD_INPUT.notText' });
  });

  it('that cannot be evaluated leads to BAD_INPUT, with the reason', async () => {
    assert.ok(!query.fixed);
    for (const [thrown, reason] of [
      [new TypeError('no such thing'), 'no such thing'],
      ['only a text', 'only a text'],
      [new Error('x'.repeat(1000)), 'x'.repeat(300)],
    ] as const) {
      // oxlint-disable-next-line typescript/prefer-promise-reject-errors -- as expressions may do
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
  const elements: unknown[] = [];
  Object.defineProperty(elements, 0, { get: failing, enumerable: true });
  const bad: [what: string, result: unknown][] = [
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
    ['scenes', sceneIds('value', 'all')],
  ];
  for (const [what, property] of properties) {
    for (const [how, result] of bad) {
      it(`for ${what} leads to BAD_INPUT: ${how}`, async () => {
        assert.ok(!property.fixed);
        const config = { value: 'payload', valueType: 'msg' };
        await assert.rejects(
          property.read(config, () => Promise.resolve(result)),
          { name: 'StashError', code: 'BAD_INPUT' },
        );
      });
    }
  }
});

describe('A huge typed input', () => {
  // Code whose time grows with the square of a size would not end within the time limit of a test.
  const read = (property: Property<unknown>, value: unknown) => {
    assert.ok(!property.fixed);
    return property.read({ value: 'payload', valueType: 'msg' }, () => Promise.resolve(value));
  };

  it('may be a list of a million paths, or IDs', async () => {
    const paths = new Array<string>(1_000_000).fill('/media/videos/a.mp4');
    assert.deepEqual(await read(texts('value', 'library'), paths), paths);
    const ids = Array.from({ length: 1_000_000 }, (_, index) => index);
    const found = (await read(sceneIds('value', 'all'), ids)) as string[];
    assert.deepEqual([found.length, found.at(-1)], [1_000_000, '999999']);
  });

  it('may be a name of four million characters, half of them invisible', async () => {
    const name = 'x\u00ad'.repeat(2 ** 21);
    assert.equal(await read(performer('value', { value: '', type: 'msg' }), name), name);
  });

  for (const [what, character] of [
    ['invisible characters', '\u00ad'],
    ['spaces', ' '],
  ] as const) {
    it(`is no text if it has only ${what}`, async () => {
      const nothing = read(text('value', { value: '', type: 'msg' }), character.repeat(4 * 2 ** 20));
      await assert.rejects(nothing, { case: 'BAD_INPUT.empty' });
    });
  }

  it('is cut off in the error', async () => {
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
  const fromRuntime = createRequire(path.join(installed, runtime, 'package.json'));
  const fromNodeRed = createRequire(fromRuntime.resolve('node-red'));
  const RED = fromNodeRed('@node-red/util') as NodeAPI;
  const stored = new Map([['name', 'from the flow']]);
  const store = {
    get: (name: string, _store: unknown, found: (error: unknown, value: unknown) => void) => {
      if (name === 'broken') found(new Error('the store is gone'), undefined);
      else found(undefined, stored.get(name));
    },
  };
  // The parts of a node that Node-RED uses to evaluate a typed input.
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
    it(`of type ${type} has the value of ${value}`, async () => {
      assert.equal(await read(value, type), result);
    });
  }

  const wrong: [what: string, value: string, type: string, error: ErrorCase][] = [
    ['a property that is missing', 'nope', 'msg', 'BAD_INPUT.empty'],
    ['a property of a missing one', 'nope.nope', 'msg', 'BAD_INPUT.notEvaluated'],
    ['a property that is empty', 'payload.empty', 'msg', 'BAD_INPUT.empty'],
    ['a property that is not text', 'payload', 'msg', 'BAD_INPUT.notText'],
    ['an invalid property expression', 'payload[', 'msg', 'BAD_INPUT.notEvaluated'],
    ['a flow variable that is not set', 'nope', 'flow', 'BAD_INPUT.empty'],
    ['a flow variable whose store fails', 'broken', 'flow', 'BAD_INPUT.notEvaluated'],
    ['an environment variable that is not set', 'STASH_TEST_NOT_SET', 'env', 'BAD_INPUT.empty'],
    ['an expression that finds nothing', 'payload.nope', 'jsonata', 'BAD_INPUT.empty'],
    ['an expression that gives a number', '$count(payload.names)', 'jsonata', 'BAD_INPUT.notText'],
    ['an expression that fails', '$number("abc")', 'jsonata', 'BAD_INPUT.expression'],
    ['an invalid expression', '$uppercase(', 'jsonata', 'BAD_INPUT.expression'],
    ['a value of a type that no dialog offers', '{}', 'json', 'BAD_INPUT.unknownChoice'],
  ];
  for (const [what, value, type, error] of wrong) {
    it(`that is ${what} leads to BAD_INPUT`, async () => {
      await assert.rejects(read(value, type), { name: 'StashError', case: error });
    });
  }

  for (const [written, named] of [
    ['"Robin Vale"', 'Robin Vale'],
    ['["Robin Vale"]', 'Robin Vale'],
    ['{ "name": "Robin Vale", "score": 1 }', { name: 'Robin Vale', score: 1 }],
  ] as const) {
    it(`of type json has the performer ${written} as its value`, async () => {
      const input = performer('input', { value: 'payload', type: 'msg' });
      const config = { input: written, inputType: 'json' };
      assert.deepEqual(await readInput({ input }, config, evaluator(RED, node, msg)), { input: named });
    });
  }

  it('for paths has a path in each line, as exec and file nodes give them', async () => {
    const input = texts('input', 'library');
    for (const [value, paths] of [
      ['/media/a.mp4\n', ['/media/a.mp4']],
      [' /media/a b.mp4\r\n\n/media/c.mp4\r\n', ['/media/a b.mp4', '/media/c.mp4']],
      [
        ['/media/a.mp4\n', '/media/b.mp4\n/media/c.mp4'],
        ['/media/a.mp4', '/media/b.mp4', '/media/c.mp4'],
      ],
    ]) {
      const config = { input: 'payload', inputType: 'msg' };
      const message: NodeMessage = { _msgid: 'm2', payload: value };
      assert.deepEqual(await readInput({ input }, config, evaluator(RED, node, message)), { input: paths });
    }
  });

  describe('that was chosen in a picker', () => {
    const preset = { value: 'payload', type: 'msg' };
    const chosen = (property: Property<unknown>, input: string, inputType: string) =>
      readInput({ input: property }, { input, inputType }, evaluator(RED, node, msg));

    for (const [type, property, value, result] of [
      ['folders', texts('input', 'library'), '["/media/a", "/media/b"]', ['/media/a', '/media/b']],
      ['folders', texts('input', 'library'), '["/media/a\\n", " /media/b "]', ['/media/a', '/media/b']],
      ['scenes', sceneIds('input', 'all'), '["12", "7"]', ['12', '7']],
      ['scenes', chosenItems('input', 'all'), '["12", "7"]', { scene: ['12', '7'], image: [], gallery: [] }],
      ['performer', text('input', preset, NAME_TYPES), 'Robin Vale', 'Robin Vale'],
      ['performer', performer('input', preset), 'Robin Vale', 'Robin Vale'],
    ] as const) {
      it(`has the value of a picker of type ${type}: ${JSON.stringify(result)}`, async () => {
        assert.deepEqual(await chosen(property, value, type), { input: result });
      });
    }

    it('leads to BAD_INPUT if nothing was chosen, which never means everything', async () => {
      for (const value of ['', '[]', '[""]']) {
        for (const [property, type] of [
          [texts('input', 'library'), 'folders'],
          [sceneIds('input', 'all'), 'scenes'],
          [chosenItems('input', 'all'), 'scenes'],
        ] as const) {
          await assert.rejects(chosen(property, value, type), { code: 'BAD_INPUT' }, `${type} ${value}`);
        }
      }
      await assert.rejects(chosen(performer('input', preset), '', 'performer'), {
        case: 'BAD_INPUT.notEntered',
      });
    });

    it('leads to BAD_INPUT in an input without this picker', async () => {
      for (const [property, type] of [
        [texts('input', 'library'), 'scenes'],
        [sceneIds('input', 'all'), 'folders'],
        [text('input', preset), 'performer'],
        // A name alone is nothing to save for a performer who is there.
        [performerToSave('input', preset), 'performer'],
        [markerIds('input', 'none'), 'scenes'],
      ] as const) {
        await assert.rejects(chosen(property, '["1"]', type), { case: 'BAD_INPUT.unknownChoice' });
      }
    });
  });

  describe('for a text that may be missing', () => {
    const source = optionalText('source');
    const read = (config: Config) => readInput({ source }, config, evaluator(RED, node, msg));

    it('is the text of the dialog, perhaps an empty one', async () => {
      for (const [config, expected] of [
        [{}, ''],
        [{ source: '' }, ''],
        [{ source: ' films ' }, 'films'],
        [{ source: 'films', sourceType: 'str' }, 'films'],
      ] as const) {
        assert.deepEqual(await read(config), { source: expected });
      }
    });

    it('comes from elsewhere, but then it is not empty', async () => {
      assert.deepEqual(await read({ source: 'topic', sourceType: 'msg' }), { source: 'Zoë' });
      assert.deepEqual(await read({ source: 'name', sourceType: 'flow' }), { source: 'from the flow' });
      for (const [value, type] of [
        ['payload.empty', 'msg'],
        ['nope', 'msg'],
        ['STASH_TEST_NOT_SET', 'env'],
      ] as const) {
        await assert.rejects(read({ source: value, sourceType: type }), { case: 'BAD_INPUT.empty' });
      }
      await assert.rejects(read({ source: 'payload', sourceType: 'msg' }), { case: 'BAD_INPUT.notText' });
    });

    it('is checked before a message arrives if it is in the flow file', () => {
      checkFixed({ source }, { source: 'nope', sourceType: 'msg' });
      assert.throws(
        () => {
          checkFixed({ source }, { source: 5 });
        },
        { case: 'BAD_INPUT.notText' },
      );
    });
  });

  it('that is a promise leads to BAD_INPUT, because it might never be settled', async () => {
    const property = text('query', { value: 'payload', type: 'msg' });
    for (const payload of [new Promise(() => undefined), { then: () => undefined }]) {
      const reading = readInput({ input: property }, {}, evaluator(RED, node, { _msgid: 'm2', payload }));
      await assert.rejects(reading, { case: 'BAD_INPUT.notEvaluated' });
    }
  });

  it('leads to an error with the reason if an expression fails', async () => {
    for (const [expression, reason] of [
      ['$number("abc")', 'Unable to cast value to a number: "abc"'],
      ['$error("so it is")', 'so it is'],
    ] as const) {
      await assert.rejects(read(expression, 'jsonata'), {
        details: { property: 'query', reason },
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

  it('is read property by property, in the declared order', async () => {
    const properties = { second: property('b'), first: property('a') };
    assert.deepEqual(await readInput(properties, { a: 'one', b: 'two' }, evaluate), {
      second: 'TWO',
      first: 'ONE',
    });
    assert.deepEqual(order, ['b?', 'b!', 'a?', 'a!']);
  });

  it('is not read beyond the first wrong property', async () => {
    const properties = { first: checkboxes(['x']), second: property('a') };
    await assert.rejects(readInput(properties, { a: 'one' }, unused), { case: 'BAD_INPUT.notChosen' });
    assert.deepEqual(order, []);
  });

  it('can be checked before a message arrives, except for properties that depend on the message', () => {
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
