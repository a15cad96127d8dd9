import type { NodeAPI } from 'node-red';
import { actionNode, addTrialRoute, detail, type FindText, type NodeRED, selection } from '../../src/flow';
import { furtherFields, statUnits, status, type Status, statusFields } from '../../src/operations/library';
import { type JobRecord, titleOf } from '../../src/records';
import { redact, redactTo } from '../../src/redact';
import type words from './words/en-US.json';

/** The longest name of a release in a sentence: that of a development build, and some more. */
const LONGEST_VERSION = 40;

const inputs = {
  fields: selection('fields', [...statusFields, ...furtherFields], ['status', 'version', 'jobs', 'stats']),
};

/** stash-status: returns the server's status, with the selected fields. */
export default (RED: NodeRED<typeof words>): void => {
  addTrialRoute(RED as NodeAPI, 'status', {
    inputs,
    run: status,
    preview: ({ status, missing, unknown }) => {
      const reasons = Object.entries(unknown ? reasonsOf(RED._, unknown) : {});
      return {
        fields: status.jobs ? { ...status, jobs: titlesOf(status.jobs) } : status,
        units: statUnits,
        missing,
        errors: reasons.map(([field, reason]) => `${field}: ${reason}`),
      };
    },
  });
  RED.nodes.registerType(
    'stash-status',
    actionNode(RED, {
      inputs,
      run: status,
      reply: ({ operation, status, missing, unknown }, _, text) => {
        const { jobs, version } = status;
        const scenes = status.stats?.scene_count;
        const reasons = unknown && reasonsOf(text, unknown);
        const stash = { ...(reasons && { unknown: reasons }) };
        // Statistics that a server cannot give because of its state tell that state as well.
        const state = status.status ?? unknown?.stats?.state;
        const reported = typeof state === 'string' ? redactTo(state, 60) : '';
        const values = { status: reported, short: redactTo(reported, 20), count: jobs?.length ?? 0 };
        const details = [
          ...(version ? [detail('version', { version: redactTo(version, LONGEST_VERSION) })] : []),
          ...(scenes === undefined ? [] : [detail('scenes', { count: scenes })]),
          ...whatIsLatest(status, reasons?.latestVersion),
        ];
        const about = { operation, payload: status, missing, stash, values, details };
        if (reported === 'SETUP') return { ...about, outcome: 'setup', isBad: true };
        if (reported === 'NEEDS_MIGRATION') return { ...about, outcome: 'migration', isBad: true };
        const isOld = status.latestVersion?.isNewer === true;
        if (reported === '') {
          if (jobs) return { ...about, outcome: 'queue' };
          return { ...about, outcome: 'answered', ...(isOld && { status: 'newer' as const }) };
        }
        // An unknown status leaves no room for the jobs.
        const room = reported === 'OK' ? {} : { status: 'other' as const };
        if (jobs) return { ...about, ...room, outcome: 'toldWithQueue' };
        return { ...about, ...(isOld && { status: 'toldNewer' as const }), ...room, outcome: 'told' };
      },
    }),
  );
};

/** Returns what a table shows of jobs. */
function titlesOf(jobs: readonly JobRecord[]): string {
  return jobs.length === 0 ? '0' : jobs.map(({ description }) => titleOf(description)).join(', ');
}

/** Returns why fields are unknown, for `msg.stash`. */
function reasonsOf(
  text: FindText<typeof words>,
  { latestVersion: latest, stats }: NonNullable<Status['unknown']>,
) {
  return {
    ...(latest && {
      latestVersion:
        'text' in latest ? redact(latest.text) : text('reason.timeout', { seconds: latest.seconds }),
    }),
    ...(stats && { stats: stats.state }),
  };
}

/** Returns what is known about the latest release, or why it is unknown, for the summary. */
function whatIsLatest({ latestVersion: latest }: Status['status'], reason = '') {
  if (latest === undefined) return [];
  if (latest === null) return [detail('latestUnknown', { reason })];
  const values = { version: redactTo(latest.version, LONGEST_VERSION) };
  if (latest.isNewer === null) return [detail('latest', values)];
  return [latest.isNewer ? detail('newer', values) : detail('current')];
}
