import { StashError } from '../../src/errors';
import { evaluated, type EvaluatedProperty, saved, typed } from '../../src/flow';
import { isRecord } from '../../src/guards';

/**
 * The texts that pause and that resume: the states of players and switches in home automation. Not the commands `pause`, `resume`,
 * `play` and `stop`, which can mean the film or the jobs.
 */
const PAUSING = ['true', 'on', 'playing', 'buffering', 'started', 'resumed'];
const RESUMING = ['false', 'off', 'paused', 'idle', 'standby', 'stopped', 'ended'];

/** The field that most events have for a state. */
const STATE = 'state';

/** The longest quote of a wrong value, in UTF-16 units. */
const LONGEST_QUOTE = 20;

/**
 * A typed input for whether to pause; by default, whether somebody watches, as a playback node reports it. A fixed false ends the
 * pauses of all nodes.
 */
export const paused: EvaluatedProperty<boolean | 'none'> = evaluated(async (config, evaluate) => {
  const type = saved(config, 'pausedType', 'watching');
  const isWatching = type === 'watching';
  const from = isWatching ? { ...config, paused: 'stash.watching', pausedType: 'msg' } : config;
  const isPaused = await given.read(from, evaluate);
  return type === 'bool' && !isPaused ? 'none' : isPaused;
});

const given = typed(
  'paused',
  { value: '', type: 'msg' },
  ['msg', 'flow', 'global', 'jsonata', 'bool'],
  (value, details) => {
    const isPaused = read(value);
    if (isPaused !== undefined) return isPaused;
    const field = isRecord(value) ? fieldOf(value) : undefined;
    if (field !== undefined) {
      const name = `${details.source}.${field}`;
      throw new StashError('BAD_INPUT.notPauseObject', { details: { ...details, name } });
    }
    const shown = isPlain(value) ? String(value).trim() : Array.isArray(value) ? '[…]' : '{…}';
    const quote = shown.slice(0, LONGEST_QUOTE);
    throw new StashError('BAD_INPUT.notPause', { details: { ...details, value: quote } });
  },
);

/** Returns whether a value pauses; undefined if it means neither. */
function read(value: unknown): boolean | undefined {
  const text = isPlain(value) ? String(value).trim().toLowerCase() : '';
  const number = text === '' ? NaN : Number(text);
  if (PAUSING.includes(text) || number > 0) return true;
  return RESUMING.includes(text) || number === 0 ? false : undefined;
}

/** Returns the field of an object that has the state, such as that of an event of Home Assistant; undefined if none has. */
function fieldOf(value: Readonly<Record<string, unknown>>): string | undefined {
  const isState = (name: string) => read(value[name]) !== undefined;
  return [STATE, ...Object.keys(value)].find(isState) ?? (isPlain(value[STATE]) ? STATE : undefined);
}

function isPlain(value: unknown): value is string | number | boolean {
  return ['string', 'number', 'boolean'].includes(typeof value);
}
