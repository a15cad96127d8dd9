import type { Call } from '../../call';
import type { DocumentAnswers, DocumentState } from '../../contract/document';
import { StashError } from '../../errors';
import { isRecord, isString } from '../../guards';
import type { CheckedDocument, Documents, Server } from '../../server';
import { startsJob } from './query';

/**
 * Answers a question of the dialog about a document, which may be any JSON: its `DocumentState`, a list of `completions`, or the
 * text `hover` about a position.
 * @throws {StashError} as `StashClient.documents`; BAD_INPUT for a document that is too long.
 */
export async function documentHelp(
  server: Server,
  question: unknown,
  call: Call,
): Promise<DocumentAnswers[keyof DocumentAnswers]> {
  const { document, ask, position } = documentQuery(question);
  const documents = await server.client.documents(call);
  const help = await documents.help();
  if (ask === 'completions') return { completions: help.completions(document, position) };
  if (ask === 'hover') return { hover: help.hover(document, position) };
  return { ...documentState(documents, document), mistakes: help.mistakes(document) };
}

function documentState(documents: Documents, text: string): Omit<DocumentState, 'mistakes'> {
  const { read, error } = tryToRead(documents, text);
  const isRefused = error !== undefined && error.case !== 'BAD_INPUT.document';
  const [field, ...others] = read?.rootFields ?? [];
  return {
    release: documents.of.release,
    isChecked: documents.schema !== null,
    variables: read?.variables ?? null,
    refusal: isRefused ? { case: error.case } : null,
    startsJob: read?.type === 'mutation' && others.length === 0 && field !== undefined && startsJob(field),
  };
}

function tryToRead(documents: Documents, text: string): { read?: CheckedDocument; error?: StashError } {
  try {
    return { read: documents.read(text) };
  } catch (error) {
    if (error instanceof StashError) return { error };
    throw error;
  }
}

function documentQuery(given: unknown) {
  const { document, ask, line, column } = isRecord(given) ? given : ({} as Record<string, unknown>);
  const at = (value: unknown) => (Number.isInteger(value) && Number(value) >= 0 ? Number(value) : 0);
  return {
    document: isString(document) ? document : '',
    ask: ask === 'completions' || ask === 'hover' ? ask : 'state',
    position: { line: at(line), column: at(column) },
  };
}
