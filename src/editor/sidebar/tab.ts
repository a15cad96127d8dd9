import type { ActivityView } from '../../contract/activity';
import type { Refusal } from '../../contract/refusal';
import { released } from '../pressed';
import { refusalText, words } from '../words';
import { setText, showText } from './elements';
import { KeyedList, type Row } from '../keyed-list';
import { ServerSection } from './server-section';

const ID = 'stash';
const ACTION = 'stash:show-stash-tab';

/** Between two polls, in milliseconds, and the longest wait for a response. */
const INTERVAL = 1_000;
const LONGEST = 15_000;

/** Called when the tab is removed. */
let stopWatching: (() => void) | undefined;

/** Adds the tab *Stash* to the sidebar, unless it is there. */
export function addSidebarTab(): void {
  if (RED.sidebar.containsTab(ID)) return;
  const tab = new Tab();
  stopWatching = onVisibility(tab.element, (isVisible) => {
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
  stopWatching?.();
  RED.sidebar.removeTab(ID);
  RED.actions.remove(ACTION);
}

/** The content of the tab. It polls the runtime only while it is visible. */
class Tab {
  readonly element: HTMLElement;
  readonly #notice = $('<div>', { class: 'stash-notice', role: 'status' });
  readonly #empty = $('<div>', { class: 'stash-hint' }).text(words('server:sidebar.loading'));
  readonly #servers: KeyedList<string>;
  readonly #sections = new Map<string, ServerSection>();
  #isPolling = false;
  #ticker: ReturnType<typeof setInterval> | undefined;

  constructor() {
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
    this.#poll();
    // One timer for the polls and all times on the screen.
    this.#ticker ??= setInterval(() => {
      this.#poll();
      this.#draw();
    }, INTERVAL);
  }

  close(): void {
    clearInterval(this.#ticker);
    this.#ticker = undefined;
  }

  #poll(): void {
    if (this.#isPolling) return;
    this.#isPolling = true;
    // A relative address, so that the editor adds its root and its token.
    const request = $.ajax({
      url: 'stash-server/activity',
      method: 'POST',
      contentType: 'application/json',
      data: '{}',
      dataType: 'json',
      timeout: LONGEST,
    });
    request.always(() => {
      this.#isPolling = false;
    });
    request.then(
      (view: ActivityView | Refusal) => {
        void released().then(() => {
          setText(this.#notice, 'case' in view ? refusalText(view) : '');
          if (!('case' in view)) this.#take(view);
        });
      },
      () => {
        const isForbidden = [401, 403].includes(request.status);
        setText(this.#notice, words(isForbidden ? 'server:sidebar.forbidden' : 'server:sidebar.broken'));
      },
    );
  }

  #take({ now, servers }: ActivityView): void {
    const ids = servers.map(({ id }) => id);
    for (const id of this.#sections.keys()) if (!ids.includes(id)) this.#sections.delete(id);
    this.#servers.show(ids);
    for (const server of servers) this.#sections.get(server.id)?.take(server, now);
    showText(this.#empty, ids.length === 0 ? words('server:sidebar.noServer') : '');
    this.#draw();
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

/**
 * Calls `listener` each time that an element appears or disappears: another tab of the sidebar or of the browser is selected, or
 * the sidebar is closed.
 * @returns a function that stops this.
 */
export function onVisibility(element: Element, listener: (isVisible: boolean) => void): () => void {
  let isOnScreen = false;
  let wasVisible = false;
  const update = () => {
    const isVisible = isOnScreen && document.visibilityState === 'visible';
    if (isVisible === wasVisible) return;
    wasVisible = isVisible;
    listener(isVisible);
  };
  const observer = new IntersectionObserver((entries) => {
    isOnScreen = entries.at(-1)?.isIntersecting === true;
    update();
  });
  observer.observe(element);
  document.addEventListener('visibilitychange', update);
  return () => {
    observer.disconnect();
    document.removeEventListener('visibilitychange', update);
    isOnScreen = false;
    update();
  };
}
