import { isLike } from './criteria';
import type { Quirks } from './quirks';

/**
 * A performer in the database, with the fields of the release's `PerformerUpdateInput`. `image` is the content of its picture: a
 * Buffer.
 */
export type Person = Readonly<Record<string, unknown>> & { readonly id: string; readonly name: string };

/** The parts of the server that the resolvers of performers use. */
export interface PeopleState {
  readonly quirks: Quirks;
  readonly status: 'SETUP' | 'NEEDS_MIGRATION' | 'OK';
  readonly people: People;
}

type Input = Readonly<Record<string, unknown>>;

const CAREER = ['career_start', 'career_end'] as const;

const TWITTER = /^https?:\/\/(?:www\.)?twitter\.com\//;
const INSTAGRAM = /^https?:\/\/(?:www\.)?instagram\.com\//;
const TEXTS = [
  ...['disambiguation', 'url', 'twitter', 'instagram', 'ethnicity', 'country', 'eye_color', 'hair_color'],
  ...['measurements', 'fake_tits', 'career_length', 'tattoos', 'piercings', 'details'],
];

/** The performers in the library. A new server has none. */
export class People {
  readonly #quirks: Quirks;
  #all: Person[] = [];
  #lastId = 0;

  constructor(quirks: Quirks) {
    this.#quirks = quirks;
  }

  /** All performers, in the order in which they were added. */
  get all(): readonly Person[] {
    return this.#all;
  }

  /** Adds a performer, as somebody does in the web interface. @throws what the server says to a name or a date. */
  add(input: Input): Person {
    const fields = this.#checked(String(++this.#lastId), this.#withCareer(input));
    this.#all.push(fields);
    return fields;
  }

  /** Removes a performer, as somebody does in the web interface. */
  remove(id: string): void {
    this.#all = this.#all.filter((one) => one.id !== id);
  }

  /** Changes the fields of a performer. */
  change(id: string, input: Input): Person {
    const before = this.#all.find((one) => one.id === id);
    if (!before) throw new Error(`performer with id ${id} not found`);
    const after = this.#checked(id, { ...before, ...this.#withCareer(input) });
    this.#all = this.#all.map((one) => (one === before ? after : one));
    return after;
  }

  /** Makes several changes; if one fails, none of them stays. */
  together<Result>(change: () => Result): Result {
    const before = this.#all;
    try {
      return change();
    } catch (error) {
      this.#all = before;
      throw error;
    }
  }

  #checked(id: string, input: Input): Person {
    const trims = this.#quirks.minor >= 28;
    const fields = Object.entries(input).map(([name, value]) => [
      name,
      trims && typeof value === 'string' ? value.trim() : value,
    ]);
    const given = { ...(Object.fromEntries(fields) as Input), id, name: String(input['name']) } as Person;
    const person = this.#quirks.dropsAliases ? withoutRepeated(given) : given;
    this.#checkName(person);
    this.#checkAliases(person);
    const names = ['birthdate', 'death_date', ...(this.#quirks.derivesCareer ? CAREER : [])];
    const dates = names.map((name) => [name, this.#dateOf(name, person[name])]);
    return { ...person, ...(Object.fromEntries(dates) as Input) };
  }

  /** Replaces the length of a career by its start and its end, unless one of them is given, too. */
  #withCareer({ career_length: length, ...input }: Input): Input {
    if (!this.#quirks.derivesCareer)
      return { ...input, ...(length !== undefined && { career_length: length }) };
    if (typeof length !== 'string' || CAREER.some((name) => name in input)) return input;
    const [, start, , end] = /^(\d{4})?\s*(-\s*(\d{4}|present)?)?$/i.exec(length.trim()) ?? [];
    const years = { career_start: start, career_end: end?.toLowerCase() === 'present' ? undefined : end };
    const known = Object.entries(years).filter(([, year]) => year !== undefined);
    if (known.length === 0) throw new Error(`could not parse career_length "${length}"`);
    return { ...input, ...(Object.fromEntries(known) as Input) };
  }

  #checkName({ id, name, disambiguation }: Person): void {
    const { sameName } = this.#quirks;
    const text = (value: unknown) => (typeof value === 'string' ? value : '');
    const same = this.#all.some((one) => {
      if (one.id === id) return false;
      const [mine, others] = [text(disambiguation), text(one['disambiguation'])];
      return sameName === 'told'
        ? isLike(one.name, name) && isLike(others, mine)
        : one.name === name && others === mine;
    });
    if (sameName === 'told' && name === '') throw new Error('performer name must not be blank');
    if (!same) return;
    if (sameName !== 'told') throw new Error(`UNIQUE constraint failed: performers.${sameName}`);
    const also = text(disambiguation) === '' ? '' : ` and disambiguation '${text(disambiguation)}'`;
    throw new Error(`performer with name '${name}'${also} already exists`);
  }

