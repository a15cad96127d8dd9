import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { root } from '../support/root';
import { isRecord } from '../fake-stash/variables';

/** Returns a text in the English catalogue of a node, with its values filled in. */
export function words(name: string, key: string, values: Readonly<Record<string, unknown>> = {}): string {
  const file = path.join(root, 'nodes', 'locales', 'en-US', `${name}.json`);
  const found = key
    .split('.')
    .reduce<unknown>(
      (inner, part) => (isRecord(inner) ? inner[part] : undefined),
      JSON.parse(readFileSync(file, 'utf8')),
    );
  assert.equal(typeof found, 'string', `${name}: ${key}`);
  return String(found).replace(/__(\w+?)__/g, (_, value: string) => String(values[value]));
}
