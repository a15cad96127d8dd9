import { Cache, neverAborted, untilAborted } from '../../async';
import type { Call } from '../../call';
import { StashError } from '../../errors';
import { hasString, parsed } from '../../guards';
import type { Operation, Server } from '../../server';
import { timing } from '../../timing';

/** The build of Stash that runs on a server. */
export interface Build {
  /** Such as `v0.30.1`, or `v0.30.1-19-gcf3489efd` of a development build; null for a build without one. */
  version: string | null;
  /** The short hash of its commit; empty for a build without one. */
  hash: string;
}

/** A release as the server finds it on GitHub, under the names of its schema. */
interface Release {
  version: string;
  /** As long as the hash of the server's own build. */
  shorthash: string;
  /** Such as `2026-03-08`; null if it is unknown. */
  release_date: string | null;
  /** The program for the server's platform; null if there is none. */
  url: string | null;
}

/** The latest release; for a development build, the latest development build. */
export interface LatestVersion extends Release {
  /** Whether it is newer than the server's own build; null if that cannot be told. */
  isNewer: boolean | null;
}

/** Why the latest release is unknown: the error of the server, or how long it was waited for. */
export type UnknownRelease = { text: string } | { seconds: number };

type LatestRelease = { release: Release } | { unknown: UnknownRelease };

const caches = new WeakMap<Server, Cache<string, LatestRelease>>();

/**
 * Returns the latest release, which the server asks GitHub for, or why it is unknown: neither a missing connection to the
 * internet nor a refusal by GitHub is an error, because a status has to arrive all the same.
 *
 * GitHub allows 60 requests an hour from one address, and the server sends two each time (all releases). So the answer is
 * cached for all nodes, and a failure as well.
 * @throws {StashError} as `Server.request`, for anything that is about the server itself.
 */
export async function latestVersion(
  server: Server,
  build: Build,
  { signal, report }: Call,
): Promise<{ latest: LatestVersion } | { unknown: UnknownRelease }> {
  const cache = caches.get(server) ?? new Cache(() => latestRelease(server));
  caches.set(server, cache);
  report?.({ operation: OPERATION.rootField });
  // An upgrade of the server counts at once.
  const key = JSON.stringify([build.version, build.hash]);
  const answer = await untilAborted(cache.get(key, timing.latestVersion), signal);
  if ('unknown' in answer) return answer;
  const { release } = answer;
  return { latest: { ...release, isNewer: isNewer(release, build) } };
}

async function latestRelease(server: Server): Promise<LatestRelease> {
  // Several messages may wait for the answer, so none of their signals may abort the request.
  const call = { signal: neverAborted(), waiting: neverAborted() };
  try {
    return { release: await server.request({ kind: 'query', call, build: () => OPERATION }) };
  } catch (error) {
    const unknown = unknownBy(error);
    if (!unknown) throw error;
    return { unknown };
  }
}

const OPERATION: Operation<Release> = {
  rootField: 'latestversion',
  document: '{ latestversion { version shorthash release_date url } }',
  needsNoDatabase: true,
  read: parsed(isRelease, ({ version, shorthash, release_date, url }) => ({
    version,
    shorthash,
    release_date: release_date || null,
    url: url || null,
  })),
};

function isRelease(value: unknown): value is Record<keyof Release, string> {
  return (['version', 'shorthash', 'release_date', 'url'] as const).every((field) => hasString(field)(value));
}

/** Returns why the release is unknown if GitHub, or the way to it, is the cause of an error. */
function unknownBy(error: unknown): UnknownRelease | undefined {
  if (!(error instanceof StashError)) return undefined;
  const { text, seconds } = error.details;
  if (error.case === 'GRAPHQL.failed') return { text: String(text) };
  if (error.case === 'TIMEOUT.noAnswer') return { seconds: Number(seconds) };
  return undefined;
}

/** A release, or a development build: the number of its commits since a release, and the hash of the last one. */
const VERSION = /^v?(\d+)\.(\d+)\.(\d+)(?:-(\d+)-g[0-9a-f]+)?$/;

/**
 * Returns whether a release is newer than a build; null unless that is certain. A development build contains the release that
 * its version begins with, and each commit that its version counts.
 */
export function isNewer(latest: Pick<Release, 'version' | 'shorthash'>, build: Build): boolean | null {
  if (build.hash !== '' && build.hash === latest.shorthash) return false;
  const [theirs, ours] = [numbersOf(latest.version), numbersOf(build.version ?? '')];
  if (!theirs || !ours) return null;
  const difference = compare(theirs.release, ours.release);
  if (difference > 0) return true;
  if (theirs.commits === 0) return false;
  // Of two development builds since one release, the one with more commits has some that the other lacks. With fewer, it may
  // have others: either build may be of a branch.
  return difference === 0 && theirs.commits > ours.commits ? true : null;
}

function numbersOf(version: string): { release: number[]; commits: number } | undefined {
  const found = VERSION.exec(version);
  if (!found) return undefined;
  const [, major, minor, patch, commits = 0] = found;
  return { release: [major, minor, patch].map(Number), commits: Number(commits) };
}

function compare(one: readonly number[], other: readonly number[]): number {
  return one.map((number, index) => number - (other[index] ?? 0)).find((difference) => difference !== 0) ?? 0;
}
