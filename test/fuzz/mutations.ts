import { gzipSync } from 'node:zlib';
import * as fc from 'fast-check';
import type { Answer } from '../fake-stash/answers';
import type { Handler } from '../fake-stash/faults';
import { forms } from './secrets';
import { jsonValue, seldom, serverText } from './values';

/** A change of JSON at one place, counted from the root through all values. */
export type Change =
  | { at: number; set: unknown }
  | { at: number; texts: string }
  | { at: number; remove: true }
  | { at: number; rename: string }
  | { at: number; repeat: number }
  | { at: number; nest: number };

/** A change of the bytes of a body; `at` is a part of its length. */
export type Damage =
  | { truncate: number }
  | { insert: string; at: number }
  | { flip: number }
  | { replace: string }
  | { first: string }
  | { escape: true };

type Delivery =
  | 'whole'
  | 'pieces'
  | 'untold'
  | 'tooLong'
  | 'tooShort'
  | 'cut'
  | 'frozen'
  | 'garbage'
  | 'gzip';

/** How a response differs from the real one. */
export interface Mutation {
  changes: readonly Change[];
  damage: readonly Damage[];
  status: number | undefined;
  headers: Readonly<Record<string, string>>;
  delivery: Delivery;
}

const LONGEST_REPEATED = 100_000;
/** In levels; JSON.stringify ends at some 5,000. */
const DEEPEST_NESTED = 100;

const at = fc.nat(80);
const part = fc.integer({ min: 0, max: 100 });

/** Any change of JSON. */
export const change: fc.Arbitrary<Change> = fc.oneof(
  { weight: 5, arbitrary: fc.record({ at, set: jsonValue(serverText) }) },
  { weight: 2, arbitrary: fc.record({ at, set: serverText }) },
  { weight: 2, arbitrary: fc.record({ at: fc.nat(3), texts: fc.constantFrom(...forms) }) },
  fc.record({ at, remove: fc.constant(true as const) }),
  fc.record({ at, rename: serverText }),
  fc.record({ at, repeat: fc.constantFrom(2, 30, 2000) }),
  fc.record({ at, nest: fc.constantFrom(1, 50, 3000) }),
);

export const damage: fc.Arbitrary<Damage> = fc.oneof(
  fc.record({ truncate: part }),
  fc.record({
    insert: fc.constantFrom('\xff\xfe', '\xc0\x80', '\xed\xa0\x80', '\0', '"', '}', ','),
    at: part,
  }),
  fc.record({ flip: part }),
  fc.record({
    replace: fc.constantFrom(
      '',
      'null',
      '[]',
      '{}',
      '0',
      '"x"',
      '{"data":null}',
      '{"data":[]}',
      '{"errors":[]}',
      '{"errors":[{}]}',
      '{"errors":{"message":"x"}}',
      '{"data":{},"errors":[{"message":"x"}]}',
      '<!DOCTYPE html><title>Login</title>',
      '['.repeat(50_000),
      ...forms.map((form) => JSON.stringify({ data: null, errors: [{ message: `x ${form}` }] })),
    ),
  }),
  fc.record({ first: fc.constantFrom('\xef\xbb\xbf', ")]}',\n", ' '.repeat(10_000), '{"data":null}') }),
  fc.record({ escape: fc.constant(true as const) }),
);

const header = fc.oneof(
  serverText.map((text) => text.replace(/[^\t\x20-\x7e\x80-\xff]/g, '').slice(0, 4000)),
  fc.constantFrom(
    '0',
    '-1',
    'text/html',
    'application/json',
    'application/json; charset=utf-16',
    '/login',
    '//x',
  ),
);

export const mutation: fc.Arbitrary<Mutation> = fc.record({
  changes: fc.array(change, { maxLength: 3 }),
  damage: fc.oneof(
    { weight: 3, arbitrary: fc.constant<Damage[]>([]) },
    { weight: 1, arbitrary: fc.array(damage, { maxLength: 2 }) },
  ),
  status: seldom(
    fc.constantFrom(
      200,
      201,
      204,
      206,
      301,
      302,
      304,
      400,
      401,
      403,
      404,
      416,
      422,
      429,
      500,
      502,
      503,
      504,
      599,
    ),
  ),
  headers: fc.dictionary(
    fc.constantFrom(
      'Content-Type',
      'Location',
      'WWW-Authenticate',
      'Set-Cookie',
      'Date',
      'Retry-After',
      'Content-Range',
      'Content-Disposition',
      'ETag',
      'Last-Modified',
    ),
    header,
    { maxKeys: 2 },
  ),
  delivery: fc.oneof(
    { weight: 6, arbitrary: fc.constant<Delivery>('whole') },
    fc.constantFrom<Delivery>(
      ...(['pieces', 'untold', 'tooLong', 'tooShort', 'cut', 'frozen', 'garbage', 'gzip'] as const),
    ),
  ),
});

