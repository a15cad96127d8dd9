import type { NodeAPI } from 'node-red';
import { type Call, editorCall } from '../../call';
import { StashError } from '../../errors';
import { isRecord, isString } from '../../guards';
import type { JobReference } from '../../records';
import type { Server } from '../../server';
import { Activity } from '../activity';
import { RecentErrors } from '../recent-errors';
import { connectionOf, serverNode } from '../server-node';
import { addRoute, wholeRefusal } from './add-route';

/**
 * Adds the route `/stash-server/activity`, which the tab in the sidebar polls: what the deployed servers do. It requires no more
 * than the permission to view flows, because it sends requests only to deployed servers.
 */
export function addActivityRoute(RED: NodeAPI): void {
  const activity = new Activity();
  addRoute(RED, { name: 'activity', permission: 'read' }, () => activity.view());
}

/** Adds the route `/stash-server/clear-errors` for the button that clears the recent errors of a server. */
export function addClearErrorsRoute(RED: NodeAPI): void {
  addRoute(RED, { name: 'clear-errors', permission: 'write' }, ({ id }) => {
    if (typeof id === 'string' && serverNode(RED, id)) RecentErrors.of(id).clear();
    return Promise.resolve({});
  });
}

/** Adds the route `/stash-server/stop` for the button that stops a job. The response says whether it still ran or waited. */
export function addStopRoute(
  RED: NodeAPI,
  stop: (server: Server, input: { job: JobReference }, call: Call) => Promise<{ stopped: readonly object[] }>,
): void {
  addRoute(RED, { name: 'stop', permission: 'write' }, async ({ id, job }, signal) => {
    const server = connectionOf(RED, id);
    return await stop(server, { job: referenceOf(job) }, editorCall(signal)).then(
      ({ stopped }) => ({ stopped: stopped.length > 0 }),
      // Whoever may stop a job may see what its server says: it is a deployed one.
      (error: unknown) => wholeRefusal(error, (text) => server.redact(text)),
    );
  });
}

/** Adds the route `/stash-server/resume` for the button that ends the pause of a server's jobs. */
export function addResumeRoute(RED: NodeAPI): void {
  addRoute(RED, { name: 'resume', permission: 'write' }, ({ id }) => {
    connectionOf(RED, id).jobs.pause.releaseAll('BUTTON');
    return Promise.resolve({});
  });
}

/**
 * Adds the route `/stash-server/player` for the button that pauses a film in a page of Stash, or lets it go on. The response says
 * whether the page has obeyed.
 */
export function addPlayerRoute(
  RED: NodeAPI,
  command: (
    server: Server,
    input: { action: 'pause' | 'play'; value: null; player: string },
    call: Call,
  ) => Promise<{ players: readonly object[] }>,
): void {
  addRoute(RED, { name: 'player', permission: 'write' }, async ({ id, player, isPaused }, signal) => {
    const server = connectionOf(RED, id);
    if (!isString(player) || !/^\w{1,20}$/.test(player)) {
      throw new StashError('BAD_INPUT.notPlayer', { details: { property: 'player', source: 'browser' } });
    }
    const input = { action: isPaused === true ? 'play' : 'pause', value: null, player } as const;
    return await command(server, input, editorCall(signal)).then(
      ({ players }) => ({ hasObeyed: players.length > 0 }),
      (error: unknown) => wholeRefusal(error, (text) => server.redact(text)),
    );
  });
}

/** @throws {StashError} BAD_INPUT unless the browser names one job. */
function referenceOf(job: unknown): JobReference {
  const { id, added = null } = isRecord(job) ? job : {};
  if (!isString(id) || !(added === null || isString(added))) {
    throw new StashError('BAD_INPUT.notJob', { details: { property: 'job', source: 'browser' } });
  }
  return { id, added };
}
