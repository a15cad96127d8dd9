import assert from 'node:assert/strict';
import type { FakeStash } from '../fake-stash/fake-stash';
import { words } from '../flow/words';
import type { Dialog } from './dialog';
import type { Editor, FlowNode } from './editor';
import { eventually } from './eventually';
import { SERVER, type Stage } from './stage';
import { otherTask } from '../fake-stash/tasks';

const NO_SERVER = 'Server: property value missing';

/** What somebody does with a node of a type, and what is to be seen. */
interface Tried {
  /** Fills in the rest of the dialog with something wrong, and sees what is told about it there. */
  mistake?: (dialog: Dialog) => Promise<void>;
  /** The reasons that a node which is left like that tells, beside that no server is chosen. */
  reasons?: string[];
  correct?: (dialog: Dialog) => Promise<void>;
  /** What is saved in the end, beside the name and the server. */
  kept: Record<string, unknown>;
  /** What of it the dialog shows in other words. */
  shown?: Record<string, unknown>;
  answers: Answer[];
  /** What is under the node after the last answer. */
  status: RegExp;
}

interface Answer {
  /** Which of the two inject nodes is pressed: the first sends "Robin Vale", the other "Robin". */
  inject?: 0 | 1;
  /** What happens at the server instead, for a node without an input. */
  happens?: (stash: FakeStash) => void;
  output?: 0 | 1;
  payload: RegExp;
  summary: RegExp;
}

