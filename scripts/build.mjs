// Builds dist/ with esbuild: the code file by file, which the tests run, and dist/package, which users install. With `--package`,
// only the latter. esbuild takes a second and knows no types; `npm run lint` checks those.
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildSync, transformSync } from 'esbuild';

const PACKAGE = 'dist/package';
/** What runs in the browser: the code that dialogs share, and that of each. */
const EDITOR = path.join('src', 'editor');
const DIALOG = 'dialog.ts';

/** The folders of the packages whose code is in the bundles. */
const bundled = new Set();

process.chdir(fileURLToPath(new URL('..', import.meta.url)));
const { 'node-red': nodeRed, dependencies } = JSON.parse(readFileSync('package.json', 'utf8'));
const names = Object.keys(nodeRed.nodes);

if (!process.argv.includes('--package')) writeFiles();
// With no file of an earlier build, which npm would pack.
rmSync(PACKAGE, { recursive: true, force: true });
names.forEach(copyOwn);
writeRuntime();
writeDialogs();
writeLicences();

/** Writes the code that runs in Node.js, and its tests, file by file. */
function writeFiles() {
  const { outputFiles } = buildSync({
    entryPoints: ['src', 'nodes', 'test'].flatMap(sourcesIn),
    outbase: '.',
    outdir: 'dist',
    format: 'cjs',
    platform: 'node',
    target: 'node20',
    sourcemap: true,
    write: false,
  });
  for (const { path: file, contents } of outputFiles) {
    mkdirSync(path.dirname(file), { recursive: true });
    // Another process may be running tests from them.
    if (!existsSync(file) || !readFileSync(file).equals(contents)) writeFileSync(file, contents);
  }
  // The tests would also run what has no source any more.
  const written = new Set(outputFiles.map(({ path: file }) => file));
  for (const folder of ['src', 'nodes', 'test']) {
    for (const entry of readdirSync(`dist/${folder}`, { recursive: true, withFileTypes: true })) {
      const file = path.resolve(entry.parentPath, entry.name);
      if (entry.isFile() && !written.has(file)) rmSync(file);
    }
  }
}

/** Copies the icon of a node, and its words and its help in each language, to where Node-RED looks for them. */
function copyOwn(name) {
  const from = path.join('nodes', name);
  copy(path.join(from, 'icon.svg'), path.join('icons', `stash-${name}.svg`));
  for (const [folder, ending] of [
    ['words', '.json'],
    ['help', '.html'],
  ]) {
    for (const file of readdirSync(path.join(from, folder)).filter((file) => file.endsWith(ending))) {
      const language = path.basename(file, ending);
      copy(path.join(from, folder, file), path.join('locales', language, name + ending));
    }
  }
}

/** Copies a file into the package. */
function copy(from, to) {
  const file = path.join(PACKAGE, to);
  mkdirSync(path.dirname(file), { recursive: true });
  copyFileSync(from, file);
}

/** Lists the sources in a folder for Node.js, without those of installed packages. */
function sourcesIn(folder) {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const place = path.join(folder, entry.name);
    if (entry.isDirectory()) return entry.name === 'node_modules' || place === EDITOR ? [] : sourcesIn(place);
    const isDialog = entry.name === DIALOG && place.startsWith(`nodes${path.sep}`);
    return !isDialog && /(?<!\.d(\.json)?)\.ts$/.test(entry.name) ? [place] : [];
  });
}

/**
 * Writes the code of all nodes as one file, because Node-RED loads that in half of the time and memory, and for each node the
 * file that Node-RED looks for. What runs in a process or thread of its own is a file of its own.
 */
function writeRuntime() {
  const all = names.map((name) => `export { default as '${name}' } from './nodes/${name}/node';`);
  // Any other package becomes a part of the file.
  const external = Object.keys(dependencies);
  const options = { bundle: true, platform: 'node', target: 'node20', external, metafile: true };
  const runtime = buildSync({
    ...options,
    stdin: { contents: all.join('\n'), resolveDir: '.' },
    format: 'cjs',
    outfile: `${PACKAGE}/runtime.js`,
    // Each file was in strict mode, but functions outside its classes move to the top of this one.
    banner: { js: '"use strict";' },
  });
  const started = readdirSync('src', { recursive: true }).filter((file) =>
    /-(process|worker)\.ts$/.test(file),
  );
  const others = buildSync({
    ...options,
    entryPoints: started.map((file) => path.join('src', file)),
    entryNames: '[name]',
    outdir: PACKAGE,
  });
  noteBundled(runtime, others);
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
    entryPoints: names.map((name) => ({ in: path.join('nodes', name, DIALOG), out: name })),
    format: 'cjs',
    external: ['../../src/editor'],
  });
  for (const { path: file, text } of dialogs) {
    const name = path.basename(file, '.js');
    const parts = [
      withRows(readFileSync(path.join('nodes', name, 'dialog.html'), 'utf8')),
      ...(name === 'server' ? [`<style>${styles()}</style>\n`, inline(shared.text)] : []),
      // The editor may load the dialogs in any order, so each waits for the shared code (src/editor/main.ts).
      inline(`(window.stashDialogs = window.stashDialogs || []).push(function (require) {\n${text}});\n`),
    ];
    writeFileSync(path.join(PACKAGE, `${name}.html`), parts.join('\n'));
  }
}

/** Returns the bundles of code for the browser. */
function bundle(options) {
  const result = buildSync({
    bundle: true,
    metafile: true,
    target: 'es2020',
    charset: 'utf8',
    // The syntax stays, because the public library reads literals.
    minifyIdentifiers: true,
    minifyWhitespace: true,
    outdir: PACKAGE,
    write: false,
    ...options,
  });
  noteBundled(result);
  return result.outputFiles;
}

/** Remembers which packages have code in the results of builds. */
function noteBundled(...results) {
  for (const file of results.flatMap(({ metafile }) => Object.keys(metafile.inputs))) {
    const [folder] = /^.*node_modules\/(@[^/]+\/)?[^/]+/.exec(file) ?? [];
    if (folder) bundled.add(folder);
  }
}

/** Writes the licences of the bundled packages, which each of them requires. scripts/release.mjs reads the headings. */
function writeLicences() {
  const texts = [...bundled].sort().map((folder) => {
    const { name, version, license } = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8'));
    const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
    if (file === undefined) throw new Error(`${name} has no file with its licence`);
    return `${name}@${version} (${license})\n\n${readFileSync(path.join(folder, file), 'utf8').trim()}\n`;
  });
  if (texts.length > 0) writeFileSync(path.join(PACKAGE, 'LICENSES.txt'), texts.join('\n\n'));
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
