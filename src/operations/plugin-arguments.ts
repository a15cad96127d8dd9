import { StashError } from '../errors';
import { isRecord, isString } from '../guards';
import type { Schema } from '../server';
import type { Argument } from './job';

/** The deepest arguments of a plugin; deeper ones are a mistake. */
const MOST_LEVELS = 100;

/** A value of a plugin's argument before v0.25, which has its type as its name. */
type PluginValue = Readonly<Record<string, unknown>>;

/**
 * Returns the arguments of `runPluginTask` for the arguments of a plugin: `args_map` since v0.25.0, before that `args`, a list of
 * typed values. None without any.
 */
export function pluginArguments(schema: Schema, values: Readonly<Record<string, unknown>>): Argument[] {
  if (Object.keys(values).length === 0) return [];
  return schema.hasArgument('Mutation', 'runPluginTask', 'args_map')
    ? [{ name: 'args_map', type: 'Map', value: values }]
    : [{ name: 'args', type: '[PluginArgInput!]', value: typedArguments(values) }];
}

function typedArguments(values: Readonly<Record<string, unknown>>, level = 0) {
  return Object.entries(values).map(([key, value]) => {
    const typed = typedValue(value, level);
    return typed ? { key, value: typed } : { key };
  });
}

/** Returns undefined for null, which has no type: the plugin gets null for an argument without a value. */
function typedValue(value: unknown, level: number): PluginValue | undefined {
  if (level > MOST_LEVELS) {
    throw new StashError('BAD_INPUT.wrongType', { details: { name: 'options', type: '[PluginArgInput!]' } });
  }
  if (isString(value)) return { str: value };
  if (typeof value === 'boolean') return { b: value };
  // GraphQL integers have 32 bits.
  if (typeof value === 'number')
    return Number.isInteger(value) && Math.abs(value) < 2 ** 31 ? { i: value } : { f: value };
  if (Array.isArray(value)) return { a: value.map((item) => typedValue(item, level + 1) ?? {}) };
  if (isRecord(value)) return { o: typedArguments(value, level + 1) };
  return undefined;
}
