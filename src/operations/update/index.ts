export { updateRequirements } from './fields';
export type { ChangedField } from './changed-fields';
export { previewUpdate, update, type Updated, type UpdateInput } from './update';
export { type Change, FOLDER, type Reference } from './field-edits';
