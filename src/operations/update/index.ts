export { updateRequirements } from './fields';
export type { ChangedField } from './changed-fields';
export { update, type Updated, type UpdateInput } from './update';
export type { Change, Reference } from './field-edits';
