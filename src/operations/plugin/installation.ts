import { sleep } from '../../async';
import type { Call } from '../../call';
import { plugin, type PluginState } from '../../contract/plugin';
import { textIn } from '../../contract/values';
import { arrayOf, hasString, isRecord, isString, nullable, parsed } from '../../guards';
import { StashError } from '../../errors';
import type { Operation, Server } from '../../server';
import { timing } from '../../timing';

/** The first release with `runPluginOperation`. */
const SINCE = 'v0.25.0';
/** How often to poll for the end of the job that installs a plugin, which takes a second. */
const POLLS = 20;
/** The longest version to show, in UTF-16 units. */
const LONGEST = 20;

const isAnswer = (data: unknown): data is Answer =>
  isRecord(data) && isList(data['plugins']) && isList(data['jobQueue']);
const isList = nullable(arrayOf(hasString('id')));

/** The plugins, and the jobs that have not ended; null without any. */
type Answer = Record<'plugins' | 'jobQueue', readonly Readonly<Record<string, unknown>>[] | null>;

/**
 * Returns the plugin as the server has it.
 * @param job the ID of the job that installs it, if one does.
 * @throws {StashError} UNSUPPORTED before v0.25; otherwise as `Server.request`.
 */
export async function installedPlugin(server: Server, call: Call, job?: string): Promise<PluginState> {
  return await server.request({
    kind: 'query',
    call,
    build: (schema): Operation<PluginState> => {
      if (!schema.has('Mutation', 'runPluginOperation')) throw schema.lacks('runPluginOperation', SINCE);
      return {
        rootField: 'plugins',
        document: '{ plugins { id version enabled } jobQueue { id } }',
        isWhole: true,
        read: parsed(isAnswer, ({ plugins, jobQueue }) => {
          const { version, enabled } = plugins?.find(({ id }) => id === plugin.id) ?? { version: null };
          return {
            version: version === null ? null : server.redact(textIn(version)).slice(0, LONGEST),
            isEnabled: enabled === true,
            isInstalling: jobQueue?.some(({ id }) => id === job) ?? false,
          };
        }),
      };
    },
  });
}

/** @throws {StashError} UNSUPPORTED unless the server has the plugin and runs it; otherwise as `installedPlugin`. */
export async function checkPlugin(server: Server, call: Call): Promise<void> {
  const { version, isEnabled } = await installedPlugin(server, call);
  if (version === null) throw new StashError('UNSUPPORTED.noPlugin');
  if (!isEnabled) throw new StashError('UNSUPPORTED.pluginDisabled');
}

/**
 * Answers the dialog of a server: returns the plugin as the server has it, after its installation if the question has the address of a
 * package source. Whether that has failed, only the server's log tells.
 * @throws {StashError} as `installedPlugin`.
 */
export async function pluginIn(server: Server, question: unknown, call: Call): Promise<PluginState> {
  const source = isRecord(question) ? textIn(question['source']) : '';
  let state = await installedPlugin(server, call);
  if (source === '') return state;
  const job = await server.request({
    kind: 'mutation',
    call,
    build: () => ({
      rootField: 'installPackages',
      document: `mutation ($packages: [PackageSpecInput!]!) { installPackages(type: Plugin, packages: $packages) }`,
      variables: { packages: [{ id: plugin.id, sourceURL: source }] },
      read: parsed(isString, (id) => id),
    }),
  });
  // It may wait for another job, such as a scan.
  for (let poll = 0; poll < POLLS; poll++) {
    await sleep(timing.plugin, call.signal);
    state = await installedPlugin(server, call, job);
    if (!state.isInstalling) break;
  }
  return state;
}
