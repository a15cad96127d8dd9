const MASK = '•••';
const LONGEST = 300;
/** Of a text that is too long, the last words are kept, too: after the long address of a page servers tell what went wrong there. */
const KEPT_END = 100;

/**
 * Text of the server, fit for an error that a person reads: every secret replaced, also where it stands
 * URL-encoded (as in an address, as in a form), as in JSON or in base64, and what is
 * beyond 300 characters cut out of its middle.
 */
export function mask(text: string, secrets: readonly string[]): string {
  const forms = secrets
    .filter((secret) => secret !== '')
    .flatMap((secret) => [
      secret,
      encodeURIComponent(secret),
      inForm(secret),
      inJson(secret),
      ...base64(secret),
    ])
    // Longer ones first, or of a secret that begins like another one the rest would show.
    .sort((a, b) => b.length - a.length);
  const masked = forms.reduce((rest, form) => rest.replaceAll(form, MASK), text);
  if (masked.length <= LONGEST) return masked;
  return `${masked.slice(0, LONGEST - 1 - KEPT_END)}…${masked.slice(-KEPT_END)}`;
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
