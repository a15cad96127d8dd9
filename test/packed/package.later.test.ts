import { transformSync } from 'esbuild';
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { promisify } from 'node:util';
import { spy } from 'sinon';
import { cases, StashError } from '../../src/errors';
import {
  reportOf,
  textOfAbandoned,
  textOfDelays,
  textOfPages,
  textOfProgress,
  textOfQueue,
  textOfReachability,
  textOfStatus,
  textOfStore,
} from '../../src/flow/words';
import { checks, findingTexts } from '../../src/contract/connection-test';
import { serverDefaults } from '../../src/contract/server';
import { taskNames } from '../../src/operations/tasks/kinds';
import type { JobRecord } from '../../src/records';
import type { Server } from '../../src/server';
import { FakeStash } from '../fake-stash/fake-stash';
import { otherTask } from '../fake-stash/tasks';
import { isRecord } from '../fake-stash/variables';
import { type Definition, dialogOf, freshOf, scriptsIn, sharedScript } from '../support/dialog';
import { sorts } from '../../src/contract/sorts';
import { updateFields } from '../../src/contract/update';
import { allKinds } from '../../src/contract/kinds';
import { forgetTexts, textsFor } from '../support/words';
import { exampleFiles } from '../support/examples';
import { Flow } from '../support/flow';
import { names, samples } from '../support/nodes';
import { npm } from '../support/npm';
import { root } from '../support/root';
import { helper, nodeRedProgram } from '../support/runtime';

interface ExampleNode {
  id: string;
  type: string;
  wires?: string[][];
  scope?: string[] | null;
  links?: string[];
  [property: string]: unknown;
}

const { name: PACKAGE } = readJson('package.json') as { name: string };
const ENGLISH = 'en-US';
/** All languages of the package. */
const languages = list('dist/package/locales');

/** The ends of keys that a dialog computes; `keysOfErrors` finds those of errors. */
const computedEnds: Record<string, string[]> = {
  'errors.': [],
  'auth.': ['none', 'apiKey', 'session'],
  'doctor.check.': [...checks],
  'doctor.state.': ['running', 'ok', 'hint', 'failed'],
  'doctor.text.': Object.keys(findingTexts),
  'button.': ['edit', 'add'],
  'section.': ['pathMap', 'plugin'],
  'plugin.': [
    ...['install', 'update', 'asking', 'installing', 'waiting'],
    ...['missing', 'ready', 'outdated', 'disabled', 'failed'],
  ],
  'choices.': ['all', 'none'],
  'trial.state.': ['asking', 'queued', 'waiting', 'refused'],
  'trial.first.': ['studios', 'matches', 'items', 'newest'],
  'trial.all.': ['studios', 'matches', 'items', 'newest'],
  'trial.column.': ['field', 'value', 'item'],
  'trial.one.': ['added', 'changed', 'kept'],
  'invalid.': ['rating', 'count', 'tag', 'performer', 'studio'],
  'trial.created.': ['tag', 'performer', 'studio'],
  'hint.': ['server', 'folder', 'message'],
  'task.': [...taskNames],
  'note.': [...taskNames],
  'kind.': [...allKinds],
  'fields.': Object.keys(updateFields),
  'action.': ['add', 'remove', 'set', 'clear'],
  'sorts.': Object.values(sorts).flat(),
};

/** The values for placeholders in the texts of dialogs. */
const placeholders: Record<string, string[]> = {
  ...Object.fromEntries(
    // The dialog computes the age from the days.
    Object.entries(findingTexts).map(([key, names]) => [`server:doctor.text.${key}`, [...names, 'age']]),
  ),
  'server:doctor.remedy.': ['url', 'choice', 'field'],
  'server:doctor.end.hints': ['count'],
  'server:doctor.checks': ['count'],
  'server:plugin.': ['version', 'newest'],
  'server:reachable': ['release'],
  'server:doctor.find.none': ['addresses'],
  'server:firstUse.place': ['number', 'last', 'name'],
  'server:picker.count': ['count'],
  'server:picker.more': ['count'],
  'server:picker.typed': ['text'],
  'server:invalid.property': ['type'],
  'server:picker.remove': ['name'],
  'server:picker.removed': ['name'],
  'server:button.removeRow': ['row'],
  'server:button.': ['field'],
  'server:offer.question': ['name', 'count'],
  'server:offer.several': ['count'],
  'server:trial.value': ['property'],
  'server:trial.answered': ['milliseconds'],
  'server:trial.first.sent': ['shown', 'total', 'sent', 'milliseconds'],
  'server:trial.first.': ['shown', 'total', 'milliseconds'],
  'server:trial.all.': ['count', 'milliseconds'],
  'server:trial.changes.none': ['milliseconds'],
  'server:trial.changes.all': ['changing', 'total', 'milliseconds'],
  'server:trial.changes.first': ['changing', 'total', 'shown', 'milliseconds'],
  'server:trial.one.': ['name', 'milliseconds'],
  'server:trial.notThere': ['names'],
  'server:trial.created.': ['names', 'count'],
  'server:trial.missing': ['fields'],
  'backup:note.unknownWords': ['words'],
  'update:row.': ['row'],
  'update:invalid.value': ['field'],
  'update:value.new': ['name'],
  'server:note.local': ['host'],
  'server:picker.noFilters': ['url'],
  'server:capabilities.release': ['release'],
  'server:sidebar.reveal': ['node'],
  'server:sidebar.reach': ['time'],
  'server:sidebar.jobs.left': ['time'],
  'server:sidebar.jobs.more': ['count'],
  'server:sidebar.jobs': ['job'],
  'server:sidebar.film': ['title'],
  'server:sidebar.pause.since': ['time'],
  'server:sidebar.pause': ['count'],
  'server:sidebar.sites.count': ['count'],
  'server:sidebar.sites': ['time'],
  'server:capabilities.needs': ['what'],
  'query:document.unavailable': ['reason'],
  'query:document.fine': ['release'],
  'query:document.mistake': ['line', 'column', 'text'],
};

