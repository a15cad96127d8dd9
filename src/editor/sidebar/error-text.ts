import { words } from '../words';
import type { ErrorView } from './activity';

/** Returns what happened, then what to do. @param type of the node that reported the error, which names its fields. */
export function sentenceOf({ case: which, details }: ErrorView, type = 'stash-server'): string {
  const { property } = details;
  const values = {
    ...details,
    ...(typeof property === 'string' && { property: fieldOf(type, property) }),
  };
  return ['text', 'remedy'].map((part) => words(`server:errors.${which}.${part}`, values)).join(' ');
}

/** Returns the label in the dialog for a property of the flow file; the property itself if there is none. */
function fieldOf(type: string, property: string): string {
  const catalogues = [type.replace('stash-', ''), 'server'];
  const labels = catalogues.map((catalogue) => words(`${catalogue}:field.${property}`));
  // Node-RED returns the key if there are no words for it.
  return labels.find((label) => !label.endsWith(`field.${property}`)) ?? property;
}
