import type { Capabilities } from '../../contract/capabilities';
import type { Refusal } from '../../contract/refusal';
import type { EditorNode } from '../node-red';
import { request } from '../request';
import { refusalText, words } from '../words';
import { runtimeConfigId, undeployedText } from './subflow';

/** What is known about the selected server. */
export type CapabilitiesState =
  /** No server is selected. */
  | { state: 'none' }
  | { state: 'requesting' }
  | { state: 'known'; capabilities: Capabilities }
  | ({ state: 'unknown' } & UnknownServer);

/** The server that is selected in an open dialog. It is requested once, and again after another one was selected. */
export class SelectedServer {
  readonly #select = $('#node-input-server');
  readonly #z: string;
  readonly #listeners = new Set<(state: CapabilitiesState) => void>();
  #state: CapabilitiesState = { state: 'none' };
  #requestedId: string | undefined;
  #requests = 0;

  constructor({ z }: Pick<EditorNode, 'z'>) {
    this.#z = z;
    this.#select.on('change', () => {
      if (this.id !== this.#requestedId) void this.#request('cached');
    });
  }

  /** The ID by which the runtime knows its node; empty if none is selected. */
  get id(): string {
    const id = String(this.#select.val() ?? '');
    return id === '_ADD_' ? '' : runtimeConfigId(id, this.#z);
  }

  /**
   * Calls `listener` with what is known: at once, and at each change.
   * @returns a function that ends this.
   */
  follow(listener: (knowledge: CapabilitiesState) => void): () => void {
    this.#listeners.add(listener);
    listener(this.#state);
    return () => this.#listeners.delete(listener);
  }

  get knowledge(): CapabilitiesState {
    return this.#state;
  }

  request(): void {
    void this.#request('cached');
  }

  /** Requests it again, whatever Node-RED has cached. */
  requestAnew(): void {
    void this.#request('fresh');
  }

  async #request(how: 'cached' | 'fresh'): Promise<void> {
    const own = ++this.#requests;
    const { id } = this;
    this.#requestedId = id;
    if (id === '') {
      this.#emit({ state: 'none' });
      return;
    }
    this.#emit({ state: 'requesting' });
    const answer = await requestCapabilities(id, how);
    // Another server was selected meanwhile.
    if (own !== this.#requests) return;
    this.#emit(
      'reason' in answer ? { state: 'unknown', ...answer } : { state: 'known', capabilities: answer },
    );
  }

  #emit(knowledge: CapabilitiesState): void {
    this.#state = knowledge;
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
 * Requests what a deployed server can do, which Node-RED caches for a minute.
 * @param id of the server's node. @param how `fresh` requests it anew.
 */
export async function requestCapabilities(
  id: string,
  how: 'cached' | 'fresh' = 'cached',
): Promise<Capabilities | UnknownServer> {
  const answer = await request<Capabilities>('capabilities', { id, fresh: how === 'fresh' });
  if (!answer) return { reason: words('server:failed'), isUndeployed: false };
  if (!('case' in answer)) return answer;
  return { reason: reasonOf(answer), isUndeployed: answer.case === 'NO_SERVER.none' };
}

/** Returns why a server, or a part of it, is unknown. */
export function reasonOf(refusal: Refusal): string {
  return refusal.case === 'NO_SERVER.none' ? undeployedText() : refusalText(refusal);
}
