import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { getNamedType, isInputObjectType } from 'graphql';
import { kinds } from '../../src/contract/kinds';
import { sorts } from '../../src/contract/sorts';
import { type UpdateField, updateFields, type ValueForm } from '../../src/contract/update';
import { readFrozen } from '../contract/frozen';
import type { Shape } from '../contract/shape';
import { FakeStash } from '../fake-stash/fake-stash';
import { releases } from '../fake-stash/releases';
import { schemaOf } from '../fake-stash/schema';
import { dialogOf, typedInputsOf } from '../support/dialog';
import { installPlugin, rate } from '../support/changes';
import { type Example, useExamples } from '../support/example';
import { names } from '../support/nodes';
import { tell } from '../support/playback';
import { root } from '../support/root';
import { checkParts } from '../support/table';
import { useUserDir } from '../support/user-dir';
import { until } from '../support/waiting';
import { words } from '../support/words';

/** What the contract has of a node. */
interface FrozenNode {
  inputs: number;
  properties: Record<string, unknown>;
  references: Record<string, string>;
  choices: Record<string, string[]>;
}

/** A row of the table in the page of a node. */
interface Row {
  properties: string[];
  text: string;
  /** Whether it only lists them: checkboxes that are not ticked by default. */
  isList?: true;
}

const flowFile = readFrozen('flow-file.json') as Record<string, FrozenNode>;
const messages = readFrozen('messages.json') as Record<string, Record<string, Shape>>;

/** The nodes whose payload depends on what they were asked for. */
const AS_ASKED = ['query', 'studios', 'performer-scrape', 'find', 'changes'];
/** The properties that the page describes once for all nodes. */
const OF_ALL = ['server', 'outputs'];
const OF_JOBS = ['reply', 'sendFailed', 'waitLimit', 'stalledAfter'];

describe('The page about flow files', () => {
  it('has what the dialogs, the contracts and the other pages have', () => {
    const ofJobs = rowsOf('scan').filter(({ properties }) => OF_JOBS.includes(String(properties)));
    checkParts('docs/flow-file.md', {
      ...Object.fromEntries(names.map((name) => [name, partOf(name)])),
      job: listOf(ofJobs.map((row) => lineOf('scan', row))),
      fields: listOf(Object.keys(updateFields).map((field) => lineOfField(field as UpdateField))),
      criteria: listOf(Object.entries(kinds).map(([kind, { type }]) => `${kind}: ${criteriaOf(type)}`)),
      types: listOf([...types].map(([type, own]) => `${type} = \`${fieldsText(own, '')}\``)),
      errors: listOf(
        cellsIn('docs/errors.md', 'code').map(
          ([name = '', text = '']) => `${name}: ${text.replace(/(?<=\.) .*/, '')}`,
        ),
      ),
    });
  });
});

