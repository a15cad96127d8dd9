import type {
  Completion,
  DocumentAnswers,
  DocumentPosition,
  DocumentState,
  Mistake,
} from '../../contract/document';
import { isRefusal } from '../../contract/refusal';
import { request } from '../request';
import { needsDeploy, type ServerReference, undeployedText } from '../server';
import { refusalText, words } from '../words';

/** How long the document is checked after the last change, in milliseconds. */
const CHECK_AFTER = 300;

interface Position {
  readonly lineNumber: number;
  readonly column: number;
}

interface Model {
  getValue(): string;
  getWordUntilPosition(position: Position): { readonly startColumn: number; readonly endColumn: number };
  onDidChangeContent(listener: () => void): Disposable;
}

interface Disposable {
  dispose(): void;
}

interface Provider {
  triggerCharacters?: string[];
  [method: string]: unknown;
}

/** The part of Monaco that the editor uses. Node-RED has it unless its settings choose the older editor. */
interface Monaco {
  readonly languages: {
    registerCompletionItemProvider(language: string, provider: Provider): Disposable;
    registerHoverProvider(language: string, provider: Provider): Disposable;
    readonly CompletionItemKind: { readonly Field: number };
  };
  readonly editor: { setModelMarkers(model: Model, owner: string, markers: readonly object[]): void };
  readonly MarkerSeverity: { readonly Error: number; readonly Warning: number };
}

/** The document in an open dialog. */
export interface DocumentEditor {
  text(): string;
  /** Checks the document, for example on another server. */
  check(): void;
  /** Ends the editor with its dialog. */
  close(): void;
}

interface DocumentEditorOptions {
  /** Where the editor goes. */
  container: JQuery;
  /** Where to say whether the document is valid. */
  note: JQuery;
  value: string;
  /** Returns the selected server. */
  server: () => ServerReference;
  /** Called with each change. */
  onChange: () => void;
  /** Called when the document was checked. */
  onState: (state: DocumentState) => void;
}

/**
 * Shows a document in Node-RED's own editor: with colours, with completion and documentation from the server's schema, and with
 * its mistakes underlined while people type. Without a server, it is an editor with colours.
 */
export function showDocument({
  container,
  note,
  value,
  server,
  onChange,
  onState,
}: DocumentEditorOptions): DocumentEditor {
  const { monaco } = window as { monaco?: Monaco };
  // The Tab key leaves the editor, as in any other input.
  container[0]?.addEventListener(
    'keydown',
    (event) => {
      if (event.key === 'Tab') event.stopImmediatePropagation();
    },
    true,
  );
  const editor = RED.editor.createEditor({
    element: container[0] as HTMLElement,
    // The older editor has no colours for GraphQL.
    mode: monaco ? 'ace/mode/graphql' : 'ace/mode/text',
    value,
    ariaLabel: words('query:document.label'),
    inlineSuggest: { enabled: false },
    minimap: { enabled: false },
    stateId: false,
  }) as { getValue(): string; destroy(): void } & { getModel?: () => Model };
  const model = monaco && editor.getModel?.();
  const disposables: Disposable[] = [];

  let checks = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const check = async () => {
    const own = ++checks;
    const text = editor.getValue();
    const reference = server();
    if (reference.id === '' || text.trim() === '') {
      show('', '');
      return;
    }
    const state = await requestHelp('state', reference, text);
    // The document has changed, or the dialog is closed.
    if (own !== checks) return;
    if ('reason' in state) {
      show('stash-hint', state.reason);
      return;
    }
    if (monaco && model) monaco.editor.setModelMarkers(model, 'stash', markersOf(monaco, state.mistakes));
    const mistake = firstMistakeIn(state);
    if (mistake !== undefined) show('stash-problem', mistake);
    else if (!state.isChecked) show('stash-hint', words('query:document.unchecked'));
    else show('stash-hint', words('query:document.fine', { release: state.release }));
    onState(state);
  };
  const show = (style: string, text: string) => note.attr('class', style).text(text);
  const checkSoon = () => {
    clearTimeout(timer);
    timer = setTimeout(() => void check(), CHECK_AFTER);
  };

  if (monaco && model) {
    disposables.push(
      model.onDidChangeContent(() => {
        onChange();
        checkSoon();
      }),
      ...helpers(monaco, model, server),
    );
  } else {
    container.on('keyup paste', () => {
      onChange();
      checkSoon();
    });
  }
  void check();
  return {
    text: () => editor.getValue(),
    check: () => void check(),
    close() {
      checks = -1;
      clearTimeout(timer);
      for (const one of disposables) one.dispose();
      editor.destroy();
    },
  };
}

