import {
  count,
  type EditorNode,
  isAnyTicked,
  number,
  showRows,
  stash,
  TypedInput,
  words,
} from '../src/editor';

const folder = new TypedInput('folder', {
  type: 'str',
  types: ['str', 'env', 'flow', 'global'],
  bare: { type: 'message', label: 'backup:bare.folder' },
  // From the root on: /, a Windows drive, or a share.
  item: /^" *(\/|[a-z]:[\\/]|\\\\\\\\)/i,
  isUsed: isFetched,
  invalid: 'backup:invalid.folder',
});
const filename = new TypedInput('filename', {
  type: 'server',
  types: ['str', 'msg', 'flow', 'global', 'env', 'jsonata'],
  bare: { type: 'server', label: 'backup:bare.filename' },
  // A character that JSON escapes, such as a quote, has a backslash there.
  item: /^" *(?!\.|(con|prn|aux|nul|com\d|lpt\d)(\.|"))[^\\/<>:|?*]*[^\\/<>:|?*. ] *"$/i,
  isUsed: isFetched,
  invalid: 'backup:invalid.filename',
});

stash.registerType('stash-backup', {
  category: 'stash',
  color: '#DEBD5C',
  icon: 'stash-backup.svg',
  inputs: 1,
  outputs: 1,
  outputLabels: (index) => words(index > 0 ? 'server:output.progress' : 'server:output.result'),
  defaults: {
    download: { value: false },
    folder: folder.value,
    folderType: folder.type,
    filename: filename.value,
    filenameType: filename.type,
    overwrite: { value: false },
    keep: count('0', 'backup:invalid.keep'),
    keepDaily: count('0', 'backup:invalid.keep'),
    keepWeekly: count('0', 'backup:invalid.keep'),
    keepMonthly: count('0', 'backup:invalid.keep'),
    quickCheck: { value: false },
    messageLimit: number('64', 'backup:invalid.messageLimit', 0.001),
    outputs: { value: 1 },
  },
  oneditprepare() {
    folder.show();
    filename.show();
    $('#node-input-filename').on('change keyup', () => {
      const isTemplate = filename.typeIn(this) === 'str';
      const unknown = isTemplate ? unknownWords(String($('#node-input-filename').val())) : [];
      $('#stash-template').toggle(isTemplate);
      $('#stash-unknown-words')
        .toggle(unknown.length > 0)
        .find('span')
        .text(words('backup:note.unknownWords', { words: unknown.join(', ') }));
    });
    $('#node-input-folder').on('change', () => {
      const isInMessage = folder.typeIn(this) === 'message';
      showRows(this, $('.stash-in-folder'), isFetched(this) && !isInMessage);
      showRows(this, $('.stash-in-message'), isFetched(this) && isInMessage);
    });
    $('#node-input-download')
      .on('change', () => {
        $('.stash-not-fetched').toggle(!isFetched(this));
        showRows(this, $('.stash-fetched'), isFetched(this));
        $('#node-input-outputs').val(isFetched(this) ? '2' : '1');
      })
      .trigger('change');
  },
});

function isFetched(node: EditorNode): boolean {
  return isAnyTicked(node, ['download']);
}

/** Finds what looks like a placeholder of a file name, but is none. */
function unknownWords(template: string): string[] {
  return template.match(/\{(?!(date|time|server|schema)\})[^{}]+\}/g) ?? [];
}
