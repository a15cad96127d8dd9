// Settings of every Node-RED that this project starts: on loopback only, nothing is asked of the internet.
module.exports = {
  uiHost: '127.0.0.1',
  flowFile: 'flows.json',
  // Nothing secret is stored: credentials come from the environment.
  credentialSecret: false,
  telemetry: { enabled: false, updateNotification: false },
  externalModules: {
    autoInstall: false,
    palette: { allowInstall: false, allowUpload: false },
    modules: { allowInstall: false },
  },
  editorTheme: {
    tours: false,
    projects: { enabled: false },
    multiplayer: { enabled: false },
    palette: { catalogues: [] },
  },
  logging: { console: { level: 'info', metrics: false, audit: false } },
};
