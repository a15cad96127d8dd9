import type { DocumentAnswers, DocumentPosition } from '../../contract/document';
import { isRefusal, type Refusal } from '../../contract/errors';
import { ask } from '../question';
import { textOf } from '../refusal';
import { words } from '../words';

/**
 * Asks the deployed server of this id about a document.
 * @returns the answer, or the reason why there is none.
 */
export async function askServer<Ask extends keyof DocumentAnswers>(
  what: Ask,
  id: string,
  document: string,
  position?: DocumentPosition,
): Promise<DocumentAnswers[Ask] | { reason: string }> {
  const answer = await ask<DocumentAnswers[Ask]>('document', { id, ask: what, document, ...position });
  if (!answer) return { reason: words('server:failed') };
  return isRefusal(answer) ? { reason: reasonOf(answer) } : answer;
}

function reasonOf(refusal: Refusal): string {
  if (refusal.case === 'NO_SERVER.none') return words('query:document.undeployed');
  return words('query:document.unavailable', { reason: textOf(refusal) });
}
