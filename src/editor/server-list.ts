import { type Capabilities, isRefusal, reasonOf } from './capabilities';
import type { SelectedServer } from './selected-server';
import { type Key, words } from './words';

/** The lists among what a server can do. */
type ListName = 'scrapers' | 'plugins';
type ItemOf<Name extends ListName> = Exclude<Capabilities[Name], { case: string }>[number];

/** A choice whose list comes from the selected server. */
interface ServerChoice<Item> {
  /** The controls of the choice. They get a note below. */
  controls: JQuery;
  /** The text that says what to do without the list. */
  hint: Key;
  /** Shows the list, and the choice without a list while it loads. */
  show: (items: readonly Item[] | undefined) => void;
  /** Shows the choice for a server that is unavailable. */
  fail: () => void;
}

/** Shows a choice with the list of the selected server, and of another server once that is selected. */
export function showServerChoice<Name extends ListName>(
  server: SelectedServer,
  name: Name,
  { controls, hint, show, fail }: ServerChoice<ItemOf<Name>>,
): void {
  const note = $('<div>', { role: 'status' });
  controls.last().after(note);
  server.follow((knowledge) => {
    note.empty();
    if (knowledge.state === 'unknown') {
      fail();
      note.attr('class', 'stash-hint').text(words(hint));
      return;
    }
    const list = knowledge.state === 'known' ? knowledge.capabilities[name] : undefined;
    if (isRefusal(list)) {
      fail();
      note.attr('class', 'stash-problem').text(`${reasonOf(list)} ${words(hint)}`);
      return;
    }
    show(list);
  });
}
