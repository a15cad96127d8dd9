import { readdirSync, readlinkSync } from 'node:fs';

/** Returns what this process has open in a folder, the folder itself included. Only Linux says so; elsewhere nothing. */
export function openIn(folder: string): string[] {
  if (process.platform !== 'linux') return [];
  return readdirSync('/proc/self/fd').flatMap((descriptor) => {
    try {
      const target = readlinkSync(`/proc/self/fd/${descriptor}`);
      return target.startsWith(folder) ? [target] : [];
    } catch {
      // The descriptor of the list itself is closed by now.
      return [];
    }
  });
}