const tried: Record<string, Tried> = {
  scan: {
    mistake: async (dialog) => {
      await dialog.chooseType('paths', 'msg.');
      await dialog.text(words('server', 'invalid.paths')).waitFor();
      await dialog.chooseType('paths', 'JSON');
      await dialog.typeValue('paths', '["/media/videos"');
      await dialog.tells('paths', /^Invalid JSON data/);
      await dialog.typeValue('paths', '[""]');
      await dialog.text(words('server', 'invalid.paths')).waitFor();
      await dialog.choose('reply', words('server', 'reply.finished'));
      await dialog.type('listNew', '2.5');
      await dialog.tells('listNew', words('scan', 'invalid.listNew'));
      await dialog.type('waitLimit', '');
      await dialog.tells('waitLimit', words('server', 'invalid.waitLimit'));
      await dialog.type('stalledAfter', '-1');
      await dialog.tells('stalledAfter', words('server', 'invalid.stalledAfter'));
    },
    reasons: [
      words('server', 'invalid.paths'),
      words('server', 'invalid.waitLimit'),
      words('server', 'invalid.stalledAfter'),
      words('scan', 'invalid.listNew'),
    ],
    correct: async (dialog) => {
      await dialog.typeValue('paths', '["/media/videos"]');
      await dialog.text(words('server', 'invalid.paths')).waitFor({ state: 'hidden' });
      await dialog.tick('scanGenerateCovers');
      await dialog.tick('rescan');
      await dialog.type('listNew', '3');
      await dialog.tick('sendFailed');
      await dialog.type('waitLimit', '0.5');
      await dialog.type('stalledAfter', '0');
    },
    kept: {
      paths: '["/media/videos"]',
      pathsType: 'json',
      rescan: true,
      scanGenerateCovers: true,
      scanGeneratePreviews: false,
      scanGenerateImagePreviews: false,
      scanGenerateSprites: false,
      scanGeneratePhashes: false,
      scanGenerateThumbnails: false,
      scanGenerateClipPreviews: false,
      reply: 'finished',
      sendFailed: true,
      waitLimit: '0.5',
      stalledAfter: '0',
      listNew: '3',
      outputs: 2,
    },
    shown: { reply: words('server', 'reply.finished'), outputs: '2' },
    answers: [{ payload: /status: "FINISHED"/, summary: /home has scanned \/media\/videos: / }],
    status: /^done in /,
  },
  generate: {
    mistake: async (dialog) => {
      await dialog.text(words('generate', 'invalid.kinds')).waitFor();
      assert.ok(await dialog.isFlagged('sprites'));
      // Options alone are nothing to generate.
      await dialog.tick('overwrite');
      assert.ok(await dialog.isFlagged('sprites'));
      await dialog.chooseType('sceneIDs', 'string');
      await dialog.typeValue('sceneIDs', 'the first');
      await dialog.text(words('generate', 'invalid.sceneIDs')).waitFor();
      await dialog.chooseType('paths', 'string');
      await dialog.text(words('server', 'invalid.paths')).waitFor();
      await dialog.text(words('generate', 'noPaths')).waitFor();
    },
    reasons: [
      words('generate', 'invalid.kinds'),
      words('generate', 'invalid.sceneIDs'),
      words('server', 'invalid.paths'),
    ],
    correct: async (dialog) => {
      await dialog.tick('clipPreviews');
      await dialog.text(words('generate', 'invalid.kinds')).waitFor({ state: 'hidden' });
      await dialog.tick('markers');
      await dialog.tick('markerScreenshots');
      await dialog.typeValue('sceneIDs', '2');
      await dialog.text(words('generate', 'invalid.sceneIDs')).waitFor({ state: 'hidden' });
      await dialog.chooseType('paths', words('server', 'everything.library'));
      await dialog.text(words('generate', 'noPaths')).waitFor({ state: 'hidden' });
    },
    kept: {
      sprites: false,
      previews: false,
      imagePreviews: false,
      markers: true,
      markerImagePreviews: false,
      markerScreenshots: true,
      transcodes: false,
      forceTranscodes: false,
      covers: false,
      phashes: false,
      interactiveHeatmapsSpeeds: false,
      imageThumbnails: false,
      clipPreviews: true,
      overwrite: true,
      sceneIDs: '2',
      sceneIDsType: 'str',
      paths: '',
      pathsType: 'library',
      reply: 'started',
      sendFailed: false,
      waitLimit: '0',
      stalledAfter: '10',
      outputs: 1,
    },
    shown: { reply: words('server', 'reply.started'), outputs: '1' },
    answers: [
      { payload: /status: "STARTED"/, summary: /home is generating content for 1 scene \(job \d+\)\./ },
    ],
    status: /^started job \d+$/,
  },
  backup: {
    mistake: async (dialog) => {
      await dialog.tick('download');
      await dialog.text(words('backup', 'invalid.folder')).waitFor();
      await dialog.chooseType('filename', 'string');
      await dialog.typeValue('filename', '../stash');
      await dialog.text(words('backup', 'invalid.filename')).waitFor();
      await dialog.type('keep', 'all');
      await dialog.tells('keep', words('backup', 'invalid.keep'));
    },
    reasons: ['invalid.folder', 'invalid.filename', 'invalid.keep'].map((reason) => words('backup', reason)),
    correct: async (dialog) => {
      await dialog.typeValue('filename', '{server} {date}.sqlite');
      await dialog.tick('overwrite');
      await dialog.type('keep', '10');
      await dialog.chooseType('folder', words('backup', 'bare.folder'));
      await dialog.type('messageLimit', '8');
    },
    kept: {
      download: true,
      folder: '',
      folderType: 'message',
      filename: '{server} {date}.sqlite',
      filenameType: 'str',
      overwrite: true,
      keep: '10',
      keepDaily: '0',
      keepWeekly: '0',
      keepMonthly: '0',
      quickCheck: false,
      messageLimit: '8',
      outputs: 2,
    },
    shown: { outputs: '2' },
    answers: [
      {
        payload: /^\[ 83, 81, 76, 105, 116, 101, /,
        summary: /home has been backed up into the message \([^)]+\): whole\./,
      },
    ],
    status: /^backup fetched$/,
  },
  studios: {
    ...fieldsTried(['name', 'scene_count']),
    answers: [{ payload: /^\[ (object,? ){6}\]$/, summary: /home has 6 studios\./ }],
    status: /^6 studios$/,
  },
  status: {
    ...fieldsTried(['databaseSchema', 'status']),
    answers: [{ payload: /databaseSchema: \d+, status: "OK"/, summary: /home reports its status as OK\./ }],
    status: /^OK$/,
  },
  'performer-search': {
    mistake: async (dialog) => {
      await dialog.typeValue('query', '');
      await dialog.tells('query', words('performer-search', 'invalid.query'));
    },
    reasons: [words('performer-search', 'invalid.query')],
    correct: async (dialog) => {
      await dialog.chooseType('query', 'string');
      await dialog.typeValue('query', 'Maeve');
      await dialog.tick('split');
    },
    kept: { query: 'Maeve', queryType: 'str', source: '', split: true },
    answers: [{ payload: /^"Maeve O'Connell"$/, summary: /1 performer matches “Maeve”\./ }],
    status: /^1 match$/,
  },
  'performer-scrape': {
    mistake: async (dialog) => {
      await dialog.chooseType('performer', 'JSON');
      for (const wrong of ['{}', '["Robin Vale", "Amara Osei"]', '""']) {
        await dialog.typeValue('performer', wrong);
        await dialog.text(words('performer-scrape', 'invalid.performer')).waitFor();
      }
      for (const right of ['{"name": "Robin Vale", "url": "https://x.example"}', '["Robin Vale"]']) {
        await dialog.typeValue('performer', right);
        await dialog.text(words('performer-scrape', 'invalid.performer')).waitFor({ state: 'hidden' });
      }
      await noField(dialog);
      await dialog.type('listMaxAge', 'long');
      await dialog.tells('listMaxAge', words('performer-scrape', 'invalid.listMaxAge'));
      await dialog.chooseType('performer', 'msg.');
      // The last one: Tab takes the first property that the editor suggests.
      await dialog.typeValue('performer', '');
      await dialog.tells('performer', words('performer-scrape', 'invalid.performer'));
    },
    reasons: ['invalid.performer', 'invalid.fields', 'invalid.listMaxAge'].map((reason) =>
      words('performer-scrape', reason),
    ),
    correct: async (dialog) => {
      await someFields(dialog, ['name', 'country']);
      await dialog.type('listMaxAge', '0.5');
      await dialog.typeValue('performer', 'payload.name');
    },
    kept: {
      performer: 'payload.name',
      performerType: 'msg',
      fields: ['name', 'country'],
      source: '',
      listMaxAge: '0.5',
    },
    answers: [
      { payload: /name: "Robin Vale", country: "CA"/, summary: /Robin Vale was found\./ },
      {
        inject: 1,
        output: 1,
        payload: /^\[ object, object \]$/,
        summary: /“Robin” is not in the site's list; 2 other names match\./,
      },
    ],
    status: /^not in the list$/,
  },
  jobs: {
    mistake: async (dialog) => {
      await dialog.tick('started');
      assert.equal(await dialog.isFlagged('started'), false, 'one is enough');
      await dialog.tick('ended');
      await dialog.text(words('jobs', 'invalid.events')).waitFor();
      assert.ok(await dialog.isFlagged('started'));
    },
    reasons: [words('jobs', 'invalid.events')],
    correct: async (dialog) => {
      await dialog.tick('ended');
      await dialog.text(words('jobs', 'invalid.events')).waitFor({ state: 'hidden' });
    },
    kept: { started: false, progress: false, ended: true },
    answers: [
      {
        happens: ({ jobs }) => jobs.add(otherTask('Cleaning...', 'Cleaning')),
        payload: /status: "FINISHED", description: "Cleaning..."/,
        summary: /Job \d+ \(Cleaning\) at home has finished: /,
      },
    ],
    status: /^Stash v0\.30\.1$/,
  },
  stop: {
    mistake: async (dialog) => {
      await dialog.chooseType('job', 'string');
      await dialog.typeValue('job', 'the first');
      await dialog.text(words('stop', 'invalid.job')).waitFor();
    },
    reasons: [words('stop', 'invalid.job')],
    correct: async (dialog) => {
      await dialog.typeValue('job', '12');
      await dialog.text(words('stop', 'invalid.job')).waitFor({ state: 'hidden' });
      await dialog.chooseType('job', words('stop', 'everything.job'));
    },
    kept: { job: '', jobType: 'all' },
    answers: [{ payload: /stopped: /, summary: /home has no job to stop\./ }],
    status: /^nothing to stop$/,
  },
};

