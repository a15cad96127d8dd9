export { installedPlugin, pluginIn } from './installation';
export { type Told, toldIn } from './lines';
