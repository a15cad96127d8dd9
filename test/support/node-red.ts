import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { root } from './root';
import { nodeRedProgram } from './runtime';

/** Settings for a quick start: node-red-settings-light.js says of what. */
export const LIGHT = path.join(root, 'test', 'support', 'node-red-settings-light.js');

/** Node.js counts no coverage, and keeps what it has compiled for the next start (from Node.js 22 on). */
const QUICK = { NODE_V8_COVERAGE: '', NODE_COMPILE_CACHE: path.join(root, 'node_modules', '.cache', 'node') };

export interface NodeRedOptions {
  environment?: Record<string, string>;
  /** The settings file; node-red-settings.js by default. */
  settings?: string;
}

/** A Node-RED of its own process, on a free port. */
export class NodeRed {
  /** Where its editor is. */
  url = '';
  /** The lines of its log. */
  readonly log: string[] = [];
  /** All that it wrote to the error stream. */
  complaints = '';
  /** Every answer that it gave, as text. */
  readonly answers: string[] = [];
  readonly #process: ChildProcess;

  constructor(userDir: string, options: NodeRedOptions) {
    const { environment, settings = path.join(root, 'test', 'support', 'node-red-settings.js') } = options;
    this.#process = spawn(process.execPath, [nodeRedProgram, '-u', userDir, '-s', settings, '-p', '0'], {
      cwd: userDir,
      env: { ...process.env, ...QUICK, LC_ALL: 'en_US.UTF-8', ...environment },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
  }

  /** Resolves when the flows run and the editor responds. */
  static async start<Kind extends NodeRed>(
    this: new (userDir: string, options: NodeRedOptions) => Kind,
    userDir: string,
    options: NodeRedOptions,
  ): Promise<Kind> {
    const nodeRed = new this(userDir, options);
    const tooLong = setTimeout(() => void nodeRed.stop(), 60_000);
    await nodeRed.#started().finally(() => {
      clearTimeout(tooLong);
    });
    return nodeRed;
  }

  get exitCode(): number | null {
    return this.#process.exitCode;
  }

  /** Ends it as a service manager does, which kills what does not end by itself, and waits until it has ended. */
  async stop(): Promise<void> {
    if (this.#process.exitCode !== null || this.#process.signalCode !== null) return;
    const closed = once(this.#process, 'close');
    this.#process.kill('SIGTERM');
    const kill = setTimeout(() => this.#process.kill('SIGKILL'), 15_000);
    await closed;
    clearTimeout(kill);
  }

  /** Ends it as a power failure does, at once and without a chance to clear up. */
  async kill(): Promise<void> {
    const closed = once(this.#process, 'close');
    this.#process.kill('SIGKILL');
    await closed;
  }

  /** What it answers to the editor, or at one of the flows' addresses. */
  async get(where: string): Promise<unknown> {
    const response = await fetch(`${this.url}/${where}`, { headers: { Accept: 'application/json' } });
    const text = await response.text();
    this.answers.push(text);
    assert.equal(response.status, 200, text);
    return JSON.parse(text);
  }

  #started(): Promise<void> {
    const { stdout, stderr } = this.#process;
    assert.ok(stdout && stderr);
    stderr.setEncoding('utf8').on('data', (text: string) => {
      this.complaints += text;
    });
    let flowsRun = false;
    return new Promise((resolve, reject) => {
      createInterface({ input: stdout }).on('line', (line) => {
        this.log.push(line);
        // In English, or in German.
        this.url ||= /Server (?:now running at|wird jetzt auf) (\S+?)\/?(?: |$)/.exec(line)?.[1] ?? '';
        // The two lines come in any order: neither waits for the other.
        flowsRun ||= /Started flows|Flows sind gestartet/.test(line);
        if (flowsRun && this.url !== '') resolve();
      });
      this.#process.once('error', reject).once('close', () => {
        reject(new Error(`It ended before the flows ran:\n${this.log.join('\n')}\n${this.complaints}`));
      });
    });
  }
}
