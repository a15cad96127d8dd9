import type { Capabilities } from '../../contract/capabilities';
import type { Refusal } from '../../contract/errors';
import { textOf } from '../refusal';
import { words } from '../words';

/** Why nothing is known about a server. */
export interface Unknown {
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
): Promise<Capabilities | Unknown> {
  return await new Promise((resolve) => {
    // A relative address, so that the editor adds its root and its token.
    void $.getJSON('stash-server/capabilities', { id, ...(how === 'fresh' && { fresh: '' }) }).then(
      (answer: Capabilities | Refusal) => {
        if (!('case' in answer)) resolve(answer);
        else resolve({ reason: reasonOf(answer), isUndeployed: answer.case === 'NO_SERVER.none' });
      },
      () => {
        resolve({ reason: words('server:failed'), isUndeployed: false });
      },
    );
  });
}

/** Returns why a server, or a part of it, is unknown. */
export function reasonOf(refusal: Refusal): string {
  return refusal.case === 'NO_SERVER.none' ? words('server:capabilities.undeployed') : textOf(refusal);
}
