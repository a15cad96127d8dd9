import type { Capabilities } from '../../contract/capabilities';
import type { Refusal } from '../../contract/refusal';
import type { EditorNode } from '../node-red';
import { request } from '../request';
import { refusalText, words } from '../words';
import { referenceTo, type ServerReference } from './reference';
import { undeployedText } from './subflow';

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
  #requested: string | undefined;
  #requests = 0;

  constructor({ z }: Pick<EditorNode, 'z'>) {
    this.#z = z;
    this.#select.on('change', () => {
      if (JSON.stringify(this.reference) !== this.#requested) void this.#request('cached');
    });
  }

  /** What requests say about it. Its ID is empty if none is selected. */
  get reference(): ServerReference {
    const id = String(this.#select.val() ?? '');
    return id === '_ADD_' ? { id: '' } : referenceTo(id, this.#z);
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
    const { reference } = this;
    this.#requested = JSON.stringify(reference);
    if (reference.id === '') {
      this.#emit({ state: 'none' });
      return;
    }
    this.#emit({ state: 'requesting' });
    const answer = await requestCapabilities(reference, how);
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
  /** The server has to be deployed first. */
  isUndeployed: boolean;
}

/**
 * Requests what a server can do, which Node-RED caches for a minute if it is deployed.
 * @param how `fresh` requests it anew.
 */
export async function requestCapabilities(
  reference: ServerReference,
  how: 'cached' | 'fresh' = 'cached',
): Promise<Capabilities | UnknownServer> {
  const answer = await request<Capabilities>('capabilities', { ...reference, fresh: how === 'fresh' });
  if (!answer) return { reason: words('server:failed'), isUndeployed: false };
  if (!('case' in answer)) return answer;
  return { reason: reasonOf(answer), isUndeployed: needsDeploy(answer) };
}

/** Returns why a server, or a part of it, is unknown. */
export function reasonOf(refusal: Refusal): string {
  return needsDeploy(refusal) ? undeployedText() : refusalText(refusal);
}

/** Whether a dialog can use the server once it is deployed: then it gets what only Node-RED has. */
export function needsDeploy({ case: which }: Refusal): boolean {
  const kept = ['UNAUTHORIZED.credentialsKept', 'UNAUTHORIZED.variableKept'];
  return ['NO_SERVER.none', 'NO_SERVER.notDeployed', ...kept].includes(which);
}
