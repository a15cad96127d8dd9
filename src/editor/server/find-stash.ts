import type { FoundServer, FoundServers } from '../../contract/connection-test';
import { request } from '../request';
import { words } from '../words';

/**
 * Lets Node-RED look for Stash at the usual addresses when somebody presses the button, and offers those where it answers.
 * @param use enters an address.
 * @returns a function that looks for Stash, and one that removes the result.
 */
export function prepareSearch(use: (server: FoundServer) => void): { find: () => void; cancel: () => void } {
  const result = $('#stash-found');
  let searches = 0;
  const cancel = () => {
    searches += 1;
    result.empty();
  };
  const show = ({ tried, found }: FoundServers) => {
    if (found.length === 0) {
      result.text(words('server:doctor.find.none', { addresses: tried.join(', ') }));
      return;
    }
    const entered = $('#node-config-input-url').val();
    if (found.every(({ url }) => url === entered)) {
      result.text(words('server:doctor.find.here'));
      return;
    }
    const buttons = found.map((server) => {
      const { url, needsSignIn } = server;
      const text = words('server:doctor.remedy.address', { url });
      const button = $('<button>', { type: 'button', class: 'red-ui-button', text });
      button.on('click', () => {
        use(server);
        cancel();
        $('#node-config-input-url').trigger('focus');
      });
      const hint = needsSignIn ? words('server:doctor.find.signIn') : '';
      return $('<li>').append(button, $('<span>', { class: 'stash-hint', text: hint }));
    });
    result.text(words('server:doctor.find.found')).append($('<ul>', { role: 'list' }).append(buttons));
  };
  const search = async () => {
    cancel();
    const own = searches;
    const icon = $('<i>', { class: 'fa fa-spinner fa-spin', 'aria-hidden': 'true' });
    result.append(icon, document.createTextNode(` ${words('server:doctor.find.asking')}`));
    const answer = await request<FoundServers>('find', {});
    if (own !== searches) return;
    if (answer && 'found' in answer) show(answer);
    else result.text(words('server:test.failed'));
  };
  const find = () => {
    void search();
  };
  $('#stash-find').on('click', find);
  return { find, cancel };
}