/** A list of fields without any, and then with some. */
function fieldsTried(chosen: string[]) {
  return {
    mistake: noField,
    correct: (dialog: Dialog) => someFields(dialog, chosen),
    kept: { fields: chosen },
  };
}

async function noField(dialog: Dialog): Promise<void> {
  await dialog.chooseField('none');
  await dialog.text(words('server', 'choices.least')).waitFor();
  assert.ok(await dialog.isFlagged('fields'));
}

async function someFields(dialog: Dialog, chosen: string[]): Promise<void> {
  for (const field of chosen) await dialog.chooseField(field);
  await dialog.text(words('server', 'choices.least')).waitFor({ state: 'hidden' });
}

/** Full nodes, as an export has them: a tab for each node with what stands before it and behind it. */
export function flowsAround(): object[] {
  return Object.keys(tried).flatMap((name) => [
    { id: name, type: 'tab', label: name, disabled: false, info: '' },
    ...['Robin Vale', 'Robin'].map((performer, index) => ({
      id: `${name}-inject${index}`,
      type: 'inject',
      z: name,
      name: performer,
      props: [{ p: 'payload' }],
      repeat: '',
      crontab: '',
      once: false,
      onceDelay: 0.1,
      topic: '',
      payload: JSON.stringify({ name: performer }),
      payloadType: 'json',
      x: 120,
      y: 100 + 100 * index,
      wires: [],
    })),
    ...['payload', 'stash.summary'].map((property, index) => ({
      id: `${name}-${property.replace('.', '-')}`,
      type: 'debug',
      z: name,
      name: property,
      active: true,
      tosidebar: true,
      console: false,
      tostatus: false,
      complete: property,
      targetType: 'msg',
      statusVal: '',
      statusType: 'auto',
      x: 620,
      y: 100 + 100 * index,
      wires: [],
    })),
  ]);
}

