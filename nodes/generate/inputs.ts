import {
  type GenerateKind,
  generateKinds,
  imageKinds,
  previewDurationIn,
  previewPartIn,
  previewSegmentsIn,
} from '../../src/contract/generate';
import { StashError } from '../../src/errors';
import { checkboxes, type Config, fixed, type FixedProperty, saved, unknownChoice } from '../../src/flow';
import { type PreviewOptions, previewPresets } from '../../src/operations/tasks';

/** The kinds to generate, at least one. For markers or images alone only theirs count, because servers ignore all kinds of scenes. */
export const kinds: FixedProperty<readonly GenerateKind[]> = fixed((config) => {
  const isChosen = (name: string, none: string) => saved(config, `${name}Type`, none) !== none;
  const ofMarkers = isChosen('markerIDs', 'none') ? (['markers'] as const) : [];
  const ofImages = isChosen('imageIDs', 'none') || isChosen('galleryIDs', 'none') ? imageKinds : [];
  const alone =
    isChosen('sceneIDs', 'all') || isChosen('paths', 'library') ? [] : [...ofMarkers, ...ofImages];
  return checkboxes(alone.length > 0 ? alone : generateKinds).read(config);
});

/** How to make previews. Properties that are empty are absent. Null if all are, or if no previews are generated. */
export const previewOptions: FixedProperty<PreviewOptions | null> = fixed((config) => {
  if (config['previews'] !== true) return null;
  const options = {
    ...optional(config, 'previewSegments', previewSegmentsIn, 'BAD_INPUT.notPositiveWhole'),
    ...optional(config, 'previewSegmentDuration', previewDurationIn, 'BAD_INPUT.notPositive'),
    ...optional(config, 'previewExcludeStart', previewPartIn, 'BAD_INPUT.notPart'),
    ...optional(config, 'previewExcludeEnd', previewPartIn, 'BAD_INPUT.notPart'),
    ...preset(saved(config, 'previewPreset', '').trim()),
  };
  return Object.keys(options).length > 0 ? options : null;
});

/** @param which the error for a text that `read` cannot read. */
function optional<const Name extends keyof PreviewOptions, T>(
  config: Config,
  name: Name,
  read: (text: string) => T | undefined,
  which: 'BAD_INPUT.notPositiveWhole' | 'BAD_INPUT.notPositive' | 'BAD_INPUT.notPart',
): Partial<Record<Name, T>> {
  const value = config[name];
  const text = saved({ [name]: typeof value === 'number' ? String(value) : value }, name, '').trim();
  if (text === '') return {};
  const result = read(text);
  if (result === undefined) throw new StashError(which, { details: { property: name } });
  return { [name]: result } as Record<Name, T>;
}

function preset(text: string): Pick<PreviewOptions, 'previewPreset'> {
  if (text === '') return {};
  const previewPreset = previewPresets.find((one) => one === text);
  if (previewPreset === undefined) throw unknownChoice(JSON.stringify(text));
  return { previewPreset };
}
