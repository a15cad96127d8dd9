import type { CheckLine, Remedy } from '../../contract/connection-test';
import type { FailedLine } from '../../contract/refusal';
import { requestLines } from '../request';
import { words } from '../words';
import type { ServerReference } from './reference';
import { NOTHING_CHECKED, reportOf, sentencesOf, type SystemInfo } from './report';

/** What the list does with the dialog. */
interface DialogAccess {
  server: () => ServerReference;
  useAddress: (url: string) => void;
  useSignIn: (auth: string) => void;
  /** Leads to a field. */
  show: (field: string) => void;
  labelOf: (field: string) => string;
  /** Returns the address of Stash's start page; undefined for an address that the browser does not know. */
  startPage: () => string | undefined;
  /** Looks for Stash at the usual addresses. */
  find: () => void;
  /** Called when the checks have ended, unless the dialog has changed before. */
  onEnd: (isReady: boolean) => void;
}

const ICONS = {
  running: 'fa-spinner fa-spin',
  ok: 'fa-check-circle stash-good',
  hint: 'fa-exclamation-triangle',
  failed: 'fa-times-circle stash-bad',
  neutral: 'fa-minus',
};

/** Shows the checks of the connection with the values of the dialog, deployed or not, in a list that fills while they run. */
export class Diagnosis {
  readonly #dialog: DialogAccess;
  readonly #button = $('#stash-test');
  readonly #conclusion = $('#stash-test-answer');
  readonly #list = $('<ul>', {
    class: 'stash-checks',
    role: 'list',
    'aria-label': words('server:doctor.list'),
  });
  readonly #unfold = $('<button>', { type: 'button', class: 'stash-link' });
  readonly #copy = $('<button>', { type: 'button', class: 'stash-link', id: 'stash-copy' });
  readonly #copied = $('<div>', { class: 'stash-hint', role: 'status' });
  readonly #lines = new Map<string, CheckLine | FailedLine>();
  #system: SystemInfo | undefined;
  #endRequest = (): void => undefined;

  constructor(dialog: DialogAccess) {
    this.#dialog = dialog;
    this.#button.on('click', () => {
      this.run();
    });
    this.#unfold.on('click', () => {
      this.#fold(!this.#list.hasClass('stash-checks-folded'));
    });
    this.#copy.text(words('server:doctor.copy.button')).on('click', () => {
      const report = reportOf(this.#lines.values(), this.#dialog.server(), this.#system);
      if (RED.clipboard.copyText(report)) this.#copied.text(words('server:doctor.copy.done'));
    });
  }

  run(): void {
    this.cancel();
    this.#list.appendTo('#stash-diagnosis');
    this.#conclude('running', words('server:test.asking'));
    // In advance: a browser allows only the press of a button to fill the clipboard.
    void $.getJSON('diagnostics').then((system: SystemInfo) => {
      this.#system = system;
    });
    const rows = new Map<string, JQuery>();
    this.#endRequest = requestLines<CheckLine | FailedLine>({
      url: 'stash-server/test',
      body: this.#dialog.server(),
      line: (line) => {
        const { check, remedies } = { ...NOTHING_CHECKED, ...line };
        const row = rows.get(check) ?? $('<li>').appendTo(this.#list);
        rows.set(check, row);
        this.#lines.set(check, line);
        const buttons = remedies.flatMap((remedy) => this.#buttonOf(remedy) ?? []);
        showLine(row, line, buttons);
        if ('case' in line && line.case === 'NO_SERVER.noAddress') this.#dialog.find();
      },
      end: (isWhole) => {
        this.#end(isWhole);
      },
    });
  }

  /** Removes the results, which apply only to the values of that moment, and ends the checks. */
  cancel(): void {
    this.#endRequest();
    this.#conclusion.empty();
    for (const element of [this.#unfold, this.#copy, this.#copied]) element.detach();
    this.#lines.clear();
    this.#fold(false);
    this.#list.empty().detach();
  }

  #end(isWhole: boolean): void {
    const states = [...this.#lines.values()].map((line) => ({ ...NOTHING_CHECKED, ...line }).state);
    const count = (state: string) => states.filter((one) => one === state).length;
    // A proxy may end the response early.
    const isDone = isWhole && count('running') === 0;
    const isReady = isDone && count('failed') === 0;
    if (!isDone) this.#conclude('failed', words('server:test.failed'));
    else if (!isReady) this.#conclude('failed', words('server:doctor.end.failed'));
    else if (count('hint') === 0) this.#conclude('ok', words('server:doctor.end.ok'));
    else this.#conclude('ok', words('server:doctor.end.hints', { count: count('hint') }));
    if (isReady) {
      const text = words('server:doctor.checks', { count: states.length });
      this.#unfold.text(text).insertAfter(this.#conclusion);
      this.#fold(true);
    }
    if (this.#lines.size > 0) this.#button.parent().append(this.#copy, this.#copied.empty());
    this.#dialog.onEnd(isReady);
  }

  #conclude(state: keyof typeof ICONS, text: string): void {
    const icon = $('<i>', { class: `fa ${ICONS[state]}`, 'aria-hidden': 'true' });
    this.#conclusion.empty().append(icon, document.createTextNode(` ${text}`));
  }

  /** Hides what needs no attention, or shows it again. */
  #fold(isFolded: boolean): void {
    this.#list.toggleClass('stash-checks-folded', isFolded);
    this.#unfold.attr('aria-expanded', String(!isFolded));
  }

  /** Changes the dialog, which removes the results, and runs the checks again. */
  #apply(change: () => void): void {
    change();
    // The button that was pressed is gone.
    this.#button.trigger('focus');
    this.run();
  }

  #buttonOf(remedy: Remedy): JQuery | undefined {
    const dialog = this.#dialog;
    switch (remedy.kind) {
      case 'address':
        return newButton(words('server:doctor.remedy.address', { url: remedy.url }), () => {
          this.#apply(() => {
            dialog.useAddress(remedy.url);
          });
        });
      case 'auth': {
        const choice = words(`server:auth.${remedy.auth}`);
        return newButton(words('server:doctor.remedy.auth', { choice }), () => {
          if (remedy.auth === 'none') {
            this.#apply(() => {
              dialog.useSignIn(remedy.auth);
            });
          } else {
            // It needs a key first.
            dialog.useSignIn(remedy.auth);
            dialog.show(remedy.auth);
          }
        });
      }
      case 'field':
        return newButton(words('server:doctor.remedy.field', { field: dialog.labelOf(remedy.field) }), () => {
          dialog.show(remedy.field);
        });
      case 'open': {
        const href = dialog.startPage();
        return href === undefined ? undefined : newLink(words('server:link.stash'), href);
      }
      case 'find':
        return newButton(words('server:doctor.find.button'), dialog.find);
    }
  }
}

