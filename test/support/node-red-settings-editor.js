// As node-red-settings.js, for tests of the editor, where most work is that of a browser: without core nodes that no such test
// uses, and with the older of the two text editors, which users may choose. Each dialog makes one for its description, and a
// third of a browser's work is that of the other one.
const settings = require('./node-red-settings');

module.exports = {
  ...settings,
  nodesExcludes: [
    '80-template.js',
    '89-trigger.js',
    '90-exec.js',
    '10-mqtt.js',
    '21-httprequest.js',
    '22-websocket.js',
    '31-tcpin.js',
    '32-udp.js',
    '70-CSV.js',
    '70-HTML.js',
    '70-XML.js',
    '70-YAML.js',
    '16-range.js',
    '17-split.js',
    '18-sort.js',
    '19-batch.js',
    'rbe.js',
    '10-file.js',
    '23-watch.js',
  ],
  editorTheme: { ...settings.editorTheme, codeEditor: { lib: 'ace' } },
};
