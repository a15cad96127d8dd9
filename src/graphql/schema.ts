import { StashError } from '../errors';
import { isRecord, isString } from '../guards';
import { redact } from '../redact';

/** What is known about a field. */
interface Field {
  /** Whether it is an input field of type `Boolean!`. */
  requiredBoolean: boolean;
}

type Types = ReadonlyMap<string, ReadonlyMap<string, Field>>;

/** All types whose fields differ among releases, if an operation depends on them. */
const TYPES = [
  'Query',
  'Mutation',
  'Studio',
  'SystemStatus',
  'ConfigGeneralResult',
  'ScrapedPerformer',
  'ScrapedPerformerInput',
  'ScanMetadataInput',
  'GenerateMetadataInput',
  'Job',
  'Scene',
  'Image',
  'Gallery',
];

/**
 * A light introspection that works on all releases since v0.2. It includes deprecated fields, which servers hide by default,
 * and has no deeper levels, because servers reject three levels since v0.29.0.
 */
export const INTROSPECTION = `{
  version { version }
  ${TYPES.map((type) => `${type}: __type(name: "${type}") { ...Fields }`).join('\n  ')}
}
fragment Fields on __Type {
  fields(includeDeprecated: true) { name }
  inputFields { name type { kind ofType { name } } }
}`;

/** A release as a server reports it, also of a build between releases: `v0.30.1`, `v0.28.1-57-g5cfe5d9e`. */
const RELEASE = /^v?\d+(?:\.\d+){1,3}(?:[-+.][\w.+-]*)?$/;
const LONGEST_RELEASE = 40;

/** The interface document (parts 2 and 4), for servers without introspection. */
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

/** The schema of a server. Operations depend on this, never on the number of a release. */
export class Schema {
  /** The release, such as `v0.30.1`; empty if the server does not report it. */
  readonly release: string;
  readonly #types: Types;

  private constructor(release: string, types: Types) {
    this.release = release;
    this.#types = types;
  }

  /** Returns the schema of the interface document. */
  static documented(): Schema {
    const types = Object.entries(DOCUMENTED).map(
      ([type, names]) => [type, new Map(names.map((name) => [name, { requiredBoolean: false }]))] as const,
    );
    return new Schema('', new Map(types));
  }

  /**
   * Reads the response to `INTROSPECTION`.
   * @param redactText removes secrets and control characters from the release, which is shown in many places.
   * @throws {StashError} NOT_STASH for any other `data`.
   */
  static read(
    data: Readonly<Record<string, unknown>>,
    redactText: (text: string) => string = redact,
  ): Schema {
    const { version } = data;
    const told = isRecord(version) && isString(version['version']) ? redactText(version['version']) : '';
    const release = told.length <= LONGEST_RELEASE && RELEASE.test(told) ? told : '';
    const types = TYPES.map((type) => [type, readFields(data[type])] as const);
    if (!types.some(([type, fields]) => type === 'Query' && fields.size > 0)) {
      throw new StashError('NOT_STASH.notGraphQL');
    }
    return new Schema(release, new Map(types));
  }

  /** Whether the type has the field; false for a type that the server lacks. */
  has(type: string, field: string): boolean {
    return this.#types.get(type)?.has(field) ?? false;
  }

  /**
   * Returns an object of an input type: those of `values` that the type knows, and false for each boolean that is required
   * but missing. Servers reject both an unknown field and a missing one.
   */
  input(type: string, values: Readonly<Record<string, unknown>>): Record<string, unknown> {
    const input = Object.entries(values).filter(([name]) => this.has(type, name));
    const required = [...(this.#types.get(type) ?? [])].filter(([, field]) => field.requiredBoolean);
    return { ...Object.fromEntries(required.map(([name]) => [name, false])), ...Object.fromEntries(input) };
  }

  /**
   * Returns the error for something that this server lacks.
   * @param name its name in the schema.
   * @param since the first release that has it; null if no release so far has it.
   */
  lacks(name: string, since: string | null): StashError {
    const release = this.release || '?';
    if (since === null) return new StashError('UNSUPPORTED.later', { details: { name, release } });
    return new StashError('UNSUPPORTED.lacking', { details: { name, since, release } });
  }
}

function readFields(type: unknown): ReadonlyMap<string, Field> {
  if (!isRecord(type)) return new Map();
  // One of the two lists is null or empty.
  const fields = [type['fields'], type['inputFields']].flat().filter(isRecord);
  return new Map(
    fields.map(({ name, type: of }) => [String(name), { requiredBoolean: isRequiredBoolean(of) }]),
  );
}

function isRequiredBoolean(type: unknown): boolean {
  return (
    isRecord(type) &&
    type['kind'] === 'NON_NULL' &&
    isRecord(type['ofType']) &&
    type['ofType']['name'] === 'Boolean'
  );
}
