import { words } from '../words';
import { Chips } from './chips';
import { type Entry, type EntrySource, type FoundEntries, textOfEntry } from './entries';
import { type Move, Popup } from './popup';

interface ComboboxOptions {
  /** The accessible name. */
  label: string;
  isMultiple: boolean;
  values: readonly string[];
  source: EntrySource;
  /** Called with the chosen values after each change by the user. */
  onChange: (values: readonly string[]) => void;
}

const MOVES: Readonly<Record<string, Move>> = {
  ArrowDown: 'next',
  ArrowUp: 'previous',
  PageDown: 'nextPage',
  PageUp: 'previousPage',
  Home: 'first',
  End: 'last',
};

/**
 * A combobox after the ARIA pattern: an input in which people search, and a list from which they choose, both by mouse and by
 * keyboard. What was chosen before is kept and shown, also while its entry is unknown.
 */
export class Combobox {
  readonly element: JQuery;
  readonly #input: JQuery<HTMLInputElement>;
  /** Says beside the text that the server does not have the value, so that the text stays the value. */
  readonly #mark = $('<span>', { class: 'stash-gone' });
  readonly #status = $('<span>', { role: 'status', class: 'stash-unseen' });
  readonly #chips: Chips | undefined;
  readonly #popup: Popup;
  readonly #options: ComboboxOptions;
  #values: readonly string[];
  /** The entries that were seen so far, by value. */
  readonly #cache = new Map<string, Entry>();
  /** The values that the source no longer has. */
  #missing = new Set<string>();
  /** Whether the text is what the user searches for. */
  #isSearching = false;
  /** Whether the text was the label of an entry before the user changed it. Then it finds entries, but is no value. */
  #isLabel = false;
  /** Whether something was chosen or removed since the text was typed. Then the text is no further choice. */
  #isUsed = false;
  /** Whether the user has moved to the active entry. */
  #hasMoved = false;
  #shown: readonly Entry[] = [];
  /** Whether the open list has only a part of its entries, until the next `refresh`. */
  #isPending = false;
  #finding: AbortController | undefined;
  #describing: AbortController | undefined;

