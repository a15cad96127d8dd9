/** Attributes of a performer, as the interface document names them (part 2). */
export const documentedFields = [
  'name',
  'url',
  'twitter',
  'instagram',
  'birthdate',
  'ethnicity',
  'country',
  'eye_color',
  'height',
  'measurements',
  'fake_tits',
  'career_length',
  'tattoos',
  'piercings',
  'aliases',
] as const;

/** All selectable attributes: also those that real servers give beyond the interface document. All can be saved. */
export const performerFields = [
  ...documentedFields,
  'gender',
  'disambiguation',
  'hair_color',
  'weight',
  'death_date',
  'details',
  'urls',
  'penis_length',
  'circumcised',
  'career_start',
  'career_end',
  'picture',
] as const;
