import type { Refusal } from './refusal';

/** What is lacking: the name of its control in the dialog, and the first release that has it, such as `Stash v0.20`. */
export type Lacking = Readonly<Record<string, string>>;

export interface LibraryFolder {
  path: string;
  /** The same for people, at most 300 UTF-16 units. */
  label: string;
}

/** A scraper of the server that can look up a performer's name. */
export interface Scraper {
  id: string;
  /** At most 100 UTF-16 units, and without secrets. */
  name: string;
  /** Whether it also scrapes the attributes of a performer. */
  scrapes: boolean;
}

/** A plugin of the server that has tasks. */
export interface Plugin {
  id: string;
  /** At most 100 UTF-16 units, and without secrets, as all texts but the ID and the names of tasks. */
  name: string;
  tasks: {
    /** The name by which the server runs it. */
    name: string;
    /** The same for people, at most 100 UTF-16 units. */
    label: string;
    /** At most 200 UTF-16 units. */
    description: string;
  }[];
}

/** What a server can do for the dialogs of the nodes. A part that could not be read is its error. */
export interface Capabilities<PartError = Refusal> {
  /** The server's release; empty if it does not report one. */
  release: string;
  /** What the server or Node.js lacks of what the dialogs offer, by the names of the nodes. */
  lacks: Readonly<Record<string, Lacking>>;
  folders: LibraryFolder[] | PartError;
  /** What the performer nodes can use instead of the built-in site. */
  scrapers: Scraper[] | PartError;
  plugins: Plugin[] | PartError;
  /** Whether the server emits events about its jobs over a WebSocket; null behind a configured proxy, where none is tried. */
  socket: boolean | null | PartError;
  /** Whether Stash has the plugin of this package, turned on. */
  hasPlugin: boolean;
  /** The names of what is selected to generate on the server's Tasks page; empty if that page keeps nothing. */
  generate: string[] | PartError;
}
