import { hasString, isRecord } from '../../guards';
import { type SentMutation, uncheckedDocument } from '../../server';
import { timing } from '../../timing';
import { type HookCall, itemMutation } from './hooks';

/** Stands for the ID of what is created by a document that does not request it. */
const ANY = '*';

/**
 * Knows the changes that mutations of this Node-RED make: each calls the hooks of its items, one call each, with the names of the fields
 * that it sets. So a call that fits one is explained by it, once: what somebody else does to the same item is another call.
 */
export class OwnChanges {
  /** How many times each call is still to come, of each mutation. */
  readonly #expected = new Set<Map<string, number>>();
  /** The mutations that are creating items, whose IDs only the responses tell. */
  readonly #creating = new Set<Promise<unknown>>();

  constructor() {
    // From now on a document is read at once, before the server can answer.
    uncheckedDocument('{ id }').catch(() => undefined);
  }

  /** Takes note of a mutation, which is about to be sent. */
  add(mutation: SentMutation): void {
    // One that cannot be read explains nothing.
    this.#note(mutation).catch(() => undefined);
  }

  /** Whether a mutation of this Node-RED explains a call. Each explains a call once. */
  explains(call: HookCall): boolean | Promise<boolean> {
    // A server calls the hooks of what it has created just before it answers.
    const isEarly = call.type === 'created' && this.#creating.size > 0;
    return isEarly ? Promise.all(this.#creating).then(() => this.#take(call)) : this.#take(call);
  }

  #take(call: HookCall): boolean {
    const keys = [keyOf(call), keyOf({ ...call, id: ANY })];
    return [...this.#expected].some((calls) => keys.some((key) => take(calls, key)));
  }

  async #note({ document: text, variables = {}, answer }: SentMutation): Promise<void> {
    const document = await uncheckedDocument(text);
    const sent = Object.fromEntries(Object.entries(variables).map(([name, one]) => [name, asSent(one)]));
    const calls = new Map<string, number>();
    const add = (key: string) => calls.set(key, (calls.get(key) ?? 0) + 1);
    const creations: { hooks: readonly string[]; responseName: string }[] = [];
    for (const field of document.rootFields) {
      const mutation = itemMutation(field.name);
      if (!mutation) continue;
      const { hooks, word } = mutation;
      if (word === 'Create') creations.push({ hooks, responseName: field.responseName });
      for (const { ids, fields } of inputsIn(document.argumentsOf(field, sent))) {
        const keys = ids.flatMap((id) =>
          hooks.map((hook) => keyOf({ hook, id, fields: word === 'Update' ? fields : [] })),
        );
        for (const key of keys) add(key);
      }
    }
    this.#expected.add(calls);
    const answered = answer.then((data) => {
      for (const { hooks, responseName } of creations) {
        const created = data[responseName];
        if (created === undefined) continue;
        const id = hasId(created) ? created.id : ANY;
        for (const hook of hooks) add(keyOf({ hook, id, fields: [] }));
      }
      // The log comes later than the response.
      setTimeout(() => this.#expected.delete(calls), timing.changes.own).unref();
    });
    if (creations.length > 0) this.#creating.add(answered);
    await answered;
    this.#creating.delete(answered);
  }
}

const hasId = hasString('id');

/** Takes one of the calls with a key. @returns whether there was one. */
function take(calls: Map<string, number>, key: string): boolean {
  const count = calls.get(key) ?? 0;
  if (count > 0) calls.set(key, count - 1);
  return count > 0;
}

function keyOf({ hook, id, fields }: Pick<HookCall, 'hook' | 'id' | 'fields'>): string {
  return `${hook} ${id} ${[...fields].sort().join()}`;
}

/** Returns an input, or a list of them, as JSON has it: without fields that are undefined. In a document, such a field is one that is set. */
function asSent(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(asSent);
  if (!isRecord(value) || ArrayBuffer.isView(value)) return value;
  return Object.fromEntries(Object.entries(value).filter(([, one]) => one !== undefined));
}

/** Returns the items that a mutation names and the fields that it sets: by its argument `input`, one or a list, or its arguments. */
function inputsIn(given: Readonly<Record<string, unknown>>): { ids: string[]; fields: string[] }[] {
  const { input = given } = given;
  return [input]
    .flat()
    .filter(isRecord)
    .map((one) => {
      const { id, ids, source, destination } = one;
      const named = [id, ids, source, destination].flat().filter((value) => value !== undefined);
      return { ids: named.map(String), fields: Object.keys(one) };
    });
}
