import { AbsolutePath } from './absolute-path';

/**
 * Returns a regular expression, for Go and JavaScript, for all paths below a folder in any spelling of it.
 * @returns undefined for a path that is relative or too long.
 */
export function patternBelow(folder: string): string | undefined {
  const path = AbsolutePath.parse(folder);
  if (!path) return undefined;
  const isWindows = !path.prefix.startsWith('/');
  const separator = isWindows ? '[/\\\\]+' : '/+';
  const names = path.prefix
    .split(isWindows ? /[/\\]+/ : /\/+/)
    .filter((name, index) => name !== '' || index === 0);
  const start = names.map(escaped).join(separator);
  return `${isWindows ? '(?i)' : ''}^${start}${separator}`;
}

/** Escapes a text for a regular expression of Go and JavaScript. */
export function escaped(text: string): string {
  return text.replace(/[$()*+.?[\\\]^{|}]/g, '\\$&');
}
