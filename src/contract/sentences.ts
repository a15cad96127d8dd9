/** Joins sentences. In Japanese and Chinese no space follows a full stop. */
export function joinSentences(...sentences: readonly string[]): string {
  return sentences.join(' ').replace(/。 /g, '。');
}
