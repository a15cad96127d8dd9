// As node-red-settings.js, with the older of the two text editors, which users may choose. Each dialog makes one for its
// description, and a third of a browser's work is that of the other one.
const settings = require('./node-red-settings');

module.exports = { ...settings, editorTheme: { ...settings.editorTheme, codeEditor: { lib: 'ace' } } };
