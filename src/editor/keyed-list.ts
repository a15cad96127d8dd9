/** The element of one item. */
export interface Row<Item> {
  readonly element: HTMLElement;
  /** Shows the item as it is now, and changes nothing that is as it was. */
  show: (item: Item) => void;
}

interface KeyedListOptions<Item> {
  keyOf: (item: Item) => string;
  create: (item: Item) => Row<Item>;
  /** Gets the focus when the element that had it is removed. */
  fallback: HTMLElement;
}

/** Shows one element for each item, and keeps it as long as the item is there, with the focus if it has it. */
export class KeyedList<Item> {
  readonly #list: HTMLElement;
  readonly #options: KeyedListOptions<Item>;
  readonly #rows = new Map<string, Row<Item>>();

  constructor(list: HTMLElement, options: KeyedListOptions<Item>) {
    this.#list = list;
    this.#options = options;
  }

  /** Shows these items, in this order. */
  show(items: readonly Item[]): void {
    const { keyOf, create } = this.#options;
    this.#keepFocus(() => {
      const keys = new Set(items.map(keyOf));
      for (const [key, { element }] of this.#rows) {
        if (keys.has(key)) continue;
        element.remove();
        this.#rows.delete(key);
      }
      let next = this.#list.firstElementChild;
      for (const item of items) {
        const key = keyOf(item);
        const row = this.#rows.get(key) ?? create(item);
        this.#rows.set(key, row);
        if (row.element === next) next = next.nextElementSibling;
        else this.#list.insertBefore(row.element, next);
        row.show(item);
      }
    });
  }

  /** An element loses the focus when it is moved or removed. */
  #keepFocus(change: () => void): void {
    const { activeElement: focused } = document;
    const hadFocus = focused instanceof HTMLElement && this.#list.contains(focused);
    change();
    if (!hadFocus || document.activeElement === focused) return;
    const target = this.#list.contains(focused) ? focused : this.#options.fallback;
    target.focus({ preventScroll: true });
  }
}
