import type { Call } from '../../call';
import type { NamedKind } from '../../contract/kinds';
import { kindOfField, type UpdateField } from '../../contract/update';
import { isFilled } from '../../contract/values';
import { StashError } from '../../errors';
import { hasString, isRecord, isString, parsed } from '../../guards';
import type { CreatedItem } from '../../records';
import type { Schema, Server } from '../../server';
import {
  batchesOf,
  itemsById,
  itemsByName,
  itemsNamed,
  namesOf,
  normalized,
  type RawItem,
  rawItems,
  selectItem,
  tidy,
} from '../items';
import { checkLost } from '../lost-response';
import { listed, type UnresolvedFieldEdit, quoted, type Reference, type FieldEdit } from './field-edits';

/** An item that a change names and the server does not have. */
interface Missing {
  kind: NamedKind;
  name: string;
}

/** What is wanted of some items. */
export interface Edit<Wanted = FieldEdit> {
  ids: readonly string[];
  fieldEdits: readonly Wanted[];
}

/** What is wanted, with ids in place of references. */
export interface Resolved {
  /** One for all items of which the same is wanted. */
  edits: readonly Edit[];
  /** What is to be created, by what stands in place of its id. */
  missing: ReadonlyMap<string, Missing>;
  /** What the server calls the other items, by their ids or what stands in place of them. */
  names: Readonly<Partial<Record<UpdateField, ReadonlyMap<string, string>>>>;
}

/** An item that a reference names, and what to call it. Its id is a placeholder if it is to be created. */
interface Referred {
  id: string;
  name: string;
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
   * Finds what the references name: by its id; or by its name, else by an alias, which only one may have.
   * @param create whether what is not there is to be created.
   * @throws {StashError} BAD_INPUT for a value that fits nothing or several, or that is to be both added and removed.
   */
  async resolve(edits: readonly Edit<UnresolvedFieldEdit>[], create: boolean): Promise<Resolved> {
    const wanted = edits.flatMap(({ fieldEdits }) => fieldEdits);
    const missing = new Map<string, Missing>();
    const found = new Map<UpdateField, ReadonlyMap<string, Referred>>();
    for (const [field, kind] of Object.entries(kindOfField) as [UpdateField, NamedKind][]) {
      const references = wanted
        .filter((fieldEdit) => fieldEdit.field === field)
        .flatMap(({ set, add, remove }) => [[set].flat(), add, remove].flat())
        .filter((value): value is Reference => isRecord(value));
      if (references.length > 0) found.set(field, await this.#find(field, kind, references, create, missing));
    }
    const names: Partial<Record<UpdateField, ReadonlyMap<string, string>>> = Object.fromEntries(
      [...found].map(([field, items]) => [
        field,
        new Map([...items.values()].map(({ id, name }) => [id, name])),
      ]),
    );
    const resolved = (fieldEdit: UnresolvedFieldEdit): FieldEdit => {
      const ids = found.get(fieldEdit.field);
      const after = withValues(fieldEdit, (value) =>
        isString(value) ? value : (ids?.get(keyOf(value))?.id ?? ''),
      );
      const both = after.add.find((value) => after.remove.includes(value));
      if (both !== undefined) {
        const name = names[fieldEdit.field]?.get(both) ?? both;
        throw new StashError('BAD_INPUT.addedAndRemoved', {
          details: { property: fieldEdit.field, name: quoted(name) },
        });
      }
      // Nothing has what is not there.
      return ids ? { ...after, remove: after.remove.filter((id) => !missing.has(id)) } : after;
    };
    const all = joined(edits.map(({ ids, fieldEdits }) => ({ ids, fieldEdits: fieldEdits.map(resolved) })));
    const used = new Set(
      all.flatMap(({ fieldEdits }) => fieldEdits).flatMap(({ set, add }) => [set, add].flat()),
    );
    return { edits: all, missing: new Map([...missing].filter(([id]) => used.has(id))), names };
  }

  /** Returns what each reference names, by its key. Adds what is to be created to `missing`. */
  async #find(
    field: UpdateField,
    kind: NamedKind,
    references: readonly Reference[],
    create: boolean,
    missing: Map<string, Missing>,
  ): Promise<ReadonlyMap<string, Referred>> {
    const all = new Map(references.map((reference) => [keyOf(reference), reference]));
    const ids = [...all.values()].flatMap((one) => ('id' in one ? [one.id] : []));
    const names = [...all.values()].flatMap((one) => ('id' in one ? [] : [one.name]));
    const byId = await this.#byId(kind, ids);
    const byName = await this.#byName(kind, names);
    const found = new Map<string, Referred>();
    const unknown: string[] = [];
    for (const [key, reference] of all) {
      const items = ('id' in reference ? byId.get(reference.id) : byName.get(reference.name)) ?? [];
      const [item, ...others] = items;
      if (others.length > 0) throw severalFit(field, textOf(reference), items);
      if (item) found.set(key, { id: String(item['id']), name: String(item['name']) });
      else if (create && 'name' in reference) {
        const id = `${kind} ${normalized(reference.name)}`;
        const made = missing.get(id) ?? { kind, name: tidy(reference.name) };
        missing.set(id, made);
        found.set(key, { id, name: made.name });
      } else unknown.push(textOf(reference));
    }
    if (unknown.length > 0) {
      throw new StashError('BAD_INPUT.notThere', { details: { property: field, names: listed(unknown) } });
    }
    return found;
  }

