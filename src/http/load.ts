import { createRequire } from 'node:module';
import { StashError } from '../errors';
import { innermostCode } from './connection-error';

const requireLibrary = createRequire(__filename);

/**
 * Loads a library when it is first needed, by `importing`. Node.js remembers until its end that an `import()` has failed,
 * perhaps because too many files were open; a `require()` it tries again.
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
