import type { NodeAPI } from 'node-red';
import { StashError } from '../../errors';

/** The part of an HTTP response that a route needs. */
interface Response {
  json: (body: object) => unknown;
  sendStatus: (status: number) => unknown;
}

/** Why a dialog gets no answer: the case whose words it shows, and the values that these name. */
interface Refusal {
  case: string;
  details: Readonly<Record<string, string | number>>;
}

/** Responds to a dialog with the answer, or with the reason why there is none. */
export function respond(RED: NodeAPI, response: Response, answer: Promise<object>): void {
  answer.catch(refusal).then(
    (body) => response.json(body),
    (error: unknown) => {
      RED.log.error(error);
      response.sendStatus(500);
    },
  );
}

/** Returns a category, and never text that came from the address, which includes what a server said. */
function refusal(error: unknown): Refusal {
  if (!(error instanceof StashError)) throw error;
  const details = Object.entries(error.details).filter(([name]) => name !== 'text');
  return { case: error.case, details: Object.fromEntries(details) };
}
