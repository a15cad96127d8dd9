import type { Refusal } from '../contract/refusal';
import { released } from './pressed';

/**
 * Sends a question to the runtime, as JSON. An answer waits while the mouse button is pressed.
 * @param signal ends the request.
 * @returns the answer; undefined if Node-RED did not respond, or the signal was aborted.
 */
export async function request<Answer extends object>(
  name: string,
  question: object,
  signal?: AbortSignal,
): Promise<Answer | Refusal | undefined> {
  const answer = await new Promise<Answer | Refusal | undefined>((resolve) => {
    const request = $.ajax({
      // A relative address, so that the editor adds its root and its token.
      url: `stash-server/${name}`,
      ...postOf(question),
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
  await released();
  return answer;
}

/** Returns the options of jQuery with which a request sends JSON. */
export function postOf(body: object) {
  return { method: 'POST', contentType: 'application/json', data: JSON.stringify(body) };
}

/** A request whose response is a stream of JSON lines. */
interface LineRequest<Line> {
  /** A relative address, so that the editor adds its root and its token. */
  url: string;
  /** Sent as JSON. */
  body: object;
  /** Called with each line as soon as it has arrived. */
  line: (line: Line) => void;
  /**
   * Called once when the response has ended. `isWhole` is false if the connection broke, Node-RED refused the request, or a proxy
   * responded with a page of its own. `status` is the HTTP status; 0 without one.
   */
  end: (isWhole: boolean, status: number) => void;
}

/**
 * Sends a request and reads its response line by line while it arrives. Lines wait while the mouse button is pressed.
 * @returns a function that ends the request; `line` and `end` are not called after it.
 */
export function requestLines<Line extends object>({ url, body, line, end }: LineRequest<Line>): () => void {
  let read = 0;
  let isOver = false;
  const finish = (isWhole: boolean) => {
    if (isOver) return;
    isOver = true;
    request.abort();
    end(isWhole, request.status);
  };
  const readLines = (text: string) => {
    for (let next = text.indexOf('\n', read); next >= 0 && !isOver; next = text.indexOf('\n', read)) {
      const one = objectIn(text.slice(read, next));
      read = next + 1;
      if (one) line(one as Line);
      else finish(false);
    }
  };
  const request = $.ajax({
    url,
    dataType: 'text',
    ...postOf(body),
    xhr: () => {
      const own = new XMLHttpRequest();
      own.addEventListener('progress', () => {
        void released().then(() => {
          if (own.status === 200) readLines(own.responseText);
        });
      });
      return own;
    },
  });
  request.then(
    (text: string) => {
      void released().then(() => {
        readLines(text);
        // Each response has a line, and each line has an end.
        finish(read > 0 && read === text.length);
      });
    },
    () => {
      void released().then(() => {
        finish(false);
      });
    },
  );
  return () => {
    isOver = true;
    request.abort();
  };
}

/** Returns the object in a line; undefined for anything else. */
function objectIn(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}
