import type { Lacking } from '../../contract/capabilities';
import type { EditorNode } from '../node-red';
import { disableWhile, TypedInput } from '../rows';
import type { SelectedServer } from '../server';
import { words } from '../words';

/** The text of an option without a note, as data of its element. */
const OPTION_NAME = 'stash-name';

/** A control of a dialog, or an option of a list, that has no effect on some servers. */
interface Control {
  /** Whether it is chosen, so that the user has to be able to undo that. */
  isChosen: () => boolean;
  /** Greys it for this reason. */
  disable: (isDisabled: boolean) => void;
  /** Shows what it needs; an empty text removes that. */
  note: (text: string) => void;
}

/**
 * Greys what the selected server lacks, with the release that has it. What is chosen already is kept and marked, and greyed only
 * once it is no longer chosen. Nothing is grey while the server is unreachable.
 *
 * A control is found by its name: that of its input, of an option, or in the attribute `data-needs`.
 */
export function showLacking(node: EditorNode, server: SelectedServer): void {
  const form = $('.stash-form').last();
  let lacking: Lacking = {};
  let marked: readonly Control[] = [];
  const update = () => {
    const controls = Object.entries(lacking).flatMap(([name, what]) =>
      controlsOf(form, name).map((control) => ({ control, what })),
    );
    for (const control of marked) mark(control, undefined);
    for (const { control, what } of controls) mark(control, what);
    marked = controls.map(({ control }) => control);
  };
  server.follow((knowledge) => {
    lacking =
      knowledge.state === 'known'
        ? (knowledge.capabilities.lacks[node.type.replace('stash-', '')] ?? {})
        : {};
    update();
  });
  form.on('change', update);
}

/** @param what has the control first; undefined if the server has it. */
function mark(control: Control, what: string | undefined): void {
  control.disable(what !== undefined && !control.isChosen());
  control.note(what === undefined ? '' : words('server:capabilities.needs', { what }));
}

function controlsOf(form: JQuery, name: string): Control[] {
  // A checkbox stands for an option of a list of fields.
  const options = form.find(`option[value="${name}"], option[data-needs="${name}"]`).not('[multiple] *');
  return [
    ...inputsOf(form.find(`[id="node-input-${name}"], [data-choice="${name}"]`)),
    ...options.get().map((option) => optionControl($(option))),
  ];
}

function inputsOf(input: JQuery): Control[] {
  const typed: unknown = input.data(TypedInput.DATA);
  if (typed instanceof TypedInput) return [typedControl(input, typed)];
  if (input.is(':checkbox')) return [checkboxControl(input)];
  return input.is(':text') ? [textControl(input)] : [];
}

function checkboxControl(box: JQuery): Control {
  const isInLabel = box.is('label *');
  const label = isInLabel ? box.closest('label') : box.nextAll('label').first();
  const text = isInLabel ? label.children('span').first() : label;
  return {
    isChosen: () => box.is(':checked'),
    disable: (isDisabled) => {
      disableWhile(box, 'lacking', isDisabled);
    },
    note: (note) => {
      // A field that the server lacks is only absent in the result.
      noteIn(text, 'span', note && `(${note})`, box.is(':checked:not([data-choice])'));
      if (isInLabel) text.toggleClass('stash-lacking', note !== '');
    },
  };
}

function optionControl(option: JQuery): Control {
  const isChosen = () => option.is(':selected');
  return {
    isChosen,
    disable: (isDisabled) => {
      disableWhile(option, 'lacking', isDisabled);
    },
    note: (text) => {
      const name = (option.data(OPTION_NAME) as string | undefined) ?? option.text();
      option.data(OPTION_NAME, name).text(text === '' ? name : `${name} (${text})`);
    },
  };
}

function textControl(input: JQuery): Control {
  const isChosen = () => Number(input.val()) > 0;
  return {
    isChosen,
    disable: (isDisabled) => {
      disableWhile(input, 'lacking', isDisabled);
    },
    note: (text) => {
      noteIn(input.closest('.stash-value'), 'div', text, isChosen());
    },
  };
}

function typedControl(input: JQuery, typed: TypedInput): Control {
  const value = input.closest('.stash-value');
  return {
    isChosen: () => typed.isUsed(),
    disable: (isDisabled) => {
      disableWhile(value.find('.red-ui-typedInput-type-select'), 'lacking', isDisabled);
    },
    note: (text) => {
      noteIn(value, 'div', text, typed.isUsed());
    },
  };
}

/** Shows a note as the last element of another one. */
function noteIn(element: JQuery, tag: 'span' | 'div', text: string, isWarning: boolean): void {
  const existing = element.children('.stash-needs');
  if (text === '') {
    existing.remove();
    return;
  }
  const note = existing.length > 0 ? existing : $(`<${tag}>`, { class: 'stash-needs' }).appendTo(element);
  note.toggleClass('stash-problem', isWarning);
  if (note.text() !== text) note.text(text);
}
