export { textFields } from './changes';
export { type PerformerToSave, previewSave, type Saved, savePerformer } from './save';
export { performerScrapeRequirements, scrapePerformer, wantedName, type WantedPerformer } from './scrape';
export { performerScrapers } from './scrapers';
export { searchPerformers } from './search';
export { dataUrlOf } from './values';