/** Shows a line in its row. A screen reader hears it once the check has ended. */
function showLine(row: JQuery, line: CheckLine | FailedLine, buttons: readonly JQuery[]): void {
  const { check, state } = { ...NOTHING_CHECKED, ...line };
  row.attr({
    class: `stash-check stash-check-${state}`,
    'data-check': check,
    'aria-hidden': state === 'running' ? 'true' : null,
  });
  const icon = $('<i>', { class: `fa ${ICONS[state]}`, 'aria-hidden': 'true' });
  const title = check
    ? $('<div>', { class: 'stash-check-title', text: words(`server:doctor.check.${check}`) })
    : [];
  const content = $('<div>').append($('<span>', { class: 'stash-check-text', text: sentencesOf(line) }));
  if (state !== 'neutral') {
    content.prepend(
      $('<span>', { class: 'stash-unseen', text: `${words(`server:doctor.state.${state}`)}: ` }),
    );
  }
  if (buttons.length > 0) content.append($('<div>', { class: 'stash-remedies' }).append(...buttons));
  row.empty().append(icon, title, content);
}

function newButton(text: string, click: () => void): JQuery {
  return $('<button>', { type: 'button', class: 'red-ui-button', text }).on('click', click);
}

function newLink(text: string, href: string): JQuery {
  const icon = $('<i>', { class: 'fa fa-external-link', 'aria-hidden': 'true' });
  return $('<a>', { class: 'stash-link', href, target: '_blank', rel: 'noopener noreferrer' }).append(
    document.createTextNode(`${text} `),
    icon,
  );
}
