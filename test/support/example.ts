import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { eventually } from '../browser/eventually';
import { type ExampleNode, exampleNodes } from './examples';
import { LIGHT, NodeRed } from './node-red';

/** Core nodes that LIGHT lacks, because their libraries take long to load. */
const HEAVY = ['mqtt in', 'mqtt out', 'http request'];

/** The properties that a user enters after the import, by type of node. */
type Entered = Readonly<Record<string, object>>;

/** Runs an example in its own Node-RED, with a server and whatever else a user enters already chosen. */
export class Example {
  readonly nodeRed: NodeRed;
  readonly #flows: object[];
  readonly #nodes: readonly ExampleNode[];
  readonly #read = new Map<string, number>();

  private constructor(nodeRed: NodeRed, flows: object[], nodes: readonly ExampleNode[]) {
    this.nodeRed = nodeRed;
    this.#flows = flows;
    this.#nodes = nodes;
  }

  /** Resolves when the example runs. Its debug nodes also write to the log. */
  static async start(userDir: string, name: string, url: string, entered: Entered = {}): Promise<Example> {
    const nodes = exampleNodes(name);
    const flows = [
      { id: 'tab', type: 'tab', label: name },
      {
        ...{ id: 'server', type: 'stash-server', name: 'nas', url, auth: 'none', pause: '0' },
        ...entered['stash-server'],
      },
      ...nodes.map((node) => ({
        ...node,
        // A config node belongs to no tab.
        ...('z' in node && { z: 'tab' }),
        ...('server' in node && { server: 'server' }),
        ...entered[node.type],
        ...(node.type === 'debug' && { console: true }),
      })),
    ];
    writeFileSync(path.join(userDir, 'flows.json'), JSON.stringify(flows));
    const isHeavy = nodes.some(({ type }) => HEAVY.includes(type));
    const nodeRed = await NodeRed.start(userDir, isHeavy ? {} : { settings: LIGHT });
    return new Example(nodeRed, flows, nodes);
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
    await eventually(
      () => Promise.resolve(starts()),
      (count) => {
        assert.equal(count, before + 1, 'the flows have started again');
      },
    );
  }

  /** Returns all outputs of the debug nodes with this name so far. */
  outputs(name: string): string[] {
    return this.nodeRed.log.flatMap((line) => {
      const [, who, text = ''] = /\[debug:([^\]]+)\] (.*)/.exec(line) ?? [];
      return who === name ? [text] : [];
    });
  }

  /** Waits for the next of these outputs, and returns it. */
  async next(name: string): Promise<string> {
    const read = this.#read.get(name) ?? 0;
    this.#read.set(name, read + 1);
    await eventually(
      () => Promise.resolve(this.outputs(name).length),
      (count) => {
        assert.ok(count > read, `${name} has another output`);
      },
    );
    return this.outputs(name)[read] ?? '';
  }

  stop(): Promise<void> {
    return this.nodeRed.stop();
  }
}