  async #byId(kind: NamedKind, ids: readonly string[]): Promise<Map<string, RawItem[]>> {
    const { items } = await itemsById(this.#server, kind, ids, () => rawItems('id name'), this.#call);
    return new Map(items.map(([id, item]) => [id, [item]]));
  }

  /** Returns those with each name, or else those with it as an alias. */
  async #byName(
    kind: NamedKind,
    names: readonly string[],
    call = this.#call,
  ): Promise<Map<string, RawItem[]>> {
    const found = new Map<string, RawItem[]>();
    const { filterType } = namesOf(kind);
    for (const field of ['name', 'aliases'] as const) {
      // Studios have aliases since v0.10.
      if (!this.#schema.has(filterType, field)) continue;
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
    const { type } = namesOf(kind);
    const operation = `${kind}Create`;
    const made = (id: string, isNew: boolean) => ({ item: { kind, id, name }, isNew });
    const find = async (call?: Call) => {
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
      const id = isLost ? await checkLost(this.#call, find) : await find();
      if (id === undefined) throw error;
      return made(id, isLost);
    }
  }
}

/** Returns one edit for all that want the same. */
function joined(edits: readonly Edit[]): Edit[] {
  const groups = new Map<string, { ids: string[]; fieldEdits: readonly FieldEdit[] }>();
  for (const { ids, fieldEdits } of edits) {
    const key = JSON.stringify(fieldEdits);
    const group = groups.get(key);
    if (!group) groups.set(key, { ids: [...ids], fieldEdits });
    else for (const id of ids) group.ids.push(id);
  }
  return [...groups.values()];
}

/** Returns an edit with the ids of what was created in place of the placeholders. */
export function withIds(fieldEdit: FieldEdit, ids: ReadonlyMap<string, string>): FieldEdit {
  return fieldEdit.field in kindOfField ? withValues(fieldEdit, (id) => ids.get(id) ?? id) : fieldEdit;
}

/** Returns an edit with other values, each once. */
function withValues<Value>(fieldEdit: FieldEdit<Value>, to: (value: Value) => string): FieldEdit {
  const { set, add, remove } = fieldEdit;
  const listOf = (values: readonly Value[]) => [...new Set(values.map(to))];
  const isOne = fieldEdit.field in kindOfField && set !== undefined && set !== null && !Array.isArray(set);
  return {
    ...fieldEdit,
    ...(Array.isArray(set) && { set: listOf(set as Value[]) }),
    ...(isOne && { set: to(set as Value) }),
    add: listOf(add),
    remove: listOf(remove),
  } as FieldEdit;
}

/** Returns the same text for references to the same. */
function keyOf(reference: Reference): string {
  return 'id' in reference ? `id ${reference.id}` : `name ${reference.name}`;
}

/** Returns a reference as a sentence quotes it. */
function textOf(reference: Reference): string {
  return 'id' in reference ? `#${reference.id}` : reference.name;
}

function selection(kind: NamedKind): (schema: Schema) => string {
  return (schema) =>
    `id ${selectItem(schema, kind, ['name', 'aliases', 'disambiguation', 'birthdate']).text}`;
}

function severalFit(field: UpdateField, value: string, items: readonly RawItem[]): StashError {
  // Tags and studios of which several fit have different names.
  const candidates = listed(
    items.map(({ id, name, disambiguation, birthdate }) => {
      const apart = [disambiguation, birthdate].find(isFilled);
      return `${String(name)} (${[String(id), ...(apart === undefined ? [] : [apart])].join(', ')})`;
    }),
  );
  return new StashError('BAD_INPUT.severalFit', {
    details: { property: field, name: quoted(value), candidates },
  });
}
