const UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];

/** Formats a number of bytes, as in "1.5 GiB". The units are the same in all languages. @param format formats a number. */
export function formatBytes(bytes: number, format: (value: number) => string = String): string {
  let value = bytes;
  let power = 0;
  // A value that rounds up to 1024 is 1 of the next unit.
  for (; value >= 1023.5 && power < UNITS.length - 1; power += 1) value /= 1024;
  return `${format(value < 9.95 ? Math.round(value * 10) / 10 : Math.round(value))} ${UNITS[power] ?? ''}`;
}

/** Formats the progress of a transfer, as in "512 MiB / 1 GiB"; with a question mark for an unknown size. */
export function formatBytesOf(bytes: number, total: number | null): string {
  return `${formatBytes(bytes)} / ${total === null ? '?' : formatBytes(total)}`;
}

/**
 * Formats seconds in the two largest units, as in "3 min 12 s"; less than one as in "0.5 s". The unit symbols are the same in all
 * languages.
 * @param format formats a number.
 */
export function duration(seconds: number, format: (value: number) => string = String): string {
  const tenths = Math.round(seconds * 10);
  if (tenths < 10) return `${format(tenths / 10)} s`;
  const whole = Math.round(seconds);
  const parts = [
    [Math.floor(whole / 3600), 'h'],
    [Math.floor(whole / 60) % 60, 'min'],
    [whole % 60, 's'],
  ] as const;
  const first = parts.findIndex(([count]) => count > 0);
  return parts
    .slice(first, first + 2)
    .filter(([count]) => count > 0)
    .map(([count, unit]) => `${format(count)} ${unit}`)
    .join(' ');
}

/** Formats seconds, an estimate, in one unit, as in "3 min". */
export function roughDuration(seconds: number): string {
  if (seconds < 90) return `${seconds} s`;
  if (seconds < 90 * 60) return `${Math.round(seconds / 60)} min`;
  return `${Math.round(seconds / 3600)} h`;
}
