import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { type ExampleNode, exampleNodes } from './examples';
import { NodeRed } from './node-red';
import { until } from './waiting';

/** The properties that a user enters after the import, by type of node. */
type Entered = Readonly<Record<string, object>>;

/** An example in a real Node-RED, with a server and whatever else a user enters already chosen. */
export class Example {
  readonly nodeRed: NodeRed;
  readonly #flows: readonly object[];
  readonly #nodes: readonly ExampleNode[];
  readonly #end: () => Promise<void>;
  /** How many lines the log had before. */
  readonly #logged: number;
  readonly #read = new Map<string, number>();

  private constructor(nodeRed: NodeRed, { flows, nodes }: Imported, end: () => Promise<void>) {
    this.nodeRed = nodeRed;
    this.#flows = flows;
    this.#nodes = nodes;
    this.#end = end;
    this.#logged = nodeRed.log.length;
  }

  /** Resolves when the example runs in a Node-RED of its own, which `stop` ends. */
  static async start(userDir: string, name: string, url: string, entered: Entered = {}): Promise<Example> {
    const imported = importOf(name, url, entered);
    writeFileSync(path.join(userDir, 'flows.json'), JSON.stringify(imported.flows));
    const nodeRed = await NodeRed.start(userDir, {});
    return new Example(nodeRed, imported, () => nodeRed.stop());
  }

  /** Resolves when the example runs in a Node-RED that has no flows, and has none again after `stop`. */
  static async deploy(nodeRed: NodeRed, name: string, url: string, entered: Entered = {}): Promise<Example> {
    const example: Example = new Example(nodeRed, importOf(name, url, entered), () =>
      example.#deploy([], 'full'),
    );
    await example.deploy();
    return example;
  }

  /** The lines of the log since the example started. Debug nodes write to it, too. */
  get log(): string[] {
    return this.nodeRed.log.slice(this.#logged);
  }

  /** Presses the button of an inject node. */
  async press(name: string): Promise<void> {
    const id = this.#nodes.find((node) => node.type === 'inject' && node.name === name)?.id;
    assert.ok(id, name);
    const { status } = await fetch(`${this.nodeRed.url}/inject/${id}`, { method: 'POST' });
    assert.equal(status, 200);
  }

  /** Deploys all flows again. */
  async deploy(): Promise<void> {
    await this.#deploy(this.#flows, 'full');
  }

  /** Changes a node, and deploys that alone, as "Modified nodes" does. */
  async deployNode(name: string, properties: object): Promise<void> {
    const id = this.#nodes.find((node) => node.name === name)?.id;
    assert.ok(id, name);
    const isIt = (node: object) => 'id' in node && node.id === id;
    await this.#deploy(
      this.#flows.map((node) => (isIt(node) ? { ...node, ...properties } : node)),
      'nodes',
    );
  }

  /** Adds a node for the server of the example, and deploys that alone. */
  async addNode(node: object): Promise<void> {
    const other = this.#flows.find((one) => 'z' in one && 'server' in one);
    await this.#deploy([...this.#flows, { ...other, ...node, wires: [] }], 'nodes');
  }

  async #deploy(flows: readonly object[], type: 'full' | 'nodes'): Promise<void> {
    const started = type === 'full' ? 'Started flows' : 'Started modified nodes';
    const starts = () => this.nodeRed.log.filter((line) => line.includes(started)).length;
    const before = starts();
    const { status } = await fetch(`${this.nodeRed.url}/flows`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'Node-RED-Deployment-Type': type },
      body: JSON.stringify(flows),
    });
    assert.equal(status, 204);
    await until(() => starts() === before + 1);
  }

  /** Returns all outputs of the debug nodes with this name so far. */
  outputs(name: string): string[] {
    return this.log.flatMap((line) => {
      const [, who, text = ''] = /\[debug:([^\]]+)\] (.*)/.exec(line) ?? [];
      return who === name ? [text] : [];
    });
  }

  /** Waits for the next of these outputs, and returns it. */
  async next(name: string): Promise<string> {
    const read = this.#read.get(name) ?? 0;
    this.#read.set(name, read + 1);
    await until(() => this.outputs(name).length > read);
    return this.outputs(name)[read] ?? '';
  }

  async stop(): Promise<void> {
    await this.#end();
  }
}

/**
 * Starts one Node-RED for all tests of a `describe`, because that takes longer than most of them.
 * @returns a function that runs an example in it, until `stop`.
 */
export function useExamples(
  userDir: () => string,
): (name: string, url: string, entered?: Entered) => Promise<Example> {
  let nodeRed: NodeRed;
  before(async () => {
    nodeRed = await NodeRed.start(userDir(), {});
  });
  after(() => nodeRed.stop());
  return (name, url, entered) => Example.deploy(nodeRed, name, url, entered);
}

interface Imported {
  flows: readonly object[];
  nodes: readonly ExampleNode[];
}

let imports = 0;

/**
 * Returns the flows of an example as a user imports them and completes them, with debug nodes that also write to the log. Each import has
 * its own ids, as in the editor, so that no state of an earlier one is its state.
 */
function importOf(name: string, url: string, entered: Entered): Imported {
  imports += 1;
  const original = exampleNodes(name);
  let text = JSON.stringify(original);
  for (const { id } of original) text = text.replaceAll(`"${id}"`, `"${id}-${imports}"`);
  const nodes = JSON.parse(text) as ExampleNode[];
  const [tab, server] = [`tab-${imports}`, `server-${imports}`];
  const flows = [
    { id: tab, type: 'tab', label: name },
    {
      ...{ id: server, type: 'stash-server', name: 'nas', url, auth: 'none', pause: '0' },
      ...entered['stash-server'],
    },
    ...nodes.map((node) => ({
      ...node,
      // A config node belongs to no tab.
      ...('z' in node && { z: tab }),
      ...('server' in node && { server }),
      ...entered[node.type],
      ...(node.type === 'debug' && { console: true }),
    })),
  ];
  return { flows, nodes };
}