/** Registers what answers Monaco's questions about this document, and about no other. */
function helpers(monaco: Monaco, own: Model, server: () => ServerReference): Disposable[] {
  const { languages } = monaco;
  const positionOf = ({ lineNumber, column }: Position) => ({ line: lineNumber - 1, column: column - 1 });
  const completion: Provider = {
    triggerCharacters: ['$', '@', '(', '{', ':', ' '],
    async provideCompletionItems(model: Model, position: Position) {
      if (model !== own || server().id === '') return null;
      // Before the answer comes, the dialog may be closed, and the model with it.
      const { startColumn, endColumn } = model.getWordUntilPosition(position);
      const answer = await requestHelp('completions', server(), model.getValue(), positionOf(position));
      if ('reason' in answer) return null;
      const { lineNumber } = position;
      const range = { startLineNumber: lineNumber, endLineNumber: lineNumber, startColumn, endColumn };
      return { suggestions: answer.completions.map((one, index) => suggestionOf(monaco, one, index, range)) };
    },
  };
  const hover: Provider = {
    async provideHover(model: Model, position: Position) {
      if (model !== own || server().id === '') return null;
      const answer = await requestHelp('hover', server(), model.getValue(), positionOf(position));
      return 'hover' in answer && answer.hover !== '' ? { contents: [{ value: answer.hover }] } : null;
    },
  };
  return [
    languages.registerCompletionItemProvider('graphql', completion),
    languages.registerHoverProvider('graphql', hover),
  ];
}

function suggestionOf(
  monaco: Monaco,
  { label, type, description, isDeprecated }: Completion,
  index: number,
  range: object,
) {
  return {
    label,
    // In the order of the answer, but what GraphQL itself adds comes last.
    sortText: `${label.startsWith('__') ? 1 : 0}${String(index).padStart(4, '0')}`,
    detail: type,
    documentation: description,
    insertText: label,
    kind: monaco.languages.CompletionItemKind.Field,
    // 1 stands for "deprecated".
    tags: isDeprecated ? [1] : [],
    range,
  };
}

function markersOf({ MarkerSeverity }: Monaco, mistakes: readonly Mistake[]): object[] {
  return mistakes.map(({ text: message, isWarning, from, to }) => ({
    message,
    severity: isWarning ? MarkerSeverity.Warning : MarkerSeverity.Error,
    startLineNumber: from.line + 1,
    startColumn: from.column + 1,
    endLineNumber: to.line + 1,
    endColumn: to.column + 1,
  }));
}

/** Returns the words for what is wrong with a document; undefined if nothing is. */
function firstMistakeIn({ mistakes, refusal }: DocumentState): string | undefined {
  const mistake = mistakes.find(({ isWarning }) => !isWarning);
  if (mistake) {
    const { text, from } = mistake;
    return words('query:document.mistake', { line: from.line + 1, column: from.column + 1, text });
  }
  return refusal ? refusalText({ ...refusal, details: {} }) : undefined;
}

/**
 * Asks a server about a document.
 * @returns the answer, or the reason why there is none.
 */
async function requestHelp<Ask extends keyof DocumentAnswers>(
  what: Ask,
  server: ServerReference,
  document: string,
  position?: DocumentPosition,
): Promise<DocumentAnswers[Ask] | { reason: string }> {
  const answer = await request<DocumentAnswers[Ask]>('document', {
    ...server,
    ask: what,
    document,
    ...position,
  });
  if (!answer) return { reason: words('server:failed') };
  if (!isRefusal(answer)) return answer;
  if (needsDeploy(answer)) return { reason: undeployedText() };
  return { reason: words('query:document.unavailable', { reason: refusalText(answer) }) };
}
