// Settings of `npm run dev`: the editor loads itself again when Node-RED is back.
const settings = require('../test/support/node-red-settings');

module.exports = {
  ...settings,
  editorTheme: { ...settings.editorTheme, page: { scripts: require.resolve('./dev-reload.js') } },
};
