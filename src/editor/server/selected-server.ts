import type { Capabilities } from '../../contract/capabilities';
import type { Refusal } from '../../contract/errors';
import { refusalText, words } from '../words';
import { ask } from '../request';

/** What is known about the selected server. */
export type CapabilitiesState =
  /** No server is selected. */
  | { state: 'none' }
  /** The server is being asked. */
  | { state: 'asking' }
  | { state: 'known'; capabilities: Capabilities }
  | ({ state: 'unknown' } & UnknownServer);

/** The server that is selected in an open dialog. It is asked once, and again after another one was selected. */
export class SelectedServer {
  readonly #select = $('#node-input-server');
  readonly #listeners = new Set<(knowledge: CapabilitiesState) => void>();
  #knowledge: CapabilitiesState = { state: 'none' };
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
  follow(listener: (knowledge: CapabilitiesState) => void): () => void {
    this.#listeners.add(listener);
    listener(this.#knowledge);
    return () => this.#listeners.delete(listener);
  }

  /** What is known now. */
  get knowledge(): CapabilitiesState {
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

  #tell(knowledge: CapabilitiesState): void {
    this.#knowledge = knowledge;
    for (const listener of this.#listeners) listener(knowledge);
  }
}

/** Why nothing is known about a server. */
interface UnknownServer {
  reason: string;
  /** The server is not deployed yet. */
  isUndeployed: boolean;
}

/**
 * Asks what a deployed server can do. Node-RED knows that for a minute after it has asked the server.
 * @param id of the server's node. @param how `fresh` asks the server again.
 */
export async function askCapabilities(
  id: string,
  how: 'known' | 'fresh' = 'known',
): Promise<Capabilities | UnknownServer> {
  const answer = await ask<Capabilities>('capabilities', { id, fresh: how === 'fresh' });
  if (!answer) return { reason: words('server:failed'), isUndeployed: false };
  if (!('case' in answer)) return answer;
  return { reason: reasonOf(answer), isUndeployed: answer.case === 'NO_SERVER.none' };
}

/** Returns why a server, or a part of it, is unknown. */
export function reasonOf(refusal: Refusal): string {
  return refusal.case === 'NO_SERVER.none' ? words('server:capabilities.undeployed') : refusalText(refusal);
}
