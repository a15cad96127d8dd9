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
  "The newest lines of the log, newest first"
  logs: [LogEntry!]!
  findScenes(scene_filter: SceneFilterType, filter: FindFilterType): FindScenesResultType!
  findImages(image_filter: ImageFilterType, filter: FindFilterType): FindImagesResultType!
  findGalleries(gallery_filter: GalleryFilterType, filter: FindFilterType): FindGalleriesResultType!
}

type Mutation {
  "Starts a scan for new files. Returns the job ID"
  metadataScan(input: ScanMetadataInput!): ID!
  "Generates each kind of content whose flag is true. Returns the job ID"
  metadataGenerate(input: GenerateMetadataInput!): ID!
  "Creates a backup. Returns a link if it is to be downloaded"
  backupDatabase(input: BackupDatabaseInput!): String
  stopJob(job_id: ID!): Boolean!
  stopAllJobs: Boolean!
}

type Subscription {
  "What happens to jobs from now on"
  jobsSubscribe: JobStatusUpdate!
  "True whenever a scan has come to its end"
  scanCompleteSubscribe: Boolean!
  "What the server writes into its log, in batches"
  loggingSubscribe: [LogEntry!]!
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

type FindScenesResultType {
  count: Int!
  scenes: [Scene!]!
}

type FindImagesResultType {
  count: Int!
  images: [Image!]!
}

type FindGalleriesResultType {
  count: Int!
  galleries: [Gallery!]!
}

type Scene {
  id: ID!
  title: String
  created_at: Time!
  files: [VideoFile!]!
}

type Image {
  id: ID!
  title: String
  created_at: Time!
  files: [ImageFile!]! @deprecated(reason: "Use visual_files")
  visual_files: [VisualFile!]!
}

type Gallery {
  id: ID!
  title: String
  created_at: Time!
  files: [GalleryFile!]!
  folder: Folder
}

type VideoFile {
  id: ID!
  path: String!
  created_at: Time!
}

type ImageFile {
  id: ID!
  path: String!
  created_at: Time!
}

union VisualFile = VideoFile | ImageFile

type GalleryFile {
  id: ID!
  path: String!
  created_at: Time!
}

type Folder {
  id: ID!
  path: String!
}

input FindFilterType {
  q: String
  page: Int
  per_page: Int
  sort: String
  direction: SortDirectionEnum
}

enum SortDirectionEnum {
  ASC
  DESC
}

input SceneFilterType {
  organized: Boolean
  created_at: TimestampCriterionInput
}

input ImageFilterType {
  organized: Boolean
  created_at: TimestampCriterionInput
}

input GalleryFilterType {
  organized: Boolean
  created_at: TimestampCriterionInput
}

input TimestampCriterionInput {
  value: String!
  value2: String
  modifier: CriterionModifier!
}

enum CriterionModifier {
  EQUALS
  NOT_EQUALS
  GREATER_THAN
  LESS_THAN
  IS_NULL
  NOT_NULL
  INCLUDES_ALL
  INCLUDES
  EXCLUDES
  MATCHES_REGEX
  NOT_MATCHES_REGEX
  BETWEEN
  NOT_BETWEEN
}

type LogEntry {
  time: Time!
  level: LogLevel!
  message: String!
}

enum LogLevel {
  Trace
  Debug
  Info
  Progress
  Warning
  Error
}

type JobStatusUpdate {
  type: JobStatusUpdateType!
  job: Job!
}

enum JobStatusUpdateType {
  ADD
  REMOVE
  UPDATE
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
