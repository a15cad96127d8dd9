import { StashError } from '../../errors';

/** The properties that a dialog saved. People also edit flow files by hand, so any property may be missing or wrong. */
export type Config = Readonly<Record<string, unknown>>;

/**
 * Returns the value of a typed input for one message. Rejects with anything, such as an error of JSONata.
 * @param item what `item` is in a JSONata expression.
 */
export type Evaluate = (value: string, type: string, item?: object) => Promise<unknown>;

/** A property that no message can change, so that a mistake shows as soon as the flow is deployed. */
export interface FixedProperty<T> {
  readonly fixed: true;
  /** Returns its value. @throws {StashError} BAD_INPUT. */
  readonly read: (config: Config) => T;
}

/** A property that is evaluated for each message. */
export interface EvaluatedProperty<T> {
  readonly fixed: false;
  /** Checks what no message can change. @throws {StashError} BAD_INPUT. */
  readonly check?: ((config: Config) => void) | undefined;
  /** Returns its value for one message. @throws {StashError} BAD_INPUT. */
  readonly read: (config: Config, evaluate: Evaluate) => Promise<T>;
}

/** Reads one field of an operation's input from the properties of a dialog. */
export type Property<T> = FixedProperty<T> | EvaluatedProperty<T>;

/** Reads all fields of an operation's input. */
export type Properties<Input> = { readonly [K in keyof Input]: Property<Input[K]> };
/** Reads all fields of an input that does not depend on a message. */
export type FixedProperties<Input> = { readonly [K in keyof Input]: FixedProperty<Input[K]> };

/** Defines a property that no message can change. */
export function fixed<T>(read: (config: Config) => T): FixedProperty<T> {
  return { fixed: true, read };
}

/**
 * Defines a property that is evaluated for each message.
 * @param check checks what no message can change, so that a mistake shows as soon as the flow is deployed.
 */
export function evaluated<T>(
  read: (config: Config, evaluate: Evaluate) => Promise<T>,
  check?: (config: Config) => void,
): EvaluatedProperty<T> {
  return { fixed: false, read, check };
}

/** Reads an operation's input for one message. @throws {StashError} BAD_INPUT. */
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

/** Checks all properties that do not depend on a message. @throws {StashError} BAD_INPUT. */
export function checkFixed<Input>(properties: Properties<Input>, config: Config): void {
  for (const name in properties) {
    const property = properties[name];
    if (property.fixed) property.read(config);
    else property.check?.(config);
  }
}

/** Returns the text of a property, or `preset` if the flow file lacks it. @throws {StashError} BAD_INPUT for other values. */
export function saved(config: Config, name: string, preset: string): string {
  const value = config[name] ?? preset;
  if (typeof value === 'string') return value;
  throw new StashError('BAD_INPUT.notText', { details: { property: name, source: name } });
}

/** Returns the error for a choice that the dialog does not offer. */
export function unknownChoice(choice: string): StashError {
  return new StashError('BAD_INPUT.unknownChoice', { details: { choice: choice.slice(0, 40) } });
}
