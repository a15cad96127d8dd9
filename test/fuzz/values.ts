import { types } from 'node:util';
import * as fc from 'fast-check';
import { forms } from './secrets';

/** Returns what is mostly undefined. */
export function seldom<T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> {
  return fc.oneof({ weight: 7, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary });
}

/** Texts that programs stumble over: empty, invisible, long, half of a character, of a prototype, of a path. */
export const oddText = fc.oneof(
  { weight: 3, arbitrary: fc.string({ unit: 'binary', maxLength: 20 }) },
  fc.constantFrom(
    '',
    ' ',
    '\u200b',
    '\u0000',
    '\ud800',
    '\ufeff',
    '\r\n',
    '__proto__',
    'constructor',
    'toString',
    'null',
    'NaN',
    '-1',
    '1e400',
    '9999999999999999999999',
    '2026-13-45T99:99:99Z',
    '9999-12-31T23:59:59.999999999+23:59',
    '../../outside',
    '/etc/passwd',
    'C:\\Windows\\nul',
    '{date} {time} {server} {schema}',
    '${HOME}',
    '${STASH_FUZZ_MISSING}',
    'http://127.0.0.1:1/x',
    'javascript:alert(1)',
    'x'.repeat(100_000),
    '💥'.repeat(1000),
    '('.repeat(5000),
    '{ a '.repeat(3000),
  ),
);

/** A text of the server, which may repeat a secret. */
export const serverText = fc.oneof(
  { weight: 2, arbitrary: oddText },
  fc
    .tuple(fc.constantFrom(...forms), fc.constantFrom('', 'x ', '?apikey=', '"'))
    .map(([form, before]) => before + form),
);

const oddNumber = fc.oneof(
  fc.integer(),
  fc.double(),
  fc.constantFrom(0, -0, -1, 1e21, Number.MAX_SAFE_INTEGER + 2, 2 ** 31, 0.1),
);

/** Returns any JSON value with these texts. */
export function jsonValue(texts: fc.Arbitrary<string>): fc.Arbitrary<unknown> {
  return fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constantFrom(null, true, false, [], {}),
    oddNumber,
    texts,
    fc.jsonValue({ maxDepth: 3 }),
    fc.array(texts, { maxLength: 4 }),
    fc.dictionary(oddText, texts, { maxKeys: 4 }),
  );
}

/**
 * How to make a value that a function node may put on a message. A recipe, because each node needs a value of its own, and because
 * many of these values cannot be printed.
 */
export type Recipe =
  | { kind: 'plain'; value: unknown }
  | { kind: Odd }
  | { kind: 'list' | 'set' | 'frozen' | 'proxy' | 'noPrototype' | 'getter'; of: Recipe }
  | { kind: 'object'; name: string; of: Recipe };

const odd = {
  undefined: () => undefined,
  notANumber: () => NaN,
  infinity: () => -Infinity,
  bigint: () => 10n ** 30n,
  symbol: () => Symbol('odd'),
  function: () => () => 'x',
  date: () => new Date(0),
  invalidDate: () => new Date(NaN),
  buffer: () => Buffer.from('{"id":"1"}'),
  bytes: () => new Uint8Array(1000),
  map: () => new Map([['id', '1']]),
  regExp: () => /(a+)+$/,
  error: () => new Error('odd'),
  promise: () => Promise.resolve('x'),
  never: () => new Promise(() => undefined),
  thenable: () => ({
    then: () => {
      throw new Error('then');
    },
  }),
  circle: () => {
    const circle: Record<string, unknown> = { id: '1' };
    circle['self'] = circle;
    return circle;
  },
  deep: () => {
    let deep: unknown = '1';
    for (let level = 0; level < 5_000; level++) deep = [deep];
    return deep;
  },
  long: () => Array.from({ length: 20_000 }, (_, index) => String(index)),
  holes: () => new Array<unknown>(50),
  length: () => ({ length: 1e9 }),
  throwing: () =>
    Object.defineProperty({}, 'id', {
      get: () => {
        throw new Error('getter');
      },
      enumerable: true,
    }),
  throwingNothing: () =>
    Object.defineProperty({}, 'id', {
      get: () => {
        throw Object.create(null) as Error;
      },
      enumerable: true,
    }),
  toJSON: () => ({
    toJSON: () => {
      throw new Error('toJSON');
    },
  }),
  noText: () => ({
    toString: () => {
      throw new Error('toString');
    },
    [Symbol.toPrimitive]: () => {
      throw new Error('toPrimitive');
    },
  }),
  revoked: () => {
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();
    return proxy;
  },
  trap: () =>
    new Proxy(
      {},
      {
        get: () => {
          throw new Error('trap');
        },
        ownKeys: () => {
          throw new Error('trap');
        },
      },
    ),
} satisfies Record<string, () => unknown>;

type Odd = keyof typeof odd;

/** Returns recipes, of which the plain ones are often of `values`. */
export function recipes(values: fc.Arbitrary<unknown>): fc.Arbitrary<Recipe> {
  return fc.letrec<{ recipe: Recipe }>((tie) => ({
    recipe: fc.oneof(
      { maxDepth: 3, depthSize: 'small', withCrossShrink: true },
      { weight: 4, arbitrary: fc.record({ kind: fc.constant('plain' as const), value: values }) },
      {
        weight: 2,
        arbitrary: fc.record({ kind: fc.constantFrom(...(Object.keys(odd) as Odd[])) }),
      },
      fc.record({
        kind: fc.constantFrom('list' as const, 'set', 'frozen', 'proxy', 'noPrototype', 'getter'),
        of: tie('recipe'),
      }),
      fc.record({
        kind: fc.constant('object' as const),
        name: fc.constantFrom('id', 'name', 'plugin', 'task', 'status', 'new', 'scenes', 'ids', 'added'),
        of: tie('recipe'),
      }),
    ),
  })).recipe;
}

/** Makes a value. */
export function make(recipe: Recipe): unknown {
  switch (recipe.kind) {
    case 'plain':
      return structuredClone(recipe.value);
    case 'list':
      return [make(recipe.of), make(recipe.of)];
    case 'set':
      return new Set([make(recipe.of)]);
    case 'frozen': {
      const value = make(recipe.of);
      return ArrayBuffer.isView(value) || types.isProxy(value) ? value : Object.freeze(value);
    }
    case 'proxy':
      return new Proxy({ id: make(recipe.of) }, {});
    case 'noPrototype':
      return Object.assign(Object.create(null) as object, { id: make(recipe.of) });
    case 'getter': {
      const value = make(recipe.of);
      return Object.defineProperty({}, 'id', { get: () => value, enumerable: true });
    }
    case 'object':
      return { [recipe.name]: make(recipe.of) };
    default:
      return odd[recipe.kind]();
  }
}
