import type { Call } from '../server/call';
import type { Server } from '../server/server';
import { isText } from '../server/shape';
import { type Job, started } from './job';

/** Starts a scan of the whole library for new files. */
export async function scan(
  server: Server,
  _input: object,
  call: Call,
): Promise<{ operation: string; job: Job }> {
  const operation = 'metadataScan';
  const answer = await server.request({
    operation,
    document: 'mutation { metadataScan(input: {}) }',
    shape: isText,
    kind: 'mutation',
    call,
  });
  return { operation, job: started(answer) };
}
