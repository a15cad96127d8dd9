const UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];

/** Formats a number of bytes, as in "1.5 GiB". The units are the same in all languages. */
export function formatBytes(bytes: number): string {
  let value = bytes;
  let power = 0;
  // A value that rounds up to 1024 is 1 of the next unit.
  for (; value >= 1023.5 && power < UNITS.length - 1; power += 1) value /= 1024;
  return `${value < 9.95 ? Math.round(value * 10) / 10 : Math.round(value)} ${UNITS[power] ?? ''}`;
}

/** Formats the progress of a transfer, as in "512 MiB / 1 GiB"; with a question mark for an unknown size. */
export function formatBytesOf(bytes: number, total: number | null): string {
  return `${formatBytes(bytes)} / ${total === null ? '?' : formatBytes(total)}`;
}
