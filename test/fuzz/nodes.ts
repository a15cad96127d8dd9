const finished = { reply: 'finished', waitLimit: '0.02' };

/** What all kinds of items have. */
const changes = [
  { field: 'tags', action: 'add', value: '["Documentary", "New"]', valueType: 'json' },
  { field: 'rating', action: 'set', value: '80', valueType: 'num' },
  { field: 'details', action: 'set', value: 'Seen', valueType: 'str' },
  { field: 'urls', action: 'add', value: 'https://test.example/1', valueType: 'str' },
];

/** Each node, so that it asks for as much as it can with one set of properties. */
export const nodes = {
  scan: { listNew: '2', ...finished },
  generate: { sprites: true, sceneIDs: '["1"]', sceneIDsType: 'json', ...finished },
  task: { task: 'metadataAutoTag', ...finished },
  backup: { download: true, folderType: 'message', messageLimit: '1', quickCheck: true },
  studios: {},
  'performer-search': { query: 'Robin', queryType: 'str' },
  'performer-scrape': { performer: 'Robin Vale', performerType: 'str' },
  'performer-save': { performer: '{"name":"Robin Vale","country":"DE"}', performerType: 'json' },
  query: {
    document: 'query ($filter: FindFilterType) { findScenes(filter: $filter) { count scenes { id title } } }',
    pages: true,
    perPage: '2',
  },
  find: { search: 'a', limit: '2', picture: 'buffer' },
  update: { items: '["1"]', itemsType: 'json', create: true, changes },
  status: {
    fields: [
      'databaseSchema',
      'databasePath',
      'configPath',
      'appSchema',
      'status',
      'jobs',
      'version',
      'stats',
    ],
  },
  pause: { paused: 'true', pausedType: 'bool' },
  stop: { jobType: 'all' },
  jobs: { progress: true, reach: true },
  new: { images: true, galleries: true, picture: true },
  playback: { events: ['started', 'progress', 'stopped'], picture: 'buffer' },
  changes: { removed: true, own: true },
};
