import type { Call } from '../../call';
import { StashError } from '../../errors';
import type { JobRecord } from '../../records';
import type { Pending, PauseEnd, Server } from '../../server';

/** The state after a pause was asked for, or has ended. */
export interface PauseState {
  /** The root field of the request, if there was one. */
  operation?: 'stopJob';
  /** Whether jobs are paused, because of this node or of others. */
  paused: boolean;
  /** The jobs that the pause has stopped, and that go on after it. */
  interrupted: JobRecord[];
  /** How many messages wait for its end, or have waited. */
  waiting: number;
  /** Why the pause of this node has ended by itself. */
  reason?: PauseEnd;
}

/**
 * Pauses the jobs of this Node-RED on a server, or lets them go on. If the pause ends by itself, `call` reports the state then.
 * @param paused false ends what this node has asked for; `none`, what all nodes have. @param interrupt whether to stop running scan and
 * generate jobs, and to start them again after the pause. @param atMost how long at most, in milliseconds.
 * @throws {StashError} as `Server.request`, if running jobs cannot be stopped: the pause has begun all the same.
 */
export async function pause(
  server: Server,
  { paused, interrupt, atMost }: { paused: boolean | 'none'; interrupt: boolean; atMost: number },
  call: Call,
): Promise<PauseState> {
  const { pause } = server.jobs;
  const node = call.node ?? '';
  const { pending } = pause;
  const state = (stopped: JobRecord[] = []): PauseState => ({
    ...(stopped.length > 0 && { operation: 'stopJob' }),
    paused: pause.isOn,
    interrupted: [...pending.interrupted, ...stopped],
    waiting: pending.waiting,
  });
  if (paused !== true) {
    if (paused === 'none') pause.releaseAll();
    else pause.release(node);
    return state();
  }
  const onEnd = (reason: PauseEnd, until: Pending) => {
    call.report?.({ later: Promise.resolve({ paused: pause.isOn, ...until, reason } satisfies PauseState) });
  };
  const onError = (error: unknown) => {
    const bug = error instanceof Error ? error : new Error(String(error));
    const later = Promise.reject(error instanceof StashError ? prefaced(error) : bug);
    call.report?.({ later });
    // The call may take no reports.
    later.catch(() => undefined);
  };
  pause.request({ node, interrupt, atMost, onEnd, onError });
  try {
    return state(interrupt ? await pause.interrupt(call) : []);
  } catch (error) {
    throw error instanceof StashError ? prefaced(error) : error;
  }
}

/** Returns the same error with the words that jobs are paused all the same. */
function prefaced({ case: which, code, details, status, retry }: StashError): StashError {
  // To ask twice changes nothing, but stops what still runs.
  const isHarmless = code === 'GRAPHQL' || code === 'OUTCOME_UNKNOWN';
  return new StashError(which, {
    details,
    status: status ?? undefined,
    retry: retry || isHarmless,
    preface: 'paused',
  });
}
