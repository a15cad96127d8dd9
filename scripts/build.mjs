// Builds dist/: compiles TypeScript with plain tsc, which knows the words of the catalogues and compiles only changed files,
// and copies the files that Node-RED expects beside each node's JavaScript. With `--package`, only the files of the package,
// without tests.
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildSync, transformSync } from 'esbuild';
import { declareWords } from './words.mjs';

process.chdir(fileURLToPath(new URL('..', import.meta.url)));

declareWords();
for (const folder of ['nodes', 'src', 'test']) removeOrphans(folder);
const project = process.argv.includes('--package') ? 'tsconfig.package.json' : 'tsconfig.json';
const tsc = spawnSync(process.execPath, ['node_modules/typescript/bin/tsc', '--build', project], {
  stdio: 'inherit',
});
if (tsc.status !== 0) process.exit(tsc.status ?? 1);
cpSync('nodes/locales', 'dist/nodes/locales', { recursive: true, filter: (file) => !file.endsWith('.ts') });
cpSync('icons', 'dist/nodes/icons', { recursive: true });
writeDialogs();

/** Removes outputs without a source, which npm would pack. */
function removeOrphans(folder) {
  const outputs = path.join('dist', folder);
  if (!existsSync(outputs)) return;
  for (const file of readdirSync(outputs, { recursive: true })) {
    const output = path.join(outputs, file);
    const sources = [path.join(folder, file.replace(/\.js(\.map)?$/, '.ts')), file];
    if (statSync(output).isFile() && !sources.some((source) => existsSync(source))) rmSync(output);
  }
}

/**
 * Writes each dialog as one file: its template with the shared rows, and its code as an inline script. The code and the styles
 * that all dialogs share are in the one of stash-server, without which no other node can be used.
 */
function writeDialogs() {
  const [shared] = bundle({ entryPoints: ['src/editor/main.ts'], format: 'iife' });
  const dialogs = bundle({
    entryPoints: readdirSync('nodes')
      .filter((file) => file.endsWith('.editor.ts'))
      .map((file) => path.join('nodes', file)),
    format: 'cjs',
    external: ['../src/editor'],
  });
  for (const { path: file, text } of dialogs) {
    const name = path.basename(file, '.editor.js');
    const parts = [
      withRows(readFileSync(path.join('nodes', `${name}.html`), 'utf8')),
      ...(name === 'server' ? [`<style>${styles()}</style>\n`, inline(shared.text)] : []),
      // The editor may load the dialogs in any order, so each waits for the shared code (src/editor/main.ts).
      inline(`(window.stashDialogs = window.stashDialogs || []).push(function (require) {\n${text}});\n`),
    ];
    writeFileSync(path.join('dist/nodes', `${name}.html`), parts.join('\n'));
  }
}

/** Returns the bundles of code for the browser. */
function bundle(options) {
  const { outputFiles } = buildSync({
    bundle: true,
    target: 'es2020',
    charset: 'utf8',
    // The syntax stays, because the public library reads literals.
    minifyIdentifiers: true,
    minifyWhitespace: true,
    outdir: 'dist/nodes',
    write: false,
    ...options,
  });
  return outputFiles;
}

function inline(script) {
  return `<script type="text/javascript">\n${script}</script>\n`;
}

/** Replaces `<!--#include "name.html" -->` in a dialog with the shared rows of that name. */
function withRows(dialog) {
  return dialog.replace(/^ *<!--#include "([\w-]+\.html)" -->\n/gm, (_, name) =>
    readFileSync(path.join('src/editor/rows', name), 'utf8'),
  );
}

/** Returns the styles of all dialogs, in the order of the names of their files. */
function styles() {
  const folder = 'src/editor/styles';
  const files = readdirSync(folder).sort();
  const text = files.map((file) => readFileSync(path.join(folder, file), 'utf8')).join('\n');
  return transformSync(text, { loader: 'css', minify: true }).code;
}
