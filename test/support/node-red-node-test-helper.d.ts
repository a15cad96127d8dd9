declare module 'node-red-node-test-helper' {
  import type { EventEmitter } from 'node:events';
  import type { RequestListener } from 'node:http';
  import type { Node, NodeInitializer } from 'node-red';

  interface Result {
    status: number;
    headers: Readonly<Record<string, string | undefined>>;
    body: unknown;
    text: string;
  }

  interface Test extends Promise<Result> {
    query(parameters: object): Test;
    set(header: string, value: string): Test;
    send(body: object | string): Test;
    abort(): void;
    /** The server of the request, which it closes only after a response. */
    _server: { close(): void };
    expect(status: number): Test;
    /** Reads the body of a type that is unknown as text. */
    buffer(isRead: boolean): Test;
  }

  /** The parts that the tests use; the package has no types. */
  const helper: {
    init(runtimePath: string): void;
    startServer(): Promise<void>;
    stopServer(): Promise<void>;
    load(nodes: NodeInitializer[], flows: object[], credentials: object): Promise<void>;
    unload(): Promise<void>;
    /** The events of the runtime, and its flows. */
    _events: EventEmitter;
    _redNodes: {
      setFlows(flows: object[], credentials: object, type: 'full' | 'nodes' | 'flows'): Promise<void>;
    };
    /** Adds settings to those of settings.js. */
    settings(settings: object): object;
    getNode(id: string): Node;
    /** Sends requests to the admin routes of nodes. */
    request(): { get(path: string): Test; post(path: string): Test };
    /** The admin routes of the loaded nodes. */
    _httpAdmin: RequestListener;
    /** The spy on all log calls. */
    log(): { args: { level: number; id?: string; msg: unknown }[][]; ERROR: number; WARN: number };
  };
  export = helper;
}
