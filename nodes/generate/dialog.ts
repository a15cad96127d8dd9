import {
  generateKinds,
  imageKinds,
  previewDurationIn,
  previewPartIn,
  previewSegmentsIn,
} from '../../src/contract/generate';
import { isRefusal } from '../../src/contract/refusal';
import { isVariable } from '../../src/contract/values';
import {
  anyOf,
  dependOn,
  type EditorNode,
  freshReply,
  greyUnless,
  isAnyTicked,
  jobOutputLabel,
  lastName,
  minutes,
  pathsInput,
  prepareReply,
  prepareScope,
  sceneIDsInput,
  type SelectedServer,
  stash,
  TypedInput,
  untickUnless,
  validator,
  type Value,
} from '../../src/editor';

/** Those that do not depend on others. */
const kindsOfScenes = generateKinds.filter(
  (kind) => !['markers', 'imagePreviews', ...imageKinds].includes(kind),
);
const paths = pathsInput();
const sceneIDs = sceneIDsInput();
const markerIDs = idsInput('markerIDs', 'generate:invalid.markerIDs');
const imageIDs = idsInput('imageIDs', 'generate:invalid.itemIDs');
const galleryIDs = idsInput('galleryIDs', 'generate:invalid.itemIDs');

/** The ids of nodes that were added by hand, and whose dialog was not confirmed yet. */
const added = new Set<string>();

stash.registerType('stash-generate', {
  category: 'stash',
  color: '#7DB1DC',
  icon: 'stash-generate.svg',
  inputs: 1,
  outputs: 1,
  outputLabels: jobOutputLabel,
  defaults: {
    sprites: anyOf(generateKinds, false, 'generate:invalid.kinds'),
    previews: { value: false },
    imagePreviews: { value: false },
    markers: { value: false },
    transcodes: { value: false },
    covers: { value: false },
    phashes: { value: false },
    interactiveHeatmapsSpeeds: { value: false },
    imageThumbnails: { value: false },
    clipPreviews: { value: false },
    imagePhashes: { value: false },
    overwrite: { value: false },
    forceTranscodes: { value: false },
    markerImagePreviews: { value: false },
    markerScreenshots: { value: false },
    sceneIDs: sceneIDs.value,
    sceneIDsType: sceneIDs.type,
    markerIDs: markerIDs.value,
    markerIDsType: markerIDs.type,
    imageIDs: imageIDs.value,
    imageIDsType: imageIDs.type,
    galleryIDs: galleryIDs.value,
    galleryIDsType: galleryIDs.type,
    paths: paths.value,
    pathsType: paths.type,
    reply: { value: 'started' },
    sendFailed: { value: false },
    waitLimit: minutes('0', 'server:invalid.waitLimit'),
    stalledAfter: minutes('10', 'server:invalid.stalledAfter'),
    previewSegments: ofPreviews(previewSegmentsIn, 'generate:invalid.previewSegments'),
    previewSegmentDuration: ofPreviews(previewDurationIn, 'generate:invalid.previewSegmentDuration'),
    previewExcludeStart: ofPreviews(previewPartIn, 'generate:invalid.previewExclude'),
    previewExcludeEnd: ofPreviews(previewPartIn, 'generate:invalid.previewExclude'),
    previewPreset: { value: '' },
    outputs: { value: 1 },
  },
  fresh() {
    added.add(this.id);
    return { previews: true, sprites: true, ...freshReply };
  },
  oneditprepare(server) {
    paths.show(server);
    sceneIDs.show(server);
    markerIDs.show(server);
    imageIDs.show(server);
    galleryIDs.show(server);
    dependOn('previews', ['imagePreviews']);
    greyUnless('previews', [
      'previewSegments',
      'previewSegmentDuration',
      'previewExcludeStart',
      'previewExcludeEnd',
      'previewPreset',
    ]);
    dependOn('markers', ['markerImagePreviews', 'markerScreenshots']);
    dependOn('transcodes', ['forceTranscodes']);
    prepareParts(this, server);
    prepareReply(this);
    if (added.has(this.id)) selectAsInStash(server);
  },
  oneditsave() {
    added.delete(this.id);
  },
  labelSuffix() {
    const ids = [sceneIDs, markerIDs, imageIDs, galleryIDs].map((input) => input.shownIn(this));
    const value = ids.find((shown) => shown !== '') ?? paths.shownIn(this, lastName);
    return value && `: ${value}`;
  },
});

/** Ticks what is selected on the server's own page, if that page keeps anything. Changes nothing once somebody has ticked a box. */
function selectAsInStash(server: SelectedServer): void {
  const boxes = $('[aria-labelledby="stash-kinds-label"] input');
  let isChosen = false;
  boxes.on('click', () => {
    isChosen = true;
  });
  server.follow((knowledge) => {
    const selected = knowledge.state === 'known' ? knowledge.capabilities.generate : [];
    if (isChosen || isRefusal(selected) || selected.length === 0) return;
    isChosen = true;
    boxes.each((_index, { id }) => {
      $(`#${id}`)
        .prop('checked', selected.includes(id.replace('node-input-', '')))
        .trigger('change');
    });
    $('.stash-choices > details').has(':checked').prop('open', true);
  });
}

/** Prepares the choice of what to generate for. Of markers or images alone, Stash generates nothing else. */
function prepareParts(node: EditorNode, server: SelectedServer): void {
  const foldersNote = $('#stash-no-paths');
  const isScope = (...names: string[]) => names.includes(String($('#stash-scope').val()));
  const updates = [
    untickUnless(() => !isScope('markers', 'images', 'galleries'), kindsOfScenes),
    untickUnless(() => !isScope('images', 'galleries'), ['markers']),
    untickUnless(() => !isScope('markers'), imageKinds),
  ];
  const parts = {
    scenes: { input: sceneIDs, rows: '#stash-scenes' },
    markers: { input: markerIDs, rows: '#stash-markers' },
    images: { input: imageIDs, rows: '#stash-images' },
    galleries: { input: galleryIDs, rows: '#stash-galleries' },
    folders: { input: paths, rows: '#stash-paths' },
  };
  prepareScope(node, parts, (chosen) => {
    for (const update of updates) update();
    if (chosen === 'markers') $('#stash-marker-kinds').prop('open', true);
    if (isScope('images', 'galleries')) $('#stash-image-kinds').prop('open', true);
    $('#stash-markers-note').toggle(chosen === 'markers');
    foldersNote.toggle(['images', 'galleries', 'folders'].includes(chosen));
  });
  server.follow((knowledge) => {
    // A server that is known has its own note, beside the choice.
    foldersNote.toggleClass('stash-hidden', knowledge.state === 'known');
  });
}

/** Returns an input for IDs; of nothing by default. */
function idsInput(name: string, invalid: Parameters<typeof validator>[0]): TypedInput {
  return new TypedInput(name, { type: 'none', bare: { type: 'none' }, item: /^"?\d+"?$/, invalid });
}

/** Declares a text that is empty, or that `read` can read. Without previews it has no effect, and may be anything. */
function ofPreviews(read: (text: string) => unknown, invalid: Parameters<typeof validator>[0]) {
  const isValid = (given: Value, node: EditorNode) => {
    const text = String(given ?? '').trim();
    return text === '' || isVariable(text) || read(text) !== undefined || !isAnyTicked(node, ['previews']);
  };
  return { value: '', validate: validator(invalid, isValid) };
}
