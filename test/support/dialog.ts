import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { compileFunction } from 'node:vm';
import { root } from './root';

/** The definition that a dialog registers with the editor. */
export interface Definition {
  category: string;
  categoryDescription?: string;
  color: string;
  icon: string;
  inputs?: number;
  outputs?: number;
  defaults: Record<
    string,
    { value?: unknown; type?: string; validate?: (value: unknown, options: object) => unknown }
  >;
  credentials?: Record<string, unknown>;
  paletteLabel?: (this: Labelled) => string;
  label: (this: Labelled) => string;
  outputLabels?: (this: Labelled, index: number) => string;
}

/** What the label functions of a node use. */
interface Labelled {
  _: (key: string) => string;
}

export interface Dialog {
  html: string;
  /** The text of the template tag, and of the script tag with the code of this dialog alone. */
  template: string;
  script: string;
  types: string[];
  definition: Definition;
}

/** Runs the script of a dialog, as the editor does, and returns what the script registers. */
export function dialogOf(name: string): Dialog {
  const html = readFileSync(path.join(root, 'dist', 'package', `${name}.html`), 'utf8');
  const template = /<script type="text\/html" data-template-name="([^"]+)">([\s\S]*?)<\/script>/.exec(html);
  assert.equal(template?.[1], `stash-${name}`, 'the template');
  const scripts = scriptsIn(name);
  // That of stash-server also has the code that all dialogs share.
  assert.equal(scripts.length, name === 'server' ? 2 : 1, 'inline scripts');
  const script = scripts.at(-1) as Script;

  const registered = register(script);
  const [first] = registered;
  assert.ok(first, 'the script registers a type');
  return {
    html,
    template: template[2] ?? '',
    script: script.text,
    types: registered.map(([type]) => type),
    definition: first[1],
  };
}

/** A type of a typed input. One of our own has the key of its label, in the form of `RED._`. */
export interface OfferedType {
  value: string;
  label?: string;
}

/** Opens the dialog of a new node, and returns the types that it offers in each typed input, by property. */
export function typedInputsOf(name: string): Record<string, OfferedType[]> {
  const offered: Record<string, OfferedType[]> = {};
  const select = (selector: unknown): object =>
    anything({
      typedInput: (options: unknown) => {
        const property = /^#node-input-(\w+)$/.exec(String(selector))?.[1];
        const { types } = Object(options) as { types?: (string | OfferedType)[] };
        if (property !== undefined && types) {
          offered[property] = types.map((type) => (typeof type === 'string' ? { value: type } : type));
        }
        return select(selector);
      },
    });
  const [, definition] = register(scriptsIn(name).at(-1) as Script, select)[0] ?? [];
  const { oneditprepare } = definition as { oneditprepare?: (this: object) => void };
  if (name !== 'server') oneditprepare?.call({ type: `stash-${name}`, _def: definition });
  return offered;
}

/** Returns the values of a node that was just dragged from the palette. */
export function freshOf(name: string): Record<string, unknown> {
  const listeners: ((node: object, options: object) => void)[] = [];
  const on = (event: string, listener: (typeof listeners)[number]) => {
    if (event === 'nodes:add') listeners.push(listener);
  };
  const [[type, definition] = []] = register(scriptsIn(name).at(-1) as Script, undefined, on);
  const defaults = Object.entries(definition?.defaults ?? {}).map(([property, { value }]) => [
    property,
    value,
  ]);
  const values = Object.fromEntries(defaults) as Record<string, unknown>;
  const node = { type, _def: definition, ...values };
  for (const listener of listeners) listener(node, { source: 'palette' });
  return node;
}

/**
 * Runs the script of a dialog after the code that all dialogs share, and returns what it registers.
 * @param select stands in for jQuery. The script needs it only when the dialog opens.
 * @param on gets what the script listens to in the editor.
 */
function register(
  script: Script,
  select?: (selector: unknown) => object,
  on: (event: string, listener: (node: object, options: object) => void) => void = () => undefined,
): [string, Definition][] {
  const registered: [string, Definition][] = [];
  const RED = {
    _: (key: string) => key,
    nodes: {
      registerType: (...type: [string, Definition]) => registered.push(type),
      eachConfig: () => undefined,
      node: () => undefined,
    },
    events: { on },
    i18n: { lang: () => 'en-US' },
    editor: anything(),
  };
  const page = { window: {}, $: select, document: anything() };
  for (const { text, ...place } of [sharedScript(), script]) {
    const run = compileFunction(text, ['RED', ...Object.keys(page)], place) as (...given: unknown[]) => void;
    run(RED, ...Object.values(page));
  }
  return registered;
}

/** Stands in for a part of the page that nobody looks at: it has every property and method, all of which return the same. */
function anything(own: Readonly<Record<PropertyKey, unknown>> = {}): object {
  const empty: Readonly<Record<PropertyKey, unknown>> = {
    length: 0,
    [Symbol.toPrimitive]: () => '',
    [Symbol.iterator]: () => [][Symbol.iterator](),
    ...own,
  };
  const one: object = new Proxy(() => undefined, {
    get: (_, property) => empty[property] ?? one,
    apply: () => one,
  });
  return one;
}

/** An inline script, and where it is. */
interface Script {
  text: string;
  filename: string;
  lineOffset: number;
}

/** Returns the inline scripts of a dialog. */
export function scriptsIn(name: string): Script[] {
  const filename = `dist/package/${name}.html`;
  const html = readFileSync(path.join(root, filename), 'utf8');
  return [...html.matchAll(/<script type="text\/javascript">\n([\s\S]*?)<\/script>/g)].map(
    ({ 1: text = '', index }) => ({ text, filename, lineOffset: html.slice(0, index).split('\n').length }),
  );
}

/** Returns the code that all dialogs share. */
export function sharedScript(): Script {
  return scriptsIn('server')[0] as Script;
}
