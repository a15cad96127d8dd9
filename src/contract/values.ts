/** Returns whether a value is a text with more than spaces. */
export function isFilled(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== '';
}

/** Returns a text without white space and quotes around it: in a compose file, quotes become a part of a variable. */
export function unquoted(text: string): string {
  return text.trim().replace(/^(["'])(.*)\1$/s, '$2');
}

/** Returns the name of the environment variable if the whole value refers to one, as in `${STASH_URL}`. */
export function variableIn(value = ''): string | undefined {
  // Node-RED's own pattern, with the older form `$(NAME)`. No name has brackets: `${HOST}:${PORT}` is no variable.
  return /^\$(?:\(([^\s(){}]+)\)|\{([^\s(){}]+)\})$/.exec(value)?.slice(1).find(Boolean);
}

/** Returns whether the whole value refers to an environment variable, whose value an editor does not know. */
export function isVariable(value: string): boolean {
  return variableIn(value) !== undefined;
}

/** Reads a text, of a flow file or a request; empty for anything else. */
export function textIn(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** Reads a number, which a dialog saves as text. An empty field is NaN, not zero, as is anything else. */
export function numberIn(value: unknown): number {
  if (typeof value === 'number') return value;
  return isFilled(value) ? Number(value) : NaN;
}
