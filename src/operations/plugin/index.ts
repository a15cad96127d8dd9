export { checkPlugin, installedPlugin, pluginIn } from './installation';
export { type PluginEvent, eventsIn } from './lines';
