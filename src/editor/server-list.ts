import { type Key, words } from './words';

/** The case of an error in the runtime. */
interface Failure {
  case: string;
  details: Record<string, string>;
}

/** What to do with the response. */
interface Listeners<Item> {
  /** Called with the list. */
  show: (items: Item[]) => void;
  /** Called with the reason why there is no list. `undeployed`: the server is not deployed yet. */
  fail: (text: string, undeployed: boolean) => void;
}

/**
 * Requests a list from a deployed server.
 * @param id of the server's node. @param undeployed the text for a server that is not deployed yet.
 */
export function requestList<Item>(
  name: 'folders' | 'scrapers',
  id: string,
  undeployed: Key,
  { show, fail }: Listeners<Item>,
): void {
  // A relative address, so that the editor adds its root and its token.
  void $.getJSON(`stash-server/${name}`, { id }).always((answer: Item[] | Failure, outcome) => {
    if (outcome !== 'success') fail(words('server:failed'), false);
    else if (Array.isArray(answer)) show(answer);
    else if (answer.case === 'NO_SERVER.none') fail(words(undeployed), true);
    else fail(words(`server:errors.${answer.case}.text`, answer.details), false);
  });
}
