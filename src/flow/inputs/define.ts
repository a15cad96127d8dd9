import { StashError } from '../../errors';

/** What a dialog saved. Flow files are also edited by hand, so any property may be missing or wrong. */
export type Config = Readonly<Record<string, unknown>>;

/** Evaluates a typed input for one message. */
export type Evaluate = (value: string, type: string) => Promise<unknown>;

/** A property that no message can change, so a mistake in it shows as soon as the flow is deployed. */
export interface FixedProperty<T> {
  readonly fixed: true;
  readonly read: (config: Config) => T;
}

/** A property that is evaluated for each message. */
export interface EvaluatedProperty<T> {
  readonly fixed: false;
  readonly read: (config: Config, evaluate: Evaluate) => Promise<T>;
}

/** Reads one value of an operation's input from the properties of a dialog. `read` throws BAD_INPUT. */
export type Property<T> = FixedProperty<T> | EvaluatedProperty<T>;

export type Properties<Input> = { readonly [K in keyof Input]: Property<Input[K]> };
export type FixedProperties<Input> = { readonly [K in keyof Input]: FixedProperty<Input[K]> };

/** Defines a property that no message can change. */
export function fixed<T>(read: (config: Config) => T): FixedProperty<T> {
  return { fixed: true, read };
}

/** Defines a property that is evaluated for each message. */
export function evaluated<T>(read: (config: Config, evaluate: Evaluate) => Promise<T>): EvaluatedProperty<T> {
  return { fixed: false, read };
}

/** Reads the operation's input for one message, one property after the other. @throws {StashError} BAD_INPUT. */
export async function readInput<Input>(
  properties: Properties<Input>,
  config: Config,
  evaluate: Evaluate,
): Promise<Input> {
  const input: Partial<Input> = {};
  for (const name in properties) {
    const property = properties[name];
    input[name] = property.fixed ? property.read(config) : await property.read(config, evaluate);
  }
  return input as Input;
}

/** Reads properties that do not depend on a message. @throws {StashError} BAD_INPUT. */
export function readFixed<Input>(properties: FixedProperties<Input>, config: Config): Input {
  const input: Partial<Input> = {};
  for (const name in properties) input[name] = properties[name].read(config);
  return input as Input;
}

/** Finds mistakes that need no message to show. @throws {StashError} BAD_INPUT. */
export function checkFixed<Input>(properties: Properties<Input>, config: Config): void {
  for (const name in properties) {
    const property = properties[name];
    if (property.fixed) property.read(config);
  }
}

/** Returns the text that the flow file holds, or `preset` where it holds nothing. @throws {StashError} BAD_INPUT. */
export function saved(config: Config, name: string, preset: string): string {
  const value = config[name] ?? preset;
  if (typeof value === 'string') return value;
  throw new StashError('BAD_INPUT.notText', { details: { property: name, source: name } });
}

export function unknownChoice(choice: string): StashError {
  return new StashError('BAD_INPUT.unknownChoice', { details: { choice: choice.slice(0, 40) } });
}
