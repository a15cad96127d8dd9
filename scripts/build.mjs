// Builds dist/: compiles TypeScript with plain tsc, which knows the words of the catalogues and compiles only changed files,
// and copies the files that Node-RED expects beside each node's JavaScript. With `--package`, only the files of the package,
// without tests.
import { spawnSync } from 'node:child_process';
import {
  appendFileSync,
  cpSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
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
cpSync('nodes', 'dist/nodes', { recursive: true, filter: (file) => !file.endsWith('.ts') });
for (const file of readdirSync('nodes').filter((file) => file.endsWith('.html'))) includeRows(file);
cpSync('icons', 'dist/nodes/icons', { recursive: true });
inlineStyles();
inlineEditorCode();

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

/** Replaces `<!--#include "name.html" -->` in a dialog with the shared rows of that name. */
function includeRows(file) {
  const dialog = readFileSync(path.join('nodes', file), 'utf8');
  const whole = dialog.replace(/^ *<!--#include "([\w-]+\.html)" -->\n/gm, (_, name) =>
    readFileSync(path.join('src/editor/rows', name), 'utf8'),
  );
  writeFileSync(path.join('dist/nodes', file), whole);
}

/** Appends the styles of all dialogs to one of them, in the order of their names: a page keeps every style. */
function inlineStyles() {
  const folder = 'src/editor/styles';
  const styles = readdirSync(folder)
    .sort()
    .map((file) => readFileSync(path.join(folder, file), 'utf8'));
  const { code } = transformSync(styles.join('\n'), { loader: 'css', minify: true });
  appendFileSync('dist/nodes/server.html', `\n<style>${code}</style>\n`);
}

/**
 * Appends all the code of a dialog as an inline script. After an installation the editor fetches the dialogs of a package in
 * any order, without the disabled ones, so none may depend on another.
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
    // The editor loads the shared code with each dialog. The syntax stays, because the public library reads literals.
    minifyIdentifiers: true,
    minifyWhitespace: true,
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
