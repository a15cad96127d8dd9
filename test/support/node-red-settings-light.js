// As node-red-settings.js, without the core nodes whose libraries take a quarter of the time that a start takes. For tests
// that start many Node-REDs, of flows that have no such node.
const settings = require('./node-red-settings');

module.exports = { ...settings, nodesExcludes: ['10-mqtt.js', '21-httprequest.js', '70-HTML.js'] };
