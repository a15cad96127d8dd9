import {
  type DocumentState,
  EXAMPLE_DOCUMENT,
  pageSizeIn,
  type VariableRow,
} from '../../src/contract/document';
import { isFilled } from '../../src/contract/values';
import {
  type DocumentEditor,
  type EditorNode,
  isUnknown,
  jobOutputLabel,
  minutes,
  prepareReply,
  type SelectedServer,
  showDocument,
  showRows,
  showTrial,
  stash,
  TypedInput,
  validator,
  VariableRows,
  words,
} from '../../src/editor';

const document = new TypedInput('document', {
  value: EXAMPLE_DOCUMENT,
  type: 'graphql',
  types: ['msg', 'flow', 'global', 'env', 'jsonata'],
  bare: { type: 'graphql', label: 'query:document.graphql' },
  invalid: 'query:invalid.document',
  check: (value) => value === undefined || isFilled(value),
});
const variables = new TypedInput('variables', {
  type: 'none',
  types: ['json', 'msg', 'flow', 'global', 'jsonata'],
  bare: { type: 'none', label: 'query:variables.each' },
  item: /^\{/,
  invalid: 'query:invalid.variables',
});

/** The open dialog; there is at most one. */
let editor: DocumentEditor | undefined;
let rows: VariableRows | undefined;
/** Whether a check has found the variables of its document. */
let areKnown = false;

stash.registerType('stash-query', {
  category: 'stash',
  color: '#7DB1DC',
  icon: 'stash-query.svg',
  inputs: 1,
  outputs: 1,
  outputLabels(index) {
    return index === 0 ? this._('output.0') : jobOutputLabel.call(this, index);
  },
  defaults: {
    document: document.value,
    documentType: document.type,
    variables: variables.value,
    variablesType: variables.type,
    values: { value: [] },
    pages: { value: false },
    perPage: {
      value: '100',
      validate: validator('query:invalid.perPage', (size) => pageSizeIn(size) !== undefined),
    },
    nextPage: { value: 'atOnce' },
    partial: { value: false },
    reply: { value: 'started' },
    sendFailed: { value: false },
    waitLimit: minutes('0', 'server:invalid.waitLimit'),
    stalledAfter: minutes('10', 'server:invalid.stalledAfter'),
    outputs: { value: 1 },
  },
  oneditprepare(server) {
    document.show(server);
    variables.show(server);
    rows = new VariableRows($('#node-input-values-container'), rowsOf(this), server);
    prepareReply(this);
    prepareDocument(this, server);
    preparePages(this);
    showTrial(this, server, { own: entered });
  },
  oneditsave() {
    if (isTyped()) $('#node-input-document').val(editor?.text() ?? '');
    const isSameType = $('#node-input-documentType').val() === this['documentType'];
    // The rows of a document from elsewhere are not shown.
    if (isTyped() || !isSameType) Object.assign(this, { values: variableRows() });
    close();
  },
  oneditcancel: close,
  labelSuffix() {
    const given = this['document'];
    const isGraphQL = (this['documentType'] ?? 'graphql') === 'graphql';
    // That of a new node says nothing about it.
    const isOwn = typeof given === 'string' && given !== EXAMPLE_DOCUMENT;
    const field = !isGraphQL ? document.shownIn(this) : isOwn ? firstField(given) : '';
    return field && `: ${field}`;
  },
});

function close(): void {
  editor?.close();
  editor = rows = undefined;
  areKnown = false;
}

/** Returns the rows of the variables of a document that was typed here. */
function variableRows(): VariableRow[] {
  return isTyped() ? (rows?.rows() ?? []) : [];
}

/** Returns the document and the variables for a trial, without rows that another source replaces. */
function entered(): object {
  return {
    ...(isTyped() && { document: editor?.text() ?? '' }),
    values: areEntered() ? variableRows() : [],
  };
}

/** Whether the variables are entered one by one. */
function areEntered(): boolean {
  return $('#node-input-variablesType').val() === 'none';
}

/** Shows the editor of the document while it is typed here, and the rows that depend on the document. */
function prepareDocument(node: EditorNode, server: SelectedServer): void {
  const onState = ({ variables: declared, startsJob }: DocumentState) => {
    if (!isTyped()) return;
    if (declared) {
      rows?.show(declared);
      areKnown = true;
    }
    showReply(node, startsJob);
    showVariables();
  };
  const type = $('#node-input-documentType');
  const saved = node['document'];
  const text = isTyped() && typeof saved === 'string' ? saved : EXAMPLE_DOCUMENT;
  editor = showDocument({
    container: $('#stash-document'),
    note: $('#stash-document-note'),
    value: text,
    server: () => server.reference,
    onChange: () =>
      $('#node-input-document')
        .val(editor?.text() ?? '')
        .trigger('change'),
    onState,
  });
  const update = () => {
    $('#stash-document-rows').toggle(isTyped());
    // The widget has emptied the value of the type without one.
    if (isTyped()) $('#node-input-document').val(editor?.text() ?? '');
    if (!isTyped()) showReply(node, true);
    showVariables();
  };
  showReply(node, !isTyped() || /\bmutation\b/.test(text));
  type.on('change', update);
  $('#node-input-document').on('change', () => {
    $('#stash-document-rows').toggle(isTyped());
  });
  $('#node-input-variablesType, #node-input-variables').on('change', showVariables);
  $('#node-input-server').on('change', () => editor?.check());
  update();
}

function isTyped(): boolean {
  return $('#node-input-documentType').val() === 'graphql';
}

/** Shows the inputs of the declared variables if they are entered one by one. */
function showVariables(): void {
  const isEach = areEntered();
  const count = $('#node-input-values-container').children().length;
  $('#node-input-values-container').toggle(isEach && isTyped());
  const isNothing = isEach && isTyped() && areKnown && count === 0;
  $('#stash-variables-note').text(isNothing ? words('query:variables.nothing') : '');
}

/** A document from elsewhere may start a job, too. */
function showReply(node: EditorNode, isShown: boolean): void {
  const box = $('#stash-reply-rows');
  box.toggle(isShown);
  const reply = $('#node-input-reply');
  if (!isShown && !isUnknown(reply)) reply.val('started');
  reply.trigger('change');
  if (!isShown) showRows(node, box.find('.stash-finished'), false);
}

function preparePages(node: EditorNode): void {
  const box = $('#node-input-pages');
  const next = $('#node-input-nextPage');
  const update = () => {
    showRows(node, $('.stash-pages'), box.is(':checked'));
    $('#stash-returned-note').toggle(next.val() === 'returned');
  };
  box.on('change', update);
  next.on('change', update);
  update();
}

function rowsOf({ values }: EditorNode): VariableRow[] {
  return Array.isArray(values) ? (values as VariableRow[]) : [];
}

/** Returns the name of the first root field, for the label of the node; empty if there is none. */
function firstField(text: string): string {
  const withoutComments = text.replace(/#.*/g, '');
  return /\{[\s,]*(?:\w+\s*:\s*)?(\w+)/.exec(withoutComments)?.[1]?.slice(0, 24) ?? '';
}
