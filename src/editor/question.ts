import type { Refusal } from '../contract/errors';

/**
 * Sends a question to the runtime, as JSON.
 * @param signal ends the request.
 * @returns the answer; undefined if Node-RED did not respond, or the signal was aborted.
 */
export async function ask<Answer extends object>(
  name: string,
  question: object,
  signal?: AbortSignal,
): Promise<Answer | Refusal | undefined> {
  return await new Promise((resolve) => {
    const request = $.ajax({
      // A relative address, so that the editor adds its root and its token.
      url: `stash-server/${name}`,
      method: 'POST',
      contentType: 'application/json',
      data: JSON.stringify(question),
      dataType: 'json',
    });
    signal?.addEventListener('abort', () => {
      request.abort();
    });
    void request.then(
      (answer: Answer | Refusal) => {
        resolve(answer);
      },
      () => {
        resolve(undefined);
      },
    );
  });
}
