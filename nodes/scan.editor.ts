import { count, jobDefaults, jobOutputLabel, pathsInput, prepareReply, stash } from '../src/editor';

const paths = pathsInput();

stash.registerType('stash-scan', {
  category: 'stash',
  color: '#6DA67A',
  icon: 'stash-scan.svg',
  inputs: 1,
  outputs: 1,
  outputLabels: jobOutputLabel,
  defaults: {
    paths: paths.value,
    pathsType: paths.type,
    rescan: { value: false },
    scanGenerateCovers: { value: false },
    scanGeneratePreviews: { value: false },
    scanGenerateImagePreviews: { value: false },
    scanGenerateSprites: { value: false },
    scanGeneratePhashes: { value: false },
    scanGenerateThumbnails: { value: false },
    scanGenerateClipPreviews: { value: false },
    ...jobDefaults(),
    listNew: count('0', 'scan:invalid.listNew'),
  },
  oneditprepare() {
    paths.show();
    prepareReply(this);
  },
});
