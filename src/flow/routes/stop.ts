import type { NodeAPI } from 'node-red';
import { type Call, editorCall } from '../../call';
import { StashError } from '../../errors';
import { isRecord, isString } from '../../guards';
import type { JobReference } from '../../records';
import type { Server } from '../../server';
import { connectionOf } from '../server-node';
import { wholeRefusal } from './refusal';
import { addRoute } from './route';

/** Stops a job. Its result lists the job, unless it had ended. */
type Stop = (
  server: Server,
  input: { job: JobReference },
  call: Call,
) => Promise<{ stopped: readonly object[] }>;

/** Adds the route `/stash-server/stop` for the button that stops a job. The response says whether it still ran or waited. */
export function addStopRoute(RED: NodeAPI, stop: Stop): void {
  addRoute(RED, { name: 'stop', permission: 'write' }, async ({ id, job }, signal) => {
    const server = connectionOf(RED, id);
    return await stop(server, { job: referenceOf(job) }, editorCall(signal)).then(
      ({ stopped }) => ({ stopped: stopped.length > 0 }),
      // Whoever may stop a job may see what its server says: it is a deployed one.
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
