// The plugin for Stash in `plugin/`, which tells at once what its pages play.

/** What Stash installs, as its package source names it. */
export const plugin = {
  id: 'node-red',
  version: '1.0.0',
  source: 'https://github.com/stash-flows/node-red-stash/releases/latest/download/index.yml',
} as const;

/** The plugin as a server has it. */
export interface PluginState {
  /** Null if the server does not have it. */
  version: string | null;
  /** Whether the server runs it. */
  isEnabled: boolean;
  /** Whether a job that installs it has not ended. */
  isInstalling: boolean;
}
