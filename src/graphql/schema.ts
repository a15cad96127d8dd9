import { allKinds, formerNames, kinds } from '../contract/kinds';
import { StashError } from '../errors';
import { hasString, isRecord, isString } from '../guards';
import { redact } from '../redact';

export interface TypeReference {
  /** `NON_NULL` or `LIST` of another type, otherwise the kind of the named type. */
  readonly kind: string;
  /** Null for `NON_NULL` and `LIST`. */
  readonly name: string | null;
  readonly ofType: TypeReference | null;
}

interface Field {
  /** Null for a root field, whose type is not requested, and for a choice of an enum. */
  readonly type: TypeReference | null;
  readonly arguments: ReadonlySet<string>;
}

type Types = ReadonlyMap<string, ReadonlyMap<string, Field>>;

/** The types of root fields, whose arguments differ among releases. */
const ROOTS = ['Query', 'Mutation'];

/** The types of items, also by their former names. */
const ITEMS = allKinds
  .flatMap((kind) => [kinds[kind], formerNames[kind] ?? []])
  .flat()
  .map(({ type }) => type);

/** All other types whose fields differ among releases, if an operation depends on them. */
const TYPES = [
  ...ITEMS,
  'SystemStatus',
  'LatestVersion',
  'StatsResultType',
  'ConfigGeneralResult',
  'ConfigResult',
  'ConfigDefaultSettingsResult',
  'IdentifyMetadataTaskOptions',
  'IdentifySource',
  'ScraperSource',
  'IdentifyMetadataOptions',
  'IdentifyFieldOptions',
  'AutoTagMetadataOptions',
  'GenerateMetadataOptions',
  'ScrapedPerformer',
  'Plugin',
  'Job',
  'SavedFilter',
];

/** The types of arguments, down to their scalars: what a user enters is checked against them. */
const INPUTS = [
  ...ITEMS.map((type) => `${type}FilterType`),
  'ScrapedPerformerInput',
  'PerformerUpdateInput',
  'GalleryUpdateInput',
  'BulkSceneUpdateInput',
  'BulkImageUpdateInput',
  'BulkGalleryUpdateInput',
  'BulkPerformerUpdateInput',
  'GenderEnum',
  'CircumisedEnum',
  'CircumcisedEnum',
  'BackupDatabaseInput',
  'ScanMetadataInput',
  'GenerateMetadataInput',
  'IdentifyMetadataInput',
  'IdentifySourceInput',
  'ScraperSourceInput',
  'IdentifyMetadataOptionsInput',
  'IdentifyFieldOptionsInput',
  'IdentifyFieldStrategy',
  'AutoTagMetadataInput',
  'CleanMetadataInput',
  'CleanGeneratedInput',
  'PackageType',
  'PackageSpecInput',
  'FileFilterType',
  'CriterionModifier',
  'IntCriterionInput',
  'FloatCriterionInput',
  'StringCriterionInput',
  'DateCriterionInput',
  'TimestampCriterionInput',
  'MultiCriterionInput',
  'HierarchicalMultiCriterionInput',
  'GenderCriterionInput',
  'CircumcisionCriterionInput',
  'OrientationCriterionInput',
  'OrientationEnum',
  'ResolutionCriterionInput',
  'ResolutionEnum',
  'PhashDistanceCriterionInput',
  'PHashDuplicationCriterionInput',
  'DuplicationCriterionInput',
  'StashIDCriterionInput',
  'StashIDsCriterionInput',
  'CustomFieldCriterionInput',
];

const ALL_TYPES = [...ROOTS, ...TYPES, ...INPUTS];

/**
 * A light introspection that works on all releases, also those that are too old. It includes deprecated fields, which servers hide by default,
 * and has no deeper levels of fields, because servers reject three levels since v0.29.0.
 */
export const INTROSPECTION = `{
  version { version }
  ${[
    ...ROOTS.map((type) => `${type}: __type(name: "${type}") { ...Roots }`),
    ...TYPES.map((type) => `${type}: __type(name: "${type}") { ...Fields }`),
    ...INPUTS.map((type) => `${type}: __type(name: "${type}") { ...Inputs }`),
  ].join('\n  ')}
}
fragment Roots on __Type {
  fields(includeDeprecated: true) { name args { name } }
}
fragment Fields on __Type {
  fields(includeDeprecated: true) { name type { ...Reference } }
}
fragment Inputs on __Type {
  inputFields { name type { ...Reference } }
  enumValues(includeDeprecated: true) { name }
}
fragment Reference on __Type {
  kind name ofType { kind name ofType { kind name ofType { kind name } } }
}`;

/** The oldest supported release: the first with a queue of jobs and with their IDs. */
export const OLDEST = 'v0.8.0';

/** A release as a server reports it, also of a build between releases: `v0.30.1`, `v0.28.1-57-g5cfe5d9e`. */
const RELEASE = /^v?\d+(?:\.\d+){1,3}(?:[-+.][\w.+-]*)?$/;
const LONGEST_RELEASE = 40;

/** The interface document (docs/interface.md, parts 2 and 4), for servers without introspection. */
const DOCUMENTED: Readonly<Record<string, readonly string[]>> = {
  Query: ['allStudios', 'scrapeSite', 'scrapeSitePerformerList', 'systemStatus'],
  Mutation: ['metadataScan', 'metadataGenerate', 'backupDatabase'],
  Studio: ['id', 'checksum', 'url', 'name', 'image_path', 'scene_count'],
  SystemStatus: ['databaseSchema', 'databasePath', 'configPath', 'appSchema', 'status'],
  ScrapedPerformer: [
    ...['name', 'url', 'twitter', 'instagram', 'birthdate', 'ethnicity', 'country', 'eye_color', 'height'],
    ...['measurements', 'fake_tits', 'career_length', 'tattoos', 'piercings', 'aliases'],
  ],
  GenerateMetadataInput: ['sprites', 'previews', 'imagePreviews', 'markers', 'transcodes'],
};

