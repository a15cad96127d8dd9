const MASK = '•••';
const LONGEST = 300;
/** The kept end of a long text, in UTF-16 units: servers name a long address first and the reason last. */
const KEPT_END = 100;
/** Only so much of each end of a long text is searched, because only these are shown. */
const WINDOW = 4096;
/** C0, C1 and all line ends: they forge log lines and carry terminal escape sequences. */
const CONTROL = /[\p{Cc}\u2028\u2029]+/gu;
/** Bidirectional controls: they reorder text on the screen. */
const DIRECTION = /\p{Bidi_Control}+/gu;

/** Removes secrets and control characters from a text, and cuts it. */
export type Redact = (text: string) => string;

/**
 * Makes text from outside safe for an error, a status or a log: one line without control characters, of at most 300 characters.
 * The middle of a longer text is cut.
 */
export const redact = redactor([]);

/** @param room in UTF-16 units. */
export function redactTo(text: string, room: number): string {
  const start = redact(text).slice(0, room);
  // The cut may leave half a character.
  return start.replace(/[\ud800-\udbff]$/, '').trim();
}

/**
 * Returns `redact` for a list of secrets. It masks each secret also where it is URL-encoded, form-encoded, JSON-escaped or in
 * base64. Its time does not grow with the text.
 */
export function redactor(secrets: readonly string[]): (text: string) => string {
  const forms = secrets
    .filter((secret) => secret !== '')
    .flatMap(formsOf)
    // Longer ones first, because a secret may begin like another.
    .sort((a, b) => b.length - a.length);
  const longest = forms[0]?.length ?? 0;
  const window = WINDOW + longest;
  const masked = (text: string) => forms.reduce((rest, form) => rest.replaceAll(form, MASK), text);
  return (text) => {
    if (text.length <= 2 * window) return cut(oneLine(masked(text)));
    // A window may cut a secret in two, and half a secret is not recognized: drop as much as the longest takes.
    const head = masked(text.slice(0, window));
    const tail = masked(text.slice(-window));
    return cut(
      `${oneLine(head.slice(0, Math.max(0, head.length - longest)))}…${oneLine(tail.slice(longest))}`,
    );
  };
}

/** Masks secrets. Prepares for that on first use, because it takes some time. */
export class Mask {
  readonly #secrets: readonly string[];
  #redact: ((text: string) => string) | undefined;
  #parse: ((json: string) => unknown) | undefined;

  constructor(secrets: readonly string[]) {
    this.#secrets = secrets;
  }

  redact(text: string): string {
    return (this.#redact ??= redactor(this.#secrets))(text);
  }

  parse(json: string): unknown {
    return (this.#parse ??= secretMasker(this.#secrets))(json);
  }
}

/** Shorter secrets may be ordinary words in the library. */
const SHORTEST_IN_DATA = 16;

/**
 * Returns a function that parses JSON and masks the secrets in its texts and names, such as the API key in the addresses of
 * streams. Takes little more time than `JSON.parse`. Ignores secrets of less than 16 characters.
 */
export function secretMasker(secrets: readonly string[]): (json: string) => unknown {
  const forms = [
    ...new Set(secrets.filter(({ length }) => length >= SHORTEST_IN_DATA).flatMap(formsOf)),
  ].sort((a, b) => b.length - a.length);
  if (forms.length === 0) return JSON.parse;
  const mayShow = hinter(forms);
  // JSON mostly shows these characters unescaped, and only in a text.
  const plainForms = forms.filter((form) => /^[\w.+/=%-]+$/.test(form) && /[a-z_]/i.test(form));
  const masked = (text: string) => forms.reduce((rest, form) => rest.replaceAll(form, MASK), text);
  const mask = (_name: string, value: unknown): unknown => {
    if (typeof value === 'string') return masked(value);
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
    if (Object.keys(value).every((name) => masked(name) === name)) return value;
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [masked(name), one as unknown]));
  };
  return (json) => {
    if (!mayShow(json)) return JSON.parse(json) as unknown;
    const text = plainForms.reduce((rest, form) => rest.replaceAll(form, MASK), json);
    try {
      return JSON.parse(text, mayShow(text) ? mask : undefined) as unknown;
    } catch {
      // A secret may begin in the middle of an escape such as \n.
      return JSON.parse(json, mask) as unknown;
    }
  };
}

const ESCAPED_WORD = /\\u00(?:3\d|[46][1-9a-f]|[57][\da])/i;
/** Shorter parts of a secret are in any text. */
const SHORTEST_HINT = 6;

/**
 * Returns a function that checks whether JSON may contain one of these texts. It searches for the longest word of each: other
 * characters may be escaped.
 */
function hinter(forms: readonly string[]): (json: string) => boolean {
  const words = forms.map((form) => [form, longestWord(form)] as const);
  const hints = new Set(
    words.flatMap(([form, word]) => (word.length < SHORTEST_HINT ? [form, inJson(form)] : word)),
  );
  const hasEscapes = words.some(([, { length }]) => length < SHORTEST_HINT) ? hasEscape : hasEscapedWord;
  return (json) => hasEscapes(json) || [...hints].some((hint) => json.includes(hint));
}

/** Whether JSON escapes a letter or a digit without need. */
function hasEscapedWord(json: string): boolean {
  // A plain search first: Node.js 24 takes 90 ms to match a pattern in 26 MB for the first time.
  return json.includes('\\u00') && ESCAPED_WORD.test(json);
}

/** Whether JSON escapes a character that needs no escape. */
function hasEscape(json: string): boolean {
  return json.includes('\\u') || json.includes('\\/');
}

function longestWord(text: string): string {
  const words = text.match(/[a-z\d]+/gi) ?? [];
  return words.reduce((longest, word) => (word.length > longest.length ? word : longest), '');
}

const PRINTABLE = /^[ -~]*$/;

/** Returns text as one line, without control characters and halves of characters. */
function oneLine(text: string): string {
  if (PRINTABLE.test(text)) return text.trim();
  return text.replace(CONTROL, ' ').replace(DIRECTION, '').trim().toWellFormed();
}

function cut(text: string): string {
  if (text.length <= LONGEST) return text;
  return `${text.slice(0, LONGEST - 1 - KEPT_END)}…${text.slice(-KEPT_END)}`.toWellFormed();
}

function formsOf(given: string): string[] {
  // Half a character cannot be encoded: another one is sent in its place.
  const secret = given.toWellFormed();
  const form = new URLSearchParams({ x: secret }).toString().slice(2);
  return [given, secret, encodeURIComponent(secret), form, inJson(given), ...base64(secret)];
}

function inJson(secret: string): string {
  return JSON.stringify(secret).slice(1, -1);
}

/** Returns base64 with and without padding, in both alphabets. */
function base64(secret: string): string[] {
  const bytes = Buffer.from(secret);
  const standard = bytes.toString('base64');
  return [standard, standard.replace(/=+$/, ''), bytes.toString('base64url')];
}
