export { Combobox } from './combobox';
export { type Entry, type EntrySource, type Found, type LoadPicture, textOfEntry } from './entries';
