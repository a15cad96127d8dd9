import type { Call } from '../../call';
import type { UpdateField } from '../../contract/update';
import { StashError } from '../../errors';
import { hasString, isString, parsed } from '../../guards';
import type { CreatedItem } from '../../records';
import type { Schema, Server } from '../../server';
import {
  batchesOf,
  criteriaOf,
  itemsById,
  itemsByName,
  itemsNamed,
  kinds,
  type NameKind,
  normalized,
  type RawItem,
  tidy,
} from '../library';
import { checkLost } from '../lost-response';
import { listed, quoted, type Wish } from './wishes';

/** The fields whose values are items of other kinds. */
const kindOf: Partial<Record<UpdateField, NameKind>> = {
  tags: 'tags',
  performers: 'performers',
  studio: 'studios',
};

/** An item that a change names and the server does not have. */
interface Missing {
  kind: NameKind;
  name: string;
}

/** What is wanted, with ids in place of names. */
export interface Resolved {
  wishes: readonly Wish[];
  /** What is to be created, by what stands in place of its id. */
  missing: ReadonlyMap<string, Missing>;
}

/** How many names to look for in one request: each costs a server with 20,000 tags about 40 ms. */
const NAMES = 20;

/** Finds the tags, studios and performers that changes name. */
export class References {
  readonly #server: Server;
  readonly #schema: Schema;
  readonly #call: Call;

  /** @param schema that of the server. */
  constructor(server: Server, schema: Schema, call: Call) {
    this.#server = server;
    this.#schema = schema;
    this.#call = call;
  }

  /**
   * Finds each by its id, which has digits only, or by its name or an alias, which only one may have.
   * @param create whether what is not there is to be created.
   * @throws {StashError} BAD_INPUT for a value that fits nothing or several, or that is to be both added and removed.
   */
  async resolve(wishes: readonly Wish[], create: boolean): Promise<Resolved> {
    const missing = new Map<string, Missing>();
    const resolved: Wish[] = [];
    for (const wish of wishes) {
      const ids = await this.#idsOf(wish, create, missing);
      const after = withIds(wish, ids);
      const both = after.add.find((id) => after.remove.includes(id));
      if (both !== undefined) {
        const name = wish.add[after.add.indexOf(both)] ?? both;
        throw new StashError('BAD_INPUT.addedAndRemoved', {
          details: { property: wish.field, name: quoted(name) },
        });
      }
      // Nothing has what is not there.
      resolved.push({ ...after, remove: after.remove.filter((id) => !missing.has(id)) });
    }
    const used = new Set(resolved.flatMap(valuesOf));
    return { wishes: resolved, missing: new Map([...missing].filter(([id]) => used.has(id))) };
  }

