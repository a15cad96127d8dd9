import { buildSchema, type GraphQLSchema, isEnumType } from 'graphql';
import { FILTERS } from './filter-schema';
import { minorOf, type Release } from './releases';
import { UPDATES } from './update-schema';

/**
 * The parts of Stash's schema that these nodes may use, for all releases and the interface document at once. A comment
 * at the end of a line says where the line exists; at the head of a block it counts for the whole block:
 *
 * - nothing: everywhere
 * - `0.10-`, `-0.9`, `0.11-0.16`: in these releases, first and last included. A line that v0.30 has also exists in the document.
 * - `undocumented`: not in the document
 * - `documented`: in the document, whatever v0.30 has; without a range in no release at all
 *
 * The releases are held against introspections of real servers by `test/fake-stash/test/schemas.test.ts`. What only the document
 * has is typed as its nearest relative: v0.11.0 for the look-ups at the built-in site and for `checksum`.
 */
const SCHEMA = `
scalar Time
scalar Timestamp # 0.12-
scalar Map # 0.16-, undocumented

type Query {
  version: Version!
  systemStatus: SystemStatus!
  configuration: ConfigResult! # undocumented
  stats: StatsResultType! # undocumented
  latestversion: ShortVersion!  # -0.18
  latestversion: LatestVersion! # 0.19-, undocumented

  "All studios, by name"
  allStudios: [Studio!]!                                             # -0.24, documented
  allStudios: [Studio!]! @deprecated(reason: "Use findStudios instead") # 0.25-, undocumented

  "The attributes of one performer on the external site. Call scrapeSitePerformerList first" # documented
  scrapeSite(performer_name: String!): ScrapedPerformer # documented
  "The names on the external site that match a name or an alias, or a part of either" # documented
  scrapeSitePerformerList(query: String!): [String!]! # documented
  scrapeFreeones(performer_name: String!): ScrapedPerformer          # -0.9
  scrapeFreeones(performer_name: String!): ScrapedPerformer @deprecated(reason: "use scrapeSinglePerformer with scraper_id = builtin_freeones") # 0.10-0.11
  scrapeFreeonesPerformerList(query: String!): [String!]!            # -0.9
  scrapeFreeonesPerformerList(query: String!): [String!]! @deprecated(reason: "use scrapeSinglePerformer with scraper_id = builtin_freeones") # 0.10-0.23
  scrapePerformerList(scraper_id: ID!, query: String!): [ScrapedPerformer!]! # -0.9
  scrapePerformerList(scraper_id: ID!, query: String!): [ScrapedPerformer!]! @deprecated(reason: "use scrapeSinglePerformer") # 0.10-0.23
  scrapePerformer(scraper_id: ID!, scraped_performer: ScrapedPerformerInput!): ScrapedPerformer # -0.9
  scrapePerformer(scraper_id: ID!, scraped_performer: ScrapedPerformerInput!): ScrapedPerformer @deprecated(reason: "use scrapeSinglePerformer") # 0.10-0.23
  scrapeSinglePerformer(source: ScraperSourceInput!, input: ScrapeSinglePerformerInput!): [ScrapedPerformer!]! # 0.10-, undocumented
  scrapePerformerURL(url: String!): ScrapedPerformer # undocumented

  listPerformerScrapers: [Scraper!]!                                 # -0.11
  listPerformerScrapers: [Scraper!]! @deprecated(reason: "Use listScrapers(types: [PERFORMER])") # 0.12-0.23
  listScrapers(types: [ScrapeContentType!]!): [Scraper!]!            # 0.12-, undocumented

  findScene(id: ID, checksum: String): Scene # undocumented
  "Groups of scenes with perceptual hashes that are alike" # 0.7-, undocumented
  findDuplicateScenes(distance: Int): [[Scene!]!]! # 0.7-, undocumented
  findImage(id: ID, checksum: String): Image # undocumented
  findGallery(id: ID!): Gallery # undocumented
  findScenes(scene_filter: SceneFilterType, filter: FindFilterType): FindScenesResultType!
  findImages(image_filter: ImageFilterType, filter: FindFilterType): FindImagesResultType!
  findGalleries(gallery_filter: GalleryFilterType, filter: FindFilterType): FindGalleriesResultType!
  findFolders(folder_filter: FolderFilterType, filter: FindFilterType): FindFoldersResultType! # 0.29-, undocumented

  findStudio(id: ID!): Studio # undocumented
  findStudios(studio_filter: StudioFilterType, filter: FindFilterType): FindStudiosResultType! # undocumented
  findTag(id: ID!): Tag # undocumented
  findTags(tag_filter: TagFilterType, filter: FindFilterType): FindTagsResultType! # undocumented
  findPerformer(id: ID!): Performer # undocumented
  findPerformers(performer_filter: PerformerFilterType, filter: FindFilterType): FindPerformersResultType! # undocumented
  allPerformers: [Performer!]! # undocumented
  findSceneMarkers(scene_marker_filter: SceneMarkerFilterType, filter: FindFilterType): FindSceneMarkersResultType! # undocumented
  findGroup(id: ID!): Group # 0.27-, undocumented
  findGroups(group_filter: GroupFilterType, filter: FindFilterType): FindGroupsResultType! # 0.27-, undocumented
  findMovie(id: ID!): Movie # -0.26
  findMovie(id: ID!): Movie @deprecated(reason: "Use findGroup instead") # 0.27-, undocumented
  findMovies(movie_filter: MovieFilterType, filter: FindFilterType): FindMoviesResultType! # -0.26
  findMovies(movie_filter: MovieFilterType, filter: FindFilterType): FindMoviesResultType! @deprecated(reason: "Use findGroups instead") # 0.27-, undocumented
  findSavedFilters(mode: FilterMode!): [SavedFilter!]! # -0.15
  findSavedFilters(mode: FilterMode): [SavedFilter!]! # 0.16-, undocumented

  plugins: [Plugin!] # undocumented
  "The folders in a folder" # undocumented
  directory(path: String): Directory! # -0.10
  directory(path: String, locale: String = "en"): Directory! # 0.11-, undocumented

  "The newest lines of the log, newest first"
  logs: [LogEntry!]!
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
  performerCreate(input: PerformerCreateInput!): Performer # undocumented
  performerUpdate(input: PerformerUpdateInput!): Performer # undocumented
  metadataAutoTag(input: AutoTagMetadataInput!): ID!     # undocumented
  metadataClean(input: CleanMetadataInput!): ID!         # undocumented
  metadataCleanGenerated(input: CleanGeneratedInput!): ID! # 0.25-, undocumented
  metadataExport: ID!     # undocumented
  metadataIdentify(input: IdentifyMetadataInput!): ID! # 0.11-, undocumented
  migrate(input: MigrateInput!): Boolean! # -0.25
  "Migrates the schema to the required version. Returns the job ID" # 0.26-, undocumented
  migrate(input: MigrateInput!): ID!      # 0.26-, undocumented
  optimiseDatabase: ID! # 0.22-, undocumented
  runPluginTask(plugin_id: ID!, task_name: String!, args: [PluginArgInput!]): ID!     # -0.24
  "Runs a task of a plugin, or without a task the plugin. The description names the job" # 0.25-, undocumented
  runPluginTask(plugin_id: ID!, task_name: String, description: String, args: [PluginArgInput!] @deprecated(reason: "Use args_map instead"), args_map: Map): ID! # 0.25-, undocumented
  "Runs a plugin at once, without a job" # 0.25-, undocumented
  runPluginOperation(plugin_id: ID!, args: Map): Any # 0.25-, undocumented
  configurePlugin(plugin_id: ID!, input: Map!): Map! # 0.24-, undocumented
  installPackages(type: PackageType!, packages: [PackageSpecInput!]!): ID! # 0.24-, undocumented
  updatePackages(type: PackageType!, packages: [PackageSpecInput!]): ID! # 0.24-, undocumented
  stopJob(job_id: ID!): Boolean!
  stopAllJobs: Boolean!
  sceneUpdate(input: SceneUpdateInput!): Scene # undocumented
  "Increments the play count of a scene. Returns the new count" # 0.18-, undocumented
  sceneIncrementPlayCount(id: ID!): Int! # 0.18-0.24
  sceneIncrementPlayCount(id: ID!): Int! @deprecated(reason: "Use sceneAddPlay instead") # 0.25-, undocumented
  "Adds the times to the history of a scene; without times, now" # 0.25-, undocumented
  sceneAddPlay(id: ID!, times: [Timestamp!]): HistoryMutationResult! # 0.25-, undocumented
  "Sets where to resume a scene, and adds to the time that it was watched" # 0.18-, undocumented
  sceneSaveActivity(id: ID!, resume_time: Float, playDuration: Float): Boolean! # 0.18-, undocumented
}

type HistoryMutationResult { # 0.25-, undocumented
  count: Int!
  history: [Time!]!
}

type Subscription {
  "What happens to jobs from now on"
  jobsSubscribe: JobStatusUpdate!
  "What the server writes into its log, in batches"
  loggingSubscribe: [LogEntry!]!
}

type Version {
  version: String
  hash: String!
  build_time: String!
}

type ShortVersion { # -0.18
  shorthash: String!
  url: String!
}

type LatestVersion { # 0.19-, undocumented
  version: String!
  shorthash: String!
  release_date: String!
  url: String!
}

type StatsResultType { # undocumented
  scene_count: Int!
  scenes_size: Float!
  scenes_duration: Float! # 0.9-
  image_count: Int!
  images_size: Float!
  gallery_count: Int!
  performer_count: Int!
  studio_count: Int!
  group_count: Int! # 0.27-
  movie_count: Int! # -0.26
  movie_count: Int! @deprecated(reason: "use group_count instead") # 0.27-
  tag_count: Int!
  total_o_count: Int!         # 0.22-
  total_play_duration: Float! # 0.22-
  total_play_count: Int!      # 0.22-
  scenes_played: Int!         # 0.22-
}

type SystemStatus {
  databaseSchema: Int
  databasePath: String
  configPath: String
  appSchema: Int!
  status: SystemStatusEnum!
  os: String!         # 0.24-, undocumented
  workingDir: String! # 0.24-, undocumented
  homeDir: String!    # 0.24-, undocumented
  ffmpegPath: String  # 0.26-, undocumented
  ffprobePath: String # 0.26-, undocumented
}

enum SystemStatusEnum {
  SETUP
  NEEDS_MIGRATION
  OK
}

type ConfigResult { # undocumented
  general: ConfigGeneralResult!
  defaults: ConfigDefaultSettingsResult! # 0.11-
  ui: Map! # 0.16-
}

type ConfigGeneralResult { # undocumented
  databasePath: String!
  configFilePath: String!
  blobsStorage: BlobsStorageType! # 0.20-
  stashes: [StashConfig!]!
}

enum BlobsStorageType { # 0.20-, undocumented
  DATABASE
  FILESYSTEM
}

type StashConfig { # undocumented
  path: String!
  excludeVideo: Boolean!
  excludeImage: Boolean!
}

type ConfigDefaultSettingsResult { # 0.11-, undocumented
  identify: IdentifyMetadataTaskOptions
  autoTag: AutoTagMetadataOptions # 0.12-
  generate: GenerateMetadataOptions # 0.12-
}

type IdentifyMetadataTaskOptions { # 0.11-, undocumented
  sources: [IdentifySource!]!
  options: IdentifyMetadataOptions
}

type IdentifySource { # 0.11-, undocumented
  source: ScraperSource!
  options: IdentifyMetadataOptions
}

type ScraperSource { # 0.11-, undocumented
  stash_box_index: Int @deprecated(reason: "use stash_box_endpoint")
  stash_box_endpoint: String
  scraper_id: ID
}

type IdentifyMetadataOptions { # 0.11-, undocumented
  fieldOptions: [IdentifyFieldOptions!]
  setCoverImage: Boolean
  setOrganized: Boolean
  includeMalePerformers: Boolean # -0.30
  includeMalePerformers: Boolean @deprecated(reason: "Use performerGenders") # 0.31-
  skipMultipleMatches: Boolean # 0.22-
  skipMultipleMatchTag: String # 0.22-
  skipSingleNamePerformers: Boolean # 0.22-
  skipSingleNamePerformerTag: String # 0.22-
  performerGenders: [GenderEnum!] # 0.31-
}

type IdentifyFieldOptions { # 0.11-, undocumented
  field: String!
  strategy: IdentifyFieldStrategy!
  createMissing: Boolean
}

enum IdentifyFieldStrategy { # 0.11-, undocumented
  IGNORE
  MERGE
  OVERWRITE
}

type AutoTagMetadataOptions { # 0.12-, undocumented
  performers: [String!]
  studios: [String!]
  tags: [String!]
}

type GenerateMetadataOptions { # 0.12-, undocumented
  covers: Boolean # 0.20-
  sprites: Boolean
  previews: Boolean
  imagePreviews: Boolean
  markers: Boolean
  markerImagePreviews: Boolean
  markerScreenshots: Boolean
  transcodes: Boolean
  phashes: Boolean
  interactiveHeatmapsSpeeds: Boolean
  imageThumbnails: Boolean # 0.25-
  clipPreviews: Boolean # 0.21-
}

type Plugin { # undocumented
  id: ID!
  name: String!
  description: String
  url: String
  version: String
  enabled: Boolean! # 0.24-
  tasks: [PluginTask!]
}

type PluginTask { # undocumented
  name: String!
  description: String
}

type Directory { # undocumented
  path: String!
  parent: String
  directories: [String!]!
}

type Studio {
  id: ID!
  checksum: String! # -0.21, documented
  checksum: String! @deprecated(reason: "MD5 hash of name, use name directly") # 0.22-0.23
  name: String!
  url: String # -0.29, documented
  url: String @deprecated(reason: "Use urls") # 0.30-, undocumented
  urls: [String!]! # 0.30-, undocumented
  parent_studio: Studio # undocumented
  aliases: [String!]! # 0.10-, undocumented
  organized: Boolean! # 0.31-, undocumented
  image_path: String
  scene_count: Int               # -0.21
  scene_count: Int! # documented
  scene_count(depth: Int): Int!  # 0.22-, undocumented
}

type ScrapedPerformer {
  stored_id: ID          # 0.10-, undocumented
  name: String
  disambiguation: String # 0.19-, undocumented
  gender: String # undocumented
  url: String       # -0.26, documented
  url: String @deprecated(reason: "use urls") # 0.27-, undocumented
  urls: [String!]   # 0.27-, undocumented
  twitter: String   # -0.26, documented
  twitter: String @deprecated(reason: "use urls") # 0.27-, undocumented
  instagram: String # -0.26, documented
  instagram: String @deprecated(reason: "use urls") # 0.27-, undocumented
  birthdate: String
  ethnicity: String
  country: String
  eye_color: String
  height: String
  measurements: String
  fake_tits: String
  penis_length: String # 0.21-, undocumented
  circumcised: String  # 0.21-, undocumented
  career_length: String # -0.30, documented
  career_length: String @deprecated(reason: "Use career_start and career_end") # 0.31-, undocumented
  career_start: String # 0.31-, undocumented
  career_end: String   # 0.31-, undocumented
  tattoos: String
  piercings: String
  aliases: String
  image: String     # -0.9
  image: String @deprecated(reason: "use images instead") # 0.10-, undocumented
  images: [String!] # 0.10-, undocumented
  details: String    # undocumented
  death_date: String # undocumented
  hair_color: String # undocumented
  weight: String     # undocumented
  remote_site_id: String # 0.9-, undocumented
}

input ScrapedPerformerInput { # undocumented
  stored_id: ID          # 0.10-
  name: String
  disambiguation: String # 0.19-
  gender: String
  url: String # -0.26
  url: String @deprecated(reason: "use urls") # 0.27-
  urls: [String!]        # 0.27-
  twitter: String # -0.26
  twitter: String @deprecated(reason: "use urls") # 0.27-
  instagram: String # -0.26
  instagram: String @deprecated(reason: "use urls") # 0.27-
  birthdate: String
  ethnicity: String
  country: String
  eye_color: String
  height: String
  measurements: String
  fake_tits: String
  penis_length: String # 0.21-
  circumcised: String  # 0.21-
  career_length: String # -0.30
  career_length: String @deprecated(reason: "Use career_start and career_end") # 0.31-
  career_start: String # 0.31-
  career_end: String   # 0.31-
  tattoos: String
  piercings: String
  aliases: String
  details: String
  death_date: String
  hair_color: String
  weight: String
  remote_site_id: String # 0.9-
}

input ScraperSourceInput { # 0.10-, undocumented
  stash_box_index: Int # -0.10
  stash_box_index: Int @deprecated(reason: "use stash_box_endpoint") # 0.11-
  stash_box_endpoint: String # 0.11-
  scraper_id: ID
}

input ScrapeSinglePerformerInput { # 0.10-, undocumented
  query: String
  performer_id: ID
  performer_input: ScrapedPerformerInput
}

type Scraper { # undocumented
  id: ID!
  name: String!
  performer: ScraperSpec
}

type ScraperSpec { # undocumented
  urls: [String!]
  supported_scrapes: [ScrapeType!]!
}

enum ScrapeType { # undocumented
  NAME
  FRAGMENT
  URL
}

enum ScrapeContentType { # 0.12-, undocumented
  GALLERY
  IMAGE # 0.28-
  MOVIE
  GROUP # 0.27-
  PERFORMER
  SCENE
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

scalar Int64 # 0.17-

type SceneFileType { # -0.17
  size: String
  duration: Float
  width: Int
  height: Int
}

type ImageFileType { # -0.16
  size: Int
  width: Int
  height: Int
}

type Tag {
  id: ID!
  name: String!
  aliases: [String!]! # undocumented
  favorite: Boolean! # 0.26-, undocumented
  scene_count: Int              # -0.21
  scene_count(depth: Int): Int! # 0.22-, undocumented
}

type FindTagsResultType { # undocumented
  count: Int!
  tags: [Tag!]!
}

type FindStudiosResultType { # undocumented
  count: Int!
  studios: [Studio!]!
}

type Scene {
  id: ID!
  title: String
  details: String
  date: String
  studio: Studio
  performers: [Performer!]! # undocumented
  tags: [Tag!]!
  file: SceneFileType! # -0.16
  path: String! # -0.16
  path: String! @deprecated(reason: "Use files") # 0.17-0.17
  created_at: Time!
  files: [VideoFile!]! # 0.17-
  rating: Int # -0.17
  rating: Int @deprecated(reason: "Use 1-100 range with rating100") # 0.18-0.23
  rating100: Int # 0.18-, undocumented
  organized: Boolean! # undocumented
  o_counter: Int # undocumented
  play_count: Int # 0.18-, undocumented
  last_played_at: Time # 0.18-, undocumented
  play_history: [Time!]! # 0.25-, undocumented
  "Where to resume, in seconds" # 0.18-, undocumented
  resume_time: Float # 0.18-, undocumented
  "How long it was watched, in seconds" # 0.18-, undocumented
  play_duration: Float # 0.18-, undocumented
}

type Image {
  id: ID!
  title: String
  date: String # 0.19-
  studio: Studio
  performers: [Performer!]! # undocumented
  tags: [Tag!]!
  file: ImageFileType! # -0.16
  path: String! # -0.16
  path: String! @deprecated(reason: "Use files") # 0.17-0.17
  created_at: Time!
  files: [ImageFile!]! # 0.17-0.20
  files: [ImageFile!]! @deprecated(reason: "Use visual_files") # 0.21-
  visual_files: [VisualFile!]! # 0.21-
  rating: Int # -0.17
  rating: Int @deprecated(reason: "Use 1-100 range with rating100") # 0.18-0.23
  rating100: Int # 0.18-
  organized: Boolean!
  o_counter: Int
}

type Gallery {
  id: ID!
  title: String
  date: String
  studio: Studio
  performers: [Performer!]! # undocumented
  tags: [Tag!]!
  image_count: Int!
  cover: Image
  path: String # -0.16
  path: String @deprecated(reason: "Use files") # 0.17-0.17
  created_at: Time!
  files: [GalleryFile!]! # 0.17-
  folder: Folder # 0.17-
  rating: Int # -0.17
  rating: Int @deprecated(reason: "Use 1-100 range with rating100") # 0.18-0.23
  rating100: Int # 0.18-
  organized: Boolean!
}

type VideoFile { # 0.17-
  id: ID!
  path: String!
  basename: String!
  size: Int64!
  width: Int!
  height: Int!
  duration: Float!
  created_at: Time!
}

type ImageFile { # 0.17-
  id: ID!
  path: String!
  size: Int64!
  width: Int!
  height: Int!
  created_at: Time!
}

union VisualFile = VideoFile | ImageFile # 0.21-

type GalleryFile { # 0.17-
  id: ID!
  path: String!
  created_at: Time!
}

type Folder { # 0.17-
  id: ID!
  path: String!
  basename: String! # 0.31-, undocumented
}

type Performer { # undocumented
  id: ID!
  name: String # -0.18
  name: String! # 0.19-, undocumented
  disambiguation: String # 0.19-, undocumented
  url: String # -0.26
  url: String @deprecated(reason: "Use urls") # 0.27-, undocumented
  twitter: String # -0.26
  twitter: String @deprecated(reason: "Use urls") # 0.27-, undocumented
  instagram: String # -0.26
  instagram: String @deprecated(reason: "Use urls") # 0.27-, undocumented
  urls: [String!] # 0.27-, undocumented
  gender: GenderEnum
  birthdate: String
  ethnicity: String
  country: String
  eye_color: String
  height: String # -0.17
  height: String @deprecated(reason: "Use height_cm") # 0.18-0.23
  height_cm: Int # 0.18-, undocumented
  measurements: String
  fake_tits: String
  penis_length: Float # 0.21-, undocumented
  circumcised: CircumisedEnum # 0.21-0.30
  circumcised: CircumcisedEnum # 0.31-, undocumented
  career_length: String # -0.30
  career_length: String @deprecated(reason: "Use career_start and career_end") # 0.31-
  career_start: String # 0.31-
  career_end: String # 0.31-
  tattoos: String
  piercings: String
  aliases: String # -0.18
  aliases: String @deprecated(reason: "Use alias_list") # 0.19-0.23
  alias_list: [String!]! # 0.19-, undocumented
  favorite: Boolean!
  details: String
  death_date: String
  hair_color: String
  weight: Int
  rating: Int # -0.17
  rating: Int @deprecated(reason: "Use 1-100 range with rating100") # 0.18-0.23
  rating100: Int # 0.18-, undocumented
  scene_count: Int  # -0.21
  scene_count: Int! # 0.22-, undocumented
}

type FindPerformersResultType { # undocumented
  count: Int!
  performers: [Performer!]!
}

type SceneMarker { # undocumented
  id: ID!
  scene: Scene!
  title: String!
  seconds: Float!
  end_seconds: Float # 0.28-
  primary_tag: Tag!
  tags: [Tag!]!
}

type FindSceneMarkersResultType { # undocumented
  count: Int!
  scene_markers: [SceneMarker!]!
}

type Group { # 0.27-, undocumented
  id: ID!
  name: String!
  duration: Int
  date: String
  rating100: Int
  studio: Studio
  director: String
  synopsis: String
  scene_count(depth: Int): Int!
}

type FindGroupsResultType { # 0.27-, undocumented
  count: Int!
  groups: [Group!]!
}

type Movie { # undocumented
  id: ID!
  name: String!
  duration: Int
  date: String
  rating: Int # -0.17
  rating: Int @deprecated(reason: "Use 1-100 range with rating100") # 0.18-0.23
  rating100: Int # 0.18-
  studio: Studio
  director: String
  synopsis: String
  scene_count: Int              # -0.21
  scene_count: Int!             # 0.22-0.26
  scene_count(depth: Int): Int! # 0.27-
}

type FindMoviesResultType { # undocumented
  count: Int!
  movies: [Movie!]!
}

input PerformerCreateInput { # undocumented
  name: String!
  disambiguation: String # 0.19-, undocumented
  url: String # -0.26
  url: String @deprecated(reason: "Use urls") # 0.27-, undocumented
  twitter: String # -0.26
  twitter: String @deprecated(reason: "Use urls") # 0.27-, undocumented
  instagram: String # -0.26
  instagram: String @deprecated(reason: "Use urls") # 0.27-, undocumented
  urls: [String!] # 0.27-, undocumented
  gender: GenderEnum
  birthdate: String
  ethnicity: String
  country: String
  eye_color: String
  height: String # -0.17
  height: String @deprecated(reason: "Use height_cm") # 0.18-0.23
  height_cm: Int # 0.18-, undocumented
  measurements: String
  fake_tits: String
  penis_length: Float # 0.21-, undocumented
  circumcised: CircumisedEnum # 0.21-0.30
  circumcised: CircumcisedEnum # 0.31-, undocumented
  career_length: String # -0.30
  career_length: String @deprecated(reason: "Use career_start and career_end") # 0.31-
  career_start: String # 0.31-
  career_end: String # 0.31-
  tattoos: String
  piercings: String
  aliases: String # -0.18
  aliases: String @deprecated(reason: "Use alias_list") # 0.19-0.23
  alias_list: [String!] # 0.19-, undocumented
  favorite: Boolean
  image: String
  tag_ids: [ID!]
  stash_ids: [StashIDInput!]
  rating: Int # -0.17
  rating: Int @deprecated(reason: "Use 1-100 range with rating100") # 0.18-0.23
  rating100: Int # 0.18-
  ignore_auto_tag: Boolean # 0.14-
  custom_fields: Map # 0.28-
  details: String
  death_date: String
  hair_color: String
  weight: Int
}

input PerformerUpdateInput { # undocumented
  id: ID!
  name: String
  disambiguation: String # 0.19-, undocumented
  url: String # -0.26
  url: String @deprecated(reason: "Use urls") # 0.27-, undocumented
  twitter: String # -0.26
  twitter: String @deprecated(reason: "Use urls") # 0.27-, undocumented
  instagram: String # -0.26
  instagram: String @deprecated(reason: "Use urls") # 0.27-, undocumented
  urls: [String!] # 0.27-, undocumented
  gender: GenderEnum
  birthdate: String
  ethnicity: String
  country: String
  eye_color: String
  height: String # -0.17
  height: String @deprecated(reason: "Use height_cm") # 0.18-0.23
  height_cm: Int # 0.18-, undocumented
  measurements: String
  fake_tits: String
  penis_length: Float # 0.21-, undocumented
  circumcised: CircumisedEnum # 0.21-0.30
  circumcised: CircumcisedEnum # 0.31-, undocumented
  career_length: String # -0.30
  career_length: String @deprecated(reason: "Use career_start and career_end") # 0.31-
  career_start: String # 0.31-
  career_end: String # 0.31-
  tattoos: String
  piercings: String
  aliases: String # -0.18
  aliases: String @deprecated(reason: "Use alias_list") # 0.19-0.23
  alias_list: [String!] # 0.19-, undocumented
  favorite: Boolean
  image: String
  tag_ids: [ID!]
  stash_ids: [StashIDInput!]
  rating: Int # -0.17
  rating: Int @deprecated(reason: "Use 1-100 range with rating100") # 0.18-0.23
  rating100: Int # 0.18-
  ignore_auto_tag: Boolean # 0.14-
  custom_fields: CustomFieldsInput # 0.28-
  details: String
  death_date: String
  hair_color: String
  weight: Int
}

input StashIDInput { # undocumented
  endpoint: String!
  stash_id: String!
  updated_at: Time # 0.28-
}

input CustomFieldsInput { # 0.28-, undocumented
  full: Map
  partial: Map
  remove: [String!] # 0.30-
}

enum GenderEnum { # undocumented
  MALE
  FEMALE
  TRANSGENDER_MALE
  TRANSGENDER_FEMALE
  INTERSEX
  NON_BINARY
}

enum CircumisedEnum { # 0.21-0.30, undocumented
  CUT
  UNCUT
}

enum CircumcisedEnum { # 0.31-, undocumented
  CUT
  UNCUT
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
  path: StringCriterionInput
}

input ImageFilterType {
  organized: Boolean
}

input GalleryFilterType {
  organized: Boolean
}

input FolderFilterType { # 0.29-, undocumented
  path: StringCriterionInput
  basename: StringCriterionInput # 0.31-
}

type FindFoldersResultType { # 0.29-, undocumented
  count: Int!
  folders: [Folder!]!
}

input StringCriterionInput {
  value: String!
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
  BETWEEN     # 0.9-
  NOT_BETWEEN # 0.9-
}

type LogEntry {
  time: Time!
  level: LogLevel!
  message: String!
}

enum LogLevel {
  Trace # 0.11-
  Debug
  Info
  Progress
  Warning
  Error
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
  error: String # 0.26-
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

enum JobStatus {
  READY
  RUNNING
  FINISHED
  STOPPING
  CANCELLED
  FAILED # 0.26-
}

input FindJobInput {
  id: ID!
}

input ScanMetadataInput {
  paths: [String!]
  useFileMetadata: Boolean     # -0.16
  useFileMetadata: Boolean @deprecated(reason: "Not implemented") # 0.17-0.23
  stripFileExtension: Boolean  # -0.16
  stripFileExtension: Boolean @deprecated(reason: "Not implemented") # 0.17-0.23
  "Forces a rescan of files that have not changed" # 0.26-
  rescan: Boolean              # 0.26-
  scanGenerateCovers: Boolean  # 0.20-
  scanGeneratePreviews: Boolean
  scanGenerateImagePreviews: Boolean
  scanGenerateSprites: Boolean
  scanGeneratePhashes: Boolean
  scanGenerateImagePhashes: Boolean   # 0.31-
  scanGenerateThumbnails: Boolean     # 0.10-
  scanGenerateClipPreviews: Boolean   # 0.21-
  filter: ScanMetaDataFilterInput     # 0.12-
}

input ScanMetaDataFilterInput { # 0.12-
  minModTime: Timestamp
}

input GenerateMetadataInput {
  covers: Boolean         # 0.20-
  sprites: Boolean!       # -0.9
  sprites: Boolean        # 0.10-
  previews: Boolean!      # -0.9
  previews: Boolean       # 0.10-
  imagePreviews: Boolean! # -0.9
  imagePreviews: Boolean  # 0.10-
  previewOptions: GeneratePreviewOptionsInput # undocumented
  markers: Boolean!       # -0.9
  markers: Boolean        # 0.10-
  markerImagePreviews: Boolean # 0.10-
  markerScreenshots: Boolean   # 0.10-
  transcodes: Boolean!     # -0.9
  transcodes: Boolean      # 0.10-
  "Generates transcodes even if they are not required" # 0.12-
  forceTranscodes: Boolean # 0.12-
  phashes: Boolean!        # -0.9
  phashes: Boolean         # 0.10-
  imagePhashes: Boolean    # 0.31-
  interactiveHeatmapsSpeeds: Boolean # 0.12-
  imageThumbnails: Boolean # 0.25-
  clipPreviews: Boolean    # 0.21-
  sceneIDs: [ID!]
  markerIDs: [ID!]
  imageIDs: [ID!]          # 0.31-
  galleryIDs: [ID!]        # 0.31-
  paths: [String!]         # 0.31-
  overwrite: Boolean
}

input GeneratePreviewOptionsInput { # undocumented
  previewSegments: Int
  previewSegmentDuration: Float
  previewExcludeStart: String
  previewExcludeEnd: String
  previewPreset: PreviewPreset
}

enum PreviewPreset { # undocumented
  ultrafast
  veryfast
  fast
  medium
  slow
  slower
  veryslow
}

input BackupDatabaseInput {
  download: Boolean
  "Puts the blobs that are files beside the database, into a zip" # 0.31-
  includeBlobs: Boolean # 0.31-
}

input AutoTagMetadataInput { # undocumented
  paths: [String!]
  performers: [String!]
  studios: [String!]
  tags: [String!]
}

input CleanMetadataInput { # undocumented
  paths: [String!] # 0.12-
  dryRun: Boolean!
  "Takes the contents of zip files as unchanged" # 0.31-
  ignoreZipFileContents: Boolean # 0.31-
}

input MigrateInput { # undocumented
  backupPath: String!
}

input CleanGeneratedInput { # 0.25-, undocumented
  blobFiles: Boolean
  sprites: Boolean
  screenshots: Boolean
  transcodes: Boolean
  markers: Boolean
  imageThumbnails: Boolean
  dryRun: Boolean
}

input IdentifyMetadataInput { # 0.11-, undocumented
  sources: [IdentifySourceInput!]!
  options: IdentifyMetadataOptionsInput
  sceneIDs: [ID!]
  paths: [String!]
}

input IdentifySourceInput { # 0.11-, undocumented
  source: ScraperSourceInput!
  options: IdentifyMetadataOptionsInput
}

input IdentifyMetadataOptionsInput { # 0.11-, undocumented
  fieldOptions: [IdentifyFieldOptionsInput!]
  setCoverImage: Boolean
  setOrganized: Boolean
  includeMalePerformers: Boolean # -0.30
  includeMalePerformers: Boolean @deprecated(reason: "Use performerGenders") # 0.31-
  skipMultipleMatches: Boolean # 0.22-
  skipMultipleMatchTag: String # 0.22-
  skipSingleNamePerformers: Boolean # 0.22-
  skipSingleNamePerformerTag: String # 0.22-
  performerGenders: [GenderEnum!] # 0.31-
}

input IdentifyFieldOptionsInput { # 0.11-, undocumented
  field: String!
  strategy: IdentifyFieldStrategy!
  createMissing: Boolean
}

input SceneUpdateInput { # undocumented
  clientMutationId: String
  id: ID!
  title: String
  code: String # 0.18-
  details: String
  director: String # 0.18-
  url: String # -0.21
  url: String @deprecated(reason: "Use urls") # 0.22-
  urls: [String!] # 0.22-
  date: String
  rating: Int # -0.17
  rating: Int @deprecated(reason: "Use 1-100 range with rating100") # 0.18-0.23
  rating100: Int # 0.18-
  o_counter: Int # 0.18-0.24
  o_counter: Int @deprecated(reason: "Unsupported - Use sceneIncrementO/sceneDecrementO") # 0.25-
  organized: Boolean
  studio_id: ID
  gallery_ids: [ID!]
  performer_ids: [ID!]
  groups: [SceneGroupInput!] # 0.27-
  movies: [SceneMovieInput!] # -0.26
  movies: [SceneMovieInput!] @deprecated(reason: "Use groups") # 0.27-
  tag_ids: [ID!]
  cover_image: String
  stash_ids: [StashIDInput!]
  resume_time: Float # 0.18-
  play_duration: Float # 0.18-
  play_count: Int # 0.18-0.24
  play_count: Int @deprecated(reason: "Unsupported - Use sceneIncrementPlayCount/sceneDecrementPlayCount") # 0.25-
  primary_file_id: ID # 0.17-
  custom_fields: CustomFieldsInput # 0.31-
}

input SceneGroupInput { # 0.27-, undocumented
  group_id: ID!
  scene_index: Int
}

input SceneMovieInput { # undocumented
  movie_id: ID!
  scene_index: Int
}

input PluginArgInput { # undocumented
  key: String!
  value: PluginValueInput
}

input PluginValueInput { # undocumented
  str: String
  i: Int
  b: Boolean
  f: Float
  o: [PluginArgInput!]
  a: [PluginValueInput!]
}

enum PackageType { # 0.24-, undocumented
  Scraper
  Plugin
}

input PackageSpecInput { # 0.24-, undocumented
  id: String!
  sourceURL: String!
}
`;

