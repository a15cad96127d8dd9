export { updateRequirements } from './fields';
export type { ChangedField } from './changed-fields';
export { update, type Updated, type UpdateInput } from './update';
export { type Change, FOLDER, type Reference } from './field-edits';
