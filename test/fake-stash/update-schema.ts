/** What `schema.ts` has of mutations that change items, in the same form. */
export const UPDATES = `
extend type Mutation { # undocumented
  bulkSceneUpdate(input: BulkSceneUpdateInput!): [Scene!]
  sceneIncrementO(id: ID!): Int! # -0.24
  sceneIncrementO(id: ID!): Int! @deprecated(reason: "Use sceneAddO instead") # 0.25-
  bulkImageUpdate(input: BulkImageUpdateInput!): [Image!]
  imageIncrementO(id: ID!): Int!
  galleryUpdate(input: GalleryUpdateInput!): Gallery
  bulkGalleryUpdate(input: BulkGalleryUpdateInput!): [Gallery!]
  bulkPerformerUpdate(input: BulkPerformerUpdateInput!): [Performer!]
  studioCreate(input: StudioCreateInput!): Studio
  tagCreate(input: TagCreateInput!): Tag
  sceneAddO(id: ID!, times: [Timestamp!]): HistoryMutationResult! # 0.25-
}

extend type Scene { # undocumented
  url: String # -0.21
  url: String @deprecated(reason: "Use urls") # 0.22-
  urls: [String!] # 0.22-0.22
  urls: [String!]! # 0.23-
}

extend type Image { # 0.19-, undocumented
  url: String # -0.22
  url: String @deprecated(reason: "Use urls") # 0.23-
  urls: [String!]! # 0.23-
  details: String # 0.24-
}

extend type Gallery { # undocumented
  url: String # -0.22
  url: String @deprecated(reason: "Use urls") # 0.23-
  details: String
  urls: [String!]! # 0.23-
}

extend type Performer { # undocumented
  tags: [Tag!]!
}

input BulkSceneUpdateInput { # undocumented
  clientMutationId: String
  ids: [ID!]
  title: String
  details: String
  url: String # -0.21
  url: String @deprecated(reason: "Use urls") # 0.22-
  date: String
  rating: Int # -0.17
  rating: Int @deprecated(reason: "Use 1-100 range with rating100") # 0.18-0.23
  organized: Boolean
  studio_id: ID
  gallery_ids: BulkUpdateIds
  performer_ids: BulkUpdateIds
  tag_ids: BulkUpdateIds
  movie_ids: BulkUpdateIds # 0.10-0.26
  movie_ids: BulkUpdateIds @deprecated(reason: "Use group_ids") # 0.27-
  code: String # 0.18-
  director: String # 0.18-
  rating100: Int # 0.18-
  urls: BulkUpdateStrings # 0.22-
  group_ids: BulkUpdateIds # 0.27-
  custom_fields: CustomFieldsInput # 0.31-
}

input BulkImageUpdateInput { # undocumented
  clientMutationId: String
  ids: [ID!]
  title: String
  rating: Int # -0.17
  rating: Int @deprecated(reason: "Use 1-100 range with rating100") # 0.18-0.23
  organized: Boolean
  studio_id: ID
  performer_ids: BulkUpdateIds
  tag_ids: BulkUpdateIds
  gallery_ids: BulkUpdateIds
  rating100: Int # 0.18-
  url: String # 0.19-0.22
  url: String @deprecated(reason: "Use urls") # 0.23-
  date: String # 0.19-
  urls: BulkUpdateStrings # 0.23-
  code: String # 0.24-
  details: String # 0.24-
  photographer: String # 0.24-
  custom_fields: CustomFieldsInput # 0.31-
}

input BulkGalleryUpdateInput { # undocumented
  clientMutationId: String
  ids: [ID!]
  url: String # -0.22
  url: String @deprecated(reason: "Use urls") # 0.23-
  date: String
  details: String
  rating: Int # -0.17
  rating: Int @deprecated(reason: "Use 1-100 range with rating100") # 0.18-0.23
  organized: Boolean
  scene_ids: BulkUpdateIds
  studio_id: ID
  tag_ids: BulkUpdateIds
  performer_ids: BulkUpdateIds
  rating100: Int # 0.18-
  urls: BulkUpdateStrings # 0.23-
  code: String # 0.24-
  photographer: String # 0.24-
  custom_fields: CustomFieldsInput # 0.31-
}

input GalleryUpdateInput { # undocumented
  clientMutationId: String
  id: ID!
  title: String
  url: String # -0.22
  url: String @deprecated(reason: "Use urls") # 0.23-
  date: String
  details: String
  rating: Int # -0.17
  rating: Int @deprecated(reason: "Use 1-100 range with rating100") # 0.18-0.23
  organized: Boolean
  scene_ids: [ID!]
  studio_id: ID
  tag_ids: [ID!]
  performer_ids: [ID!]
  primary_file_id: ID # 0.17-
  rating100: Int # 0.18-
  urls: [String!] # 0.23-
  code: String # 0.24-
  photographer: String # 0.24-
  custom_fields: CustomFieldsInput # 0.31-
}

input BulkPerformerUpdateInput { # undocumented
  clientMutationId: String
  ids: [ID!]
  url: String # -0.26
  url: String @deprecated(reason: "Use urls") # 0.27-
  gender: GenderEnum
  birthdate: String
  ethnicity: String
  country: String
  eye_color: String
  height: String # -0.17
  height: String @deprecated(reason: "Use height_cm") # 0.18-0.23
  measurements: String
  fake_tits: String
  career_length: String # -0.30
  career_length: String @deprecated(reason: "Use career_start and career_end") # 0.31-
  career_start: String # 0.31-
  career_end: String # 0.31-
  tattoos: String
  piercings: String
  aliases: String # -0.18
  aliases: String @deprecated(reason: "Use alias_list") # 0.19-0.23
  twitter: String # -0.26
  twitter: String @deprecated(reason: "Use urls") # 0.27-
  instagram: String # -0.26
  instagram: String @deprecated(reason: "Use urls") # 0.27-
  favorite: Boolean
  tag_ids: BulkUpdateIds
  rating: Int # -0.17
  rating: Int @deprecated(reason: "Use 1-100 range with rating100") # 0.18-0.23
  details: String
  death_date: String
  hair_color: String
  weight: Int
  ignore_auto_tag: Boolean # 0.14-
  height_cm: Int # 0.18-
  rating100: Int # 0.18-
  disambiguation: String # 0.19-
  alias_list: BulkUpdateStrings # 0.19-
  penis_length: Float # 0.21-
  circumcised: CircumisedEnum # 0.21-0.30
  circumcised: CircumcisedEnum # 0.31-
  urls: BulkUpdateStrings # 0.27-
  custom_fields: CustomFieldsInput # 0.28-
}

input BulkUpdateIds { # undocumented
  ids: [ID!]
  mode: BulkUpdateIdMode!
}

input BulkUpdateStrings { # 0.19-, undocumented
  values: [String!]
  mode: BulkUpdateIdMode!
}

enum BulkUpdateIdMode { # undocumented
  SET
  ADD
  REMOVE
}

input TagCreateInput { # undocumented
  name: String!
  aliases: [String!]
  image: String
  parent_ids: [ID!] # 0.10-
  child_ids: [ID!] # 0.10-
  ignore_auto_tag: Boolean # 0.14-
  description: String # 0.17-
  favorite: Boolean # 0.26-
  sort_name: String # 0.28-
  stash_ids: [StashIDInput!] # 0.30-
  custom_fields: Map # 0.31-
}

input StudioCreateInput { # undocumented
  name: String!
  url: String # -0.29
  url: String @deprecated(reason: "Use urls") # 0.30-
  parent_id: ID
  image: String
  stash_ids: [StashIDInput!]
  rating: Int # -0.17
  rating: Int @deprecated(reason: "Use 1-100 range with rating100") # 0.18-0.23
  details: String
  aliases: [String!] # 0.10-
  ignore_auto_tag: Boolean # 0.14-
  rating100: Int # 0.18-
  favorite: Boolean # 0.26-
  tag_ids: [ID!] # 0.27-
  urls: [String!] # 0.30-
  organized: Boolean # 0.31-
  custom_fields: Map # 0.31-
}
`;