describe('The flows on the page about flow files, in a real Node-RED', () => {
  const runExample = useExamples(useUserDir());
  let stash: FakeStash;
  let example: Example;

  beforeEach(async () => {
    stash = await FakeStash.start({ release: 'v0.30.1' });
    installPlugin(stash);
  });

  afterEach(async () => {
    await example.stop();
    await stash.stop();
  });

  it('Every night: scans, and generates for what is new', async () => {
    stash.arrive({ path: '/media/videos/New.mp4' });
    example = await runExample('Every night', stash.url);
    await example.press('at three');
    assert.match(await example.next('tell'), /^Generate task for 1 scene on nas finished/);
  });

  it('While somebody watches: pauses jobs', async () => {
    example = await runExample('While somebody watches', stash.url);
    await until(() => stash.sockets.subscribed.includes('loggingSubscribe'));
    tell(stash, 'playing');
    const said = [await example.next('who'), await example.next('who')].sort();
    assert.match(said[0] ?? '', /^Jobs on nas are paused/);
    assert.match(said[1] ?? '', /^Somebody started watching “Low Tide” on nas/);
  });

  it('Tag the best: finds them, and tells what it would change', async () => {
    await rate(stash, '1', 80);
    example = await runExample('Tag the best', stash.url);
    await example.press('tag now');
    assert.match(await example.next('what'), /^Would change on nas: 1 scene \(Tags \+ Best without a studio/);
  });
});

/** Returns what the page says of a node. */
function partOf(name: string): string {
  const { inputs, properties } = flowFile[`stash-${name}`] as FrozenNode;
  const help = read(`nodes/${name}/help/en-US.html`);
  const startsJobs = OF_JOBS.every((property) => property in properties);
  const rows = rowsOf(name).filter(({ properties: own }) => !startsJobs || !OF_JOBS.includes(String(own)));
  const purpose = ofHelp(/<p>(.*?)<\/p>/s.exec(help)?.[1] ?? '');
  return [
    `${purpose}${inputs === 0 && name !== 'server' ? ' No input.' : ''}`,
    listOf([
      ...rows.map((row) => lineOf(name, row)),
      ...(startsJobs ? ['and what all [jobs](#jobs) have'] : []),
      ...outputsOf(name, help),
    ]),
  ].join('\n\n');
}

/** Returns the properties of a node as its page describes them. */
function rowsOf(name: string): Row[] {
  const { properties } = flowFile[`stash-${name}`] as FrozenNode;
  const rows: (Row & { own: string })[] = cellsIn(`docs/nodes/${name}.md`, 'in the dialog').map(
    ([, own = '', text = '']) => {
      return { own, properties: [...own.matchAll(/`(\w+)`/g)].map(([, property = '']) => property), text };
    },
  );
  const described = new Set([...OF_ALL, 'name', ...rows.flatMap((row) => row.properties)]);
  const others = Object.keys(properties).filter((property) => !described.has(property));
  const place = rows.find(({ own }) => own === 'see below');
  assert.ok(place ?? others.length === 0, `docs/nodes/${name}.md describes ${others.join(', ')}`);
  if (place) Object.assign(place, { properties: others, isList: true });
  return rows.filter((row) => row.properties.length > 0);
}

/** Describes the properties of a row: defaults, meaning, and the values or the types of each. */
function lineOf(name: string, { properties, text, isList }: Row): string {
  if (isList) return `${code(properties.join(' '))}, each ${code('false')}: ${text}`;
  const { properties: presets, references, choices } = flowFile[`stash-${name}`] as FrozenNode;
  const { template } = dialogOf(name);
  const offered = typedInputsOf(name);
  const isGroup = properties.filter((one) => !one.endsWith('Type')).length > 1;
  const label = (pattern: string) => {
    const key = new RegExp(pattern, 's').exec(template)?.[1];
    return key === undefined ? [] : [`“${textOf(name, key)}”`];
  };
  // One that the text has needs no label.
  const named = (value: string, ...own: string[]) =>
    [code(value), ...(text.includes(code(value)) ? [] : own)].join(' ');
  const own = properties.map((one) => {
    const more = [
      ...(isGroup ? label(`id="node-input-${one}">\\s*<span data-i18n="([^"]+)">`) : []),
      ...(one in references ? [`the id of a node ${code(references[one] ?? '')}`] : []),
    ];
    // Most values of typed inputs are empty by default.
    const preset =
      `${one}Type` in presets && presets[one] === '' ? '' : ` = ${code(JSON.stringify(presets[one]))}`;
    return [`${code(one)}${preset}`, ...more].join(' ');
  });
  const more = properties.flatMap((one) => {
    if (offered[one]) {
      const all = offered[one].map(({ value }) => value);
      const preset = String(presets[`${one}Type`]);
      const ofOwn = offered[one].filter((type) => type.label !== undefined);
      const types = [
        ...(all.includes(preset) ? [] : [code(preset)]),
        ...ofOwn.map(({ value, label: key = '' }) => named(value, `“${textOf(name, key)}”`)),
        code(all.filter((value) => !ofOwn.some((type) => type.value === value)).join(' ')),
      ];
      return [`Types: ${types.join(', ')}.`];
    }
    if (`${name}.${one}` === 'find.sort') {
      return Object.entries(sorts).map(([kind, list]) => `Of ${kind}: ${code(list.join(' '))}.`);
    }
    const preset = presets[one];
    const values = (choices[one] ?? []).filter((value) => value !== '' && !text.includes(code(value)));
    const others = values.filter((value) => !(Array.isArray(preset) && preset.includes(value)));
    if (others.length === 0) return [];
    if (Array.isArray(preset))
      return [`${preset.length === 0 ? 'Any of' : 'Also'}: ${code(others.join(' '))}.`];
    const select = `<select id="node-(?:config-)?input-${one}"(?:(?!</select>).)*?value="`;
    return [
      `${others.map((value) => [code(value), ...label(`${select}${value}" data-i18n="([^"]+)"`)].join(' ')).join(', ')}.`,
    ];
  });
  return [own.join(', '), [text, ...new Set(more)].filter(Boolean).join(' ')].filter(Boolean).join(': ');
}

/** Describes what a node sends: in the words of its help, and as the contract of messages has it. */
function outputsOf(name: string, help: string): string[] {
  const outputs = /<h3>Outputs<\/h3>(.*?)<h3>/s.exec(help)?.[1] ?? '';
  const ports = outputs.includes('node-ports') ? outputs.split('<li>').slice(1) : [outputs].filter(Boolean);
  return ports.map((port, index) => {
    const title = /^[^<]*/.exec(port)?.[0].trim() ?? '';
    const payload = AS_ASKED.includes(name) ? '' : payloadOf(`stash-${name}`, index + 1);
    // What the page says once, or the types of the payload say.
    const known = [
      ...['stash.summary', 'stash.missing'],
      ...(/`.*\b(?!Buffer)[A-Z]\w/.test(payload) ? ['topic', 'payload'] : []),
    ];
    const texts = [...port.matchAll(/<dt>(\S+) .*?<dd>(.*?)<\/dd>/gs)].flatMap(
      ([, property = '', text = '']) =>
        known.includes(property) ? [] : [`${code(`msg.${property}`)}: ${ofHelp(text)}`],
    );
    const output = `**Output${ports.length > 1 ? ` ${index + 1}` : ''}**`;
    return [`${[output, title].filter(Boolean).join(', ')}.`, payload, ...texts].filter(Boolean).join(' ');
  });
}

/** Returns the types of the payload at an output; of a trigger node, by topic. */
function payloadOf(type: string, output: number): string {
  const groups: { topic: string; shapes: Shape[] }[] = [];
  for (const { at, topic = '', ...shape } of Object.values(messages[type] ?? {})) {
    if (at !== `"output ${output}"`) continue;
    const payload = Object.fromEntries(Object.entries(shape).filter(([place]) => /^payload\b/.test(place)));
    const isAlike = (other: Shape) => isWithin(other, payload) || isWithin(payload, other);
    const group = groups.find((one) => one.topic === topic && one.shapes.some(isAlike));
    if (group) group.shapes.push(payload);
    else groups.push({ topic, shapes: [payload] });
  }
  const texts = new Map<string, string[]>();
  for (const { topic, shapes } of groups) {
    const all = typesIn(shapes);
    for (const field of fieldsIn(all, 'payload')) {
      const isAlways = shapes.every((shape) => fieldsIn(typesIn([shape]), 'payload').includes(field));
      if (!isAlways) all.set(`payload.${field}`, (all.get(`payload.${field}`) ?? new Set()).add('absent'));
    }
    const text = code(typeText(all, 'payload'));
    texts.set(text, [...(texts.get(text) ?? []), topic.replaceAll('"', '`')]);
  }
  const all = [...texts].map(([text, topics]) =>
    [topics.filter(Boolean).join(', '), text].filter(Boolean).join(': '),
  );
  const by = groups.some(({ topic }) => topic !== '') ? ' by `msg.topic`' : '';
  return all.length > 0 ? `Payload${by}: ${all.join('; ')}.` : '';
}

function isWithin(shape: Shape, other: Shape): boolean {
  return Object.keys(shape).every((place) => place in other);
}

/** The types of each place in some messages. */
type Types = Map<string, Set<string>>;

function typesIn(shapes: readonly Shape[]): Types {
  const all: Types = new Map();
  for (const [place, text] of shapes.flatMap((shape) => Object.entries(shape))) {
    all.set(place, new Set([...(all.get(place) ?? []), ...text.split(' | ')]));
  }
  return all;
}

const every = Object.values(messages).flatMap((cases) => Object.values(cases));

/** The objects that several nodes send, the larger ones first. */
const types = new Map(
  (
    [
      ['Scene', 'stash-find', 'a list', 'payload[]'],
      ['Image', 'stash-new', 'image', 'payload'],
      ['Gallery', 'stash-new', 'gallery', 'payload'],
      ['Performer', 'stash-find', 'performers', 'payload[]'],
      ['JobRecord', 'stash-scan', 'FAILED', 'payload'],
      ['Studio', 'stash-find', 'studios', 'payload[]'],
      ['Marker', 'stash-find', 'markers', 'payload[]'],
      ['Group', 'stash-find', 'groups', 'payload[]'],
      ['Tag', 'stash-find', 'tags', 'payload[]'],
      ['NewItems', 'stash-scan', 'FINISHED, with problems and what is new', 'payload.new.scenes'],
      ['Progress', 'stash-scan', 'progress', 'payload'],
    ] as const
  ).map(([type, node, title, place]) => {
    const fields = fieldsIn(typesIn([messages[node]?.[title] ?? {}]), place);
    return [type, typesIn(every.flatMap((shape) => objectsIn(shape, fields)))];
  }),
);

/** Returns these fields of each object in a message that has all of them. */
function objectsIn(shape: Shape, fields: readonly string[]): Shape[] {
  const places = new Set(Object.keys(shape).map((place) => place.replace(/\.?[^.]*$/, '')));
  return [...places]
    .filter((place) => fields.every((field) => fieldsIn(typesIn([shape]), place).includes(field)))
    .map((place) =>
      Object.fromEntries(
        Object.entries(shape)
          .filter(([one]) =>
            fields.some(
              (field) =>
                one.startsWith(`${place}.`) && one.slice(place.length + 1).split(/[.[]/)[0] === field,
            ),
          )
          .map(([one, text]) => [one.slice(place.length), text]),
      ),
    );
}

function fieldsIn(all: Types, place: string): string[] {
  const inside = [...all.keys()].filter((one) => one.startsWith(`${place}.`));
  return [...new Set(inside.map((one) => one.slice(place.length + 1).split(/[.[]/)[0] ?? ''))];
}

/** Returns the type at a place as TypeScript has it; empty for text, which may be null. */
function typeText(all: Types, place: string): string {
  const own = [...(all.get(place) ?? [])].filter((type) => type !== 'absent');
  const fields = fieldsIn(all, place);
  if (fields.length > 0) {
    const known = [...types].find(([, type]) => fieldsIn(type, '').every((field) => fields.includes(field)));
    const rest = fields.filter((field) => !known || !fieldsIn(known[1], '').includes(field));
    const parts = [...(known ? [known[0]] : []), ...(rest.length > 0 ? [fieldsText(all, place, rest)] : [])];
    return [parts.join(' & '), ...own.filter((type) => type === 'null')].join(' | ');
  }
  // What was always null has the type that it has elsewhere.
  const named = own.every((type) => type === 'null') ? typesOfName(place) : own;
  const texts = named.map((type) => {
    if (type === 'array') return `${typeText(all, `${place}[]`).replace(/.* .*/, '($&)') || 'string'}[]`;
    // A single word is not all that there may be.
    return type.startsWith('"') && named.length === 1 ? 'string' : type;
  });
  return texts.every((type) => ['string', 'null'].includes(type)) && place !== 'payload'
    ? ''
    : texts.join(' | ');
}

function fieldsText(all: Types, place: string, fields = fieldsIn(all, place)): string {
  const texts = fields.map((field) => {
    const type = typeText(all, `${place}.${field}`);
    return `${field}${all.get(`${place}.${field}`)?.has('absent') ? '?' : ''}${type && `: ${type}`}`;
  });
  return `{ ${texts.join(', ')} }`;
}

function typesOfName(place: string): string[] {
  const name = place.slice(place.lastIndexOf('.'));
  const found = every.flatMap((shape) =>
    Object.entries(shape).flatMap(([one, text]) => (one.endsWith(name) ? text.split(' | ') : [])),
  );
  return [...new Set(found)].filter((type) => type !== 'absent');
}

const forms: Readonly<Record<ValueForm, string>> = {
  names: 'names or IDs',
  name: 'a name or an ID',
  rating: '0 to 100',
  flag: 'true or false',
  text: 'a text',
  texts: 'one text or several',
  count: '1 to 100',
};

function lineOfField(field: UpdateField): string {
  const { kinds: own, actions, form } = updateFields[field];
  return `${code(field)} of ${own.join(', ')}: ${actions.map(code).join(', ')}; ${forms[form]}`;
}

/** The types of criteria in Stash's schema, by the form of their values. */
const criteria: Readonly<Record<string, readonly string[]>> = {
  numbers: ['IntCriterionInput', 'FloatCriterionInput'],
  texts: ['StringCriterionInput'],
  dates: ['DateCriterionInput', 'TimestampCriterionInput'],
  IDs: ['MultiCriterionInput', 'HierarchicalMultiCriterionInput'],
  'true or false': ['Boolean'],
  'plain text': ['String'],
};

function criteriaOf(type: string): string {
  const filter = schemaOf(releases[releases.length - 1] ?? 'documented').schema.getType(`${type}FilterType`);
  assert.ok(isInputObjectType(filter));
  const fields = Object.values(filter.getFields()).filter(({ deprecationReason }) => !deprecationReason);
  return Object.entries(criteria)
    .flatMap(([form, names]) => {
      const own = fields.filter((field) => names.includes(getNamedType(field.type).name));
      return own.length > 0 ? [`${form} ${code(own.map(({ name }) => name).join(' '))}`] : [];
    })
    .join('; ');
}

/** Returns the cells of the table whose head begins with some words, as plain text. */
function cellsIn(file: string, head: string): string[][] {
  const [table = ''] = new RegExp(`^\\| ${head} .*(?:\\n\\|.*)+`, 'm').exec(read(file)) ?? [];
  const lines = table.split('\n').slice(2);
  return lines.map((line) =>
    line
      .slice(1, -1)
      .split('|')
      .map((cell) => withoutLinks(cell.trim())),
  );
}

/** Removes links, and what only refers to another place. */
function withoutLinks(text: string): string {
  return text
    .replace(/(?:^|; |\. )see \[[^\]]+\]\([^)]+\)(?:,? and \[[^\]]+\]\([^)]+\))?\./gi, '.')
    .replace(/^\.$/, '')
    .replace(/\[([^\]]+)\]\([^)]+\)/g, '$1')
    .replace(', see below', '');
}

function ofHelp(html: string): string {
  const entities: Readonly<Record<string, string>> = {
    '&lt;': '<',
    '&gt;': '>',
    '&amp;': '&',
    '&quot;': '"',
  };
  return html
    .replace(/<\/?code>/g, '`')
    .replace(/<[^>]+>/g, '')
    .replace(/&\w+;/g, (entity) => entities[entity] ?? entity);
}

/** Returns the words for a key as a dialog has it. */
function textOf(name: string, key: string): string {
  const [, owner = name, own = key] = /^@stash-flows\/node-red-stash\/([\w-]+):(.+)$/.exec(key) ?? [];
  return words(owner, own);
}

function listOf(lines: readonly string[]): string {
  return lines.map((line) => `- ${line}`).join('\n');
}

function code(text: string): string {
  return `\`${text}\``;
}

function read(file: string): string {
  return readFileSync(path.join(root, file), 'utf8');
}
