export { textFields } from './changes';
export { aliasesOf, normalized, tidy } from './names';
export { type PerformerToSave, type Saved, savePerformer } from './save';
export { performerFields, scrapePerformer, wantedName, type WantedPerformer } from './scrape';
export { performerScrapers } from './scrapers';
export { searchPerformers } from './search';
