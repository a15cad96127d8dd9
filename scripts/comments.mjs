// Part of `npm run lint`: finds doc comments that only repeat the name that they document. `jsdoc/informative-docs` would do the same,
// but Oxlint does not have it.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { root } from './install.mjs';

/** In longer ones, the other words say something. */
const MOST_WORDS = 7;
/** Words that say nothing beside the name. */
const FILLERS = new Set(
  'a all an and any are as at be by for from has have if in is it its of on one or return that the their this to what whether which with'.split(
    ' ',
  ),
);
/** A comment of one line, and the name that follows. */
const DOCUMENTED =
  /\/\*\* ([^@\n]*?)\.? \*\/\n\s*(?:export |default |declare |async |static |readonly |override |private |abstract |get |set |function\*? |class |interface |type |const |let )*#?([A-Za-z_$][\w$]*)/g;

const files = execFileSync('git', ['ls-files', 'src', 'nodes', 'test', 'bench', 'scripts'], {
  cwd: root,
  encoding: 'utf8',
})
  .split('\n')
  .filter((file) => /\.(?:ts|mjs|js)$/.test(file) && existsSync(path.join(root, file)));
for (const file of files) {
  const text = readFileSync(path.join(root, file), 'utf8');
  for (const { 0: found, 1: comment, 2: name, index } of text.matchAll(DOCUMENTED)) {
    const words = wordsOf(comment);
    const said = wordsOf(name.replace(/([a-z\d])([A-Z])/g, '$1 $2')).map(stem);
    if (
      words.length > MOST_WORDS ||
      words.some((word) => !FILLERS.has(stem(word)) && !said.includes(stem(word)))
    )
      continue;
    const line = text.slice(0, index).split('\n').length;
    console.log(`${file}:${line}: ${found.split('\n', 1)[0]} only repeats ${name}`);
    process.exitCode = 1;
  }
}

function wordsOf(text) {
  return text.toLowerCase().match(/[a-z\d]+/g) ?? [];
}

/** Cuts the endings of plurals and verbs. */
function stem(word) {
  return FILLERS.has(word) ? word : word.replace(/(?<=\w{2})(?:ies|ied|y|ings?|ed|es|s|e)$/, '');
}
