import { StashError } from '../src/errors';
import { checkboxes, type Config, fixed, type FixedProperty, saved, unknownChoice } from '../src/flow';
import {
  type GenerateKind,
  generateKinds,
  type PreviewOptions,
  previewPresets,
} from '../src/operations/tasks';

/** The largest Int of GraphQL. */
const MOST_SEGMENTS = 2 ** 31 - 1;

/** The kinds to generate, at least one. For markers alone only `markers` counts, because servers ignore all kinds of scenes. */
export const kinds: FixedProperty<readonly GenerateKind[]> = fixed((config) => {
  const isChosen = (name: string, none: string) => saved(config, `${name}Type`, none) !== none;
  const markersAlone = isChosen('markerIDs', 'none') && !isChosen('sceneIDs', 'all');
  return checkboxes(markersAlone ? (['markers'] as const) : generateKinds).read(config);
});

/** How to make previews. Properties that are empty are absent. Null if all are, or if no previews are generated. */
export const previewOptions: FixedProperty<PreviewOptions | null> = fixed((config) => {
  if (config['previews'] !== true) return null;
  const options = {
    ...optional(config, 'previewSegments', segments),
    ...optional(config, 'previewSegmentDuration', duration),
    ...optional(config, 'previewExcludeStart', part),
    ...optional(config, 'previewExcludeEnd', part),
    ...optional(config, 'previewPreset', preset),
  };
  return Object.keys(options).length > 0 ? options : null;
});

function optional<const Name extends keyof PreviewOptions, T>(
  config: Config,
  name: Name,
  read: (text: string, name: Name) => T,
): Partial<Record<Name, T>> {
  const value = config[name];
  const text = saved({ [name]: typeof value === 'number' ? String(value) : value }, name, '').trim();
  return text === '' ? {} : ({ [name]: read(text, name) } as Record<Name, T>);
}

function segments(text: string, property: string): number {
  const count = Number(text);
  if (Number.isInteger(count) && count > 0 && count <= MOST_SEGMENTS) return count;
  throw new StashError('BAD_INPUT.notPositiveWhole', { details: { property } });
}

function duration(text: string, property: string): number {
  const seconds = Number(text);
  if (Number.isFinite(seconds) && seconds > 0) return seconds;
  throw new StashError('BAD_INPUT.notPositive', { details: { property } });
}

function part(text: string, property: string): string {
  const { number, percent } = /^(?<number>\d{1,9}(?:\.\d{1,9})?)(?<percent> ?%)?$/.exec(text)?.groups ?? {};
  if (number === undefined || (percent !== undefined && Number(number) > 100)) {
    throw new StashError('BAD_INPUT.notPart', { details: { property } });
  }
  return percent === undefined ? number : `${number}%`;
}

function preset(text: string): (typeof previewPresets)[number] {
  const known = previewPresets.find((one) => one === text);
  if (known === undefined) throw unknownChoice(JSON.stringify(text));
  return known;
}
