import { createRequire } from 'node:module';
import { StashError } from '../errors';
import { innermostCode } from './connection-error';

const requireLibrary = createRequire(__filename);

/**
 * Loads a library when it is first needed. Node.js caches a failed `import()` until the process ends, though it may have failed
 * only because too many files were open; it repeats a `require()`.
 * @param importing calls `import()` with the library's name.
 * @throws {StashError} UNREACHABLE
 */
export async function load<Library>(name: string, importing: () => Promise<Library>): Promise<Library> {
  try {
    return await importing();
  } catch (error) {
    try {
      return requireLibrary(name) as Library;
    } catch {
      throw new StashError('UNREACHABLE.notLoaded', {
        details: { code: innermostCode(error) || '–' },
        retry: true,
      });
    }
  }
}
