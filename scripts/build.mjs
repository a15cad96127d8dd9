// Builds dist/: compiles TypeScript with plain tsc, which knows the words of the catalogues and compiles only changed files,
// and writes what users install to dist/package. With `--package`, without the tests.
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildSync, transformSync } from 'esbuild';
import { declareWords } from './words.mjs';

const PACKAGE = 'dist/package';

process.chdir(fileURLToPath(new URL('..', import.meta.url)));

declareWords();
for (const folder of ['nodes', 'src', 'test']) removeOrphans(folder);
const project = process.argv.includes('--package') ? 'tsconfig.package.json' : 'tsconfig.json';
const tsc = spawnSync(process.execPath, ['node_modules/typescript/bin/tsc', '--build', project], {
  stdio: 'inherit',
});
if (tsc.status !== 0) process.exit(tsc.status ?? 1);
// With no file of an earlier build, which npm would pack.
rmSync(PACKAGE, { recursive: true, force: true });
cpSync('nodes/locales', `${PACKAGE}/locales`, { recursive: true, filter: (file) => !file.endsWith('.ts') });
cpSync('icons', `${PACKAGE}/icons`, { recursive: true });
writeRuntime();
writeDialogs();

/** Removes outputs without a source, which the tests would run. */
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
 * Writes the code of all nodes as one file, because Node-RED loads that in half of the time and memory, and for each node the
 * file that Node-RED looks for. What runs in a process or thread of its own is a file of its own.
 */
function writeRuntime() {
  const names = Object.keys(JSON.parse(readFileSync('package.json', 'utf8'))['node-red'].nodes);
  const all = names.map((name) => `exports['${name}'] = require('./nodes/${name}');`);
  const options = { bundle: true, platform: 'node', target: 'node20', packages: 'external' };
  buildSync({
    ...options,
    stdin: { contents: all.join('\n'), resolveDir: '.' },
    outfile: `${PACKAGE}/runtime.js`,
    // Each file was in strict mode, but functions outside its classes move to the top of this one.
    banner: { js: '"use strict";' },
  });
  const started = readdirSync('src', { recursive: true }).filter((file) =>
    /-(process|worker)\.ts$/.test(file),
  );
  buildSync({
    ...options,
    entryPoints: started.map((file) => path.join('src', file)),
    entryNames: '[name]',
    outdir: PACKAGE,
  });
  for (const name of names) {
    writeFileSync(`${PACKAGE}/${name}.js`, `module.exports = require('./runtime.js')['${name}'];\n`);
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
    writeFileSync(path.join(PACKAGE, `${name}.html`), parts.join('\n'));
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
    outdir: PACKAGE,
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
