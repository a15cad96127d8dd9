/** The JSON types of each part of some values, by its place, such as `payload.problems[].text`. */
export type Shape = Record<string, string>;

/** The properties whose texts are published: flows compare them. */
const WORDS = ['at', 'topic', 'code', 'operation', 'problemsBy', 'reason', 'status', 'level'];

/** What an object lacks that others of the same kind have. */
const ABSENT = Symbol('absent');

/** Returns the shape of values that stand in the same place. */
export function shapeOf(values: readonly unknown[], place = ''): Shape {
  const objects = values.filter(isPlain);
  const names = [...new Set(objects.flatMap((object) => Object.keys(object)))];
  const inside = names.map((name) => {
    const given = objects.map((object): unknown => (name in object ? object[name] : ABSENT));
    return shapeOf(given, place === '' ? name : `${place}.${name}`);
  });
  const items = values.filter(Array.isArray).flat();
  if (items.length > 0) inside.push(shapeOf(items, `${place}[]`));
  const types = new Set(values.map((value) => typeOf(value, place)));
  const isImplied = place === '' || (types.has('object') && types.size === 1 && names.length > 0);
  return Object.assign(isImplied ? {} : { [place]: [...types].sort().join(' | ') }, ...inside) as Shape;
}

/**
 * Whether flows that depend on a frozen type can depend on this one. What was sometimes null or absent may always be there, and
 * nothing else may change.
 */
export function fitsShape(frozen: unknown, found: unknown): boolean {
  if (typeof frozen !== 'string' || typeof found !== 'string') return frozen === found;
  const [before, after] = [frozen, found].map((types) => types.split(' | ')) as [string[], string[]];
  const isKept = before.every((type) => ['null', 'absent'].includes(type) || after.includes(type));
  return isKept && after.every((type) => before.includes(type));
}

function typeOf(value: unknown, place: string): string {
  if (value === ABSENT) return 'absent';
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (Buffer.isBuffer(value)) return 'Buffer';
  const isWord = typeof value === 'string' && WORDS.includes(place.split('.').at(-1) ?? '');
  return isWord ? `"${value}"` : typeof value;
}

function isPlain(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !Buffer.isBuffer(value);
}
