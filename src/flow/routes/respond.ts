import type { NodeAPI } from 'node-red';
import { StashError } from '../../errors';

/** The part of an HTTP response that a route needs. */
interface Response {
  json: (body: object) => unknown;
  sendStatus: (status: number) => unknown;
  once: (event: 'close', listener: () => void) => unknown;
}

/** The error that a dialog receives in place of an answer. */
interface Refusal {
  /** The case of the error. The dialog has the words for it. */
  case: string;
  /** The values of the placeholders in these words. */
  details: Readonly<Record<string, string | number>>;
}

/**
 * Responds to a dialog with the object that `answer` returns, with a `Refusal` for a StashError, and with status 500 for
 * any other error, which is logged.
 * @param answer takes a signal that is aborted when the browser no longer waits.
 */
export function respond(
  RED: NodeAPI,
  response: Response,
  answer: (signal: AbortSignal) => Promise<object>,
): void {
  const gone = new AbortController();
  response.once('close', () => {
    gone.abort(new StashError('CLOSED.closed'));
  });
  const log = (error: unknown) => {
    RED.log.error(error);
  };
  answer(gone.signal)
    .catch(refusal)
    .then(
      (body) => response.json(body),
      (error: unknown) => {
        log(error);
        response.sendStatus(500);
      },
    )
    // Express throws if a middleware in settings.js has already responded. An unhandled rejection would end Node.js.
    .catch(log);
}

/**
 * Returns the error without the text of a server: otherwise a dialog could read what only Node-RED can reach.
 * @throws any other error as it is.
 */
function refusal(error: unknown): Refusal {
  if (!(error instanceof StashError)) throw error;
  const details = Object.entries(error.details).filter(([name]) => name !== 'text');
  return { case: error.case, details: Object.fromEntries(details) };
}
