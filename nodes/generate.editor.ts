import {
  anyOf,
  dependOn,
  type EditorNode,
  jobOutputLabel,
  lastName,
  minutes,
  pathsInput,
  prepareReply,
  showRows,
  stash,
  TypedInput,
} from '../src/editor';

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
  bare: { type: 'all' },
  item: /^"?\d+"?$/,
  invalid: 'generate:invalid.sceneIDs',
});

stash.registerType('stash-generate', {
  category: 'stash',
  color: '#7DB1DC',
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
    dependOn('previews', ['imagePreviews']);
    dependOn('markers', ['markerImagePreviews', 'markerScreenshots']);
    dependOn('transcodes', ['forceTranscodes']);
    prepareScope(this);
    prepareReply(this);
  },
  labelSuffix() {
    const value = sceneIDs.shownIn(this) || paths.shownIn(this, lastName);
    return value && `: ${value}`;
  },
});

/** Offers two properties of the flow file as one choice: some scenes, some folders, or everything. */
function prepareScope(node: EditorNode): void {
  const scope = $('#stash-scope');
  scope.val(
    sceneIDs.typeIn(node) !== 'all' ? 'scenes' : paths.typeIn(node) !== 'library' ? 'folders' : 'all',
  );
  scope.on('change', () => {
    const chosen = scope.val();
    sceneIDs.use(chosen === 'scenes', 'payload');
    paths.use(chosen === 'folders', 'payload');
    showRows(node, $('#stash-scenes'), chosen === 'scenes');
    showRows(node, $('#stash-paths'), chosen === 'folders');
    $('#stash-no-paths').toggle(chosen === 'folders');
  });
  scope.trigger('change');
}
