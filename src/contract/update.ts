export const updateKinds = ['scene', 'image', 'gallery', 'performer'] as const;
/** A kind of items that an update can change. */
export type UpdateKind = (typeof updateKinds)[number];

/** What to do with a field. */
export type UpdateAction = 'add' | 'remove' | 'set' | 'clear';

const withFiles = ['scene', 'image', 'gallery'] as const;

/** The fields that an update can change: the kinds that have each, and what can be done with it. */
export const updateFields = {
  tags: { kinds: updateKinds, actions: ['add', 'remove', 'set'] },
  performers: { kinds: withFiles, actions: ['add', 'remove', 'set'] },
  studio: { kinds: withFiles, actions: ['set', 'clear'] },
  rating: { kinds: updateKinds, actions: ['set', 'clear'] },
  organized: { kinds: withFiles, actions: ['set'] },
  favorite: { kinds: ['performer'], actions: ['set'] },
  title: { kinds: withFiles, actions: ['set', 'clear'] },
  details: { kinds: updateKinds, actions: ['set', 'clear'] },
  date: { kinds: withFiles, actions: ['set', 'clear'] },
  urls: { kinds: updateKinds, actions: ['add', 'remove', 'set'] },
  playCount: { kinds: ['scene'], actions: ['add'] },
  oCounter: { kinds: ['scene', 'image'], actions: ['add'] },
} as const satisfies Record<string, { kinds: readonly UpdateKind[]; actions: readonly UpdateAction[] }>;

export type UpdateField = keyof typeof updateFields;
