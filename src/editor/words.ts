import type { Refusal } from '../contract/refusal';
import { joinSentences } from '../contract/sentences';

/** A text: the node of its catalogue, and its key there. */
export type Key = `${string}:${string}`;

/** Returns a text in the language of the editor. */
export function words(key: Key, values?: Record<string, string | number>): string {
  return RED._(`@stash-flows/node-red-stash/${key}`, values);
}

/** Returns what happened. The runtime does not give every dialog the text of a server. */
export function refusalText({ case: which, details }: Refusal): string {
  const text = words(`server:errors.${which}.text`, details);
  return text.includes('__text__') ? words('server:doctor.text.serverError') : text;
}

/** Returns what happened, then what to do. @param type of the node whose fields the words name. */
export function sentenceOf({ case: which, details }: Refusal, type = 'stash-server'): string {
  const { property } = details;
  const named = {
    ...details,
    ...(typeof property === 'string' && { property: fieldLabel(type, property) }),
  };
  return joinSentences(
    refusalText({ case: which, details: named }),
    words(`server:errors.${which}.remedy`, named),
  );
}

/** Returns the label in the dialog for a property of the flow file; the property itself if there is none. */
function fieldLabel(type: string, property: string): string {
  const catalogues = [type.replace('stash-', ''), 'server'];
  const labels = catalogues.flatMap((catalogue) =>
    ['field', 'fields'].map((group) => words(`${catalogue}:${group}.${property}`)),
  );
  // Node-RED returns the key if there are no words for it.
  return labels.find((label) => !label.endsWith(`.${property}`)) ?? property;
}
