const MASK = '•••';
const LONGEST = 300;
/** Of a text that is too long, the last words are kept, too: after the long address of a page servers tell what went wrong there. */
const KEPT_END = 100;
/** How much of each end of a long text is looked at: what is shown of it lies within, also where secrets are cut out. */
const WINDOW = 4096;
/** C0 and C1 with all line ends, which forge lines and carry escape sequences of terminals. */
const CONTROL = /[\p{Cc}\u2028\u2029]+/gu;
/** What makes text read in another order than it has. */
const DIRECTION = /\p{Bidi_Control}+/gu;

/**
 * Text from outside, fit for an error, a status or a log that a person reads: without secrets and control characters, in
 * one line, and at most 300 characters long, the middle cut out of a longer one.
 */
export function redact(text: string, secrets: readonly string[] = []): string {
  return redactor(secrets)(text);
}

/** `redact`, and no more of the text than there is room for, in UTF-16 units. */
export function fit(text: string, room: number): string {
  const start = redact(text).slice(0, room);
  // Half a character may be left at the end.
  return start.replace(/[\ud800-\udbff]$/, '').trim();
}

/**
 * `redact` for many texts with the same secrets. Each secret is replaced also where it stands URL-encoded (as in an
 * address, as in a form), as in JSON or in base64. Takes no longer for a longer text.
 */
export function redactor(secrets: readonly string[]): (text: string) => string {
  const forms = secrets
    .filter((secret) => secret !== '')
    .flatMap(formsOf)
    // Longer ones first, or of a secret that begins like another one the rest would show.
    .sort((a, b) => b.length - a.length);
  const longest = forms[0]?.length ?? 0;
  const window = WINDOW + longest;
  const masked = (text: string) => forms.reduce((rest, form) => rest.replaceAll(form, MASK), text);
  return (text) => {
    if (text.length <= 2 * window) return cut(plain(masked(text)));
    // Where a window cuts a secret in two, its half would not be recognized: the length of the longest goes there.
    const head = masked(text.slice(0, window));
    const tail = masked(text.slice(-window));
    return cut(`${plain(head.slice(0, Math.max(0, head.length - longest)))}…${plain(tail.slice(longest))}`);
  };
}

/** In one line, without control characters and halves of characters. */
function plain(text: string): string {
  return wellFormed(text.replace(CONTROL, ' ').replace(DIRECTION, '').trim());
}

function cut(text: string): string {
  if (text.length <= LONGEST) return text;
  return wellFormed(`${text.slice(0, LONGEST - 1 - KEPT_END)}…${text.slice(-KEPT_END)}`);
}

function formsOf(given: string): string[] {
  // Half a character, which nothing can encode, travels as another one.
  const secret = wellFormed(given);
  return [given, secret, encodeURIComponent(secret), inForm(secret), inJson(given), ...base64(secret)];
}

function wellFormed(text: string): string {
  return Buffer.from(text).toString();
}

function inForm(secret: string): string {
  return new URLSearchParams({ x: secret }).toString().slice(2);
}

function inJson(secret: string): string {
  return JSON.stringify(secret).slice(1, -1);
}

/** With and without padding, in both alphabets. */
function base64(secret: string): string[] {
  const bytes = Buffer.from(secret);
  const standard = bytes.toString('base64');
  return [standard, standard.replace(/=+$/, ''), bytes.toString('base64url')];
}
