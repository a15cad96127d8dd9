import { requestList } from './server-list';
import { words } from './words';

interface Scraper {
  id: string;
  name: string;
  scrapes: boolean;
}

/**
 * Shows the scrapers of the selected server as a list. The input contains the ID of one, or is empty for the built-in one. It
 * replaces the list if the server is unavailable.
 */
export function showScrapers(isUsable: (scraper: Scraper) => boolean): void {
  const input = $('#node-input-source');
  const label = $("label[for='node-input-source']");
  const server = $('#node-input-server');
  const builtin = words('server:sources.builtin');
  const list = $('<select>', { id: 'stash-sources' });
  const icon = $('<i>', { class: 'fa fa-refresh', 'aria-hidden': 'true' });
  const title = words('server:sources.again');
  const again = $('<button>', { type: 'button', class: 'red-ui-button', title, 'aria-label': title });
  const note = $('<div>', { role: 'status' });
  input
    .attr('placeholder', builtin)
    .wrap($('<div>', { class: 'stash-with-button' }))
    .after(list, again.append(icon))
    .parent()
    .after(note);

  const chosenServer = () => String(server.val() ?? '');
  const show = (isListed: boolean) => {
    list.toggle(isListed);
    input.toggle(!isListed);
    label.attr('for', isListed ? 'stash-sources' : 'node-input-source');
    note.empty();
  };
  const fill = (scrapers?: Scraper[]) => {
    const chosen = String(input.val());
    const known = [{ id: '', name: builtin }, ...(scrapers ?? [])];
    // A saved choice is kept, even if this server does not have it.
    if (!known.some(({ id }) => id === chosen)) {
      const isUnknown = scrapers !== undefined && !/^\$\{/.test(chosen);
      known.push({ id: chosen, name: isUnknown ? words('server:sources.unknown', { id: chosen }) : chosen });
    }
    list.empty().append(known.map(({ id, name }) => $('<option>', { value: id, text: name })));
    list.val(chosen);
    show(true);
  };
  const fail = (text: string, look: 'stash-hint' | 'stash-problem') => {
    show(false);
    note.attr('class', look).text(`${text} ${words('server:sources.type')}`);
  };
  let requests = 0;
  let shown: string | undefined;
  const ask = () => {
    const request = ++requests;
    shown = chosenServer();
    fill();
    icon.removeClass('fa-spin');
    if (!shown || shown === '_ADD_') return;
    icon.addClass('fa-spin');
    const isCurrent = () => {
      if (request === requests) icon.removeClass('fa-spin');
      return request === requests;
    };
    requestList<Scraper>('scrapers', shown, 'server:sources.undeployed', {
      show: (scrapers) => {
        if (isCurrent()) fill(scrapers.filter(isUsable));
      },
      fail: (text, undeployed) => {
        if (isCurrent()) fail(text, undeployed ? 'stash-hint' : 'stash-problem');
      },
    });
  };
  list.on('change', () => input.val(String(list.val())).trigger('change'));
  again.on('click', ask);
  server.on('change', () => {
    if (chosenServer() !== shown) ask();
  });
  ask();
}
