const MASK = '•••';
const LONGEST = 300;

/**
 * Text of the server, fit for an error that a person reads: every secret replaced, also where it stands
 * URL-encoded (as in an address, as in a form), as in JSON or in base64, and cut at 300 characters.
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
  return masked.length > LONGEST ? `${masked.slice(0, LONGEST - 1)}…` : masked;
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
