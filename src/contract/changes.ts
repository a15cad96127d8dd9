/** The fields by whose change a changes node may be limited, in the order of its dialog. */
export const changedFieldNames = [
  'title',
  'name',
  'tags',
  'performers',
  'studio',
  'rating',
  'organized',
  'favorite',
  'date',
  'details',
  'urls',
  'picture',
] as const;
