import { numberIn } from '../../contract/values';
import {
  type EditorNode,
  inputOf,
  type NodeProperty,
  type Validator,
  type ValidatorOptions,
  type Value,
} from '../node-red';
import { type Key, words } from '../words';

/** The longest time that a timer can wait, in seconds. */
const LONGEST = 2147483;

/** Returns whether a value is valid. A string is Node-RED's own reason why not. */
export type Check = (value: Value, node: EditorNode, options: ValidatorOptions) => boolean | string;

/** Returns a validator. The editor shows `invalid` if `check` returns `false`. */
export function validator(invalid: Key, check: Check): Validator {
  // Node-RED shows the reason only of a validator that has two parameters.
  return function (value, options) {
    return check(value, this, options) || words(invalid);
  };
}

/** Declares a number of at least `least`. */
export function number(value: string, invalid: Key, least = 0): NodeProperty {
  return { value, validate: validator(invalid, (given) => isNumber(given, least)) };
}

/** Declares a number of minutes that a timer can wait. */
export function minutes(value: string, invalid: Key): NodeProperty {
  return { value, validate: validator(invalid, (given) => isNumber(given, 0, 60)) };
}

export function count(value: string, invalid: Key): NodeProperty {
  const isCount = (given: Value) => given === undefined || (isNumber(given, 0) && Number(given) % 1 === 0);
  return { value, validate: validator(invalid, isCount) };
}

/** Declares a list of chosen fields, at least one. */
export function selection(value: string[], invalid: Key): NodeProperty {
  const isAny = (given: Value) => given === undefined || (Array.isArray(given) && given.length > 0);
  return { value, validate: validator(invalid, isAny) };
}

/** Declares a checkbox that is valid while at least one of some checkboxes is ticked. */
export function anyOf(names: readonly string[], value: boolean, invalid: Key): NodeProperty {
  return { value, validate: validator(invalid, (_given, node) => isAnyTicked(node, names)) };
}

/** Returns whether one of some checkboxes is ticked: in an open dialog, otherwise as saved. */
export function isAnyTicked(node: EditorNode, names: readonly string[]): boolean {
  return names.some((name) => {
    const box = inputOf(node, name);
    if (box.length > 0) return box.is(':checked');
    return (node[name] === undefined ? node._def.defaults[name]?.value : node[name]) === true;
  });
}

/** @param unit the seconds of one unit. */
function isNumber(given: Value, least: number, unit = 1): boolean {
  const value = numberIn(given);
  return given === undefined || (value >= least && value * unit < LONGEST);
}
