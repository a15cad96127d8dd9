import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { helper } from './runtime';

/** A line of the response to the button "Try it": a state, the table, or an error. */
export interface Line {
  state?: string;
  shape?: 'list' | 'fields' | 'changes';
  columns?: string[];
  rows?: (string | null)[][];
  count?: number | null;
  sent?: number;
  changing?: number;
  units?: Record<string, string>;
  created?: { kind: string; names: string[]; count: number }[];
  missing?: string[];
  hints?: object[];
  errors?: string[];
  milliseconds?: number;
  case?: string;
  details?: Record<string, string | number>;
  failed?: true;
}

/** One press of the button "Try it" in the dialog of a node, which may not be deployed. */
export class Press {
  /** The lines that have arrived. */
  readonly lines: Line[] = [];
  /** Resolves with the last line when the response has ended; undefined after `leave`. */
  readonly end: Promise<Line | undefined>;
  readonly #browser = new AbortController();

  /** @param body what the browser sends besides the ID of the server. */
  constructor(name: string, body: object = {}) {
    this.end = this.#read(name, body).catch((error: unknown) => {
      if (!this.#browser.signal.aborted) throw error;
      return undefined;
    });
  }

  /** Closes the browser. */
  leave(): void {
    this.#browser.abort();
  }

  /** Returns the states, each once. */
  get states(): string[] {
    return [...new Set(this.lines.flatMap(({ state }) => state ?? []))];
  }

  async #read(name: string, body: object): Promise<Line | undefined> {
    // Supertest gives no part of a response before its end.
    const server = createServer(helper._httpAdmin).listen(0, '127.0.0.1');
    await once(server, 'listening');
    try {
      const { port } = server.address() as AddressInfo;
      const response = await fetch(`http://127.0.0.1:${port}/stash-server/try/${name}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ id: 'server1', ...body }),
        signal: this.#browser.signal,
      });
      await this.#readLines(response);
      return this.lines.at(-1);
    } finally {
      server.close();
      server.closeAllConnections();
    }
  }

  async #readLines({ body }: Response): Promise<void> {
    let rest = '';
    for await (const text of body?.pipeThrough(new TextDecoderStream()) ?? []) {
      const parts = (rest + text).split('\n');
      rest = parts.pop() ?? '';
      this.lines.push(...parts.map((part) => JSON.parse(part) as Line));
    }
  }
}

/** Presses the button and returns the last line. */
export async function press(name: string, body: object = {}): Promise<Line> {
  return (await new Press(name, body).end) ?? {};
}
