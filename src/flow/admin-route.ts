import type { NodeAPI } from 'node-red';
import { StashError } from '../errors';

/** The part of an HTTP response that a route needs. */
interface Response {
  json: (body: object) => unknown;
  sendStatus: (status: number) => unknown;
}

/** Why a dialog gets no answer: the case whose words it shows, and what these name. */
interface Refusal {
  case: string;
  details: Readonly<Record<string, string | number>>;
}

/** Tells a dialog what was answered, or why there is no answer. */
export function tell(RED: NodeAPI, response: Response, answer: Promise<object>): void {
  answer.catch(refusal).then(
    (told) => response.json(told),
    (error: unknown) => {
      RED.log.error(error);
      response.sendStatus(500);
    },
  );
}

/** A category and never what came from the address: what a server said is text of that address, too. */
function refusal(error: unknown): Refusal {
  if (!(error instanceof StashError)) throw error;
  const details = Object.entries(error.details).filter(([name]) => name !== 'text');
  return { case: error.case, details: Object.fromEntries(details) };
}
