import type { NodeAPI } from 'node-red';
import { StashError } from '../../errors';

/** The part of an HTTP response that a route needs. */
interface Response {
  json: (body: object) => unknown;
  sendStatus: (status: number) => unknown;
}

/** The error that a dialog receives in place of an answer. */
interface Refusal {
  /** The case of the error. The dialog has the words for it. */
  case: string;
  /** The values of the placeholders in these words. */
  details: Readonly<Record<string, string | number>>;
}

/**
 * Responds to a dialog as soon as `answer` settles: with its object, with a `Refusal` for a StashError, and with status
 * 500 for any other error, which is logged.
 */
export function respond(RED: NodeAPI, response: Response, answer: Promise<object>): void {
  const log = (error: unknown) => {
    RED.log.error(error);
  };
  answer
    .catch(refusal)
    .then(
      (body) => response.json(body),
      (error: unknown) => {
        log(error);
        response.sendStatus(500);
      },
    )
    // Express throws if a middleware in settings.js has already responded. Node.js ends at a rejection that nobody handles.
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
