import type { Quirks } from './quirks';
import type { ServerLog } from './server-log';

/** The parts of the server that hooks use. */
export interface HookState {
  readonly quirks: Quirks;
  readonly serverLog: ServerLog;
  readonly plugins: readonly {
    readonly id: string;
    readonly enabled?: boolean;
    readonly silent?: boolean;
  }[];
}

/**
 * Runs a hook, for which only the plugin `node-red` has something to do, if it is installed.
 * @param hook such as `scene.Update`. @param fields the names of the input's fields, of a change.
 */
export function runHook(server: HookState, hook: string, id: string, fields: readonly string[] = []): void {
  const { plugins, quirks, serverLog } = server;
  const plugin = plugins.find((one) => one.id === 'node-red');
  if (!plugin || plugin.enabled === false || plugin.silent) return;
  const named = `${hook.charAt(0).toUpperCase()}${hook.slice(1)}.Post`;
  const line = JSON.stringify({ change: { hook: named, id: Number(id), fields, sources: [] } });
  serverLog.write('Trace', `[Plugin${quirks.minor < 26 ? '' : ' / Node-RED'}] node-red-stash ${line}`);
}

type Resolver = (given: { input: object }, context: unknown) => unknown;

/** Returns resolvers of which those that create or change items run their hooks, one for each item, before they answer. */
export function withHooks(server: HookState, resolvers: object): Record<string, Resolver> {
  const all = Object.entries(resolvers as Record<string, Resolver>).map(([name, resolve]) => {
    const [, kind = '', word] = /^(?:bulk)?(\w+?)(Create|Update)$/.exec(name) ?? [];
    const run: Resolver = async (given, context) => {
      const result = await resolve(given, context);
      const fields = word === 'Update' ? Object.keys(given.input) : [];
      for (const { id } of [result ?? []].flat() as { id: string }[])
        runHook(server, `${kind}.${word}`, id, fields);
      return result;
    };
    return [name, word ? run : resolve] as const;
  });
  return Object.fromEntries(all);
}
