import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Runs npm in a folder, without scripts: they would rebuild `dist/` while tests run from it. */
export async function npm(folder: string, ...options: string[]): Promise<string> {
  // The npm that runs these tests, if there is one.
  const cli = process.env['npm_execpath'] ?? '';
  const [program, ...before] = cli.endsWith('.js') ? [process.execPath, cli] : ['npm'];
  const { stdout } = await run(program, [...before, ...options, '--ignore-scripts', '--loglevel=error'], {
    cwd: folder,
    // npm's own processes must not measure coverage.
    env: { ...process.env, NODE_V8_COVERAGE: '' },
    shell: program === 'npm' && process.platform === 'win32',
  });
  return stdout;
}
