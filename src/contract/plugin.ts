// The plugin for Stash in `plugin/`, which tells at once what its pages play.

/** What Stash installs, as its package source names it. */
export const plugin = {
  id: 'node-red',
  version: '1.0.0',
  source: 'https://github.com/stash-flows/node-red-stash/releases/latest/download/index.yml',
} as const;

/** Whether a version is older than that of this package. Stash installs the newest release, which may be newer than that. */
export function isOutdated(version: string): boolean {
  return version.localeCompare(plugin.version, 'en', { numeric: true }) < 0;
}

/** The plugin as a server has it. */
export interface PluginState {
  /** Null if the server does not have it. */
  version: string | null;
  /** Whether the server runs it. */
  isEnabled: boolean;
  /** Whether a job that installs it has not ended. */
  isInstalling: boolean;
}
