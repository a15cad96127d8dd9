import { isRefusal, type Refusal } from '../../contract/errors';
import { ask } from '../question';
import { textOf } from '../refusal';
import { words } from '../words';

/** A place in a document, counted from 0. */
interface Place {
  line: number;
  column: number;
}

/** A mistake in a document. */
export interface Mistake {
  text: string;
  isWarning: boolean;
  from: Place;
  to: Place;
}

/** A variable that a document declares. */
export interface DeclaredVariable {
  name: string;
  type: string;
  namedType: string;
  isRequired: boolean;
  choices: string[];
}

/** What is known about a document while it is typed. */
export interface DocumentState {
  release: string;
  isChecked: boolean;
  mistakes: Mistake[];
  /** Null while a mistake hides them. */
  variables: DeclaredVariable[] | null;
  refusal: { case: string } | null;
  startsJob: boolean;
}

export interface Completion {
  label: string;
  type: string;
  description: string;
  isDeprecated: boolean;
}

interface Questions {
  state: DocumentState;
  completions: { completions: Completion[] };
  hover: { hover: string };
}

/**
 * Asks the deployed server of this id about a document.
 * @returns the answer, or the reason why there is none.
 */
export async function askServer<Ask extends keyof Questions>(
  what: Ask,
  id: string,
  document: string,
  place?: Place,
): Promise<Questions[Ask] | { reason: string }> {
  const answer = await ask<Questions[Ask]>('document', { id, ask: what, document, ...place });
  if (!answer) return { reason: words('server:failed') };
  return isRefusal(answer) ? { reason: reasonOf(answer) } : answer;
}

function reasonOf(refusal: Refusal): string {
  if (refusal.case === 'NO_SERVER.none') return words('query:document.undeployed');
  return words('query:document.unavailable', { reason: textOf(refusal) });
}
