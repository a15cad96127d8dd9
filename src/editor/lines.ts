/** A request whose response is a stream of JSON lines. */
interface LineRequest<Line> {
  /** A relative address, so that the editor adds its root and its token. */
  url: string;
  /** Sent as JSON in a POST; without it, the request is a GET. */
  body?: object;
  /** Called with each line as soon as it has arrived. */
  line: (line: Line) => void;
  /** Called once when the response has ended. `isWhole` is false if the connection broke or Node-RED refused the request. */
  end: (isWhole: boolean) => void;
}

/**
 * Sends a request and reads its response line by line while it arrives.
 * @returns a function that ends the request; `line` and `end` are not called after it.
 */
export function requestLines<Line>({ url, body, line, end }: LineRequest<Line>): () => void {
  let read = 0;
  let isOver = false;
  const readLines = (text: string) => {
    for (let next = text.indexOf('\n', read); next >= 0 && !isOver; next = text.indexOf('\n', read)) {
      const one = text.slice(read, next);
      read = next + 1;
      if (one !== '') line(JSON.parse(one) as Line);
    }
  };
  const request = $.ajax({
    url,
    dataType: 'text',
    ...(body && { method: 'POST', contentType: 'application/json', data: JSON.stringify(body) }),
    xhr: () => {
      const own = new XMLHttpRequest();
      own.addEventListener('progress', () => {
        if (own.status === 200) readLines(own.responseText);
      });
      return own;
    },
  });
  request.then(
    (text: string) => {
      readLines(text);
      if (!isOver) end(true);
    },
    () => {
      if (!isOver) end(false);
    },
  );
  return () => {
    isOver = true;
    request.abort();
  };
}
