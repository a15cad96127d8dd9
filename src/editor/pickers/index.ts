export { keepValues, type Picker } from './picker';
export { pictureAt, Pictures } from './pictures';
export {
  folderPicker,
  itemPickers,
  performerPicker,
  pluginTaskPicker,
  scenePicker,
  scraperPicker,
} from './pickers';