/** Gives responses that differ from those of the server. */
export function mutated({ changes, damage: damages, status, headers, delivery }: Mutation): Handler {
  return async (_request, response, _body, execute) => {
    const answer = await execute();
    const bytes = damages.reduce(damaged, changedBody(answer, changes));
    const code = status ?? answer.status;
    const all = { ...answer.headers, ...headers };
    if (delivery === 'garbage') {
      response.socket?.end(bytes);
      return;
    }
    if (delivery === 'untold') {
      response.writeHead(code, all).end(bytes);
      return;
    }
    if (delivery === 'gzip') {
      response.writeHead(code, { ...all, 'Content-Encoding': 'gzip' }).end(gzipSync(bytes).subarray(0, -9));
      return;
    }
    const lengths: Partial<Record<Delivery, number>> = { tooLong: 10, tooShort: -10 };
    const length = Math.max(0, bytes.length + (lengths[delivery] ?? 0));
    response.strictContentLength = false;
    response.writeHead(code, { ...all, 'Content-Length': length });
    const half = Math.floor(bytes.length / 2);
    if (delivery === 'frozen') {
      response.write(bytes.subarray(0, half));
    } else if (delivery === 'cut' || delivery === 'tooLong') {
      const sent = delivery === 'cut' ? bytes.subarray(0, half) : bytes;
      response.write(sent, () => response.destroy());
    } else if (delivery === 'pieces') {
      for (let start = 0; start < Math.min(bytes.length, 200); start++) {
        response.write(bytes.subarray(start, start + 1));
      }
      response.end(bytes.subarray(200));
    } else response.end(bytes);
  };
}

function changedBody({ body }: Answer, changes: readonly Change[]): Buffer {
  const bytes = Buffer.from(body);
  if (changes.length === 0) return bytes;
  let root: unknown;
  try {
    root = JSON.parse(bytes.toString());
  } catch {
    return bytes;
  }
  return Buffer.from(jsonOf(changes.reduce(changed, root)));
}

/** Returns a value as JSON; empty for undefined. */
export function jsonOf(value: unknown): string {
  return value === undefined ? '' : JSON.stringify(value);
}

/** Returns a value with one change. */
export function changed(root: unknown, change: Change): unknown {
  const holder = { root };
  const places: [holder: Record<string, unknown>, name: string][] = [];
  let deepest = 0;
  const list = (object: Record<string, unknown>, depth: number) => {
    deepest = Math.max(deepest, depth);
    for (const name of Object.keys(object)) {
      places.push([object, name]);
      const value = object[name];
      if (typeof value === 'object' && value !== null) list(value as Record<string, unknown>, depth + 1);
    }
  };
  list(holder, 0);
  const place = places[change.at % places.length];
  if (!place) return root;
  const [object, name] = place;
  const value = object[name];
  if ('set' in change) object[name] = structuredClone(change.set);
  else if ('texts' in change) object[name] = withTexts(value, change.texts);
  else if ('remove' in change) {
    if (Array.isArray(object)) object.splice(Number(name), 1);
    else Reflect.deleteProperty(object, name);
  } else if ('rename' in change) {
    if (!Array.isArray(object)) Reflect.deleteProperty(object, name);
    Object.defineProperty(object, change.rename, {
      value,
      enumerable: true,
      configurable: true,
      writable: true,
    });
  } else if ('repeat' in change) {
    // Parsing more would take so long that nothing else could be measured.
    const most = Math.ceil(LONGEST_REPEATED / (jsonOf(value).length + 1));
    const times = { length: Math.min(change.repeat, most) };
    // Copies, or a later change of one would be a change of all. What is nested deep is too much for structuredClone.
    const text = jsonOf(value);
    const copies = Array.from(times, () => (text === '' ? value : (JSON.parse(text) as unknown)));
    object[name] = Array.isArray(value) ? copies.flat() : copies;
  } else {
    let nested = value;
    const levels = deepest > DEEPEST_NESTED ? 1 : change.nest;
    for (let level = 0; level < levels; level++) nested = level % 2 === 0 ? [nested] : { nested };
    object[name] = nested;
  }
  return holder.root;
}

/** Returns a value in which each text is this one. */
function withTexts(value: unknown, text: string): unknown {
  const copy = JSON.parse(JSON.stringify({ value: value ?? null })) as { value: unknown };
  // One after another, because a change before may have nested the value thousands of levels deep.
  const left: Record<string, unknown>[] = [copy];
  for (const object of left) {
    for (const [name, one] of Object.entries(object)) {
      if (typeof one === 'string') object[name] = text;
      else if (typeof one === 'object' && one !== null) left.push(one as Record<string, unknown>);
    }
  }
  return copy.value;
}

export function damaged(bytes: Buffer, how: Damage): Buffer {
  const place = (part: number) => Math.floor((bytes.length * part) / 100);
  if ('truncate' in how) return bytes.subarray(0, place(how.truncate));
  if ('insert' in how) {
    const before = bytes.subarray(0, place(how.at));
    return Buffer.concat([before, Buffer.from(how.insert, 'latin1'), bytes.subarray(before.length)]);
  }
  if ('flip' in how) {
    const copy = Buffer.from(bytes);
    const index = Math.min(place(how.flip), copy.length - 1);
    if (index >= 0) copy[index] = (copy[index] ?? 0) ^ 0x55;
    return copy;
  }
  if ('replace' in how) return Buffer.from(how.replace);
  if ('first' in how) return Buffer.concat([Buffer.from(how.first, 'latin1'), bytes]);
  // As some servers escape their JSON.
  const escaped = bytes
    .toString()
    .replace(/"(?:[^"\\]|\\.)*"/g, (text) =>
      text.replace(/\\.|[^"\\]/g, (one) =>
        one.length > 1 ? one : `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`,
      ),
    );
  return Buffer.from(escaped);
}