/** The sections of a catalogue for the runtime. The compiler checks their keys. */
const COMPILED = ['summary', 'status', 'detail', 'details', 'what', 'reason'];

/** The maximum length of text and remedy of an error together, without quoted texts. */
const LONGEST_ERROR = 160;

/** Values of usual length for error texts, without quoted texts. */
const USUAL = {
  ...{ property: 'Integrity check', source: 'msg.payload', count: 1000, seconds: 30, minutes: 60 },
  ...{ url: 'http://localhost:9999', host: 'localhost:9999', code: 'ECONNREFUSED', status: 502 },
  ...{ size: '1.2 GiB', limit: '64 MiB', got: '1.2 GiB', expected: '1.2 GiB', actual: '1.1 GiB' },
  ...{ needed: '1.2 GiB', free: '1.1 GiB', job: 12, release: 'v0.30.1', since: 'v0.26.0' },
} as Readonly<Record<string, string | number>>;

/** The maximum number of words in a help text. */
const LONGEST_HELP = 350;

const PLURAL = /_(zero|one|two|few|many|other)$/;

/** The results of `wordsOf`. */
const catalogues = new Map<string, Map<string, Record<string, string>>>();

/** The keys that the runtime uses, except those of errors. */
const runtimeKeys = new Set(compiledKeys());

