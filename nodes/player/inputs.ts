import { StashError } from '../../src/errors';
import {
  choice,
  evaluated,
  type EvaluatedProperty,
  TEXT_TYPES,
  trimmed,
  typed,
  unlessType,
} from '../../src/flow';
import { numberIn } from '../../src/contract/values';
import { isRecord, isString } from '../../src/guards';
import { type CommandInput, playerActions } from '../../src/operations/playback';

/** The longest text over a film, in UTF-16 units. */
const LONGEST = 300;

export const action = choice('action', playerActions);

const given = [{ value: '', type: 'num' }, [...TEXT_TYPES, 'num']] as const;

const seconds = typed('value', ...given, (value) => {
  const seconds = numberIn(value);
  if (seconds >= 0 && seconds < Infinity) return seconds;
  throw new StashError('BAD_INPUT.notNumber', { details: { property: 'value', least: 0 } });
});

/** What is no text is shown as JSON, if it has one. */
const message = typed('value', ...given, (value, details) =>
  trimmed(isString(value) ? value : ((JSON.stringify(value) as string | undefined) ?? ''), details).slice(
    0,
    LONGEST,
  ),
);

/** The seconds of `seek`, or the text of `message`; no other action has a value. */
export const value: EvaluatedProperty<CommandInput['value']> = evaluated(async (config, evaluate) => {
  const wanted = action.read(config);
  if (wanted === 'message') return await message.read(config, evaluate);
  return wanted === 'seek' ? await seconds.read(config, evaluate) : null;
});

/** A typed input for a player: its ID, or what has one, such as the payload of a playback node; null for all of them. */
export const player: EvaluatedProperty<string | null> = unlessType(
  'all',
  { name: 'player', presetType: 'all' },
  typed('player', { value: '', type: 'all' }, TEXT_TYPES, (result, details) => {
    const found = isRecord(result) && isRecord(result['player']) ? result['player'] : result;
    const id = isRecord(found) ? found['id'] : found;
    if (isString(id) && /^\w{1,20}$/.test(id)) return id;
    throw new StashError('BAD_INPUT.notPlayer', { details });
  }),
);
