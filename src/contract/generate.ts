/** The kinds of content that the interface document names (part 4); every release has them. */
export const documentedKinds = ['sprites', 'previews', 'imagePreviews', 'markers', 'transcodes'] as const;

/** All kinds of generated content, as the server's schema names them. */
export const generateKinds = [
  ...documentedKinds,
  'covers',
  'phashes',
  'interactiveHeatmapsSpeeds',
  'imageThumbnails',
  'clipPreviews',
  'imagePhashes',
] as const;
export type GenerateKind = (typeof generateKinds)[number];

/** The kinds of content of images. */
export const imageKinds = [
  'imageThumbnails',
  'clipPreviews',
  'imagePhashes',
] as const satisfies GenerateKind[];

/** The largest Int of GraphQL. */
const MOST_SEGMENTS = 2 ** 31 - 1;

/** Returns the number of segments of a preview; undefined for a text that is none. */
export function previewSegmentsIn(text: string): number | undefined {
  const count = Number(text);
  return Number.isInteger(count) && count > 0 && count <= MOST_SEGMENTS ? count : undefined;
}

/** Returns the length of a segment in seconds; undefined for a text that is none. */
export function previewDurationIn(text: string): number | undefined {
  const seconds = Number(text);
  return Number.isFinite(seconds) && seconds > 0 ? seconds : undefined;
}

/** Returns what a preview leaves out, in seconds or as a part of the video such as `2%`; undefined for any other text. */
export function previewPartIn(text: string): string | undefined {
  const { number, percent } = /^(?<number>\d{1,9}(?:\.\d{1,9})?)(?<percent> ?%)?$/.exec(text)?.groups ?? {};
  if (percent === undefined) return number;
  return Number(number) > 100 ? undefined : `${number}%`;
}
