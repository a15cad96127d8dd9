import { words } from '../words';
import type { Line } from './activity';
import { Connection, type ConnectionState } from './connection';
import { setText, showText } from './elements';
import { sentenceOf } from '../refusal';
import { KeyedList, type Row } from './keyed-list';
import { ServerSection } from './server-section';
import { onVisibility } from './visibility';

const ID = 'stash';
const ACTION = 'stash:show-stash-tab';

/** Called when the tab is removed. */
let forget: (() => void) | undefined;

/** Adds the tab *Stash* to the sidebar, unless it is there. */
export function addSidebarTab(): void {
  if (RED.sidebar.containsTab(ID)) return;
  const tab = new Tab();
  forget = onVisibility(tab.element, (isVisible) => {
    if (isVisible) tab.open();
    else tab.close();
  });
  RED.actions.add(
    ACTION,
    () => {
      RED.sidebar.show(ID);
    },
    { label: words('server:sidebar.action') },
  );
  RED.sidebar.addTab({
    id: ID,
    label: words('server:sidebar.tab'),
    name: words('server:sidebar.tab'),
    iconClass: 'stash-tab-icon',
    content: tab.element,
    action: ACTION,
    pinned: true,
    enableOnEdit: true,
  });
}

/** Removes the tab, as when the package is disabled. */
export function removeSidebarTab(): void {
  if (!RED.sidebar.containsTab(ID)) return;
  forget?.();
  RED.sidebar.removeTab(ID);
  RED.actions.remove(ACTION);
}

/** The content of the tab. It is connected to the runtime only while it is visible. */
class Tab {
  readonly element: HTMLElement;
  readonly #notice = $('<div>', { class: 'stash-notice', role: 'status' });
  readonly #empty = $('<div>', { class: 'stash-hint' }).text(words('server:sidebar.loading'));
  readonly #servers: KeyedList<string>;
  readonly #sections = new Map<string, ServerSection>();
  readonly #connection: Connection;
  #ticker: ReturnType<typeof setInterval> | undefined;

  constructor() {
    this.#connection = new Connection({
      line: (line) => {
        this.#take(line);
      },
      state: (state) => {
        setText(this.#notice, noticeOf(state));
      },
    });
    const list = $('<div>');
    const content = $('<div>', { class: 'stash-activity', lang: RED.i18n.lang(), tabindex: -1 });
    this.element = content.append(this.#notice, this.#empty, list).get(0) as HTMLElement;
    this.#servers = new KeyedList(list.get(0) as HTMLElement, {
      keyOf: (id) => id,
      create: (id) => this.#sectionOf(id),
      fallback: this.element,
    });
  }

  open(): void {
    this.#connection.open();
    // One timer for all times on the screen.
    this.#ticker ??= setInterval(() => {
      this.#connection.check();
      this.#draw();
    }, 1000);
  }

  close(): void {
    this.#connection.close();
    clearInterval(this.#ticker);
    this.#ticker = undefined;
  }

  #take(line: Line): void {
    if ('servers' in line) this.#showServers(line.servers);
    if (!('server' in line)) return;
    const { server, now } = line;
    this.#sections.get(server.id)?.take(server, now);
    this.#draw();
  }

  #showServers(ids: readonly string[]): void {
    for (const id of this.#sections.keys()) if (!ids.includes(id)) this.#sections.delete(id);
    this.#servers.show(ids);
    showText(this.#empty, ids.length === 0 ? words('server:sidebar.noServer') : '');
  }

  #sectionOf(id: string): Row<string> {
    const section = new ServerSection(id);
    this.#sections.set(id, section);
    return {
      element: section.element,
      show: () => {
        section.draw();
      },
    };
  }

  #draw(): void {
    for (const section of this.#sections.values()) section.draw();
  }
}

function noticeOf(state: ConnectionState): string {
  switch (state) {
    case 'open':
      return '';
    case 'broken':
      return words('server:sidebar.broken');
    case 'forbidden':
      return words('server:sidebar.forbidden');
    case 'failed':
      return words('server:sidebar.errors.bug');
    default:
      return sentenceOf(state.refused);
  }
}
