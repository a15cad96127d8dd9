import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { root } from '../support/root';
import { isRecord } from '../fake-stash/variables';

/** Returns a text in the English catalogue of a node, with its values filled in. */
export function words(name: string, key: string, values: Readonly<Record<string, unknown>> = {}): string {
  const text = knownWords(name, key, values);
  assert.ok(text !== undefined, `${name}: ${key}`);
  return text;
}

/** The same; undefined for a key that the catalogue lacks. */
export function knownWords(
  name: string,
  key: string,
  values: Readonly<Record<string, unknown>>,
): string | undefined {
  const found = key
    .split('.')
    .reduce<unknown>((inner, part) => (isRecord(inner) ? inner[part] : undefined), catalogueOf(name));
  if (typeof found !== 'string') return undefined;
  return found.replace(/__(\w+?)__/g, (_, value: string) => String(values[value]));
}

const catalogues = new Map<string, unknown>();

function catalogueOf(name: string): unknown {
  const file = path.join(root, 'nodes', 'locales', 'en-US', `${name}.json`);
  const catalogue = catalogues.get(name) ?? (JSON.parse(readFileSync(file, 'utf8')) as unknown);
  catalogues.set(name, catalogue);
  return catalogue;
}