for (const name of names) {
  const isAction = name !== 'server';

  describe(`The files of stash-${name}`, () => {
    it('register one type, in a way that the public flow library can read', () => {
      const { html, types } = dialogOf(name);
      assert.deepEqual(types, [`stash-${name}`]);
      assert.deepEqual(all(/\.registerType\(([^{]*\{?)/g, html), [`"stash-${name}",{`], 'once, as a literal');
      assert.doesNotMatch(
        html,
        /<script[^>]*\ssrc=/,
        'one script that fails to load blocks the whole editor',
      );
    });

    it('contain category, colour, icon and ports as literals', () => {
      const { script, definition } = dialogOf(name);
      const [, registration = ''] = script.split(`.registerType("stash-${name}",`);
      const expected = isAction ? ['category', 'color', 'icon', 'inputs', 'outputs'] : ['color', 'icon'];
      for (const property of expected) {
        const literal = new RegExp(`[{,]${property}:(".*?"|\\d+)[,}]`).exec(registration)?.[1];
        assert.equal(literal, JSON.stringify(definition[property as keyof Definition]), property);
      }
      assert.equal(definition.category, isAction ? 'stash' : 'config');
      assert.match(definition.color, /^#[0-9A-F]{6}$/i);
      assert.equal(definition.icon, `stash-${name}.svg`);
    });

    it('include an icon with the aspect ratio of Node-RED', () => {
      const [, width, height] = /viewBox="0 0 (\d+) (\d+)"/.exec(read(`nodes/${name}/icon.svg`)) ?? [];
      assert.equal(Number(height) / Number(width), 3 / 2);
    });

    it('contain a dialog element for each property and each label', () => {
      const { template, definition } = dialogOf(name);
      const ids = all(/\bid="([^"]+)"/g, template);
      const prefix = isAction ? 'node-input-' : 'node-config-input-';
      for (const property of Object.keys({ ...definition.defaults, ...definition.credentials })) {
        // A list of rows stands in a container, as in core nodes.
        const id = prefix + property;
        assert.ok(ids.includes(id) || ids.includes(`${id}-container`), property);
      }
      for (const target of all(/<label for="([^"]+)"/g, template)) assert.ok(ids.includes(target), target);
      assert.equal(new Set(ids).size, ids.length, 'each id is unique');
    });

    it("contain a help text in the order of Node-RED's own help", () => {
      const headings = all(/<h3>(.*?)<\/h3>/g, helpOf(ENGLISH, name));
      const order = ['Properties', 'Outputs', 'Details', 'References'];
      assert.deepEqual(
        headings,
        order.filter((heading) => headings.includes(heading)),
      );
    });

    it('contain a help text that explains all labels of the dialog in their order', () => {
      const { explained, labels } = labelsInHelp(ENGLISH, name);
      assert.deepEqual(explained, labels);
    });

    for (const language of languages) {
      const help = helpOf(language, name);
      if (help === '') continue;

      it(`contain a help text of at most ${LONGEST_HELP} words, with a tooltip and a link to more (${language})`, () => {
        assert.deepEqual(all(/data-help-name="([^"]+)"/g, help), [`stash-${name}`]);
        const start = help.replace(/^\s*<script[^>]*>\s*/, '');
        const tooltip = plain(/^<p>([\s\S]*?)<\/p>/.exec(start)?.[1] ?? '');
        assert.ok(
          tooltip !== '' && tooltip.length <= 130,
          'the first paragraph is the tooltip in the palette',
        );
        const { length } = plain(help).split(/\s+/).filter(Boolean);
        assert.ok(length <= LONGEST_HELP, `${length} words`);
        assert.ok(help.includes(`/docs/nodes/${name}.md`));
      });

      it(`contain a help text that closes each tag (${language})`, () => {
        const open: string[] = [];
        for (const [, slash, tag = ''] of help.matchAll(/<(\/?)(\w*)/g)) {
          if (slash === '') open.push(tag);
          else assert.equal(tag, open.pop());
        }
        assert.deepEqual(open, []);
      });
    }

    if (isAction) {
      it('have an example', () => {
        const types = examples().flatMap(({ nodes }) => nodes.map(({ type }) => type));
        assert.ok(types.includes(`stash-${name}`));
      });
    }
  });
}

describe('The palette', () => {
  const definitions = names.filter((name) => name !== 'server').map((name) => dialogOf(name).definition);

  // After an installation the editor loads the nodes in any order, so no text may count on it.
  it('says of the category what starts the nodes', () => {
    for (const { categoryDescription } of definitions)
      assert.equal(categoryDescription, inCatalogue('server', 'category'));
  });

  it('begins with the four nodes that start by themselves, as the table in the README does', () => {
    assert.deepEqual(
      definitions.map(({ inputs }) => inputs),
      definitions.map((_, index) => (index < 4 ? 0 : 1)),
    );
  });
});

describe('The colours', () => {
  const colours = new Map(names.map((name) => [name, dialogOf(name).definition.color]));
  /** The layers that Node-RED 5 puts over the colour behind an icon, in its light and its dark theme. */
  const shades = [
    ['#000000', 0.05],
    ['#FFFFFF', 0.07],
  ] as const;

  it('are the same for all nodes except stop', () => {
    const apart = colours.get('stop');
    const others = new Set([...colours.values()].filter((colour) => colour !== apart));
    assert.equal(others.size, 1);
    assert.equal([...colours.values()].filter((colour) => colour === apart).length, 1);
  });

  for (const [name, colour] of colours) {
    it(`have enough contrast with the icon and the label of stash-${name} in both themes`, () => {
      for (const icon of all(/"(#[0-9a-f]{6})"/gi, read(`nodes/${name}/icon.svg`))) {
        for (const [shade, share] of shades)
          assert.ok(contrast(icon, mixed(colour, shade, share)) >= 3, icon);
      }
      for (const label of ['#333333', '#191919']) assert.ok(contrast(label, colour) >= 4.5, label);
    });
  }
});

describe('The texts', () => {
  before(async () => {
    for (const key of await keysOfStates()) runtimeKeys.add(key);
  });

  it('that are borrowed from Node-RED exist there', () => {
    const core = createRequire(nodeRedProgram)('@node-red/nodes/locales/en-US/messages.json') as unknown;
    const known = flatten(core).map(([key]) => key);
    for (const key of used().filter((key) => key.startsWith('node-red:'))) {
      assert.ok(known.includes(key.slice('node-red:'.length)), key);
    }
  });

  it('of a dialog come from the catalogue of this package', () => {
    const scripts = [sharedScript(), ...names.flatMap(scriptsIn)];
    const lookups = new Set(scripts.flatMap(({ text }) => all(/\bRED\._\(([^,]+),/g, text)));
    assert.equal(lookups.size, 1);
    assert.match([...lookups].join(), new RegExp(`^\`${PACKAGE}/\\$\\{\\w+\\}\`$`));
  });

  it('are complete in English', () => {
    const found = wordsOf(ENGLISH);
    assert.deepEqual(
      used().filter((key) => !key.startsWith('node-red:') && !found.has(key)),
      [],
    );
  });

  for (const language of languages) {
    describe(`in ${language}`, () => {
      if (language !== ENGLISH) {
        after(() => {
          for (const text of untranslated(language)) console.log(`Not translated to ${language}: ${text}`);
        });
      }

      it('are all used', () => {
        const expected = used();
        assert.deepEqual(
          [...wordsOf(language).keys()].filter((key) => !expected.includes(key)),
          [],
        );
      });

      it('have all plural forms of the language', () => {
        const { pluralCategories } = new Intl.PluralRules(language).resolvedOptions();
        for (const [key, forms] of wordsOf(language)) {
          const present = Object.keys(forms).filter((form) => form !== '' && form !== 'zero');
          if (present.length === 0) continue;
          assert.deepEqual(present.sort(), [...pluralCategories].sort(), key);
          assert.ok(!('' in forms), `${key} has a text with and without plural forms`);
        }
      });

      it('use only placeholders that have a value', () => {
        for (const [key, forms] of wordsOf(language)) {
          const given = [...givenTo(key), '{server}', '{date}', '{time}', '{schema}'];
          for (const name of placeholdersIn(forms)) assert.ok(given.includes(name), `${name} in ${key}`);
        }
      });

      it('have at most 20 characters in a status', () => {
        for (const [key, forms] of wordsOf(language)) {
          if (
            !/\/server:(errors\.[\w.]+\.label|(queue|progress)\.\w+|status\.job\.\w+)$|:status\.\w+$/.test(
              key,
            )
          )
            continue;
          for (const words of Object.values(forms)) {
            assert.ok(words.replace(/__\w+?__/g, '').length <= 20, `${key}: ${words}`);
          }
        }
      });

      it(`state an error and its remedy in at most ${LONGEST_ERROR} characters`, () => {
        const found = wordsOf(language);
        for (const which of errorCases()) {
          const sentence = ['text', 'remedy']
            .map((part) => found.get(inCatalogue('server', `errors.${which}.${part}`))?.[''] ?? '')
            .join(' ')
            .replace(/__(\w+?)__/g, (_, name: string) => String(USUAL[name] ?? ''));
          assert.ok(sentence.length <= LONGEST_ERROR, `${which}, ${sentence.length}: ${sentence}`);
        }
      });

      it('end like sentences in notifications', () => {
        for (const [key, forms] of wordsOf(language)) {
          if (!/:summary\.|\.(text|remedy)$/.test(key)) continue;
          // A headline ends with a title, which may have a mark of its own.
          if (key.includes('/new:')) continue;
          for (const words of Object.values(forms)) assert.match(words, /[.。]$/, key);
        }
      });
    });
  }
});

describe('The error codes', () => {
  it('are all listed in docs/errors.md', () => {
    const page = read('docs/errors.md');
    for (const code of Object.keys(cases)) assert.ok(page.includes(`| \`${code}\``), code);
  });
});

describe('The examples', () => {
  for (const { file, nodes } of examples()) {
    describe(path.basename(file, '.json'), () => {
      it('has a comment, and otherwise only core nodes, nodes of this package, and what the comment says to install', () => {
        const types = nodes.map(({ type }) => type);
        assert.ok(types.includes('comment'));
        const known = ['group', ...coreTypes(), ...names.map((name) => `stash-${name}`)];
        const comment = String(nodes.find(({ type }) => type === 'comment')?.['info']);
        const isDashboard = comment.includes('needs @flowfuse/node-red-dashboard');
        for (const type of types) {
          assert.ok(known.includes(type) || (isDashboard && type.startsWith('ui-')), type);
        }
      });

      it('has a comment that begins with what to edit, and is short enough to be read', () => {
        const comment = String(nodes.find(({ type }) => type === 'comment')?.['info']);
        assert.match(comment, /^Edit .*\bserver\b|^Edit .*\bMQTT broker\b/);
        assert.ok(comment.replace(/\]\(.*?\)/g, ']').length <= 600, comment);
      });

      it('has no dangling wires', () => {
        const ids = nodes.map(({ id }) => id);
        assert.equal(new Set(ids).size, ids.length, 'each id is unique');
        for (const { type, wires = [], scope, links = [], server = '' } of nodes) {
          for (const id of [...wires.flat(), ...(scope ?? []), ...links]) assert.ok(ids.includes(id), id);
          // A node without a server is marked in the editor, and the user chooses an existing server.
          assert.ok(server === '' || ids.includes(String(server)), type);
        }
      });

      it('reports errors', () => {
        const catching = nodes.filter(({ type }) => type === 'catch');
        for (const { id } of nodes.filter((node) => isAction(node))) {
          assert.ok(
            catching.some(({ scope }) => scope?.includes(id) ?? true),
            'a Catch node receives its errors',
          );
        }
        for (const { wires = [] } of catching) assert.ok(wires.flat().length > 0);
      });

      it('compares no constant that a user fills in, which the editor would mark then', () => {
        for (const { func } of nodes.filter(({ type }) => type === 'function')) {
          const code = String(func);
          for (const name of all(/const (\w+) = '';/g, code)) {
            assert.doesNotMatch(code, new RegExp(`\\b${name} [!=]==`));
          }
        }
      });

      it('contains nodes of this package as the editor exports them, without credentials', () => {
        for (const node of nodes.filter(({ type }) => type.startsWith('stash-'))) {
          const { defaults } = dialogOf(node.type.replace('stash-', '')).definition;
          const own = isAction(node) ? ['z', 'x', 'y', 'wires', ...('g' in node ? ['g'] : [])] : [];
          assert.deepEqual(
            Object.keys(node).sort(),
            ['id', 'type', ...own, ...Object.keys(defaults)].sort(),
            node.type,
          );
        }
      });
    });
  }

  for (const [type, property] of [
    ['scan', 'scanGenerateCovers'],
    ['performer-scrape', 'fields'],
  ] as const) {
    it(`have in stash-${type} what a node from the palette has for ${property}; so has the tour of npm start`, () => {
      const fresh = freshOf(type)[property];
      const tour = { file: 'tour.json', nodes: readJson('scripts/tour.json') as ExampleNode[] };
      const found = [...examples(), tour]
        // Others send what they have looked up to a page or a broker, where a picture is too much.
        .filter(({ nodes }) => type === 'scan' || nodes.some((node) => node.type === 'stash-performer-save'))
        .flatMap(({ file, nodes }) => nodes.map((node) => ({ file, node })))
        .filter(({ node }) => node.type === `stash-${type}`);
      assert.ok(found.length > 2);
      for (const { file, node } of found) assert.deepEqual(node[property], fresh, file);
    });
  }

  it('share nothing but a server, so that a user can import all of them', () => {
    const seen = new Map<string, ExampleNode>();
    for (const node of examples().flatMap(({ nodes }) => nodes)) {
      const before = seen.get(node.id);
      if (node.type === 'stash-server') assert.deepEqual(before ?? node, node);
      else assert.equal(before, undefined, `${node.type} ${node.id}`);
      seen.set(node.id, node);
    }
    const servers = [...seen.values()].filter(({ type }) => type === 'stash-server');
    assert.ok(servers.length <= 1, 'one server for all examples, or none');
  });

  it('share no variable of the flow, because all can be imported into one tab', () => {
    const users = new Map<string, Set<string>>();
    for (const { file, nodes } of examples()) {
      for (const [, name = ''] of JSON.stringify(nodes).matchAll(/\bflow\.[gs]et\('(\w+)'/g)) {
        users.set(name, new Set(users.get(name)).add(file));
      }
    }
    assert.ok(users.size > 3);
    assert.deepEqual(
      [...users].filter(([, files]) => files.size > 1),
      [],
    );
  });
});

describe('Dialog and runtime', () => {
  for (const [name, { fields: choices }] of samples()) {
    if (!choices) continue;
    it(`offer the same fields in stash-${name}`, () => {
      const { template, definition } = dialogOf(name);
      const select = /<select id="node-input-fields" multiple>([\s\S]*?)<\/select>/.exec(template)?.[1] ?? '';
      const offered = all(/<option value="([^"]+)"/g, select);
      assert.deepEqual(all(/<option [^>]*data-i18n="fields\.([^"]+)"/g, select), offered);
      assert.deepEqual([...offered].sort(), [...choices].sort());
      const preset = definition.defaults['fields']?.value;
      assert.ok(Array.isArray(preset));
      for (const field of preset as string[]) assert.ok(choices.includes(field), field);
    });
  }

  for (const [name, { checkboxes: choices }] of samples()) {
    if (!choices) continue;
    it(`offer the same checkboxes in stash-${name}, and none is ticked by default`, () => {
      const { template, definition } = dialogOf(name);
      const boxes = all(/<input type="checkbox" id="node-input-(\w+)"/g, template);
      // This checkbox is about errors, and not about the server.
      const offered = boxes.filter((box) => box !== 'sendFailed');
      assert.deepEqual(offered.sort(), [...choices].sort());
      for (const choice of choices) assert.equal(definition.defaults[choice]?.value, false, choice);
    });

    it(`show the schema's name of each checkbox of stash-${name} in a tooltip`, () => {
      const { template } = dialogOf(name);
      const titled = all(/<label[^>]* title="(\w+)"[^>]*>/g, template);
      assert.deepEqual(
        choices.filter((choice) => !titled.includes(choice)),
        [],
      );
    });
  }

  it('have the same defaults in stash-server', () => {
    const presets = Object.entries(dialogOf('server').definition.defaults)
      .filter(([property]) => property !== 'name')
      .map(([property, { value }]) => [property, value]);
    // The dialog saves numbers as text.
    const read = Object.entries(serverDefaults).map(([property, value]) => [
      property,
      typeof value === 'number' ? String(value) : value,
    ]);
    assert.deepEqual(Object.fromEntries(read), Object.fromEntries(presets));
  });

  it('accept a number in a flow file although the dialog saves text', () => {
    for (const name of names) {
      for (const [property, { value, validate }] of Object.entries(dialogOf(name).definition.defaults)) {
        if (typeof value !== 'string' || !/^\d+$/.test(value)) continue;
        assert.equal(validate?.(Number(value), {}), true, `${property} of stash-${name}`);
      }
    }
  });

  describe('have the same defaults', () => {
    afterEach(() => helper.unload());

    /** Returns the requests of a node for one message, and the outcome of the message. */
    async function outcomeOf(type: string, payload: unknown, properties: object) {
      const stash = await FakeStash.start();
      const flow = await Flow.start({ type, properties, server: { url: stash.url, pause: '0' } });
      const { output, msg } = await flow.ask({ payload });
      await helper.unload();
      await stash.stop();
      const bodies = stash.requests.map(({ body }) => body);
      // A job is watched after its message has left.
      const start = bodies.findIndex((body) => body?.query?.startsWith('mutation'));
      return { output, code: msg.error?.code, requests: start < 0 ? bodies : bodies.slice(0, start + 1) };
    }

    /** Returns the topics that a node without an input sends for a job. */
    async function topicsOf(properties: object) {
      const stash = await FakeStash.start({ jobSeconds: 2 });
      const flow = await Flow.start({ type: 'stash-jobs', properties, server: { url: stash.url } });
      await flow.until(() => stash.sockets.subscribed.includes('jobsSubscribe'));
      stash.jobs.add(otherTask('Scanning...', 'Scanning'));
      await flow.until(() => flow.sent.some(({ topic }) => topic === 'ended'));
      await helper.unload();
      await stash.stop();
      return flow.sent.map(({ topic }) => topic);
    }

    it('in stash-jobs', async () => {
      const { started, progress, ended } = dialogOf('jobs').definition.defaults;
      const dialog = await topicsOf({
        started: started?.value,
        progress: progress?.value,
        ended: ended?.value,
      });
      assert.deepEqual(dialog, ['started', 'ended']);
      assert.deepEqual(await topicsOf({}), dialog);
    });

    for (const [name, { asDragged = {} }] of samples()) {
      if (dialogOf(name).definition.inputs === 0) continue;
      it(`in stash-${name}`, async () => {
        const preset = Object.entries(dialogOf(name).definition.defaults)
          .filter(([property]) => !['name', 'server'].includes(property))
          .map(([property, { value }]) => [property, value]);
        const { payload = 'Robin Vale', code } = asDragged;
        const dialog = await outcomeOf(`stash-${name}`, payload, Object.fromEntries(preset) as object);
        assert.deepEqual(await outcomeOf(`stash-${name}`, payload, {}), dialog);
        assert.equal(dialog.code, code);
      });
    }
  });
});

describe('The package', () => {
  it('contains the files that it needs, and no others', async function () {
    const packed = JSON.parse(await npm(root, 'pack', '--dry-run', '--json')) as {
      files: { path: string }[];
    }[];
    const expected = [
      ...['package.json', 'README.md', 'LICENSE', 'CHANGELOG.md', 'docs/flow-file.md'],
      ...exampleFiles().map((file) => `examples/${file}`),
      ...list('plugin').map((file) => `plugin/${file}`),
      ...names.flatMap((name) => [
        `dist/package/${name}.js`,
        `dist/package/${name}.html`,
        `dist/package/icons/stash-${name}.svg`,
      ]),
      ...translations().map(({ packed }) => packed),
      'dist/package/runtime.js',
      ...sources()
        .filter((file) => /-(process|worker)\.ts$/.test(file))
        .map((file) => `dist/package/${path.basename(file, '.ts')}.js`),
      // The licences of what is bundled.
      ...['dist/package/LICENSES.txt'].filter(exists),
    ];
    assert.deepEqual(packed[0]?.files.map((file) => file.path).sort(), expected.sort());
  });

  it('is up to date with its sources', () => {
    for (const name of names) {
      const template = read(`nodes/${name}/dialog.html`).replace(
        /^ *<!--#include "([\w-]+\.html)" -->\n/gm,
        (_, rows: string) => read(`src/editor/rows/${rows}`),
      );
      const scripts = scriptsIn(name).map(
        ({ text }) => `\n<script type="text/javascript">\n${text}</script>\n`,
      );
      const style = name === 'server' ? `\n<style>${styles()}</style>\n` : '';
      assert.equal(read(`dist/package/${name}.html`), template + style + scripts.join(''));
      assert.equal(read(`dist/package/icons/stash-${name}.svg`), read(`nodes/${name}/icon.svg`));
    }
    for (const { own, packed } of translations()) assert.equal(read(packed), read(own));
  });

  it('loads no dependency when Node-RED starts, nor what makes Node.js load its fetch', async () => {
    const script = `
      process.argv.slice(1).forEach((file) => require(file));
      console.log(JSON.stringify([...Object.keys(require.cache), ...process.moduleLoadList]));`;
    const files = names.map((name) => path.join(root, 'dist', 'package', `${name}.js`));
    const { stdout } = await promisify(execFile)(process.execPath, ['-e', script, ...files]);
    const loaded = JSON.parse(stdout) as string[];
    for (const file of files) assert.ok(loaded.includes(file), file);
    assert.deepEqual(
      loaded.filter((file) => /\bnode_modules\b|\bundici\b/.test(file)),
      [],
    );
  });
});

function read(file: string): string {
  return readFileSync(path.join(root, file), 'utf8');
}

function readJson(file: string): unknown {
  return JSON.parse(read(file));
}

function exists(file: string): boolean {
  return existsSync(path.join(root, file));
}

function list(folder: string): string[] {
  return readdirSync(path.join(root, folder));
}

/** Returns the first group of each match. */
function all(pattern: RegExp, text: string): string[] {
  return [...text.matchAll(pattern)].map(([, group = '']) => group);
}

/** Returns the visible text of HTML. */
function plain(html: string): string {
  return html
    .replace(/<[^>]*>/g, '')
    .replace(/\s+/g, ' ')
    .trim();
}

/** Returns the file with the words of a node in a language, as a path from the root. */
function wordsFile(language: string, name: string): string {
  return `nodes/${name}/words/${language}.json`;
}

/** Returns the file with the help of a node in a language, as a path from the root. */
function helpFile(language: string, name: string): string {
  return `nodes/${name}/help/${language}.html`;
}

/** Returns the words and help texts of all nodes in all languages, each with its place in the package. */
function translations(): { own: string; packed: string }[] {
  return languages
    .flatMap((language) =>
      names.flatMap((name) => {
        const packed = `dist/package/locales/${language}/${name}`;
        return [
          { own: wordsFile(language, name), packed: `${packed}.json` },
          { own: helpFile(language, name), packed: `${packed}.html` },
        ];
      }),
    )
    .filter(({ own }) => exists(own));
}

/** Returns the files below src that run in Node-RED, as paths from the root. */
function sources(): string[] {
  return readdirSync(path.join(root, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => `src/${file.split(path.sep).join('/')}`)
    .filter((file) => !file.startsWith('src/editor/'));
}

/** Returns red, green and blue, from 0 to 1. */
function channels(colour: string): number[] {
  return [1, 3, 5].map((start) => parseInt(colour.slice(start, start + 2), 16) / 255);
}

/** Mixes a colour with another one that partly covers it. */
function mixed(colour: string, cover: string, share: number): string {
  const above = channels(cover);
  const parts = channels(colour).map((part, index) => part * (1 - share) + (above[index] ?? 0) * share);
  return `#${parts
    .map((part) =>
      Math.round(part * 255)
        .toString(16)
        .padStart(2, '0'),
    )
    .join('')}`;
}

/** Returns the contrast of two colours as WCAG 2.2 defines it, from 1 to 21. */
function contrast(one: string, other: string): number {
  const [light = 0, dark = 0] = [one, other].map(luminance).sort((a, b) => b - a);
  return (light + 0.05) / (dark + 0.05);
}

function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = channels(colour).map((part) =>
    part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4,
  );
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** Returns the styles of all dialogs, as the build writes them. */
function styles(): string {
  const folder = 'src/editor/styles';
  const files = readdirSync(path.join(root, folder)).sort();
  const text = files.map((file) => read(`${folder}/${file}`)).join('\n');
  return transformSync(text, { loader: 'css', minify: true }).code;
}

/** Returns every key that the code uses, once, as `<catalogue>:<key>`. */
function used(): string[] {
  return [...new Set([...names.flatMap(keysOfDialog), ...keysOfErrors(), ...runtimeKeys])];
}

function keysOfDialog(name: string): string[] {
  const { html, definition } = dialogOf(name);
  const code = scriptsIn(name)
    .map(({ text }) => text)
    .join('');
  const attributes = all(/\bdata-i18n="([^"]+)"/g, html)
    .flatMap((value) => value.split(';'))
    .map((key) => key.replace(/^\[[^\]]*\]/, ''));
  const shared = [...code.matchAll(/(["`])([\w-]+):([\w.]+)(\$\{)?/g)].flatMap(
    ([, , catalogue = '', key = '', computed]) => {
      if (!names.includes(catalogue)) return [];
      const ends = computed === undefined ? [''] : computedEnds[key];
      assert.ok(ends, key);
      return ends.map((end) => inCatalogue(catalogue, key + end));
    },
  );
  return [...attributes, ...shared, ...labelsOf(definition)].map((key) =>
    key.includes(':') ? key : inCatalogue(name, key),
  );
}

/** Returns the keys of the labels in a dialog from top to bottom, except those that need no help: Node-RED's own, and the server. */
function labelsInDialog(name: string): string[] {
  const { template } = dialogOf(name);
  return all(
    /<(?:label for|span class="stash-label" id)="[^"]+"[^>]*><i [^>]*><\/i> <span data-i18n="([^"]+)"/g,
    template,
  )
    .filter((key) => !key.startsWith('node-red:') && !key.endsWith(':field.server'))
    .map((key) => (key.includes(':') ? key : inCatalogue(name, key)));
}

/** Returns the keys that the editor uses for a node outside its dialog. */
function labelsOf({ paletteLabel, label, outputLabels, outputs = 0 }: Definition): string[] {
  const keys: string[] = [];
  const node = { _: (key: string) => (keys.push(key), key) };
  paletteLabel?.call(node);
  label.call(node);
  for (let index = 0; index < outputs; index += 1) outputLabels?.call(node, index);
  return keys;
}

/** Returns the keys that the compiler checks: `scripts/words.mjs` declares them. */
function compiledKeys(): string[] {
  const sections = COMPILED.map((section) => new RegExp(`:${section}\\.`));
  return [...wordsOf(ENGLISH).keys()].filter((key) => sections.some((section) => section.test(key)));
}

function keysOfErrors(): string[] {
  const cleans = ['folderEmpty', 'subfolderEmpty', 'noFolders'].map((which) => `SERVER_STATE.${which}`);
  const events = ['noPlugin', 'pluginDisabled', 'noLog'].map((which) => `UNSUPPORTED.${which}`);
  const labels = [...Object.keys(cases), ...cleans, ...events, 'UNAUTHORIZED.notAllowed'].map(
    (which) => `${which}.label`,
  );
  const sentences = errorCases().flatMap((which) => [`${which}.text`, `${which}.remedy`]);
  return [...labels, ...sentences].map((key) => inCatalogue('server', `errors.${key}`));
}

/** Returns the keys that all nodes use for the state of the server, of jobs and of look-ups. */
async function keysOfStates(): Promise<string[]> {
  const RED = await textsFor('server');
  const asked = spy(RED, '_');
  for (const back of [true, false]) textOfReachability(RED, { reachable: true, back, release: 'v0.30.1' });
  for (const turn of ['waiting', 'refused', 'queued'] as const) textOfQueue(RED, turn, 1);
  textOfPages(RED, 1);
  for (const delay of [{ due: Infinity }, { files: 1 }, { paused: true }] as const)
    textOfDelays(RED, [delay]);
  for (const status of ['READY', 'RUNNING', 'STOPPING'] as const) textOfStatus(RED, { status } as JobRecord);
  const job = { percent: 1, task: null, secondsLeft: null, stalled: true };
  textOfProgress(RED, job);
  const download = { percent: 100, bytes: 0, total: null, bytesPerSecond: 0 };
  for (const percent of [100, null]) textOfProgress(RED, { ...download, percent });
  for (const key of ['rateLimiter', 'positions', 'jobs', 'heard'] as const)
    textOfStore(RED, key, 'default', new Error('gone'));
  const created = [{ kind: 'tag', id: '1', name: 'Sea' } as const];
  const lists = { ids: ['1'], unchanged: [], gone: ['2'], remaining: ['3'], uncertain: ['4'] };
  const closed = new StashError('CLOSED.closed', { preface: 'paused' });
  const node = { name: 'scan', type: 'stash-scan' };
  for (const server of [undefined, { name: 'nas' } as Server])
    reportOf(RED, closed, { node, server, update: { ...lists, created } });
  const record = { id: '1', description: 'Generating...' } as JobRecord;
  for (const isPersisted of [true, false])
    textOfAbandoned(RED, { record, node: undefined, error: undefined, isPersisted });
  asked.restore();
  await forgetTexts();
  return asked.args.map(([key]) => key);
}

function errorCases(): string[] {
  return Object.entries(cases).flatMap(([code, list]) =>
    Object.keys(list).map((which) => `${code}.${which}`),
  );
}

function inCatalogue(name: string, key: string): string {
  return `${PACKAGE}/${name}:${key}`;
}

/** Returns all texts of a language by key, with their plural forms ('' for a text without plural forms). */
function wordsOf(language: string): Map<string, Record<string, string>> {
  const cached = catalogues.get(language);
  if (cached) return cached;
  const words = new Map<string, Record<string, string>>();
  catalogues.set(language, words);
  for (const name of names) {
    const file = wordsFile(language, name);
    for (const [key, text] of exists(file) ? flatten(readJson(file)) : []) {
      const base = inCatalogue(name, key.replace(PLURAL, ''));
      words.set(base, { ...words.get(base), [PLURAL.exec(key)?.[1] ?? '']: text });
    }
  }
  return words;
}

function flatten(value: unknown, prefix = ''): [string, string][] {
  if (typeof value === 'string') return [[prefix.slice(1), value]];
  assert.ok(Array.isArray(value) || isRecord(value), prefix);
  return Object.entries(value).flatMap(([key, inner]) => flatten(inner, `${prefix}.${key}`));
}

/** Returns the placeholders of texts, and those that a user may type. */
function placeholdersIn(forms: Readonly<Record<string, string>>): string[] {
  return Object.values(forms).flatMap((words) => words.match(/__\w+?__|\{\w+\}/g) ?? []);
}

/** Returns the placeholders that the text of a key may contain. */
function givenTo(key: string): readonly string[] {
  const [, code = '', which = ''] = /\/server:errors\.(\w+)\.(\w+)\.(?:text|remedy)$/.exec(key) ?? [];
  const [, given] = Object.entries(placeholders).find(([start]) => key.includes(`/${start}`)) ?? [];
  const details = (cases as Record<string, Record<string, readonly string[]>>)[code]?.[which] ?? given;
  if (details) return details.map((name) => `__${name}__`);
  // The compiler knows the values of these in English.
  return runtimeKeys.has(key) ? placeholdersIn(wordsOf(ENGLISH).get(key) ?? {}) : [];
}

/** Returns what a language lacks, as file or `<catalogue>:<key>`: the editor and the runtime show it in English. */
function untranslated(language: string): string[] {
  const found = wordsOf(language);
  const files = names
    .flatMap((name) => [wordsFile(language, name), helpFile(language, name)])
    .filter((file) => !exists(file));
  const helps = names
    .filter((name) => exists(helpFile(language, name)))
    .filter((name) => shapeOfHelp(language, name) !== shapeOfHelp(ENGLISH, name))
    .map((name) => helpFile(language, name));
  const texts = [...wordsOf(ENGLISH)]
    .filter(([key, forms]) => !isTranslated(key, forms, found.get(key)))
    .map(([key]) => key.slice(`${PACKAGE}/`.length));
  const isOpen = (key: string) => exists(wordsFile(language, key.split(':')[0] ?? ''));
  return [...files, ...helps, ...texts.filter(isOpen)];
}

/** Returns whether a language has the text of a key. A single word may be the same in two languages. */
function isTranslated(
  key: string,
  english: Readonly<Record<string, string>>,
  forms: Readonly<Record<string, string>> = {},
): boolean {
  const texts = Object.values(forms);
  // The documentation has the names of nodes in English.
  const isName = /:(palette|node)$/.test(key);
  const isSame = (text: string) =>
    /\p{L}\s+\p{L}/u.test(text.replace(/__\w+?__/g, '')) && Object.values(english).includes(text);
  const used = placeholdersIn(forms);
  return (
    texts.length > 0 &&
    '' in forms === '' in english &&
    placeholdersIn(english).every((one) => used.includes(one) || one === '__count__') &&
    (isName || !texts.some(isSame))
  );
}

/** Returns the labels that a help text explains, and those of the dialog, in their orders. */
function labelsInHelp(language: string, name: string): { explained: string[]; labels: string[] } {
  const help = helpOf(language, name);
  const [, properties = ''] = /<dl class="message-properties">([\s\S]*?)<\/dl>/.exec(help) ?? [];
  const words = wordsOf(language);
  const labels = labelsInDialog(name).map((key) => words.get(key)?.[''] ?? key);
  const explained = all(/<dt>(.*?)<\/dt>/g, properties);
  return { explained: explained.filter((label) => labels.includes(label)), labels };
}

/** Returns what is the same in the help texts of all languages that have the same content: tags, code and links. */
function shapeOfHelp(language: string, name: string): string {
  const help = helpOf(language, name);
  const { explained, labels } = labelsInHelp(language, name);
  const parts = [/<\/?[a-z]\w*/g, /<code>.*?<\/code>/g, /href="[^"]*"/g].map((pattern) =>
    help.match(pattern)?.sort(),
  );
  return JSON.stringify([parts, explained.join() === labels.join()]);
}

/** Returns a help text; empty if there is none. */
function helpOf(language: string, name: string): string {
  const file = helpFile(language, name);
  return exists(file) ? read(file) : '';
}

function examples(): { file: string; nodes: ExampleNode[] }[] {
  return exampleFiles().map((file) => {
    assert.match(file, /^\d [A-Z][\w ]+\/[A-Z].*\.json$/, 'folder and file are entries of the import menu');
    const nodes = readJson(`examples/${file}`);
    assert.ok(Array.isArray(nodes), file);
    return { file, nodes: nodes as ExampleNode[] };
  });
}

function isAction({ type }: ExampleNode): boolean {
  return type.startsWith('stash-') && type !== 'stash-server';
}

/** Returns the node types of Node-RED itself. */
function coreTypes(): string[] {
  const folder = path.dirname(createRequire(nodeRedProgram).resolve('@node-red/nodes/package.json'));
  return readdirSync(path.join(folder, 'core'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.html'))
    .flatMap((file) =>
      all(/\bregisterType\(\s*['"]([^'"]+)/g, readFileSync(path.join(folder, 'core', file), 'utf8')),
    );
}
