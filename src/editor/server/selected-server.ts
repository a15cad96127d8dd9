import type { Capabilities } from '../../contract/capabilities';
import { askCapabilities, type Unknown } from './capabilities';

/** What is known about the selected server. */
export type Knowledge =
  /** No server is selected. */
  | { state: 'none' }
  /** The server is being asked. */
  | { state: 'asking' }
  | { state: 'known'; capabilities: Capabilities }
  | ({ state: 'unknown' } & Unknown);

/** The server that is selected in an open dialog. It is asked once, and again after another one was selected. */
export class SelectedServer {
  readonly #select = $('#node-input-server');
  readonly #listeners = new Set<(knowledge: Knowledge) => void>();
  #knowledge: Knowledge = { state: 'none' };
  #asked: string | undefined;
  #requests = 0;

  constructor() {
    this.#select.on('change', () => {
      if (this.id !== this.#asked) void this.#ask('known');
    });
  }

  /** The id of its node; empty if none is selected. */
  get id(): string {
    const id = String(this.#select.val() ?? '');
    return id === '_ADD_' ? '' : id;
  }

  /**
   * Calls `listener` with what is known: at once, and at each change.
   * @returns a function that ends this.
   */
  follow(listener: (knowledge: Knowledge) => void): () => void {
    this.#listeners.add(listener);
    listener(this.#knowledge);
    return () => this.#listeners.delete(listener);
  }

  /** What is known now. */
  get knowledge(): Knowledge {
    return this.#knowledge;
  }

  /** Asks the server for the first time. */
  ask(): void {
    void this.#ask('known');
  }

  /** Asks the server again, whatever Node-RED knows already. */
  askAgain(): void {
    void this.#ask('fresh');
  }

  async #ask(how: 'known' | 'fresh'): Promise<void> {
    const own = ++this.#requests;
    const { id } = this;
    this.#asked = id;
    if (id === '') {
      this.#tell({ state: 'none' });
      return;
    }
    this.#tell({ state: 'asking' });
    const answer = await askCapabilities(id, how);
    // Another server was selected meanwhile.
    if (own !== this.#requests) return;
    this.#tell(
      'reason' in answer ? { state: 'unknown', ...answer } : { state: 'known', capabilities: answer },
    );
  }

  #tell(knowledge: Knowledge): void {
    this.#knowledge = knowledge;
    for (const listener of this.#listeners) listener(knowledge);
  }
}
