export { type DocumentEditor, showDocument } from './document-editor';
export type { DocumentState } from './document-help';
export { type VariableRow, VariableRows } from './variable-rows';
