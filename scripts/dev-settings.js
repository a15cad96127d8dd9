// Settings of `npm run dev`: the editor reloads after a restart of Node-RED.
const settings = require('../test/support/node-red-settings');

module.exports = {
  ...settings,
  editorTheme: { ...settings.editorTheme, page: { scripts: require.resolve('./dev-reload.js') } },
};
