import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { formatted } from './formatted';
import { root } from './root';

/** Returns the rows for errors: each text once, with everything that leads to it. */
export function rowsByError(
  found: readonly (readonly [cause: string, code: string, text: string])[],
): string[][] {
  const errors = new Map<string, { code: string; causes: string[] }>();
  for (const [cause, code, text] of found) {
    const { causes } = errors.get(text) ?? { causes: [] };
    errors.set(text, { code, causes: [...causes, cause] });
  }
  return [...errors].map(([text, { code, causes }]) => [
    text.replaceAll('|', '\\|'),
    `\`${code}\``,
    causes.join('; '),
  ]);
}

/**
 * Checks that a table in a document, between `<!-- name -->` and `<!-- /name -->`, contains the results of the tests.
 * Writes the table instead if STASH_WRITE_TABLES is set, as `npm run tables` does.
 * @param rows the cells, first those of the head.
 */
export function checkTable(file: string, name: string, rows: readonly string[][]): void {
  const lines = rows.map((cells) => `| ${cells.join(' | ')} |`);
  lines.splice(1, 0, `|${' --- |'.repeat(rows[0]?.length ?? 0)}`);
  checkParts(file, { [name]: lines.join('\n') });
}

/** Checks or writes other parts of a document in the same way. @param parts their texts, by name. */
export function checkParts(file: string, parts: Readonly<Record<string, string>>): void {
  const place = path.join(root, file);
  const text = readFileSync(place, 'utf8');
  const expected = Object.entries(parts).reduce((whole, [name, part]) => {
    const [begin, end] = [`<!-- ${name} -->`, `<!-- /${name} -->`];
    const [before, rest = ''] = whole.split(begin);
    const after = rest.split(end)[1];
    assert.ok(after !== undefined, `${file} has a place for ${name}`);
    return `${before ?? ''}${begin}\n\n${part}\n\n${end}${after}`;
  }, text);
  const written = formatted(file, expected);
  if (process.env['STASH_WRITE_TABLES']) writeFileSync(place, written);
  else assert.equal(text, written, `${file} matches the results; if not, run "npm run tables"`);
}
