import { StashError } from '../src/errors';
import { type EvaluatedProperty, fixed, type FixedProperty, plain, typed, unlessType } from '../src/flow';
import { isRecord } from '../src/guards';

const OPTION_TYPES = ['json', 'msg', 'flow', 'global', 'env', 'jsonata'];

/** A typed input for an object, also as JSON; null if its type is `server`. */
export function options(name: string): EvaluatedProperty<Readonly<Record<string, unknown>> | null> {
  const given = typed(name, { value: '', type: 'server' }, OPTION_TYPES, (result, details) => {
    // Only JSON can be sent, and nothing else may change it until then.
    const value: unknown = JSON.parse(typeof result === 'string' ? result : JSON.stringify(result));
    if (!isRecord(value)) throw new StashError('BAD_INPUT.notObject', { details });
    return value;
  });
  return unlessType('server', { name, presetType: 'server' }, given);
}

/** A text that has to be chosen if the property `task` is `task`. */
export function chosenFor(task: string, name: string): FixedProperty<string> {
  const given = plain(name);
  return fixed((config) => {
    const chosen = given.read(config);
    if (config['task'] === task && chosen === '') throw new StashError('BAD_INPUT.notChosen');
    return chosen;
  });
}
