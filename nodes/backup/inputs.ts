import path from 'node:path';
import { StashError } from '../../src/errors';
import {
  evaluated,
  type EvaluatedProperty,
  fixed,
  type FixedProperties,
  type FixedProperty,
  number,
  type Property,
  readFixed,
  text,
  unlessType,
} from '../../src/flow';

/** An absolute path, which a message cannot set; null if the type is `message`. */
export function folder(name: string): EvaluatedProperty<string | null> {
  const given = text(name, { value: '', type: 'str' }, ['str', 'env', 'flow', 'global']);
  const absolute = evaluated(async (config, evaluate) => {
    const folder = await given.read(config, evaluate);
    if (path.isAbsolute(folder) && !/[\r\n]/.test(folder)) return folder;
    throw new StashError('BAD_INPUT.notAbsolute', { details: { path: folder.slice(0, 100) } });
  });
  return unlessType('message', { name, presetType: 'str' }, absolute);
}

/** A file name, which is a template if it was typed into the dialog; null if the type is `server`. */
export function fileName(name: string): EvaluatedProperty<{ text: string; isTemplate: boolean } | null> {
  const given = text(name, { value: '', type: 'str' });
  const named = evaluated(async (config, evaluate) => ({
    text: await given.read(config, evaluate),
    isTemplate: config[`${name}Type`] === 'str',
  }));
  return unlessType('server', { name, presetType: 'server' }, named);
}

/** A number of MiB, as bytes. */
export function mebibytes(name: string, preset: number): FixedProperty<number> {
  const given = number(name, preset);
  return fixed((config) => given.read(config) * 2 ** 20);
}

/** An input that applies only if the checkbox `checked` is ticked; null otherwise. */
export function onlyIf<T>(checked: string, property: Property<T>): EvaluatedProperty<T | null> {
  return evaluated(async (config, evaluate) => {
    if (config[checked] !== true) return null;
    return property.fixed ? property.read(config) : await property.read(config, evaluate);
  });
}

/** Several properties as one object. */
export function together<Parts>(parts: FixedProperties<Parts>): FixedProperty<Parts> {
  return fixed((config) => readFixed(parts, config));
}

/** The ids of the node itself and of the config node that it uses. */
export const ownIds = fixed((config) => ({ node: String(config['id']), server: String(config['server']) }));