  /** Returns the id of each value, or what stands in place of it. */
  async #idsOf(
    wish: Wish,
    create: boolean,
    missing: Map<string, Missing>,
  ): Promise<ReadonlyMap<string, string>> {
    const { field } = wish;
    const kind = kindOf[field];
    const found = new Map<string, string>();
    if (!kind) return found;
    const values = valuesOf(wish);
    const known = await this.#byId(kind, values.filter(isId));
    const named = await this.#byName(
      kind,
      values.filter((value) => !isId(value)),
    );
    const unknown: string[] = [];
    for (const value of values) {
      const items = isId(value) ? (known.get(value) ?? []) : (named.get(value) ?? []);
      const [item, ...others] = items;
      if (others.length > 0) throw severalFit(field, value, items);
      if (item) found.set(value, String(item['id']));
      else if (create && !isId(value)) {
        const id = `${kind} ${normalized(value)}`;
        found.set(value, id);
        if (!missing.has(id)) missing.set(id, { kind, name: tidy(value) });
      } else unknown.push(value);
    }
    if (unknown.length > 0) {
      throw new StashError('BAD_INPUT.notThere', { details: { property: field, names: listed(unknown) } });
    }
    return found;
  }

  async #byId(kind: NameKind, ids: readonly string[]): Promise<Map<string, RawItem[]>> {
    const found = new Map<string, RawItem[]>();
    for (const batch of batchesOf(ids)) {
      const items = await itemsById(this.#server, kind, batch, () => 'id', this.#call);
      for (const [id, item] of items) found.set(id, [item]);
    }
    return found;
  }

  /** Returns those with each name, or else those with it as an alias. */
  async #byName(
    kind: NameKind,
    names: readonly string[],
    call = this.#call,
  ): Promise<Map<string, RawItem[]>> {
    const found = new Map<string, RawItem[]>();
    const { criteria } = criteriaOf(kind);
    for (const field of ['name', 'aliases'] as const) {
      // Studios have aliases since v0.10.
      if (!this.#schema.has(criteria, field)) continue;
      const wanted = names.filter((name) => !found.has(name));
      for (const batch of batchesOf(wanted, NAMES)) {
        const { items } = await itemsByName(this.#server, kind, field, batch, selection(kind), call);
        for (const name of batch) {
          const fitting = itemsNamed(items, name).items;
          if (fitting.length > 0) found.set(name, fitting);
        }
      }
    }
    return found;
  }

  /**
   * Creates an item with nothing but its name. If somebody else has created it since, or the response was lost, it is looked for.
   * @returns the item, and whether it was created.
   */
  async create({ kind, name }: Missing): Promise<{ item: CreatedItem & { id: string }; isNew: boolean }> {
    const { type, item } = kinds[kind];
    const operation = `${item}Create`;
    const made = (id: string, isNew: boolean) => ({ item: { kind: item, id, name }, isNew });
    const look = async (call?: Call) => {
      const [found] = (await this.#byName(kind, [name], call)).get(name) ?? [];
      return found && String(found['id']);
    };
    try {
      const id = await this.#server.request({
        kind: 'mutation',
        call: this.#call,
        build: (schema) => {
          if (!schema.has('Mutation', operation)) throw schema.lacks(operation);
          return {
            rootField: operation,
            document: `mutation ($input: ${type}CreateInput!) { ${operation}(input: $input) { id } }`,
            variables: { input: { name } },
            read: parsed(hasString('id'), ({ id }) => id),
          };
        },
      });
      return made(id, true);
    } catch (error) {
      if (!(error instanceof StashError)) throw error;
      const isLost = error.code === 'OUTCOME_UNKNOWN';
      // Servers refuse a name that they have.
      if (!isLost && error.case !== 'GRAPHQL.failed') throw error;
      const id = isLost ? await checkLost(this.#call, look) : await look();
      if (id === undefined) throw error;
      return made(id, isLost);
    }
  }
}

/** Returns a wish with the ids of values; a value without one stays. */
export function withIds(wish: Wish, ids: ReadonlyMap<string, string>): Wish {
  const { set, add, remove } = wish;
  const idOf = (value: string) => ids.get(value) ?? value;
  const listOf = (values: readonly string[]) => [...new Set(values.map(idOf))];
  return {
    ...wish,
    ...(Array.isArray(set) && { set: listOf(set as string[]) }),
    ...(isString(set) && { set: idOf(set) }),
    add: listOf(add),
    remove: listOf(remove),
  };
}

function valuesOf({ set, add, remove }: Wish): string[] {
  return [[set].flat(), add, remove].flat().filter(isString);
}

function isId(value: string): boolean {
  return /^\d+$/.test(value);
}

function selection(kind: NameKind): (schema: Schema) => string {
  return (schema) =>
    ['id', 'name', 'aliases', 'alias_list'].filter((field) => schema.has(kinds[kind].type, field)).join(' ');
}

function severalFit(field: UpdateField, value: string, items: readonly RawItem[]): StashError {
  const candidates = listed(items.map(({ id, name }) => `${String(name)} (${String(id)})`));
  return new StashError('BAD_INPUT.severalFit', {
    details: { property: field, name: quoted(value), candidates },
  });
}