// Built on first use: most tests need one or two of them.
const schemas = new Map<Release, { text: string; schema: GraphQLSchema }>();

/** Returns the schema of a release, as text and executable. */
export function schemaOf(release: Release) {
  let known = schemas.get(release);
  if (!known) {
    const text = textOf(release);
    const schema = buildSchema(text);
    // Real servers send a status even if their schema does not have it; graphql-js would refuse to.
    const status = schema.getType('JobStatus');
    if (isEnumType(status)) status.serialize = String;
    known = { text, schema };
    schemas.set(release, known);
  }
  return known;
}

const MARK =
  /\s+#(?<range> (?:0\.(?<first>\d+))?-(?:0\.(?<last>\d+))?)?,?(?: (?<document>(?:un)?documented))?$/;

function textOf(release: Release): string {
  const lines: string[] = [];
  let absent = false; // within a block that this release does not have
  for (const line of (SCHEMA + FILTERS + UPDATES).split('\n')) {
    const text = line.replace(MARK, '');
    const exists = isMarkedFor(release, MARK.exec(line)?.groups ?? {});
    if (!exists && text.endsWith('{')) absent = true;
    if (exists && !absent) lines.push(text);
    if (text === '}') absent = false;
  }
  return lines.join('\n');
}

function isMarkedFor(release: Release, { range, first, last, document }: Mark): boolean {
  if (release === 'documented' && document) return document === 'documented';
  if (document === 'documented' && !range) return false;
  const minor = minorOf(release);
  return minor >= Number(first ?? 0) && minor <= Number(last ?? Infinity);
}

type Mark = Partial<Record<'range' | 'first' | 'last' | 'document', string>>;
