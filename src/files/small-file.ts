import { readFile, stat } from 'node:fs/promises';
import { check } from './file-system-calls';

/**
 * Reads a file that must be small.
 * @returns undefined for what is no file, is empty or is larger. What the system makes up while it is read, as in /proc, has no size.
 * @throws {NoAnswer} @throws {NotChecked} any other error of the file system.
 */
export async function smallFile(path: string, largest: number): Promise<Buffer | undefined> {
  return await check(path, async () => {
    const found = await stat(path);
    return found.isFile() && found.size > 0 && found.size <= largest ? await readFile(path) : undefined;
  });
}