/** @returns empty if the field `version` has no release. */
function releaseIn(version: unknown, redactText: (text: string) => string): string {
  const text = isRecord(version) && isString(version['version']) ? redactText(version['version']) : '';
  return text.length <= LONGEST_RELEASE && RELEASE.test(text) ? text : '';
}

/** The schema of a server. Operations depend on this, never on the number of a release. */
export class Schema {
  /** Such as `v0.30.1`; empty if the server does not report it. */
  readonly release: string;
  readonly #types: Types;

  private constructor(release: string, types: Types) {
    this.release = release;
    this.#types = types;
  }

  static documented(): Schema {
    const types = Object.entries(DOCUMENTED).map(
      ([type, names]) => [type, new Map(names.map((name) => [name, UNKNOWN]))] as const,
    );
    return new Schema('', new Map(types));
  }

  /**
   * Reads the response to `INTROSPECTION`.
   * @param redactText removes secrets and control characters from the release.
   * @throws {StashError} NOT_STASH for any other `data`.
   */
  static read(
    data: Readonly<Record<string, unknown>>,
    redactText: (text: string) => string = redact,
  ): Schema {
    const release = releaseIn(data['version'], redactText);
    const types = ALL_TYPES.map((type) => [type, readFields(data[type])] as const);
    if (!types.some(([type, fields]) => type === 'Query' && fields.size > 0)) {
      throw new StashError('NOT_STASH.notGraphQL');
    }
    return new Schema(release, new Map(types));
  }

  /**
   * Whether the server's `version` is another release by now; false if the release is unknown.
   * @param redactText as of `read`.
   */
  isOutdated(version: unknown, redactText: (text: string) => string): boolean {
    return this.release !== '' && this.release !== releaseIn(version, redactText);
  }

  /**
   * Whether this is a Stash before v0.8, which has `jobStatus` instead of `jobQueue`. A server with the names of the interface
   * document never is, whatever else it has. A server without introspection counts as one with these names.
   */
  get isTooOld(): boolean {
    return this.has('Query', 'jobStatus') && !this.has('Query', 'scrapeSite');
  }

  /** Whether the type has the field, or the enum the value; false for a type that the server lacks. */
  has(type: string, field: string): boolean {
    return this.#types.get(type)?.has(field) ?? false;
  }

  hasArgument(type: 'Query' | 'Mutation', field: string, argument: string): boolean {
    return this.#types.get(type)?.get(field)?.arguments.has(argument) ?? false;
  }

  /**
   * Returns the names and types of a type's fields; the names of an enum's choices, each with null. Undefined for a type that
   * is unknown here or to the server.
   */
  fieldsOf(type: string): ReadonlyMap<string, TypeReference | null> | undefined {
    const fields = this.#types.get(type);
    if (!fields || fields.size === 0) return undefined;
    return new Map([...fields].map(([name, field]) => [name, field.type]));
  }

  /**
   * Returns an object of an input type: those of `values` that the type knows, and false for each boolean that is required but
   * missing. Servers reject both an unknown field and a missing one.
   */
  input(type: string, values: Readonly<Record<string, unknown>>): Record<string, unknown> {
    const input = Object.entries(values).filter(([name]) => this.has(type, name));
    const required = [...(this.#types.get(type) ?? [])].filter(([, field]) => isRequiredBoolean(field.type));
    return { ...Object.fromEntries(required.map(([name]) => [name, false])), ...Object.fromEntries(input) };
  }

  /**
   * Returns the error for something that this server lacks.
   * @param name its name in the schema.
   * @param since the first release that has it. By default, every supported one has it.
   */
  lacks(name: string, since: string = OLDEST): StashError {
    const release = this.release || '?';
    return new StashError('UNSUPPORTED.lacking', { details: { name, since, release } });
  }

  /** Returns the error for an answer to a root field in a form that no known release has. */
  hasOtherForm(name: string): StashError {
    return new StashError('GRAPHQL.form', { details: { name, release: this.release || '?' } });
  }

  /** Returns the error for a name that a user entered and this server does not know. */
  lacksName(name: string): StashError {
    const details = { name: name.slice(0, 100), release: this.release || '?' };
    return new StashError('UNSUPPORTED.unknown', { details });
  }
}

const UNKNOWN: Field = { type: { kind: '', name: null, ofType: null }, arguments: new Set() };

function readFields(type: unknown): ReadonlyMap<string, Field> {
  if (!isRecord(type)) return new Map();
  // All but one of the lists are absent, null or empty.
  const fields = [type['fields'], type['inputFields'], type['enumValues']].flat().filter(isRecord);
  return new Map(
    fields.map(({ name, type: of, args }) => [
      String(name),
      { type: readReference(of), arguments: new Set([args].flat().filter(hasString('name')).map(nameOf)) },
    ]),
  );
}

function readReference(type: unknown): TypeReference | null {
  if (!isRecord(type)) return null;
  const { kind, name, ofType } = type;
  return {
    kind: isString(kind) ? kind : '',
    name: isString(name) ? name : null,
    ofType: readReference(ofType),
  };
}

function nameOf({ name }: { name: string }): string {
  return name;
}

function isRequiredBoolean(type: TypeReference | null): boolean {
  return type?.kind === 'NON_NULL' && type.ofType?.name === 'Boolean';
}
