export { keepValues, type Picker } from './picker';
export {
  folderPicker,
  itemPickers,
  performerPicker,
  pluginTaskPicker,
  scenePicker,
  scraperPicker,
} from './pickers';
