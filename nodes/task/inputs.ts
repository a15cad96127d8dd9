import { isFilled } from '../../src/contract/values';
import { StashError } from '../../src/errors';
import {
  type Config,
  evaluated,
  type EvaluatedProperty,
  jsonObject,
  saved,
  typed,
  unlessType,
} from '../../src/flow';
import { isRecord } from '../../src/guards';
import type { PluginTask } from '../../src/operations/tasks';

const OPTION_TYPES = ['json', 'msg', 'flow', 'global', 'env', 'jsonata'];

/** A typed input for an object, also as JSON; null if its type is `server`. */
export function options(name: string): EvaluatedProperty<Readonly<Record<string, unknown>> | null> {
  const given = jsonObject(name, 'server', 'BAD_INPUT.notObject', OPTION_TYPES);
  return unlessType('server', { name, presetType: 'server' }, given);
}

const PLUGIN_TYPES = ['msg', 'flow', 'global', 'jsonata'];

/**
 * The task of a plugin, if the property `task` is `runPluginTask`; null otherwise. Both texts were chosen in the dialog if the
 * type is `str`, the default. From elsewhere, it is an object with `plugin` and `task`.
 */
export function pluginTask(plugin: string, task: string): EvaluatedProperty<PluginTask | null> {
  const given = typed(plugin, { value: '', type: '' }, PLUGIN_TYPES, (result, details) => {
    const { plugin: id, task: title } = isRecord(result) ? result : ({} as Record<string, unknown>);
    if (!isFilled(id) || !isFilled(title)) throw new StashError('BAD_INPUT.notPluginTask', { details });
    return { plugin: id.trim(), task: title.trim() };
  });
  const chosen = (config: Config) => {
    if (saved(config, `${plugin}Type`, 'str') !== 'str') return undefined;
    const both = { plugin: saved(config, plugin, '').trim(), task: saved(config, task, '').trim() };
    if (both.plugin === '' || both.task === '') throw new StashError('BAD_INPUT.notChosen');
    return both;
  };
  const isWanted = (config: Config) => config['task'] === 'runPluginTask';
  return evaluated(
    async (config, evaluate) =>
      isWanted(config) ? await (chosen(config) ?? given.read(config, evaluate)) : null,
    (config) => {
      if (isWanted(config)) chosen(config);
    },
  );
}
