// Guards the layout of src/ and draws it (docs/architecture.md): arrows point down, a room has one face, nothing is a circle.

/** Each room with the rooms that it may import from. All may use the ground floor: the files of src/ itself. */
const ARROWS = {
  async: [],
  paths: [],
  files: ['async'],
  http: ['async'],
  graphql: ['async', 'http'],
  downloads: ['async', 'http', 'graphql'],
  lookups: ['async', 'http', 'graphql'],
  jobs: ['async', 'http', 'graphql'],
  server: ['async', 'paths', 'http', 'graphql', 'downloads', 'lookups', 'jobs'],
  backups: ['async'],
  operations: ['async', 'paths', 'files', 'server', 'backups'],
  flow: ['async', 'files', 'server'],
};

/** Each subject of operations, and of the editor, with those that it may import from. All may use the files beside them. */
const SUBJECTS = {
  operations: {
    items: [],
    library: ['items'],
    tasks: ['library', 'items'],
    scan: ['tasks', 'library', 'items'],
    query: ['tasks', 'library'],
    find: ['library', 'items'],
    update: ['library', 'items'],
    performers: ['library', 'items'],
    plugin: [],
    playback: ['plugin', 'items'],
    changes: ['plugin', 'items'],
    dialogs: ['scan', 'tasks', 'find', 'update', 'performers', 'playback', 'plugin', 'library', 'items'],
    'connection-test': ['plugin', 'performers', 'library'],
  },
  editor: {
    server: [],
    pickers: ['server'],
    rows: ['pickers', 'server'],
    query: ['rows', 'pickers', 'server'],
    update: ['rows', 'pickers', 'server'],
    trial: ['rows', 'server', 'pickers'],
    dialog: ['rows', 'server'],
    sidebar: ['pickers'],
  },
};

const GROUND = '^src/[^/]+\\.ts$';
/** What the dialogs and the runtime share. Everything may import its files. */
const CONTRACT = '^src/contract/';

/** The words that all nodes share. Only their types are imported. */
const SHARED_WORDS = '^nodes/server/words/';

const DIALOG = '^nodes/[^/]+/dialog\\.ts$';

const arrows = Object.entries(ARROWS).map(([room, below]) => ({
  name: `arrows-of-${room}`,
  comment: `src/${room} may import from the ground floor${below.map((one) => `, ${one}`).join('')}: arrows point down.`,
  severity: 'error',
  from: { path: `^src/${room}/` },
  to: {
    path: '^(src|nodes)/',
    pathNot: [
      GROUND,
      CONTRACT,
      `^src/(${[room, ...below].join('|')})/`,
      ...(room === 'flow' ? [SHARED_WORDS] : []),
    ],
  },
}));

const subjects = Object.entries(SUBJECTS).flatMap(([room, all]) =>
  Object.entries(all).flatMap(([subject, below]) => [
    {
      name: `face-of-${room}-${subject}`,
      comment: `Others import only what src/${room}/${subject} shows in its index.ts.`,
      severity: 'error',
      from: { path: '^(src|nodes)/', pathNot: `^src/${room}/${subject}/` },
      to: { path: `^src/${room}/${subject}/`, pathNot: '/index\\.ts$' },
    },
    {
      name: `arrows-of-${room}-${subject}`,
      comment: `src/${room}/${subject} may import from ${below.join(', ') || 'no other subject'}: arrows point down.`,
      severity: 'error',
      from: { path: `^src/${room}/${subject}/` },
      to: { path: `^src/${room}/[^/]+/`, pathNot: `^src/${room}/(${[subject, ...below].join('|')})/` },
    },
  ]),
);

export default {
  forbidden: [
    {
      name: 'no-circle',
      comment: 'Files that import each other, be it for types only, cannot be read one at a time.',
      severity: 'error',
      from: { path: '^(src|nodes)/' },
      to: { circular: true },
    },
    {
      name: 'one-face',
      comment: 'Other rooms import only what a room shows in its index.ts.',
      severity: 'error',
      from: { path: '^(?:src/([^/]+)/|nodes/|src/[^/]+\\.ts$)' },
      to: {
        path: '^src/[^/]+/',
        pathNot: ['^src/$1/', '^src/[^/]+/index\\.ts$', '^src/operations/', CONTRACT],
      },
    },
    {
      name: 'ground-floor',
      comment: 'Files of src/ itself import nothing but each other, and the contract.',
      severity: 'error',
      from: { path: GROUND },
      to: { path: '^(src|nodes)/', pathNot: [GROUND, CONTRACT] },
    },
    {
      name: 'contract-alone',
      comment: 'The contract runs in Node-RED and in the browser: its files import nothing but each other.',
      severity: 'error',
      from: { path: CONTRACT },
      to: { pathNot: CONTRACT },
    },
    {
      name: 'arrows-of-nodes',
      comment:
        'Nodes import from flow, their operation, the server that both speak of, and their own folder.',
      severity: 'error',
      from: { path: '^nodes/([^/]+)/', pathNot: DIALOG },
      to: {
        path: '^(src|nodes)/',
        pathNot: [GROUND, CONTRACT, '^src/(flow|operations|server)/', '^nodes/$1/'],
      },
    },
    {
      name: 'dialogs-apart',
      comment:
        'The code of dialogs runs in the browser: it shares only the contract with what runs in Node-RED.',
      severity: 'error',
      from: { path: [DIALOG, '^src/editor/'] },
      to: { path: '^(src|nodes)/', pathNot: ['^src/editor/', CONTRACT] },
    },
    {
      name: 'node-red-above',
      comment: 'Neither operations nor anything below knows Node-RED.',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/(flow|editor)/' },
      to: { path: 'node-red' },
    },
    ...arrows,
    ...subjects,
  ],
  options: {
    includeOnly: '^(src|nodes)/|node-red',
    doNotFollow: 'node_modules',
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: { extensions: ['.ts', '.d.ts'] },
  },
};
