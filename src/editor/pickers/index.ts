export { enteredType, keepValues, type Picker } from './picker';
export { pictureAt, Pictures } from './pictures';
export {
  chosenPicker,
  filterPicker,
  folderPicker,
  itemPickers,
  performerPicker,
  pluginTaskPicker,
  scenePicker,
  scraperPicker,
} from './pickers';
