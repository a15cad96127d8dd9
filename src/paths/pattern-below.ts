import { AbsolutePath } from './absolute-path';

/**
 * Returns a regular expression, as Go and JavaScript read it, for all paths below a folder, in whatever way the folder is
 * spelled. Undefined for a path that is relative or too long.
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
  // Windows ignores case.
  return `${isWindows ? '(?i)' : ''}^${start}${separator}`;
}

/** Returns a regular expression, as Go and JavaScript read it, for a text. */
export function escaped(text: string): string {
  return text.replace(/[$()*+.?[\\\]^{|}]/g, '\\$&');
}
