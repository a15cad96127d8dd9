/** A criterion for a text, as filters have it. */
export interface TextCriterion {
  value: string;
  modifier: string;
}

/** Returns whether LIKE in SQL finds a text: two characters are wildcards, and case does not matter. */
export function isLike(text: string, wanted: string): boolean {
  const pattern = wanted
    .replace(/[$()*+.?[\\\]^{|}]/g, '\\$&')
    .replaceAll('%', '.*')
    .replaceAll('_', '.');
  return new RegExp(`^${pattern}$`, 'i').test(text);
}

/** Returns whether a text fits a criterion, of those that nodes may use. */
export function matches(text: string, { value, modifier }: TextCriterion): boolean {
  switch (modifier) {
    case 'EQUALS':
      return isLike(text, value);
    case 'INCLUDES':
      return text.toLowerCase().includes(value.toLowerCase());
    case 'MATCHES_REGEX':
      return expressionOf(value).test(text);
    default:
      throw new Error(`unsupported string filter modifier: ${modifier}`);
  }
}

// Go writes a flag in front of an expression, or of each alternative; JavaScript does not.
function expressionOf(value: string): RegExp {
  return new RegExp(value.replaceAll('(?i)', ''), value.startsWith('(?i)') ? 'iu' : 'u');
}
