import { pastTimeIn } from '../../src/contract/past-time';
import {
  count,
  dependOn,
  dependOnNumber,
  freshReply,
  jobOutputLabel,
  lastName,
  minutes,
  number,
  pathsInput,
  prepareReply,
  stash,
  TypedInput,
  words,
} from '../../src/editor';

const paths = pathsInput('scan:everything.paths');
const minModTime = new TypedInput('minModTime', {
  type: 'any',
  types: ['msg', 'flow', 'global', 'str', 'env', 'jsonata'],
  bare: { type: 'any', label: 'scan:everything.minModTime' },
  item: (value) => pastTimeIn(String(value).trim()) !== undefined,
  invalid: 'scan:invalid.minModTime',
});

stash.registerType('stash-scan', {
  category: 'stash',
  color: '#7DB1DC',
  icon: 'stash-scan.svg',
  inputs: 1,
  outputs: 1,
  outputLabels: jobOutputLabel,
  defaults: {
    paths: paths.value,
    pathsType: paths.type,
    settle: number('0', 'scan:invalid.seconds'),
    temporaryNames: {
      value:
        '*.part *.partial *.filepart *.crdownload *.opdownload *.download *.!qB *.!ut *.aria2 *.tmp *.temp ' +
        '_UNPACK_* .syncthing.*.tmp .*.??????',
    },
    collect: number('0', 'scan:invalid.seconds'),
    collectAtMost: number('300', 'scan:invalid.seconds'),
    minModTime: minModTime.value,
    minModTimeType: minModTime.type,
    rescan: { value: false },
    scanGenerateCovers: { value: false },
    scanGeneratePreviews: { value: false },
    scanGenerateImagePreviews: { value: false },
    scanGenerateSprites: { value: false },
    scanGeneratePhashes: { value: false },
    scanGenerateImagePhashes: { value: false },
    scanGenerateThumbnails: { value: false },
    scanGenerateClipPreviews: { value: false },
    reply: { value: 'started' },
    sendFailed: { value: false },
    waitLimit: minutes('0', 'server:invalid.waitLimit'),
    stalledAfter: minutes('10', 'server:invalid.stalledAfter'),
    listNew: count('5', 'scan:invalid.listNew'),
    outputs: { value: 1 },
  },
  // As Stash's own page.
  fresh: () => ({ scanGenerateCovers: true, ...freshReply }),
  oneditprepare(server) {
    paths.show(server);
    const libraryNote = $('<div>', { class: 'stash-hint', text: words('scan:note.library') });
    libraryNote.appendTo('#stash-paths .stash-value');
    $('#node-input-paths')
      .on('change', () => libraryNote.toggle(!paths.isUsed()))
      .trigger('change');
    minModTime.show(server);
    $('#node-input-minModTime')
      .on('change', () => $('#stash-since-note').toggle(minModTime.isUsed()))
      .trigger('change');
    dependOn('scanGeneratePreviews', ['scanGenerateImagePreviews']);
    dependOnNumber('settle', 'temporaryNames');
    dependOnNumber('collect', 'collectAtMost');
    prepareReply(this);
  },
  labelSuffix() {
    const value = paths.shownIn(this, lastName);
    return value && `: ${value}`;
  },
});
