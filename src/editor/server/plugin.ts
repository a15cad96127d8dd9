import { isOutdated, plugin, type PluginState } from '../../contract/plugin';
import { isRefusal } from '../../contract/refusal';
import { request } from '../request';
import { words } from '../words';
import type { ServerReference } from './reference';
import { reasonOf } from './selected-server';

/**
 * Shows in the dialog of a server whether Stash has the plugin, and installs it when somebody presses the button.
 * @param server returns what was entered about it.
 */
export function showPlugin(server: () => ServerReference): void {
  const state = $('#stash-plugin-state');
  const button = $('#stash-plugin-install');
  const source = $('#stash-plugin-source').val(plugin.source);
  let sent = 0;

  function display(text: string, isProblem: boolean): void {
    state.toggleClass('stash-problem', isProblem).text(text);
  }

  async function send(progress: 'asking' | 'installing', question: object): Promise<void> {
    const own = ++sent;
    button.prop('disabled', true);
    display(` ${words(`server:plugin.${progress}`)}`, false);
    state.prepend($('<i>', { class: 'fa fa-spinner fa-spin', 'aria-hidden': 'true' }));
    const answer = await request<PluginState>('plugin', { ...server(), ...question });
    if (own !== sent) return;
    if (!answer) display(words('server:test.failed'), true);
    else if (isRefusal(answer)) display(reasonOf(answer), true);
    else show(answer, 'source' in question);
    button.prop('disabled', false);
  }

  function show(found: PluginState, isAfterInstallation: boolean): void {
    const { version, isInstalling } = found;
    const known = stateOf(found);
    const isMissing = known === 'missing' || known === 'outdated';
    button
      .text(words(`server:plugin.${version === null ? 'install' : 'update'}`))
      .toggle(isMissing && !isInstalling);
    const text = isInstalling ? 'waiting' : isAfterInstallation && isMissing ? 'failed' : known;
    const values = { version: version ?? '', newest: plugin.version };
    display(words(`server:plugin.${text}`, values), text === 'failed');
  }

  button.text(words('server:plugin.install')).on('click', () => {
    void send('installing', { source: String(source.val()) });
  });
  // Also when a button of the connection test has opened it.
  $('#stash-plugin').on('toggle', ({ target }: { target: Element }) => {
    if (target.hasAttribute('open')) void send('asking', {});
  });
}

function stateOf({ version, isEnabled }: PluginState): string {
  if (version === null) return 'missing';
  if (!isEnabled) return 'disabled';
  return isOutdated(version) ? 'outdated' : 'ready';
}
