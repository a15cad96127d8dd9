import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { root } from './root';
import { nodeRedProgram } from './runtime';

/** Settings for a quick start. node-red-settings-light.js says what they omit. */
export const LIGHT = path.join(root, 'test', 'support', 'node-red-settings-light.js');

/** Node.js measures no coverage, and keeps compiled code for the next start (since Node.js 22). */
const QUICK = { NODE_V8_COVERAGE: '', NODE_COMPILE_CACHE: path.join(root, 'node_modules', '.cache', 'node') };

export interface NodeRedOptions {
  environment?: Record<string, string>;
  /** The settings file; node-red-settings.js by default. */
  settings?: string;
}

/** A Node-RED in its own process, on a free port. */
export class NodeRed {
  /** The address of its editor. */
  url = '';
  /** The lines of its log. */
  readonly log: string[] = [];
  /** The output on its error stream. */
  complaints = '';
  /** The text of each response. */
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

  /** Stops the process as a service manager does, with a kill after 15 seconds, and waits for its end. */
  async stop(): Promise<void> {
    if (this.#process.exitCode !== null || this.#process.signalCode !== null) return;
    const closed = once(this.#process, 'close');
    this.#process.kill('SIGTERM');
    const kill = setTimeout(() => this.#process.kill('SIGKILL'), 15_000);
    await closed;
    clearTimeout(kill);
  }

  /** Kills the process, as a power failure does. */
  async kill(): Promise<void> {
    const closed = once(this.#process, 'close');
    this.#process.kill('SIGKILL');
    await closed;
  }

  /** Returns the response to the editor, or at an address of the flows. */
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
        // English or German.
        this.url ||= /Server (?:now running at|wird jetzt auf) (\S+?)\/?(?: |$)/.exec(line)?.[1] ?? '';
        // The two lines come in any order.
        flowsRun ||= /Started flows|Flows sind gestartet/.test(line);
        if (flowsRun && this.url !== '') resolve();
      });
      this.#process.once('error', reject).once('close', () => {
        reject(new Error(`It ended before the flows ran:\n${this.log.join('\n')}\n${this.complaints}`));
      });
    });
  }
}
