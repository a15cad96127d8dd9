import type { helper } from './runtime';

/** Sends a request to Node-RED, and returns the lines of JSON in its response. */
export async function linesOf<Line = Record<string, unknown>>(
  request: ReturnType<ReturnType<typeof helper.request>['post']>,
): Promise<Line[]> {
  const { text } = await request.buffer(true).expect(200);
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Line);
}
