import type { Refusal } from '../../contract/errors';
import { textOf } from '../refusal';
import { words } from '../words';

/** A scraper of the server that can look up a name. */
export interface Scraper {
  id: string;
  name: string;
  /** Whether it also scrapes the attributes of a performer. */
  scrapes: boolean;
}

/** A plugin of the server that has tasks. */
export interface Plugin {
  id: string;
  name: string;
  tasks: { name: string; label: string; description: string }[];
}

/** What a server can do. A part that could not be read is its refusal. */
export interface Capabilities {
  /** The release; empty if the server does not report one. */
  release: string;
  /**
   * What is lacking, by the names of the nodes and of the controls in their dialogs, with what has it first (`Stash v0.20`); null
   * if no release so far has it.
   */
  lacks: Readonly<Record<string, Readonly<Record<string, string | null>>>>;
  folders: { path: string; label: string }[] | Refusal;
  scrapers: Scraper[] | Refusal;
  plugins: Plugin[] | Refusal;
  /** Whether the server tells of its jobs over a WebSocket; null behind a proxy, where none is tried. */
  socket: boolean | null | Refusal;
}

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
