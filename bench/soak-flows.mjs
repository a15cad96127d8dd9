// The flows of the soak, with every node of the package for each of two servers, and the messages for them.

export const USER = 'soak';
export const PASSWORD = 'a password of the soak';
/** The number of scenes in each library, besides those of a new server. */
export const SCENES = 120;
/** How many backups a folder keeps. */
export const KEEP = 5;

/** The servers, by letter: the newest is followed on a WebSocket and has a user, the older one must be polled. */
export const SERVERS = {
  a: { release: 'v0.30.1', hasUser: true },
  b: { release: 'v0.11.0', hasUser: false },
};

const DOCUMENTS = {
  pages: 'query Soak($filter: FindFilterType) { findScenes(filter: $filter) { count scenes { id title } } }',
  mutate: 'mutation Soak($name: String!) { performerCreate(input: { name: $name }) { id } }',
};
/** Short, so that every message ends in a calm. */
const LIMITS = { pause: 0.2, retryFor: 0.2, timeout: 3, lookupTimeout: 4, backupTimeout: 12 };
const JOB = { reply: 'finished', waitLimit: '0.3' };
const PAGES = { document: DOCUMENTS.pages, pages: true, perPage: 30 };
const OF_MESSAGE = { paths: 'payload', pathsType: 'msg' };
const SECOND = { outputs: 2 };
const PLUGIN = { task: 'runPluginTask', plugin: 'tidy', pluginTask: 'Tidy up' };
const PATH = '/media/videos/soak-<number>-/a.mp4';

/** A scan of the message's path. */
const SCAN = { payload: PATH, mutation: 'metadataScan' };

/**
 * The nodes by name. From the text `soak-<number>-` in the variables of a mutation, the soak knows the message that it
 * was sent for.
 */
export const nodes = {
  scan: node('stash-scan', 4, OF_MESSAGE, SCAN),
  wait: node('stash-scan', 6, { ...OF_MESSAGE, ...JOB, ...SECOND, listNew: 3 }, { ...SCAN, progress: 1 }),
  collect: node(
    'stash-scan',
    6,
    { ...OF_MESSAGE, ...JOB, ...SECOND, collect: '0.4', collectAtMost: '2' },
    { ...SCAN, progress: 1, burst: 40 },
  ),
  settle: node('stash-scan', 2, { ...OF_MESSAGE, settle: '1' }, { mutation: 'metadataScan', isFile: true }),
  whole: node('stash-scan', 0.7, { ...JOB, ...SECOND }, { progress: 1 }),
  generate: node(
    'stash-generate',
    3,
    { ...JOB, sprites: true, sceneIDs: 'payload', sceneIDsType: 'msg' },
    { mutation: 'metadataGenerate', isOfScenes: true },
  ),
  task: node(
    'stash-task',
    4,
    { ...PLUGIN, ...JOB, options: 'payload', optionsType: 'msg' },
    { payload: { of: 'soak-<number>-' }, mutation: 'runPluginTask' },
  ),
  mutate: node(
    'stash-query',
    4,
    { document: DOCUMENTS.mutate, variables: 'payload', variablesType: 'msg' },
    { payload: { name: 'soak-<number>- mutated' }, mutation: 'performerCreate' },
  ),
  save: node('stash-performer-save', 3, SECOND, {
    payload: { name: 'soak-<number>- saved' },
    mutation: 'performerCreate',
  }),
  pages: node('stash-query', 2, PAGES, { isSequence: true }),
  paced: node('stash-query', 2, { ...PAGES, nextPage: 'returned' }, { isSequence: true, isPaced: true }),
  backupThere: node('stash-backup', 0.5),
  backup: node(
    'stash-backup',
    1.5,
    { ...SECOND, download: true, keep: String(KEEP), quickCheck: true },
    { progress: 1 },
  ),
  backupHere: node('stash-backup', 1, { download: true, folderType: 'message' }),
  studios: node('stash-studios', 3),
  status: node('stash-status', 4, { fields: ['status', 'jobs', 'version', 'stats'] }, { burst: 30 }),
  search: node(
    'stash-performer-search',
    1.2,
    { split: true },
    { payload: 'a', burst: 8, isSequence: true, isLookUp: true },
  ),
  scrape: node('stash-performer-scrape', 1.2, SECOND, { payload: 'Hana Mori', isLookUp: true }),
  stop: node('stash-stop', 1, {}, { payload: '9<number>' }),
  stopAll: node('stash-stop', 0.3, { jobType: 'all' }),
};

/** The nodes without an input. */
const TRIGGERS = {
  jobs: { type: 'stash-jobs', progress: true, reach: true },
  new: { type: 'stash-new', scenes: true, images: true, galleries: true, picture: 'buffer' },
};

/**
 * Describes a node.
 * @param share how often it gets a message, compared with the others.
 * @param properties those in the flow file.
 * @param about `payload`: of its messages. `mutation`: what each of them stands for. `progress`: the output for it. `burst`: the messages of
 * a burst.
 */
function node(type, share, properties = {}, about = {}) {
  return { type, share, properties, ...about };
}

/** Returns the flows with just the drivers. */
export function bareFlows() {
  return Object.keys(SERVERS).flatMap((letter) => frameOf(letter));
}

/** Returns all flows. `folders` are those of the server's files and of its backups, as this machine sees them. */
export function wholeFlows(urls, folders) {
  return Object.entries(SERVERS).flatMap(([letter, { hasUser }]) => {
    const at = { z: `${letter}-tab`, x: 10, y: 10 };
    const server = `${letter}-server`;
    const driver = `${letter}-driver`;
    const { media, backups } = folders[letter];
    return [
      ...frameOf(letter, Object.keys(nodes)),
      {
        id: server,
        type: 'stash-server',
        name: letter,
        url: urls[letter],
        auth: hasUser ? 'session' : 'none',
        pathMap: [{ here: media, there: '/media/videos' }],
        ...LIMITS,
        ...(hasUser && { credentials: { username: USER, password: PASSWORD } }),
      },
      ...Object.entries(nodes).map(([name, { type, properties, isPaced }]) => {
        const id = `${letter}-${name}`;
        const wires = [isPaced ? [driver, id] : [driver], ...(properties.outputs === 2 ? [[driver]] : [])];
        return {
          id,
          type,
          ...at,
          server,
          ...(type === 'stash-backup' && { folder: backups }),
          ...properties,
          wires,
        };
      }),
      ...Object.entries(TRIGGERS).map(([name, properties]) => {
        return { id: `${letter}-${name}`, ...at, server, ...properties, wires: [[driver]] };
      }),
      { id: `${letter}-caught`, type: 'catch', scope: null, ...at, wires: [[driver]] },
    ];
  });
}

function frameOf(letter, targets = []) {
  const tab = `${letter}-tab`;
  const wires = targets.map((target) => [`${letter}-${target}`]);
  return [
    { id: tab, type: 'tab', label: letter },
    {
      id: `${letter}-driver`,
      type: 'bench-soak-driver',
      server: letter,
      targets,
      z: tab,
      x: 10,
      y: 10,
      wires,
    },
  ];
}
