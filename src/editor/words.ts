/** A text: the node of its catalogue, and its key there. */
export type Key = `${string}:${string}`;

/** Returns a text in the language of the editor. */
export function words(key: Key, values?: Record<string, string | number>): string {
  return RED._(`@stash-flows/node-red-stash/${key}`, values);
}
