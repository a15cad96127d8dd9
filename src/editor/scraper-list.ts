import type { Scraper } from './capabilities';
import type { SelectedServer } from './selected-server';
import { showServerChoice } from './server-list';
import { words } from './words';

/**
 * Shows the scrapers of the selected server as a list. The input contains the ID of one, or is empty for the built-in one. It
 * replaces the list if the server is unavailable.
 */
export function showScrapers(server: SelectedServer, isUsable: (scraper: Scraper) => boolean): void {
  const input = $('#node-input-source');
  const label = $("label[for='node-input-source']");
  const builtin = words('server:sources.builtin');
  const list = $('<select>', { id: 'stash-sources' });
  input.attr('placeholder', builtin).after(list);

  const toggle = (isListed: boolean) => {
    list.toggle(isListed);
    input.toggle(!isListed);
    label.attr('for', isListed ? 'stash-sources' : 'node-input-source');
  };
  showServerChoice(server, 'scrapers', {
    controls: input.add(list),
    hint: 'server:sources.type',
    show(scrapers) {
      const chosen = String(input.val());
      const known = [{ id: '', name: builtin }, ...(scrapers?.filter(isUsable) ?? [])];
      // A saved choice is kept, even if this server does not have it.
      if (!known.some(({ id }) => id === chosen)) {
        const isUnknown = scrapers !== undefined && !/^\$\{/.test(chosen);
        known.push({
          id: chosen,
          name: isUnknown ? words('server:sources.unknown', { id: chosen }) : chosen,
        });
      }
      list.empty().append(known.map(({ id, name }) => $('<option>', { value: id, text: name })));
      list.val(chosen);
      toggle(true);
    },
    fail() {
      toggle(false);
    },
  });
  list.on('change', () => input.val(String(list.val())).trigger('change'));
}
