/** The releases that the fake server can imitate: that of the interface document, and those that people run. */
export const releases = [
  'documented',
  'v0.9.0',
  'v0.11.0',
  'v0.17.2',
  'v0.23.1',
  'v0.25.1',
  'v0.28.1',
  'v0.30.1',
  'v0.31.0',
] as const;

export type Release = (typeof releases)[number];

/** The documented server has the document's names and the behaviour of this release. */
const DOCUMENTED = 'v0.30.1';

/** Returns the version that a release reports. */
export function versionOf(release: Release): string {
  return release === 'documented' ? DOCUMENTED : release;
}

/** Returns the minor version, which distinguishes releases: 31 for v0.31.0. */
export function minorOf(release: Release): number {
  return Number(versionOf(release).split('.')[1]);
}
