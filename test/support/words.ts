import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import type { NodeAPI } from 'node-red';
import { root } from './root';
import { nodeRedProgram } from './runtime';
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
  const file = path.join(root, 'nodes', name, 'words', 'en-US.json');
  const catalogue = catalogues.get(name) ?? (JSON.parse(readFileSync(file, 'utf8')) as unknown);
  catalogues.set(name, catalogue);
  return catalogue;
}

const PACKAGE = '@stash-flows/node-red-stash';

/** Node-RED's own texts: `_` is what `RED._` calls. */
interface Texts extends NodeAPI {
  init(settings: object): void;
  registerMessageCatalogs(catalogs: { namespace: string; dir: string; file: string }[]): Promise<unknown>;
  i: { changeLanguage(language: string): Promise<unknown>; setDefaultNamespace(namespace: string): void };
}

/** Returns Node-RED's own `RED._` with the texts of a node, and of stash-server, while the tests of a `describe` run. */
export function useTexts(node = 'server'): NodeAPI {
  before(() => textsFor(node));
  after(forgetTexts);
  return nodeRedTexts();
}

/** Returns Node-RED's own `RED._` for a node, with the catalogues of this package, until `forgetTexts`. */
export async function textsFor(node: string, language = 'en-US'): Promise<NodeAPI> {
  const texts = nodeRedTexts();
  texts.init({ lang: language });
  const dir = path.join(root, 'dist', 'package', 'locales');
  const catalogs = ['server', node].map((name) => ({
    namespace: `${PACKAGE}/${name}`,
    dir,
    file: `${name}.json`,
  }));
  await texts.registerMessageCatalogs(catalogs);
  await texts.i.changeLanguage(language);
  // Node-RED finds the keys of a node in the catalogue of its file.
  texts.i.setDefaultNamespace(`${PACKAGE}/${node}`);
  return texts;
}

/** Lets Node-RED find its own texts again. */
export async function forgetTexts(): Promise<void> {
  const { i } = nodeRedTexts();
  await i.changeLanguage('en-US');
  i.setDefaultNamespace('runtime');
}

function nodeRedTexts(): Texts {
  return (createRequire(nodeRedProgram)('@node-red/util') as { i18n: Texts }).i18n;
}
