/**
 * The filters of lists, for `schema.ts`, with its comments: the criteria that the fake server implements, and others for each form of
 * a criterion. Those of the interface document are in `schema.ts`.
 */
export const FILTERS = `
extend input SceneFilterType { # undocumented
  AND: SceneFilterType
  OR: SceneFilterType
  NOT: SceneFilterType
  id: IntCriterionInput # 0.18-
  title: StringCriterionInput
  details: StringCriterionInput
  phash_distance: PhashDistanceCriterionInput # 0.21-
  custom_fields: [CustomFieldCriterionInput!] # 0.31-
  rating: IntCriterionInput # -0.17
  rating100: IntCriterionInput # 0.18-
  o_counter: IntCriterionInput
  play_count: IntCriterionInput # 0.18-
  play_duration: IntCriterionInput # 0.18-
  resume_time: IntCriterionInput # 0.18-
  last_played_at: TimestampCriterionInput # 0.26-
  duration: IntCriterionInput
  resolution: ResolutionCriterionInput
  orientation: OrientationCriterionInput # 0.25-
  file_count: IntCriterionInput # 0.17-
  date: DateCriterionInput # 0.18-
  created_at: TimestampCriterionInput # 0.18-
  url: StringCriterionInput
  stash_id_endpoint: StashIDCriterionInput # 0.18-0.30
  stash_id_endpoint: StashIDCriterionInput @deprecated(reason: "use stash_ids_endpoint instead") # 0.31-
  stash_ids_endpoint: StashIDsCriterionInput # 0.31-
  captions: StringCriterionInput # 0.15-
  duplicated: PHashDuplicationCriterionInput # 0.13-0.30
  duplicated: DuplicationCriterionInput # 0.31-
  has_markers: String
  is_missing: String
  studios: HierarchicalMultiCriterionInput
  groups: HierarchicalMultiCriterionInput # 0.27-
  movies: MultiCriterionInput # -0.26
  movies: MultiCriterionInput @deprecated(reason: "use groups instead") # 0.27-
  galleries: MultiCriterionInput # 0.26-
  tags: MultiCriterionInput # -0.9
  tags: HierarchicalMultiCriterionInput # 0.10-
  tag_count: IntCriterionInput
  performer_tags: MultiCriterionInput # -0.9
  performer_tags: HierarchicalMultiCriterionInput # 0.10-
  performer_favorite: Boolean # 0.13-
  performers: MultiCriterionInput
  performer_count: IntCriterionInput
  performers_filter: PerformerFilterType # 0.27-
  studios_filter: StudioFilterType # 0.27-
  tags_filter: TagFilterType # 0.27-
}

extend input ImageFilterType { # undocumented
  AND: ImageFilterType
  OR: ImageFilterType
  NOT: ImageFilterType
  id: IntCriterionInput # 0.18-
  title: StringCriterionInput
  path: StringCriterionInput
  phash_distance: PhashDistanceCriterionInput # 0.31-
  rating: IntCriterionInput # -0.17
  rating100: IntCriterionInput # 0.18-
  o_counter: IntCriterionInput
  resolution: ResolutionCriterionInput
  orientation: OrientationCriterionInput # 0.25-
  file_count: IntCriterionInput # 0.17-
  date: DateCriterionInput # 0.19-
  created_at: TimestampCriterionInput # 0.18-
  url: StringCriterionInput # 0.19-
  is_missing: String
  studios: HierarchicalMultiCriterionInput
  galleries: MultiCriterionInput
  tags: MultiCriterionInput # -0.9
  tags: HierarchicalMultiCriterionInput # 0.10-
  tag_count: IntCriterionInput
  performers: MultiCriterionInput
  performer_count: IntCriterionInput
  performers_filter: PerformerFilterType # 0.27-
  studios_filter: StudioFilterType # 0.27-
  tags_filter: TagFilterType # 0.27-
}

extend input GalleryFilterType { # undocumented
  AND: GalleryFilterType
  OR: GalleryFilterType
  NOT: GalleryFilterType
  id: IntCriterionInput # 0.18-
  title: StringCriterionInput
  details: StringCriterionInput
  path: StringCriterionInput
  is_zip: Boolean
  parent_folder: HierarchicalMultiCriterionInput # 0.31-
  rating: IntCriterionInput # -0.17
  rating100: IntCriterionInput # 0.18-
  average_resolution: ResolutionCriterionInput
  image_count: IntCriterionInput
  file_count: IntCriterionInput # 0.17-
  date: DateCriterionInput # 0.18-
  created_at: TimestampCriterionInput # 0.18-
  url: StringCriterionInput
  is_missing: String
  studios: HierarchicalMultiCriterionInput
  scenes: MultiCriterionInput # 0.26-
  tags: MultiCriterionInput # -0.9
  tags: HierarchicalMultiCriterionInput # 0.10-
  tag_count: IntCriterionInput
  performers: MultiCriterionInput
  performer_count: IntCriterionInput
  performers_filter: PerformerFilterType # 0.27-
  studios_filter: StudioFilterType # 0.27-
  tags_filter: TagFilterType # 0.27-
}

input PerformerFilterType { # undocumented
  AND: PerformerFilterType
  OR: PerformerFilterType
  NOT: PerformerFilterType
  name: StringCriterionInput
  disambiguation: StringCriterionInput # 0.19-
  details: StringCriterionInput
  filter_favorites: Boolean
  birth_year: IntCriterionInput
  birthdate: DateCriterionInput # 0.18-
  death_date: DateCriterionInput # 0.18-
  ethnicity: StringCriterionInput
  country: StringCriterionInput
  eye_color: StringCriterionInput
  hair_color: StringCriterionInput
  height: StringCriterionInput # -0.17
  height_cm: IntCriterionInput # 0.18-
  weight: IntCriterionInput
  measurements: StringCriterionInput
  fake_tits: StringCriterionInput
  penis_length: FloatCriterionInput # 0.21-
  circumcised: CircumcisionCriterionInput # 0.21-
  career_length: StringCriterionInput # -0.30
  career_length: StringCriterionInput @deprecated(reason: "Use career_start and career_end") # 0.31-
  career_start: DateCriterionInput # 0.31-
  career_end: DateCriterionInput # 0.31-
  tattoos: StringCriterionInput
  piercings: StringCriterionInput
  aliases: StringCriterionInput
  gender: GenderCriterionInput
  is_missing: String
  tags: MultiCriterionInput # -0.9
  tags: HierarchicalMultiCriterionInput # 0.10-
  tag_count: IntCriterionInput
  scene_count: IntCriterionInput
  rating: IntCriterionInput # -0.17
  rating100: IntCriterionInput # 0.18-
  url: StringCriterionInput
  stash_id_endpoint: StashIDCriterionInput # 0.18-0.30
  stash_id_endpoint: StashIDCriterionInput @deprecated(reason: "use stash_ids_endpoint instead") # 0.31-
  stash_ids_endpoint: StashIDsCriterionInput # 0.31-
  ignore_auto_tag: Boolean # 0.14-
  custom_fields: [CustomFieldCriterionInput!] # 0.28-
  tags_filter: TagFilterType # 0.27-
  scenes_filter: SceneFilterType # 0.27-
}

input StudioFilterType { # undocumented
  AND: StudioFilterType # 0.10-
  OR: StudioFilterType # 0.10-
  NOT: StudioFilterType # 0.10-
  name: StringCriterionInput
  aliases: StringCriterionInput # 0.10-
  details: StringCriterionInput
  url: StringCriterionInput
  favorite: Boolean # 0.26-
  organized: Boolean # 0.31-
  is_missing: String
  rating: IntCriterionInput # -0.17
  rating100: IntCriterionInput # 0.18-
  parents: MultiCriterionInput
  child_count: IntCriterionInput # 0.25-
  scene_count: IntCriterionInput
  stash_id_endpoint: StashIDCriterionInput # 0.18-0.30
  stash_id_endpoint: StashIDCriterionInput @deprecated(reason: "use stash_ids_endpoint instead") # 0.31-
  stash_ids_endpoint: StashIDsCriterionInput # 0.31-
  scenes_filter: SceneFilterType # 0.27-
}

input TagFilterType { # undocumented
  AND: TagFilterType
  OR: TagFilterType
  NOT: TagFilterType
  name: StringCriterionInput
  aliases: StringCriterionInput
  description: StringCriterionInput # 0.18-
  favorite: Boolean # 0.26-
  is_missing: String
  parents: HierarchicalMultiCriterionInput # 0.10-
  children: HierarchicalMultiCriterionInput # 0.10-
  scene_count: IntCriterionInput
  marker_count: IntCriterionInput
  scenes_filter: SceneFilterType # 0.27-
}

input SceneMarkerFilterType { # undocumented
  tags: MultiCriterionInput # -0.9
  tags: HierarchicalMultiCriterionInput # 0.10-
  scene_tags: MultiCriterionInput # -0.9
  scene_tags: HierarchicalMultiCriterionInput # 0.10-
  performers: MultiCriterionInput
  scenes: MultiCriterionInput # 0.27-
  duration: FloatCriterionInput # 0.28-
  created_at: TimestampCriterionInput # 0.18-
  scene_date: DateCriterionInput # 0.18-
  scene_created_at: TimestampCriterionInput # 0.18-
  scene_filter: SceneFilterType # 0.27-
}

input GroupFilterType { # 0.27-, undocumented
  AND: GroupFilterType
  OR: GroupFilterType
  NOT: GroupFilterType
  name: StringCriterionInput
  director: StringCriterionInput
  synopsis: StringCriterionInput
  duration: IntCriterionInput
  rating100: IntCriterionInput
  date: DateCriterionInput
  created_at: TimestampCriterionInput
  is_missing: String
  studios: HierarchicalMultiCriterionInput
  performers: MultiCriterionInput
  tags: HierarchicalMultiCriterionInput
  containing_groups: HierarchicalMultiCriterionInput
  sub_group_count: IntCriterionInput
  scene_count: IntCriterionInput # 0.31-
}

input MovieFilterType { # undocumented
  AND: MovieFilterType # 0.27-
  OR: MovieFilterType # 0.27-
  NOT: MovieFilterType # 0.27-
  name: StringCriterionInput
  director: StringCriterionInput
  synopsis: StringCriterionInput
  duration: IntCriterionInput
  rating: IntCriterionInput # -0.17
  rating100: IntCriterionInput # 0.18-
  date: DateCriterionInput # 0.18-
  created_at: TimestampCriterionInput # 0.18-
  is_missing: String
  studios: HierarchicalMultiCriterionInput
  performers: MultiCriterionInput # 0.10-
  tags: HierarchicalMultiCriterionInput # 0.27-
}

input IntCriterionInput { # undocumented
  value: Int!
  modifier: CriterionModifier!
  value2: Int # 0.9-
}

input FloatCriterionInput { # 0.21-, undocumented
  value: Float!
  value2: Float
  modifier: CriterionModifier!
}

input DateCriterionInput { # 0.18-, undocumented
  value: String!
  value2: String
  modifier: CriterionModifier!
}

input TimestampCriterionInput { # 0.18-, undocumented
  value: String!
  value2: String
  modifier: CriterionModifier!
}

input MultiCriterionInput { # undocumented
  value: [ID!]
  modifier: CriterionModifier!
  excludes: [ID!] # 0.21-
}

input HierarchicalMultiCriterionInput { # undocumented
  value: [ID!]
  modifier: CriterionModifier!
  depth: Int! # -0.9
  depth: Int # 0.10-
  excludes: [ID!] # 0.21-
}

input GenderCriterionInput { # undocumented
  value: GenderEnum
  modifier: CriterionModifier!
  value_list: [GenderEnum!] # 0.25-
}

input CircumcisionCriterionInput { # 0.21-, undocumented
  value: [CircumisedEnum!] # 0.21-0.30
  value: [CircumcisedEnum!] # 0.31-
  modifier: CriterionModifier!
}

input OrientationCriterionInput { # 0.25-, undocumented
  value: [OrientationEnum!]!
}

enum OrientationEnum { # 0.25-, undocumented
  LANDSCAPE
  PORTRAIT
  SQUARE
}

input ResolutionCriterionInput { # undocumented
  value: ResolutionEnum!
  modifier: CriterionModifier!
}

enum ResolutionEnum { # undocumented
  VERY_LOW
  LOW
  R360P
  STANDARD
  WEB_HD
  STANDARD_HD
  FULL_HD
  QUAD_HD
  VR_HD # -0.21
  VR_HD @deprecated(reason: "Use 4K instead") # 0.22-
  FOUR_K
  FIVE_K
  SIX_K
  EIGHT_K
  SEVEN_K # 0.22-
  HUGE # 0.22-
}

input PhashDistanceCriterionInput { # 0.21-, undocumented
  value: String!
  modifier: CriterionModifier!
  distance: Int
}

input PHashDuplicationCriterionInput { # 0.13-0.30, undocumented
  duplicated: Boolean
  distance: Int
}

input DuplicationCriterionInput { # 0.31-, undocumented
  duplicated: Boolean @deprecated(reason: "Use phash field instead")
  distance: Int
  phash: Boolean
  url: Boolean
  stash_id: Boolean
  title: Boolean
}

input StashIDCriterionInput { # 0.18-, undocumented
  endpoint: String
  stash_id: String
  modifier: CriterionModifier!
}

input StashIDsCriterionInput { # 0.31-, undocumented
  endpoint: String
  stash_ids: [String]
  modifier: CriterionModifier!
}

input CustomFieldCriterionInput { # 0.28-, undocumented
  field: String!
  value: [Any!]
  modifier: CriterionModifier!
}

scalar Any # 0.25-, undocumented

enum FilterMode { # undocumented
  SCENES
  PERFORMERS
  STUDIOS
  GALLERIES
  SCENE_MARKERS
  MOVIES
  GROUPS # 0.27-
  TAGS
  IMAGES
}

type SavedFilter { # undocumented
  id: ID!
  mode: FilterMode!
  name: String!
  filter: String! # -0.22
  filter: String! @deprecated(reason: "use find_filter and object_filter instead") # 0.23-
  find_filter: SavedFindFilterType # 0.23-
  object_filter: Map # 0.23-
  ui_options: Map # 0.23-
}

type SavedFindFilterType { # 0.23-, undocumented
  q: String
  page: Int
  per_page: Int
  sort: String
  direction: SortDirectionEnum
}
`;
