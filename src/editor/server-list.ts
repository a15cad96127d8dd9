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

/** A list of a server's: of its library folders, its plugins with tasks, its scrapers, or the tasks that it has. */
type ListName = 'folders' | 'plugins' | 'scrapers' | 'tasks';

/**
 * Requests a list from a deployed server.
 * @param id of the server's node. @param undeployed the text for a server that is not deployed yet.
 */
export function requestList<Item>(
  name: ListName,
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

/** A choice whose list comes from the selected server. */
interface ServerChoice<Item> {
  /** The controls of the choice. They get a button that loads the list again, and a note below. */
  controls: JQuery;
  /** The text for a server that is not deployed yet. */
  undeployed: Key;
  /** The text that says what to do without the list. */
  hint: Key;
  /** Shows the list, and the choice without a list while it loads. */
  show: (items: Item[] | undefined) => void;
  /** Shows the choice for a server that is unavailable. */
  fail: () => void;
}

/** Shows a choice with the list of the selected server, and of another server once that is selected. */
export function showServerChoice<Item>(
  name: ListName,
  { controls, undeployed, hint, show, fail }: ServerChoice<Item>,
): void {
  const icon = $('<i>', { class: 'fa fa-refresh', 'aria-hidden': 'true' });
  const title = words('server:sources.again');
  const again = $('<button>', { type: 'button', class: 'red-ui-button', title, 'aria-label': title });
  const note = $('<div>', { role: 'status' });
  controls.wrapAll($('<div>', { class: 'stash-with-button' }));
  controls.last().after(again.append(icon)).parent().after(note);

  const ask = followServer<Item>(name, undeployed, {
    ask(id) {
      note.empty();
      show(undefined);
      icon.toggleClass('fa-spin', id !== '');
    },
    show(items) {
      icon.removeClass('fa-spin');
      show(items);
    },
    fail(text, isUndeployed) {
      icon.removeClass('fa-spin');
      fail();
      note.attr('class', isUndeployed ? 'stash-hint' : 'stash-problem').text(`${text} ${words(hint)}`);
    },
  });
  again.on('click', ask);
}

/**
 * Requests a list from the selected server, and from another one once that is selected.
 * @returns a function that requests it again.
 */
export function followServer<Item>(
  name: ListName,
  undeployed: Key,
  {
    ask,
    show,
    fail,
  }: Listeners<Item> & {
    /** Called before each request with the id of the server's node; empty if none is selected, so that nothing is requested. */
    ask: (id: string) => void;
  },
): () => void {
  const server = $('#node-input-server');
  let requests = 0;
  let last: string | undefined;
  const chosen = () => {
    const id = String(server.val() ?? '');
    return id === '_ADD_' ? '' : id;
  };
  const request = () => {
    const own = ++requests;
    last = chosen();
    ask(last);
    if (last === '') return;
    requestList<Item>(name, last, undeployed, {
      show: (items) => {
        if (own === requests) show(items);
      },
      fail: (...reason) => {
        if (own === requests) fail(...reason);
      },
    });
  };
  server.on('change', () => {
    if (chosen() !== last) request();
  });
  request();
  return request;
}