/** Every node by hand, from the palette to the answer. */
export function describeActionNodes(stage: Stage): void {
  for (const [name, one] of Object.entries(tried)) {
    it(`stash-${name}: drag, fill in, correct, deploy, ask, and find everything kept`, async () => {
      const node = await placed(stage, name, one);
      await filledIn(stage, node, name, one);
      await asked(stage, node, name, one);
    });
  }
}

/** Drags the node from the palette and wires it. */
async function placed({ editor }: Stage, name: string, { answers }: Tried): Promise<FlowNode> {
  await editor.show(name);
  const node = await editor.drag(`stash-${name}`, 360, 160);
  if (!answers.some(({ happens }) => happens)) {
    for (const inject of injectsOf(editor, name)) await editor.wire(inject, node);
  }
  for (const { output = 0 } of answers) {
    for (const debug of debugsOf(editor, name)) await editor.wire(node, debug, output);
  }
  return node;
}

/** Fills the dialog in with something wrong first. */
async function filledIn({ editor }: Stage, node: FlowNode, name: string, one: Tried): Promise<void> {
  let dialog = await editor.openDialog(node);
  await dialog.type('name', `my ${name}`);
  assert.equal((await dialog.values())['server'], 'none');
  await dialog.tells('server', NO_SERVER);
  await one.mistake?.(dialog);
  if (one.reasons) {
    await dialog.close();
    assert.deepEqual((await node.reasons()).slice(1), [NO_SERVER, ...one.reasons]);
    dialog = await editor.openDialog(node);
  }
  await dialog.choose('server', SERVER.name);
  await one.correct?.(dialog);
  assert.equal(await editor.page.locator('#dialog-form .input-error').count(), 0);
  await node.flag.waitFor();
  await dialog.close();
  await node.flag.waitFor({ state: 'hidden' });
}

/** Deploys, sends the messages, and looks at all that has come of it. */
async function asked(
  { editor, nodeRed, stash }: Stage,
  node: FlowNode,
  name: string,
  one: Tried,
): Promise<void> {
  const [payload, summary] = debugsOf(editor, name);
  await editor.deploy();
  for (const answer of one.answers) {
    if (answer.happens) answer.happens(stash);
    else await injectsOf(editor, name)[answer.inject ?? 0].press();
    await eventually(() => editor.debugged(payload).last().innerText(), matching(answer.payload));
    await eventually(() => editor.debugged(summary).last().innerText(), matching(answer.summary));
  }
  assert.equal(await editor.debugged(payload).count(), one.answers.length);

  const kept = { name: `my ${name}`, ...one.kept };
  const dialog = await editor.openDialog(node);
  assert.deepEqual(await dialog.values(), { ...kept, ...one.shown, server: SERVER.name });
  await dialog.close();
  const flows = (await nodeRed.get('flows')) as Record<string, unknown>[];
  const saved = flows.find(({ id }) => id === node.id) ?? {};
  for (const [property, value] of Object.entries({ ...kept, server: SERVER.id })) {
    assert.deepEqual(saved[property], value, property);
  }
  await eventually(() => node.status.textContent(), matching(one.status));
}

function injectsOf(editor: Editor, name: string) {
  return [editor.node(`${name}-inject0`), editor.node(`${name}-inject1`)] as const;
}

function debugsOf(editor: Editor, name: string) {
  return [editor.node(`${name}-payload`), editor.node(`${name}-stash-summary`)] as const;
}

function matching(pattern: RegExp): (text: string | null) => void {
  return (text) => {
    assert.match(text ?? '', pattern);
  };
}
