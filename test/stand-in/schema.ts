/**
 * The interface document's operations under their documented names. Nullability is that of the real
 * servers: v0.30.1 for what exists there, v0.11.0 for `checksum` and the scraping of the built-in site.
 */
export const SCHEMA = `
scalar Time
scalar Timestamp

type Query {
  "All studios, by name"
  allStudios: [Studio!]!
  "The attributes of one performer on the external site. Call scrapeSitePerformerList first"
  scrapeSite(performer_name: String!): ScrapedPerformer
  "The names on the external site that match a name or an alias, or a part of either"
  scrapeSitePerformerList(query: String!): [String!]!
  systemStatus: SystemStatus!
  version: Version!
  "Jobs that wait or run; null if there are none"
  jobQueue: [Job!]
  findJob(input: FindJobInput!): Job
}

type Mutation {
  "Starts a scan for new files. Returns the job ID"
  metadataScan(input: ScanMetadataInput!): ID!
  "Generates each kind of content whose flag is true. Returns the job ID"
  metadataGenerate(input: GenerateMetadataInput!): ID!
  "Creates a backup. Returns a link if it is to be downloaded"
  backupDatabase(input: BackupDatabaseInput!): String
  stopJob(job_id: ID!): Boolean!
}

type Studio {
  id: ID!
  checksum: String!
  name: String!
  url: String
  image_path: String
  scene_count: Int!
}

type ScrapedPerformer {
  name: String
  url: String
  twitter: String
  instagram: String
  birthdate: String
  ethnicity: String
  country: String
  eye_color: String
  height: String
  measurements: String
  fake_tits: String
  career_length: String
  tattoos: String
  piercings: String
  aliases: String
}

type SystemStatus {
  databaseSchema: Int
  databasePath: String
  configPath: String
  appSchema: Int!
  status: SystemStatusEnum!
}

enum SystemStatusEnum {
  SETUP
  NEEDS_MIGRATION
  OK
}

type Version {
  version: String
  hash: String!
  build_time: String!
}

type Job {
  id: ID!
  status: JobStatus!
  subTasks: [String!]
  description: String!
  "From 0 to 1; null while it is not known"
  progress: Float
  startTime: Time
  endTime: Time
  addTime: Time!
  error: String
}

enum JobStatus {
  READY
  RUNNING
  FINISHED
  STOPPING
  CANCELLED
  FAILED
}

input FindJobInput {
  id: ID!
}

input ScanMetadataInput {
  paths: [String!]
  "Forces a rescan of files that have not changed"
  rescan: Boolean
  scanGenerateCovers: Boolean
  scanGeneratePreviews: Boolean
  scanGenerateImagePreviews: Boolean
  scanGenerateSprites: Boolean
  scanGeneratePhashes: Boolean
  scanGenerateThumbnails: Boolean
  scanGenerateClipPreviews: Boolean
  filter: ScanMetaDataFilterInput
}

input ScanMetaDataFilterInput {
  minModTime: Timestamp
}

input GenerateMetadataInput {
  covers: Boolean
  sprites: Boolean
  previews: Boolean
  imagePreviews: Boolean
  markers: Boolean
  markerImagePreviews: Boolean
  markerScreenshots: Boolean
  transcodes: Boolean
  "Generates transcodes even if they are not required"
  forceTranscodes: Boolean
  phashes: Boolean
  interactiveHeatmapsSpeeds: Boolean
  imageThumbnails: Boolean
  clipPreviews: Boolean
  sceneIDs: [ID!]
  markerIDs: [ID!]
  overwrite: Boolean
}

input BackupDatabaseInput {
  download: Boolean
}
`;
