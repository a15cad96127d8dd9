import {
  count,
  evaluated,
  type EvaluatedProperty,
  fixed,
  type FixedProperty,
  jsonObject,
  saved,
  text,
} from '../../src/flow';
import type { FilterInput } from '../../src/operations/find';

/**
 * A typed input for what to find: everything with the type `none`, the default; what a filter shows that is saved in Stash
 * (`saved`: its name, else its ID) or the address of a list page (`url`); otherwise criteria of the API, an object, also as JSON.
 */
export function filter(name: string): EvaluatedProperty<FilterInput> {
  const preset = { value: '', type: 'none' };
  const criteria = jsonObject(name, preset.type, 'BAD_INPUT.notCriteria');
  return evaluated(async (config, evaluate) => {
    const type = saved(config, `${name}Type`, preset.type);
    const entered = () => text(name, preset, ['str']).read({ ...config, [`${name}Type`]: 'str' }, evaluate);
    if (type === 'none') return { by: 'none' };
    if (type === 'saved') return { by: 'saved', filter: await entered() };
    if (type === 'url') return { by: 'url', address: await entered() };
    return { by: 'criteria', criteria: await criteria.read(config, evaluate) };
  });
}

/** The most items to find; 0 means all, read as Infinity. */
export function limit(name: string, preset: number): FixedProperty<number> {
  const given = count(name, preset);
  return fixed((config) => given.read(config) || Infinity);
}
