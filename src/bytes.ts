const UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];

/** A number of bytes for people, as in "1.5 GiB"; the units have the same signs in all languages. */
export function formatBytes(bytes: number): string {
  let value = bytes;
  let power = 0;
  // What would be rounded up to 1024 is one of the next unit.
  for (; value >= 1023.5 && power < UNITS.length - 1; power += 1) value /= 1024;
  return `${value < 9.95 ? Math.round(value * 10) / 10 : Math.round(value)} ${UNITS[power] ?? ''}`;
}

/** How far something of perhaps unknown size has come, as in "512 MiB / 1 GiB". */
export function formatBytesOf(bytes: number, total: number | null): string {
  return `${formatBytes(bytes)} / ${total === null ? '?' : formatBytes(total)}`;
}
