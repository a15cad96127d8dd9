export { type DocumentEditor, showDocument } from './document-editor';
export { VariableRows } from './variable-rows';
