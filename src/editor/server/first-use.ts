import { parseAddress } from '../../contract/server';
import { onAddedByHand } from '../by-hand';
import type { EditorNode } from '../node-red';
import { type Key, words } from '../words';
import { useForAll } from './only-server';

/** The steps, in their order, with the texts that name and explain them. */
const STEPS = {
  address: ['server:field.url', 'server:firstUse.address'],
  signIn: ['server:field.auth', 'server:firstUse.signIn'],
  test: ['server:test.button', 'server:firstUse.test'],
} as const satisfies Record<string, [name: Key, hint: Key]>;

/** A step, by the `data-step` of its rows in the dialog. */
type GuideStep = keyof typeof STEPS;

const ORDER = Object.keys(STEPS) as GuideStep[];

/** The server whose dialog is open with steps. */
let guided: EditorNode | undefined;
/** Whether the dialog with steps is closing. */
let isEnding = false;

/**
 * Opens the dialog of a new server, with steps, when the first Stash node is dragged into flows without a server, or added by
 * quick-add: once until the page is loaded again. It opens each time that the dialog of a node asks for it.
 */
export function offerFirstServer(): void {
  let wasOffered = false;
  onAddedByHand((node) => {
    const usesServer = node._def.defaults['server']?.type === 'stash-server';
    if (wasOffered || !usesServer || isAnyServer()) return;
    wasOffered = true;
    // Node-RED is still placing the node.
    setTimeout(openDialog);
  });
  RED.events.on(SET_UP, openDialog);
  RED.events.on('editor:close', () => {
    // Node-RED does this only after the dialog of a node. Until then, a right click shows no menu.
    if (isEnding) RED.view.state(RED.state.DEFAULT);
    isEnding = false;
  });
}

function isAnyServer(): boolean {
  let isAny = false;
  RED.nodes.eachConfig(({ type }) => {
    isAny ||= type === 'stash-server';
  });
  return isAny;
}

/** @param user the node that gets the server, if its dialog is open. */
function openDialog(user?: EditorNode): void {
  RED.editor.editConfig(user ? 'server' : '', 'stash-server', '_ADD_', user && 'node-input', user);
}

/**
 * Returns the guide through the dialog of a new server, and shows its first step; undefined for any other dialog.
 * @param test runs the checks of the connection.
 */
export function guideThrough(node: EditorNode, test: () => void): Guide | undefined {
  // Node-RED has a new node only once its dialog is confirmed.
  guided = RED.nodes.node(node.id) ? undefined : node;
  return guided && new Guide(test);
}

/** Ends the steps of a dialog. @param isAdded whether the server is added: then all Stash nodes without a server get it. */
export function endGuide(id: string, isAdded: boolean): void {
  if (id !== guided?.id) return;
  guided = undefined;
  isEnding = true;
  if (isAdded) useForAll(id);
}

