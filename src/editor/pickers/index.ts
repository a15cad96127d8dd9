export { nameInValue, type NewNames } from './item-source';
export { enteredType, keepValues, type Picker } from './picker';
export { pictureAt, Pictures } from './pictures';
export {
  chosenPicker,
  filterPicker,
  folderPicker,
  itemPickers,
  namedPicker,
  performerPicker,
  pluginTaskPicker,
  scenePicker,
  scraperPicker,
} from './pickers';
