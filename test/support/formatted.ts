import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { root } from './root';

/** Returns the text of a file in the form that `npm run lint` demands. @param file its path in the project. */
export function formatted(file: string, text: string): string {
  const program = path.join(root, 'node_modules', 'oxfmt', 'bin', 'oxfmt');
  return execFileSync(process.execPath, [program, '--stdin-filepath', file], {
    cwd: root,
    input: text,
    encoding: 'utf8',
  });
}
