import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Runs npm in a folder, without scripts: they would build `dist/` again while tests run from it. */
export async function npm(folder: string, ...options: string[]): Promise<string> {
  // The npm that runs these tests, where one does.
  const cli = process.env['npm_execpath'] ?? '';
  const [program, ...before] = cli.endsWith('.js') ? [process.execPath, cli] : ['npm'];
  const { stdout } = await run(program, [...before, ...options, '--ignore-scripts', '--loglevel=error'], {
    cwd: folder,
    // What npm runs of itself is nobody's coverage.
    env: { ...process.env, NODE_V8_COVERAGE: '' },
    shell: program === 'npm' && process.platform === 'win32',
  });
  return stdout;
}
