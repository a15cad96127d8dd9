// Builds dist/: TypeScript by plain tsc, and what Node-RED looks for beside each node's JavaScript.
import { execFileSync } from 'node:child_process';
import { appendFileSync, cpSync, readdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildSync } from 'esbuild';

process.chdir(fileURLToPath(new URL('..', import.meta.url)));

rmSync('dist', { recursive: true, force: true });
execFileSync(process.execPath, ['node_modules/typescript/bin/tsc', '--build'], { stdio: 'inherit' });
cpSync('nodes', 'dist/nodes', { recursive: true, filter: (path) => !path.endsWith('.ts') });
cpSync('icons', 'dist/nodes/icons', { recursive: true });
inlineEditorCode();

/**
 * Appends to each dialog all the code that it needs, as an inline script. After an installation the editor fetches the
 * dialogs of a package all at once, in any order, and never those that are disabled: none may rely on another.
 */
function inlineEditorCode() {
  const { outputFiles } = buildSync({
    entryPoints: readdirSync('nodes')
      .filter((file) => file.endsWith('.editor.ts'))
      .map((file) => path.join('nodes', file)),
    bundle: true,
    format: 'iife',
    target: 'es2020',
    charset: 'utf8',
    outdir: 'dist/nodes',
    write: false,
  });
  for (const { path: file, text } of outputFiles) {
    appendFileSync(
      file.replace(/\.editor\.js$/, '.html'),
      `\n<script type="text/javascript">\n${text}</script>\n`,
    );
  }
}
