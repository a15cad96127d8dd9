/** The most chosen items that the runtime names at a time. */
export const MOST_CHOSEN = 200;

/** An item of the library, as a dialog offers it. */
export interface ItemChoice {
  id: string;
  /** The name of a performer who was found, as the server has it; absent if it is too long to be offered as a value. */
  name?: string;
  /** The name, or the title of a scene; without one, the name of its file. At most 100 UTF-16 units, as `detail`, and without secrets. */
  label: string;
  /** What tells it from others with the same name; may be empty. */
  detail: string;
  /** Whether it may have a picture. */
  picture?: true;
}

/** What a dialog offers for a text. */
export interface ItemChoices {
  /** At most 25: the same name first, then those that begin with the text, then the others, each sorted by name. */
  items: ItemChoice[];
  /** How many items fit. */
  count: number;
  /** Those of the chosen items that are in the library, in the given order. */
  chosen: ItemChoice[];
}