/** Leads through the dialog of a new server, step by step. */
export class Guide {
  readonly #test: () => void;
  readonly #form = $('.stash-form').last();
  readonly #add = $('#node-config-dialog-ok');
  readonly #items = ORDER.map((step) => $('<li>').text(words(STEPS[step][0])));
  readonly #place = $('<div>', { class: 'stash-unseen', role: 'status' });
  readonly #hint = $('<p>', { class: 'stash-step-hint' });
  readonly #back = stepButton('back', () => {
    this.#move(-1);
  });
  readonly #whole = $('<button>', { type: 'button', class: 'stash-link' })
    .text(words('server:firstUse.whole'))
    .on('click', () => {
      this.leave();
      $('#node-config-input-name').trigger('focus');
    });
  readonly #next = stepButton('next', () => {
    this.#goOn();
  });
  #current: GuideStep = 'address';

  constructor(test: () => void) {
    this.#test = test;
    const title = words('server:firstUse.link');
    const steps = $('<ol>', { class: 'stash-steps', role: 'list', 'aria-label': title }).append(this.#items);
    const buttons = $('<div>', { class: 'stash-step-buttons' }).append(
      ...[this.#back, this.#whole, this.#next],
    );
    this.#form.addClass('stash-guided').append(buttons);
    this.#form.find('.stash-docs').after(steps, this.#place, this.#hint);
    const tray = this.#form.closest('.red-ui-tray');
    // Node-RED gives the focus to its first tab when the dialog has slid in.
    tray.one('focusin', '.red-ui-tab', () => {
      this.#focus();
    });
    tray.on('keydown', ({ key }) => {
      if (key === 'Escape' && this.#isShown) $('#node-config-dialog-cancel').trigger('click');
    });
    this.#form.on('keydown', 'input', (event) => {
      const isLast = this.#current === ORDER[ORDER.length - 1];
      if (event.key !== 'Enter' || !this.#isShown || isLast || event.originalEvent?.isComposing) return;
      // Otherwise the key also opens the list of the next step, which gets the focus.
      event.preventDefault();
      // The browser tells of a change only later.
      $(event.target as HTMLElement).trigger('change');
      this.#goOn();
    });
    // The last step has a button of its own.
    this.#add.hide();
    this.show('address');
  }

  /** Shows the rows of a step. */
  show(step: GuideStep): void {
    if (!this.#isShown) return;
    this.#current = step;
    const [name, hint] = STEPS[step];
    const index = ORDER.indexOf(step);
    const isLast = index === ORDER.length - 1;
    this.#form.attr('data-current', step);
    for (const [at, item] of this.#items.entries()) item.attr('aria-current', at === index ? 'step' : null);
    const place = { number: index + 1, last: ORDER.length, name: words(name) };
    this.#place.text(words('server:firstUse.place', place));
    this.#hint.text(words(hint));
    this.#back.text(words('server:firstUse.back')).prop('disabled', index === 0);
    this.#next.text(isLast ? this.#add.text() : words('server:firstUse.next'));
    this.#add.prop('disabled', !isLast).toggleClass('disabled', !isLast);
    if (isLast) this.#suggestName();
    this.#focus();
    if (isLast) this.#test();
  }

  /** Shows the whole dialog, without steps. */
  leave(): void {
    this.#add.prop('disabled', false).removeClass('disabled').show();
    this.#form
      .removeClass('stash-guided')
      .find('.stash-steps, .stash-step-hint, .stash-step-buttons')
      .remove();
  }

  /** Takes whether the checks of the connection have succeeded. */
  conclude(isReady: boolean): void {
    if (this.#current !== 'test') return;
    this.#next.text(isReady ? this.#add.text() : words('server:firstUse.addAnyway'));
  }

  get #isShown(): boolean {
    return this.#form.hasClass('stash-guided');
  }

  /** The rows of the current step. */
  get #rows(): JQuery {
    return this.#form.find(`[data-step="${this.#current}"]`);
  }

  /** Enters the name of the host, or that of Stash, unless there is a name. */
  #suggestName(): void {
    const name = this.#form.find('#node-config-input-name');
    if (name.val() !== '') return;
    const { hostname = '' } = parseAddress(String(this.#form.find('#node-config-input-url').val())) ?? {};
    const [host = ''] = /^(?!localhost\b|host\.)[a-z][\w-]*/i.exec(hostname) ?? [];
    name.val(host || 'Stash');
  }

  /** Moves on, unless a field of the step is wrong. */
  #goOn(): void {
    const [wrong] = this.#rows.find('.input-error:visible').get();
    if (wrong) wrong.focus();
    else this.#move(1);
  }

  #move(by: number): void {
    const step = ORDER[ORDER.indexOf(this.#current) + by];
    if (step) this.show(step);
    else this.#add.trigger('click');
  }

  #focus(): void {
    this.#rows.find('input, select, button').filter(':visible').first().trigger('focus');
  }
}

function stepButton(name: 'back' | 'next', click: () => void): JQuery {
  const primary = name === 'next' ? ' primary' : '';
  const classes = `red-ui-button stash-step-${name}${primary}`;
  return $('<button>', { type: 'button', class: classes }).on('click', click);
}

/** The event of Node-RED's editor with which the dialog of a node asks for the way to the first server. */
const SET_UP = 'stash-server:set-up';

/** Shows the way to the first server in the dialog of a node, as long as there is none to select. */
export function showSetUpLink(node: EditorNode): void {
  const select = $('#node-input-server');
  const link = $('<button>', { type: 'button', class: 'stash-link', id: 'stash-set-up' })
    .text(words('server:firstUse.link'))
    .on('click', () => {
      RED.events.emit(SET_UP, node);
    });
  select.closest('.stash-value').append(link);
  const update = () => {
    link.toggle(select.find('option').length < 2 && select.val() === '_ADD_');
  };
  select.on('change', update);
  update();
}
