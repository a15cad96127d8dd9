import { count, jobOutputLabel, minutes, pathsInput, prepareReply, stash } from '../src/editor';

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
    reply: { value: 'started' },
    sendFailed: { value: false },
    waitLimit: minutes('0', 'server:invalid.waitLimit'),
    stalledAfter: minutes('10', 'server:invalid.stalledAfter'),
    listNew: count('0', 'scan:invalid.listNew'),
    outputs: { value: 1 },
  },
  oneditprepare() {
    paths.show();
    prepareReply(this);
  },
});
