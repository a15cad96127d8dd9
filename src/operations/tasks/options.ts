import type { Call } from '../../call';
import { StashError } from '../../errors';
import { isRecord, parsed } from '../../guards';
import type { Schema, Server } from '../../server';
import { taskKinds, type TaskName } from './kinds';

/** The fields of a task's input. */
export type TaskOptions = Readonly<Record<string, unknown>>;

/** What to tag on servers with nothing saved, as on their Tasks page. Without any of these, nothing is tagged. */
const EVERYBODY: TaskOptions = { performers: ['*'], studios: ['*'], tags: ['*'] };

/** What to clean on servers with nothing saved, as on their Tasks page. Without any of these, nothing is cleaned. */
const ALL_GENERATED: TaskOptions = {
  blobFiles: true,
  sprites: true,
  screenshots: true,
  transcodes: true,
  markers: true,
  imageThumbnails: true,
};

/** The tasks of the task node whose options the Tasks page keeps, with their names there. */
const saved: Partial<Record<TaskName, 'identify' | 'autoTag' | 'cleanGenerated'>> = {
  metadataIdentify: 'identify',
  metadataAutoTag: 'autoTag',
  metadataCleanGenerated: 'cleanGenerated',
};

/**
 * Completes the options of a task, so that it does what a user means: an empty input tags nothing and cleans nothing.
 * @param given null for those that the server's Tasks page keeps.
 * @param check throws if the server lacks the task. It runs before anything is sent.
 * @throws {StashError} BAD_INPUT for an identify task without sources; as `Server.request`.
 */
export async function optionsOf(
  server: Server,
  task: TaskName,
  given: TaskOptions | null,
  check: (schema: Schema) => void,
  call: Call,
): Promise<TaskOptions> {
  const key = saved[task];
  const needsSources = task === 'metadataIdentify' && isEmptyList(given?.['sources']);
  const { input = '' } = taskKinds[task];
  const isRequested = key !== undefined && (given === null || needsSources);
  const kept = isRequested ? await savedOptions(server, { key, input }, check, call) : {};
  // A plugin may take null for a value.
  if (task === 'runPluginTask') return given ?? {};
  const options = { ...kept, ...withoutNulls(given ?? {}) };
  switch (task) {
    case 'metadataIdentify':
      if (isEmptyList(options['sources'])) throw new StashError('BAD_INPUT.noSources');
      return options;
    case 'metadataAutoTag':
      return hasAny(options, EVERYBODY) ? options : { ...options, ...EVERYBODY };
    case 'metadataCleanGenerated':
      return hasAny(options, ALL_GENERATED) ? options : { ...options, ...ALL_GENERATED };
    case 'metadataClean':
      return { dryRun: false, ...options };
    default:
      return options;
  }
}

/**
 * Requests the options that the Tasks page keeps: `configuration.ui.taskDefaults` since v0.26.0, which that page prefers, and
 * `configuration.defaults`. Empty with nothing saved.
 */
export async function savedOptions(
  server: Server,
  { key, input }: { key: string; input: string },
  check: (schema: Schema) => void,
  call: Call,
): Promise<TaskOptions> {
  return await server.request({
    kind: 'query',
    call,
    build: (schema) => {
      check(schema);
      const inDefaults = wholeSelection(schema, 'ConfigDefaultSettingsResult', key);
      const ui = schema.has('ConfigResult', 'ui') ? 'ui' : '';
      const defaults = inDefaults && `defaults { ${inDefaults} }`;
      return {
        rootField: 'configuration',
        // A selection must not be empty, and every release has this field.
        document: `{ configuration { general { databasePath } ${ui} ${defaults} } }`,
        read: parsed(isRecord, (configuration) => {
          const inUi = fieldIn(fieldIn(configuration['ui'], 'taskDefaults'), key);
          const found = inUi ?? fieldIn(configuration['defaults'], key);
          return isRecord(found) ? optionsIn(withoutNulls(found), schema.fieldsOf(input)) : {};
        }),
      };
    },
  });
}

/** Leaves out what this release does not know, and the part of the library, which is never saved. */
function optionsIn(saved: TaskOptions, known: ReadonlyMap<string, unknown> | undefined): TaskOptions {
  return Object.fromEntries(
    Object.entries(saved).filter(([name]) => known?.has(name) && name !== 'paths' && name !== 'sceneIDs'),
  );
}

/** Returns the selection of a field with everything in it; empty if the server lacks the field. */
function wholeSelection(schema: Schema, type: string, field: string): string {
  let reference = schema.fieldsOf(type)?.get(field);
  if (!reference) return '';
  while (reference.ofType) reference = reference.ofType;
  const { kind, name } = reference;
  if (kind !== 'OBJECT' || name === null) return field;
  const fields = [...(schema.fieldsOf(name)?.keys() ?? [])].map((one) => wholeSelection(schema, name, one));
  return fields.length === 0 ? '' : `${field} { ${fields.join(' ')} }`;
}

function fieldIn(value: unknown, name: string): unknown {
  return isRecord(value) ? (value[name] ?? undefined) : undefined;
}

/** Leaves out what the Tasks page keeps besides the options: fields without a value, and the names of their types. */
function withoutNulls(value: TaskOptions): TaskOptions {
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name, one]) => one !== null && one !== undefined && name !== '__typename')
      .map(([name, one]) => [name, clean(one)]),
  );
}

function clean(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(clean);
  return isRecord(value) ? withoutNulls(value) : value;
}

function hasAny(options: TaskOptions, names: TaskOptions): boolean {
  return Object.keys(names).some((name) => name in options);
}

function isEmptyList(list: unknown): boolean {
  return !Array.isArray(list) || list.length === 0;
}
