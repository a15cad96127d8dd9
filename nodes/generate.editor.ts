import { anyOf, jobOutputLabel, minutes, pathsInput, prepareReply, stash, TypedInput } from '../src/editor';

const kinds = [
  'sprites',
  'previews',
  'imagePreviews',
  'markers',
  'transcodes',
  'covers',
  'phashes',
  'interactiveHeatmapsSpeeds',
  'imageThumbnails',
  'clipPreviews',
];
const paths = pathsInput();
const sceneIDs = new TypedInput('sceneIDs', {
  type: 'all',
  bare: { type: 'all', label: 'generate:everything.sceneIDs' },
  item: /^"?\d+"?$/,
  invalid: 'generate:invalid.sceneIDs',
});

stash.registerType('stash-generate', {
  category: 'stash',
  color: '#AAAA66',
  icon: 'stash-generate.svg',
  inputs: 1,
  outputs: 1,
  outputLabels: jobOutputLabel,
  defaults: {
    sprites: anyOf(kinds, false, 'generate:invalid.kinds'),
    previews: { value: false },
    imagePreviews: { value: false },
    markers: { value: false },
    transcodes: { value: false },
    covers: { value: false },
    phashes: { value: false },
    interactiveHeatmapsSpeeds: { value: false },
    imageThumbnails: { value: false },
    clipPreviews: { value: false },
    overwrite: { value: false },
    forceTranscodes: { value: false },
    markerImagePreviews: { value: false },
    markerScreenshots: { value: false },
    sceneIDs: sceneIDs.value,
    sceneIDsType: sceneIDs.type,
    paths: paths.value,
    pathsType: paths.type,
    reply: { value: 'started' },
    sendFailed: { value: false },
    waitLimit: minutes('0', 'server:invalid.waitLimit'),
    stalledAfter: minutes('10', 'server:invalid.stalledAfter'),
    outputs: { value: 1 },
  },
  oneditprepare() {
    paths.show();
    sceneIDs.show();
    $('#node-input-paths')
      .on('change', () => {
        $('#stash-no-paths').toggle(paths.typeIn(this) !== 'library');
      })
      .trigger('change');
    prepareReply(this);
  },
});
