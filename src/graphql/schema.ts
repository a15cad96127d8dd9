import { StashError } from '../errors';
import { isRecord, isString } from '../guards';
import { redact } from '../redact';

/** Whether an input field is a boolean that must be given. */
interface Field {
  requiredBoolean: boolean;
}

type Types = ReadonlyMap<string, ReadonlyMap<string, Field>>;

/** All types whose fields differ among releases and that operations choose by. */
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
 * The light introspection, one for all releases since v0.2. Deprecated fields are hidden unless they are asked for,
 * and nothing is nested, as v0.29.0 and later refuse three levels.
 */
export const INTROSPECTION = `{
  version { version }
  ${TYPES.map((type) => `${type}: __type(name: "${type}") { ...Fields }`).join('\n  ')}
}
fragment Fields on __Type {
  fields(includeDeprecated: true) { name }
  inputFields { name type { kind ofType { name } } }
}`;

/** A release as servers tell it, also of builds in between: `v0.30.1`, `v0.28.1-57-g5cfe5d9e`. */
const RELEASE = /^v?\d+(?:\.\d+){1,3}(?:[-+.][\w.+-]*)?$/;
const LONGEST_RELEASE = 40;

/** The interface document (parts 2 and 4), which counts where a server does not tell its schema. */
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

/** What one server can be asked, as it says itself: operations choose by this, never by the number of a release. */
export class Schema {
  /** The release, as `v0.30.1`; empty where the server does not tell. */
  readonly release: string;
  readonly #types: Types;

  private constructor(release: string, types: Types) {
    this.release = release;
    this.#types = types;
  }

  /** The schema as the interface document has it. */
  static documented(): Schema {
    const types = Object.entries(DOCUMENTED).map(
      ([type, names]) => [type, new Map(names.map((name) => [name, { requiredBoolean: false }]))] as const,
    );
    return new Schema('', new Map(types));
  }

  /**
   * Reads the answer to `INTROSPECTION`.
   * @param redactText makes a text of the server fit to be shown, as the release is everywhere.
   * @throws {StashError} NOT_STASH where there is no such answer in `data`.
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

  /** Whether the type has the field; not if the server has no such type. */
  has(type: string, field: string): boolean {
    return this.#types.get(type)?.has(field) ?? false;
  }

  /**
   * An object for an input: what of `values` the type knows, and false for a boolean that must be given. Releases
   * refuse both an unknown field and a missing one.
   */
  input(type: string, values: Readonly<Record<string, unknown>>): Record<string, unknown> {
    const input = Object.entries(values).filter(([name]) => this.has(type, name));
    const required = [...(this.#types.get(type) ?? [])].filter(([, field]) => field.requiredBoolean);
    return { ...Object.fromEntries(required.map(([name]) => [name, false])), ...Object.fromEntries(input) };
  }

  /**
   * The error for something that this server lacks.
   * @param name as the schema has it.
   * @param since the release that has it first; null where none known so far has it.
   */
  lacks(name: string, since: string | null): StashError {
    const release = this.release || '?';
    if (since === null) return new StashError('UNSUPPORTED.later', { details: { name, release } });
    return new StashError('UNSUPPORTED.lacking', { details: { name, since, release } });
  }
}

function readFields(type: unknown): ReadonlyMap<string, Field> {
  if (!isRecord(type)) return new Map();
  // One of the two is null or empty.
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