  constructor(options: ComboboxOptions) {
    const { label, isMultiple, values } = options;
    this.#options = options;
    this.#values = values;
    this.#input = $('<input>', { type: 'text', role: 'combobox', spellcheck: 'false' }).attr({
      'aria-label': label,
      'aria-autocomplete': 'list',
      'aria-expanded': 'false',
      'aria-haspopup': 'listbox',
      autocomplete: 'off',
    }) as JQuery<HTMLInputElement>;
    this.#popup = new Popup(label, isMultiple, (entry) => {
      this.#pick(entry);
    });
    if (isMultiple) {
      this.#chips = new Chips(label, (value) => {
        this.#remove(value);
      });
    }
    const caret = $('<i>', { class: 'fa fa-caret-down', 'aria-hidden': 'true' });
    this.element = $('<div>', { class: 'stash-combobox' })
      .append(...(this.#chips ? [this.#chips.element] : []), this.#input, this.#mark, caret, this.#status)
      .on('mousedown', (event) => {
        // The input keeps the focus.
        if (event.target !== this.#input[0]) event.preventDefault();
      })
      .on('click', ({ target }) => {
        // A click into the text only moves the cursor.
        if (target === this.#input[0] && this.#popup.isOpen) return;
        this.#input.trigger('focus');
        if (this.#popup.isOpen) this.#close();
        else this.#open();
      });
    this.#listen();
    this.#render();
  }

  /** Requests again what the source may have by now: what the chosen values are, and what an open list lacks. */
  refresh(): void {
    if (this.#isPending) this.#find();
    this.#describe();
  }

  /** Discards the entries of another server. */
  clearCache(): void {
    this.#describing?.abort();
    this.#cache.clear();
    this.#missing.clear();
    this.#close();
  }

  /** Requests what the chosen values are. */
  #describe(): void {
    this.#describing?.abort();
    const { signal } = (this.#describing = new AbortController());
    const values = this.#values;
    if (values.length === 0) return;
    void this.#options.source.describe(values, signal).then((entries) => {
      if (signal.aborted) return;
      this.#cacheEntries(entries ?? []);
      const found = new Set(entries?.map(({ value }) => value));
      this.#missing = new Set(entries ? values.filter((value) => !found.has(value)) : []);
      this.#render();
    });
  }

  #listen(): void {
    this.#input
      .on('keydown', (event) => {
        const { isComposing, repeat } = event.originalEvent as KeyboardEvent;
        // The keys choose among what an input method proposes.
        if (isComposing || !this.#press(event, repeat)) return;
        event.preventDefault();
        // Escape closes only the popup, and no arrow moves a node.
        event.stopPropagation();
      })
      .on('beforeinput compositionstart', ({ originalEvent }) => {
        if (this.#isSearching || (originalEvent as InputEvent).isComposing) return;
        this.#isLabel = this.#keepsLabel();
      })
      .on('input compositionend', ({ originalEvent }) => {
        if ((originalEvent as InputEvent | undefined)?.isComposing) return;
        this.#isSearching = true;
        this.#isUsed = false;
        if (this.#text === '') this.#isLabel = false;
        this.#open();
      })
      .on('blur', () => {
        this.#leave();
      })
      // jQuery UI tells when the dialog, or another value of a typed input, removes the element.
      .on('remove', () => {
        this.#close();
        this.#describing?.abort();
      });
  }

  /** Handles a key. @returns whether it did something. */
  #press({ key, altKey, ctrlKey, metaKey, shiftKey }: JQuery.KeyDownEvent, isRepeated: boolean): boolean {
    if (ctrlKey || metaKey) {
      // Node-RED's own keys for Done and Cancel; the dialog takes a moment to slide out.
      if (key === 'Enter') this.#leave();
      else if (key === 'Escape') this.#close();
      return false;
    }
    // With Shift, they select text.
    const move = shiftKey ? undefined : MOVES[key];
    if (move && !this.#popup.isOpen) {
      if (!key.startsWith('Arrow')) return false;
      this.#open();
      return true;
    }
    switch (key) {
      case 'Escape':
        if (!this.#popup.isOpen) return false;
        this.#close();
        return true;
      case 'Enter':
        if (!this.#popup.isOpen) return false;
        if (this.#popup.active) this.#pick(this.#popup.active);
        return true;
      case 'Tab':
        this.#pickOnTab();
        return false;
      case 'Backspace':
        // A key that is held down has just deleted the text.
        return this.#input.val() === '' && !isRepeated && this.#removeLast();
      default:
        if (!move) return false;
        if (altKey) {
          if (key === 'ArrowUp') this.#close();
          return true;
        }
        // The text has a beginning and an end, too.
        if ((key === 'Home' || key === 'End') && !this.#hasMoved) return false;
        if (this.#popup.move(move)) {
          this.#hasMoved = true;
          this.#announceActive();
        }
        return true;
    }
  }

  get #text(): string {
    return String(this.#input.val()).trim();
  }

  /** The value that the text is itself; undefined if it is none. */
  get #typed(): string | undefined {
    return this.#isSearching && !this.#isLabel ? this.#options.source.fromText?.(this.#text) : undefined;
  }

  /** The entry for something new that is called like the text. */
  get #newEntry(): Entry | undefined {
    if (!this.#isSearching || this.#text === '') return undefined;
    return this.#options.source.newEntry?.(this.#text);
  }

  /** Returns whether the input shows the label of an entry, some of which stays with the next change. */
  #keepsLabel(): boolean {
    const { value, selectionStart, selectionEnd } = this.#input[0] as HTMLInputElement;
    const isWhole = selectionStart === 0 && selectionEnd === value.length;
    return !isWhole && value !== this.#options.source.textOf(this.#values[0] ?? '');
  }

  /** Opens the list if it is closed, and fills it with what fits the text. */
  #open(): void {
    if (!this.#popup.isOpen) {
      this.#popup.open(this.#anchor);
      this.#input.attr({ 'aria-expanded': 'true', 'aria-controls': this.#popup.id });
      // What is typed replaces the text of the chosen entry.
      if (!this.#isSearching) this.#input.trigger('select');
      this.#options.source.prepare?.();
    }
    this.#popup.wait(words('server:picker.loading'));
    this.#hasMoved = false;
    this.#announceActive();
    this.#status.text(words('server:picker.loading'));
    this.#find();
  }

  /** Fills the open list. */
  #find(): void {
    this.#finding?.abort();
    const { signal } = (this.#finding = new AbortController());
    const text = this.#isSearching ? this.#text : '';
    void this.#options.source.find(text, signal).then((found) => {
      if (!signal.aborted) this.#list(found, text);
    });
  }

  /** The whole control, so that the popup is as wide. */
  get #anchor(): HTMLElement {
    const typed = this.element.closest('.red-ui-typedInput-container')[0];
    return typed ?? (this.element[0] as HTMLElement);
  }

  #list(found: FoundEntries, text: string): void {
    const { entries } = found;
    this.#cacheEntries(entries);
    this.#isPending = found.isPending ?? false;
    const own = this.#ownEntry(entries);
    this.#shown = own ? [...entries, own] : entries;
    const note = noteOf({ ...found, entries: this.#shown }, text);
    const before = this.#hasMoved ? this.#popup.active : undefined;
    this.#popup.show(this.#shown, this.#values, note);
    // The user may have moved in the first part of the list.
    const same = this.#shown.findIndex(({ value }) => value === before?.value);
    this.#hasMoved = same >= 0;
    const chosen = this.#shown.findIndex(({ value }) => this.#values.includes(value));
    // What fits best comes first.
    const usual = text === '' ? (this.#options.isMultiple ? -1 : chosen) : 0;
    const active = this.#hasMoved ? same : usual;
    if (this.#shown[active]) this.#popup.activate(active);
    this.#announceActive();
    const count = words('server:picker.count', { count: this.#shown.length });
    this.#status.text([...(this.#shown.length > 0 ? [count] : []), note].join(' '));
  }

  /** Returns an entry for the text itself, if it is a value that no entry has, or the name of something new. */
  #ownEntry(entries: readonly Entry[]): Entry | undefined {
    const isNamed = entries.some(({ label }) => label.toLowerCase() === this.#text.toLowerCase());
    const made = isNamed ? undefined : this.#newEntry;
    if (made) return made;
    const value = this.#text === '' ? undefined : this.#typed;
    if (value === undefined || entries.some((entry) => entry.value === value)) return undefined;
    return { value, label: words('server:picker.typed', { text: this.#text }) };
  }

  #pick(entry: Entry): void {
    const { value } = entry;
    const isChosen = this.#values.includes(value);
    if (!isChosen) entry.onPick?.();
    if (!this.#options.isMultiple) {
      this.#change([value]);
      this.#close();
      return;
    }
    this.#change(isChosen ? this.#values.filter((one) => one !== value) : [...this.#values, value]);
    this.#popup.mark(this.#values);
    // The next text replaces this one; until then, others of the same list can be chosen.
    this.#input.trigger('select');
  }

  /** Chooses the active entry, as a list without a search does, unless the text itself can be chosen. */
  #pickOnTab(): void {
    const { isMultiple, source } = this.#options;
    const { active } = this.#popup;
    const isUsual = !source.fromText && !active?.onPick;
    if (active && !isMultiple && (this.#hasMoved || isUsual)) this.#pick(active);
  }

  #removeLast(): boolean {
    const last = this.#values[this.#values.length - 1];
    if (!this.#chips || last === undefined) return false;
    this.#remove(last);
    return true;
  }

  #remove(value: string): void {
    this.#status.text(words('server:picker.removed', { name: this.#textOf(value) }));
    this.#change(this.#values.filter((one) => one !== value));
    this.#popup.mark(this.#values);
    this.#input.trigger('focus');
  }

  #change(values: readonly string[]): void {
    this.#values = values;
    this.#isUsed = true;
    this.#render();
    this.#options.onChange(values);
    // The source may not have what was typed.
    if (values.some((value) => !this.#cache.has(value) && !this.#missing.has(value))) this.#describe();
  }

  /**
   * Leaves the control. A text that is a value, or names just one entry, is chosen: people expect that of an input. So is a new name,
   * unless it may be the beginning of another. A text that fits nothing stays, and is wrong.
   */
  #leave(): void {
    const value = this.#isSearching && !this.#isUsed ? (this.#typed ?? this.#named) : undefined;
    if (value !== undefined) {
      if (!this.#options.isMultiple) this.#change([value]);
      else if (!this.#values.includes(value)) this.#change([...this.#values, value]);
    } else if (!this.#isUsed && this.#newEntry && this.#shown.every(({ onPick }) => onPick)) {
      this.#keepText();
      return;
    }
    this.#close();
  }

  /** Closes the list, but leaves the text as it is. Instead of a single value, which it hides, nothing is chosen. */
  #keepText(): void {
    if (!this.#options.isMultiple && this.#values.length > 0) {
      this.#change([]);
      this.#isUsed = false;
    }
    this.#closeList();
    this.#render();
  }

  /** The value of the only entry that the text names. */
  get #named(): string | undefined {
    const text = this.#text.toLowerCase();
    const named = this.#shown.filter((entry) => textOfEntry(entry).toLowerCase() === text);
    const entry = this.#shown.length === 1 ? this.#newEntry : undefined;
    const made = entry?.onPick ? undefined : entry?.value;
    const [only, ...others] = named.length > 0 ? named : this.#shown.filter(({ value }) => value === made);
    return others.length === 0 ? only?.value : undefined;
  }

  /** Closes the list, and shows the chosen entry instead of the text. */
  #close(): void {
    this.#closeList();
    this.#isSearching = this.#isLabel = false;
    this.#shown = [];
    this.#render();
  }

  #closeList(): void {
    this.#finding?.abort();
    this.#isPending = false;
    if (!this.#popup.isOpen) return;
    this.#popup.close();
    this.#input.attr('aria-expanded', 'false').removeAttr('aria-controls aria-activedescendant');
    this.#status.empty();
  }

  #announceActive(): void {
    const { activeId } = this.#popup;
    if (activeId === undefined) this.#input.removeAttr('aria-activedescendant');
    else this.#input.attr('aria-activedescendant', activeId);
  }

  #cacheEntries(entries: readonly Entry[]): void {
    for (const entry of entries) {
      this.#cache.set(entry.value, entry);
      this.#missing.delete(entry.value);
    }
  }

  #render(): void {
    const texts = this.#values.map((value) => ({
      value,
      text: this.#textOf(value),
      isMissing: this.#missing.has(value),
    }));
    const isWrong = texts.some(({ isMissing }) => isMissing) && !this.#options.source.takesOthers;
    const isKept = this.#isSearching && !this.#popup.isOpen;
    // The validator of a node knows neither the server nor a text that is not chosen.
    this.element.toggleClass('stash-missing', isWrong || isKept);
    const hint = words('server:picker.choose');
    if (this.#chips) {
      this.#chips.show(texts);
      this.#input.attr('placeholder', texts.length === 0 ? hint : '');
      if (!this.#isSearching) this.#input.val('');
      return;
    }
    const { text = '', isMissing = false } = texts[0] ?? {};
    this.#input.attr('placeholder', hint);
    const mark = isMissing && !this.#isSearching ? words('server:picker.gone') : '';
    this.#mark.text(mark);
    this.#input.attr('aria-description', mark);
    if (this.#isSearching || this.#input.val() === text) return;
    this.#input.val(text).attr('title', text);
    // What is typed still replaces it.
    if (this.#popup.isOpen) this.#input.trigger('select');
  }

  #textOf(value: string): string {
    const entry = this.#cache.get(value);
    return entry && !this.#missing.has(value) ? textOfEntry(entry) : this.#options.source.textOf(value);
  }
}

function noteOf({ entries, more, reason }: FoundEntries, text: string): string {
  if (reason !== undefined) return reason;
  if (more > 0) return words('server:picker.more', { count: more });
  if (entries.length > 0) return '';
  return words(text === '' ? 'server:picker.empty' : 'server:picker.nothing');
}
