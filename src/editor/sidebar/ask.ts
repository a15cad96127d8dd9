import { words } from '../words';
import type { ErrorView } from './activity';
import { sentenceOf } from './error-text';

/** What the runtime has done. */
interface Answer {
  /** Whether the job still ran or waited. */
  stopped?: boolean;
}

/**
 * Asks the runtime to do something.
 * @param done called with the response. @param failed called with the reason, for the user.
 */
export function ask(
  name: 'stop' | 'clear-errors',
  body: object,
  done: (answer: Answer) => void,
  failed: (reason: string) => void,
): void {
  $.ajax({
    type: 'POST',
    // A relative address, so that the editor adds its root and its token.
    url: `stash-server/${name}`,
    contentType: 'application/json',
    data: JSON.stringify(body),
  }).then(
    (answer: Answer | ErrorView) => {
      if ('case' in answer) failed(sentenceOf(answer));
      else done(answer);
    },
    () => {
      failed(words('server:failed'));
    },
  );
}

/** Whether the user may do so. The runtime checks it as well. */
export function mayAsk(): boolean {
  return RED.user.hasPermission('stash-server.write');
}
