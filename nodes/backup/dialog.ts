import { isFileName, placeholders } from '../../src/contract/backup';
import { isRefusal } from '../../src/contract/refusal';
import { isAbsolutePath } from '../../src/contract/server';
import { isFilled } from '../../src/contract/values';
import {
  count,
  type EditorNode,
  isAnyTicked,
  number,
  request,
  runtimeId,
  type SelectedServer,
  sentenceOf,
  shortPath,
  showRows,
  stash,
  TypedInput,
  words,
} from '../../src/editor';

const folder = new TypedInput('folder', {
  type: 'str',
  types: ['str', 'env', 'flow', 'global'],
  bare: { type: 'message' },
  item: (value) => isAbsolutePath(String(value).trim()),
  isUsed: isFetched,
  invalid: 'backup:invalid.folder',
});
const filename = new TypedInput('filename', {
  type: 'server',
  types: ['str', 'msg', 'flow', 'global', 'env', 'jsonata'],
  bare: { type: 'server', label: 'backup:bare.filename' },
  item: (value) => isFileName(String(value).trim()),
  isUsed: isFetched,
  invalid: 'backup:invalid.filename',
});

stash.registerType('stash-backup', {
  category: 'stash',
  color: '#7DB1DC',
  icon: 'stash-backup.svg',
  inputs: 1,
  outputs: 1,
  outputLabels: (index) => words(index > 0 ? 'server:output.progress' : 'server:output.result'),
  defaults: {
    download: { value: false },
    includeBlobs: { value: false },
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
  fresh: asInLast,
  oneditprepare(server) {
    folder.show(server);
    filename.show(server);
    prepareFolder(this, server);
    prepareFileName(this);
    prepareDestination(this);
    const blobs = $('#node-input-includeBlobs');
    const note = $('#stash-without-blobs');
    blobs.on('change', () => note.toggle(!blobs.is(':checked'))).trigger('change');
    server.follow((knowledge) => {
      const lacks = knowledge.state === 'known' && knowledge.capabilities.lacks['backup'];
      const isLacking = lacks && 'includeBlobs' in lacks;
      note.text(words(isLacking ? 'backup:note.noBlobs' : 'backup:note.withoutBlobs'));
    });
  },
  labelSuffix() {
    if (this['download'] !== true) return '';
    if (this['folderType'] === 'message') return ' → msg.payload';
    const value = folder.shownIn(this, shortPath);
    return value && ` → ${value}`;
  },
});

/** What one folder needs once: with other numbers, one node would delete what another one keeps. */
const KEPT = ['keep', 'keepDaily', 'keepWeekly', 'keepMonthly'];

/** Returns the values with which a node saves to the same folder as the last other one that downloads to any, and keeps as much. */
function asInLast(this: EditorNode): object {
  let values = {};
  RED.nodes.eachNode((node) => {
    const { type, z, download, folderType = 'str' } = node;
    if (type !== 'stash-backup' || download !== true || folderType === 'message') return;
    // Another flow may have other variables, and has a context of its own.
    if (folderType !== 'str' && z !== this.z) return;
    if (!isFilled(node['folder'])) return;
    values = { download, folder: node['folder'], folderType, outputs: 2 };
    for (const name of KEPT) if (node[name] !== undefined) Object.assign(values, { [name]: node[name] });
  });
  return values;
}

/** Offers two properties of the flow file as one choice: the server's disk, a folder here, or the message. */
function prepareDestination(node: EditorNode): void {
  const destination = $('#stash-destination');
  destination.val(!isFetched(node) ? 'server' : folder.typeIn(node) === 'message' ? 'message' : 'folder');
  destination.on('change', () => {
    const chosen = String(destination.val());
    const isChosenFetched = chosen !== 'server';
    $('#node-input-download').prop('checked', isChosenFetched).trigger('change');
    $('#node-input-outputs').val(isChosenFetched ? '2' : '1');
    if (isChosenFetched) folder.use(chosen === 'folder');
    showRows(node, $('.stash-fetched'), isChosenFetched);
    showRows(node, $('.stash-in-folder'), chosen === 'folder');
    showRows(node, $('.stash-in-message'), chosen === 'message');
    $('#stash-destination-hint').text(words(`backup:hint.${chosen as 'server' | 'folder' | 'message'}`));
  });
  destination.trigger('change');
}

/** How long after the last change the folder is checked, in milliseconds. */
const CHECK_AFTER = 300;

/** Says why no backup can be saved to the folder, while people enter it. */
function prepareFolder(node: EditorNode, server: SelectedServer): void {
  const input = $('#node-input-folder');
  const note = $('#stash-folder-problem');
  let checked = '';
  let timer: ReturnType<typeof setTimeout> | undefined;
  input.on('change keyup', () => {
    const properties = { download: true, folder: input.val(), folderType: folder.typeIn(node) };
    const question = { id: server.reference.id, node: runtimeId(node), properties };
    const own = JSON.stringify(question);
    if (own === checked) return;
    checked = own;
    note.text('');
    clearTimeout(timer);
    timer = setTimeout(() => {
      void request('folder', question).then((answer) => {
        // What is wrong with the input itself shows there.
        const isProblem = own === checked && isRefusal(answer) && answer.case.startsWith('DISK.');
        if (isProblem) note.text(sentenceOf(answer, node.type));
      });
    }, CHECK_AFTER);
  });
  input.trigger('change');
}

/** Explains the placeholders of a file name that is typed here, and hides the option without effect. */
function prepareFileName(node: EditorNode): void {
  const input = $('#node-input-filename');
  input.on('change keyup', () => {
    const type = filename.typeIn(node);
    const unknown = type === 'str' ? unknownWords(String(input.val())) : [];
    $('#stash-template').toggle(type === 'str');
    $('#stash-unknown-words').text(
      unknown.length > 0 ? words('backup:note.unknownWords', { words: unknown.join(', ') }) : '',
    );
    // Stash's own names never collide.
    $('#stash-overwrite').toggle(type !== 'server');
  });
  input.trigger('change');
}

function isFetched(node: EditorNode): boolean {
  return isAnyTicked(node, ['download']);
}

/** Finds text that looks like a placeholder of a file name but is not one. */
function unknownWords(template: string): string[] {
  const known = placeholders.map((name) => `{${name}}`);
  return (template.match(/\{[^{}]+\}/g) ?? []).filter((word) => !known.includes(word));
}
