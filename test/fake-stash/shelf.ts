/** Things of one kind that a test adds to a server, which has none at first. */
export class Shelf<Item extends object> {
  readonly all: (Item & { readonly id: string })[] = [];

  /** Adds one, and gives it an id. */
  add(item: Item): Item & { readonly id: string } {
    const added = { ...item, id: String(this.all.length + 1) };
    this.all.push(added);
    return added;
  }
}
