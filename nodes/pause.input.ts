import { StashError } from '../src/errors';
import { evaluated, type EvaluatedProperty, saved, typed } from '../src/flow';

/** The texts that pause and that resume: commands, and the states of players and switches in home automation. */
const PAUSING = ['true', 'on', 'pause', 'playing', 'buffering', 'started'];
const RESUMING = ['false', 'off', 'resume', 'paused', 'idle', 'standby', 'stopped'];

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
    const text = isPlain(value) ? String(value).trim().toLowerCase() : '';
    const number = text === '' ? NaN : Number(text);
    if (PAUSING.includes(text) || number > 0) return true;
    if (RESUMING.includes(text) || number === 0) return false;
    const quote = text.slice(0, LONGEST_QUOTE);
    throw new StashError('BAD_INPUT.notPause', { details: { ...details, value: quote } });
  },
);

function isPlain(value: unknown): value is string | number | boolean {
  return ['string', 'number', 'boolean'].includes(typeof value);
}
