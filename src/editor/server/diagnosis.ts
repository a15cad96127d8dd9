import type { CheckLine, Remedy } from '../../contract/connection-test';
import type { FailedLine } from '../../contract/refusal';
import { joinSentences } from '../../contract/sentences';
import { requestLines } from '../request';
import { words } from '../words';
import { withSubflow } from './subflow';

/** Stands in for what a line lacks. Without a check, it says why nothing was checked. */
const NOTHING_CHECKED = { check: '', state: 'failed', text: undefined, remedies: [] } as const;

/** What the list does with the dialog. */
interface DialogAccess {
  /** Returns the values of the dialog. */
  values: () => object;
  /** Enters an address. */
  useAddress: (url: string) => void;
  /** Selects a way to sign in. */
  useSignIn: (auth: string) => void;
  /** Leads to a field. */
  show: (field: string) => void;
  /** Returns the label of a field. */
  labelOf: (field: string) => string;
  /** Returns the address of Stash's start page; undefined for an address that the browser does not know. */
  startPage: () => string | undefined;
  /** Looks for Stash at the usual addresses. */
  find: () => void;
  /** Called when the checks have ended, unless the dialog has changed before. */
  onEnd: (isReady: boolean) => void;
}

/** The list of checks of the connection. */
interface Diagnosis {
  /** Runs the checks. */
  run(): void;
  /** Removes the results, which apply only to the values of that moment, and ends the checks. */
  cancel(): void;
}

const ICONS = {
  running: 'fa-spinner fa-spin',
  ok: 'fa-check-circle stash-good',
  hint: 'fa-exclamation-triangle',
  failed: 'fa-times-circle stash-bad',
  neutral: 'fa-minus',
};

/** Shows the checks of the connection with the values of the dialog, deployed or not, in a list that fills while they run. */
export function prepareDiagnosis(dialog: DialogAccess): Diagnosis {
  const button = $('#stash-test');
  const conclusion = $('#stash-test-answer');
  const list = $('<ul>', { class: 'stash-checks', role: 'list', 'aria-label': words('server:doctor.list') });
  const unfold = $('<button>', { type: 'button', class: 'stash-link' }).on('click', () => {
    fold(!list.hasClass('stash-checks-folded'));
  });
  /** Hides what needs no attention, or shows it again. */
  const fold = (isFolded: boolean) => {
    list.toggleClass('stash-checks-folded', isFolded);
    unfold.attr('aria-expanded', String(!isFolded));
  };
  let stop = (): void => undefined;

  const cancel = () => {
    stop();
    conclusion.empty();
    unfold.detach();
    fold(false);
    list.empty().detach();
  };
  const run = () => {
    cancel();
    list.appendTo('#stash-diagnosis');
    conclude('running', words('server:test.asking'));
    const rows = new Map<string, JQuery>();
    const states = new Map<string, CheckLine['state']>();
    stop = requestLines<CheckLine | FailedLine>({
      url: 'stash-server/test',
      body: dialog.values(),
      line: (line) => {
        const { check, state, remedies } = { ...NOTHING_CHECKED, ...line };
        const row = rows.get(check) ?? $('<li>').appendTo(list);
        rows.set(check, row);
        states.set(check, state);
        const buttons = remedies.flatMap((remedy) => buttonOf(remedy) ?? []);
        showLine(row, line, buttons);
        if ('case' in line && line.case === 'NO_SERVER.noAddress') dialog.find();
      },
      end: (isWhole) => {
        const count = (state: string) => [...states.values()].filter((one) => one === state).length;
        // A proxy may end the response early.
        const isDone = isWhole && count('running') === 0;
        const isReady = isDone && count('failed') === 0;
        if (!isDone) conclude('failed', words('server:test.failed'));
        else if (!isReady) conclude('failed', words('server:doctor.end.failed'));
        else if (count('hint') === 0) conclude('ok', words('server:doctor.end.ok'));
        else conclude('ok', words('server:doctor.end.hints', { count: count('hint') }));
        if (isReady) {
          unfold.text(words('server:doctor.checks', { count: states.size })).insertAfter(conclusion);
          fold(true);
        }
        dialog.onEnd(isReady);
      },
    });
  };
  const conclude = (state: keyof typeof ICONS, text: string) => {
    const icon = $('<i>', { class: `fa ${ICONS[state]}`, 'aria-hidden': 'true' });
    conclusion.empty().append(icon, document.createTextNode(` ${text}`));
  };
  /** Changes the dialog, which removes the results, and runs the checks again. */
  const apply = (change: () => void) => {
    change();
    // The button that was pressed is gone.
    button.trigger('focus');
    run();
  };
  const buttonOf = (remedy: Remedy): JQuery | undefined => {
    switch (remedy.kind) {
      case 'address':
        return newButton(words('server:doctor.remedy.address', { url: remedy.url }), () => {
          apply(() => {
            dialog.useAddress(remedy.url);
          });
        });
      case 'auth': {
        const choice = words(`server:auth.${remedy.auth}`);
        return newButton(words('server:doctor.remedy.auth', { choice }), () => {
          if (remedy.auth === 'none') {
            apply(() => {
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
  };

  button.on('click', run);
  return { run, cancel };
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

/** Returns what a check found and what to do. */
function sentencesOf(line: CheckLine | FailedLine): string {
  if ('failed' in line) return words('server:sidebar.errors.bug');
  if (!('details' in line)) return '';
  const { text, case: which, details } = { ...NOTHING_CHECKED, case: undefined, ...line };
  const values = { ...details, ...(typeof details['days'] === 'number' && { age: ageOf(details['days']) }) };
  const sentences = [
    ...(text === undefined ? [] : [words(`server:doctor.text.${text}`, values)]),
    ...(text === undefined && which !== undefined ? [words(`server:errors.${which}.text`, values)] : []),
    ...(which === undefined ? [] : [words(`server:errors.${which}.remedy`, values)]),
  ];
  const whole = joinSentences(...sentences);
  return which?.endsWith('.notSet') ? withSubflow(whole) : whole;
}

/** Returns an age in words, such as "3 months ago". */
function ageOf(days: number): string {
  const months = Math.floor(days / 30.44);
  const format = new Intl.RelativeTimeFormat(RED.i18n.lang());
  if (months < 1) return format.format(-days, 'day');
  return months < 24 ? format.format(-months, 'month') : format.format(-Math.floor(months / 12), 'year');
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
