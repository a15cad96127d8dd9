/** Defaults for properties that a flow file lacks: the values of a new server's dialog. */
export const defaults = {
  url: 'http://localhost:9999',
  auth: 'none',
  tls: '',
  proxy: '',
  pathMap: [],
  pause: 5,
  retryFor: 60,
  timeout: 30,
  lookupTimeout: 90,
  backupTimeout: 3600,
} as const;