  #checkAliases({ name, alias_list }: Person): void {
    if (this.#quirks.sameName !== 'told') return;
    const seen = new Set([name.toLowerCase()]);
    for (const alias of listOf(alias_list)) {
      if (seen.has(alias.toLowerCase())) throw new Error(`performer contains duplicate alias '${alias}'`);
      seen.add(alias.toLowerCase());
    }
  }

  #dateOf(name: string, value: unknown): string | null {
    if (typeof value !== 'string' || value === '') return null;
    const { readsDates } = this.#quirks;
    const pattern = readsDates === 'months and years' ? /^\d{4}(-\d\d(-\d\d)?)?$/ : /^\d{4}-\d\d-\d\d$/;
    if (pattern.test(value)) return value;
    if (readsDates === 'silently') return null;
    throw new Error(`converting ${name}: ParseDateStringAsTime failed: dateString <${value}>`);
  }
}

/** Returns the resolvers that change performers. */
export function peopleResolvers(server: PeopleState) {
  const { quirks, people } = server;
  const open = () => {
    if (server.status !== 'OK') throw new Error(quirks.noDatabase);
  };
  return {
    allPerformers() {
      open();
      return people.all.map((one) => describePerson(one, quirks));
    },
    async performerCreate({ input }: { input: Input }) {
      open();
      return describePerson(people.add(await withPicture(input, quirks)), quirks);
    },
    async performerUpdate({ input }: { input: Input }) {
      open();
      const changes = await withPicture(input, quirks);
      return describePerson(people.change(String(input['id']), changes), quirks);
    },
  };
}

/** Replaces the picture of an input by its content, before anything is written. @throws what the server says to one that it cannot have. */
async function withPicture(input: Input, { minor }: Quirks): Promise<Input> {
  const { image } = input;
  if (image === undefined) return input;
  if (image === null || (image === '' && minor >= 23)) return { ...input, image: null };
  try {
    return { ...input, image: await readPicture(image as string) };
  } catch (error) {
    throw new Error(`${minor < 23 ? '' : 'processing image: '}${(error as Error).message}`, { cause: error });
  }
}

/** Reads a data URL; fetches any other text as an address. */
async function readPicture(text: string): Promise<Buffer> {
  const [, base64] = /^data:.+\/.+;base64,(.*)$/.exec(text) ?? [];
  if (base64 !== undefined) {
    if (!/^[A-Za-z0-9+/]*={0,2}$/.test(base64)) throw new Error('illegal base64 data at input byte 0');
    return Buffer.from(base64, 'base64');
  }
  if (!/^https?:/.test(text)) throw new Error(`Get "${text}": unsupported protocol scheme ""`);
  const response = await fetch(text).catch(() => {
    throw new Error(`Get "${text}": EOF`);
  });
  if (response.status >= 400) throw new Error(`http error ${response.status}`);
  return Buffer.from(await response.arrayBuffer());
}

/** Returns the texts that a criterion for aliases looks at: each alias, or before v0.19 all in one text. */
export function aliasesOf({ aliases, alias_list }: Person): readonly string[] {
  return typeof aliases === 'string' ? [aliases] : listOf(alias_list);
}

/** Returns a performer as the server reports it. */
export function describePerson(person: Person, { minor, emptyTexts, derivesCareer }: Quirks) {
  const empty = Object.fromEntries(TEXTS.map((name) => [name, emptyTexts ? '' : null]));
  const aliases = listOf(person['alias_list']);
  const urls = listOf(person['urls']);
  const height = person['height_cm'];
  const rating = person['rating100'];
  return {
    favorite: false,
    ...empty,
    ...person,
    // Derived fields, which the schema still has for a while.
    ...(derivesCareer && { career_length: careerLengthOf(person) }),
    ...(minor >= 19 && { alias_list: aliases, aliases: aliases.join(', ') }),
    ...(minor >= 18 && typeof rating === 'number' && { rating: Math.round(rating / 20) }),
    ...(minor >= 18 && { height: typeof height === 'number' ? String(height) : null }),
    ...(minor >= 27 && {
      urls,
      url: urls[0] ?? null,
      twitter: urls.find((url) => TWITTER.test(url)) ?? null,
      instagram: urls.find((url) => INSTAGRAM.test(url)) ?? null,
    }),
  };
}

/** Returns the years in which a career began and ended; null if neither is known. */
function careerLengthOf(person: Person): string | null {
  const [start, end] = CAREER.map((name) => (person[name] as string | null | undefined)?.slice(0, 4) ?? '');
  return start || end ? `${start ?? ''} - ${end ?? ''}`.trim() : null;
}

/** Leaves out aliases that are the name, or are there twice. */
function withoutRepeated(person: Person): Person {
  if (!('alias_list' in person)) return person;
  const seen = new Set([person.name.toLowerCase()]);
  const aliases = listOf(person['alias_list']).filter(
    (alias) => !seen.has(alias.toLowerCase()) && seen.add(alias.toLowerCase()),
  );
  return { ...person, alias_list: aliases };
}

/** Returns the texts in a list. */
export function listOf(value: unknown): string[] {
  return Array.isArray(value) ? value.map(String) : [];
}
