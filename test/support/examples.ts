import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { root } from './root';

/** A node of an example, as its file has it. */
export interface ExampleNode {
  id: string;
  type: string;
  name?: string;
  [property: string]: unknown;
}

/** Returns the files of all examples, below `examples/`: the folder is an entry of the import menu, the file one below it. */
export function exampleFiles(): string[] {
  return readdirSync(path.join(root, 'examples'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.json'))
    .sort();
}

/** Returns the text of the example whose name contains some words. */
export function exampleText(words: string): string {
  const [file, ...others] = exampleFiles().filter((one) => path.basename(one).includes(words));
  assert.ok(file !== undefined && others.length === 0, `one example is about "${words}"`);
  return readFileSync(path.join(root, 'examples', file), 'utf8');
}

/** Returns the nodes of the example whose name contains some words, or of the flow with this label on the page about flow files. */
export function exampleNodes(words: string): ExampleNode[] {
  const flow = pageFlows().find(([tab]) => tab?.['label'] === words);
  return flow ?? (JSON.parse(exampleText(words)) as ExampleNode[]);
}

/** Returns the flows on the page about flow files, as people import them. */
export function pageFlows(): ExampleNode[][] {
  const page = readFileSync(path.join(root, 'docs', 'flow-file.md'), 'utf8');
  const flows = page.matchAll(/^```\n(\[\n.*?)^```$/gms);
  return [...flows].map(([, text = '']) => JSON.parse(text) as ExampleNode[]);
}
