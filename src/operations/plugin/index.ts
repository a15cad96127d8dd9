export { installedPlugin, pluginIn } from './installation';
export { type PluginEvent, eventsIn } from './lines';
