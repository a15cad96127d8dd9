import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { promisify } from 'node:util';
import { compileFunction } from 'node:vm';
import { Flow } from '../support/flow';
import { npm } from '../support/npm';
import { helper, nodeRedProgram, root } from '../support/runtime';
import { FakeStash } from '../fake-stash/fake-stash';
import { otherTask } from '../fake-stash/tasks';
import { isRecord } from '../fake-stash/variables';
import { cases, type Code } from '../../src/errors';
import { jobEnds, type startOf, type valuesOf } from '../../src/flow/words';
import { generateKinds, generateOptions } from '../../src/operations/generate';
import { scanOptions } from '../../src/operations/scan';
import { performerFields, type Scraped } from '../../src/operations/scrape-performer';
import { furtherFields, statusFields } from '../../src/operations/status';
import { studioFields } from '../../src/operations/studios';

interface Manifest {
  name: string;
  keywords: string[];
  engines: { node?: string };
  dependencies: Record<string, string>;
  'node-red': { version?: string; nodes: Record<string, string> };
}

/** What a dialog tells the editor. */
interface Definition {
  category: string;
  color: string;
  icon: string;
  inputs?: number;
  outputs?: number;
  defaults: Record<
    string,
    { value?: unknown; type?: string; validate?: (value: unknown, options: object) => unknown }
  >;
  credentials?: Record<string, unknown>;
  paletteLabel?: (this: Labelled) => string;
  label: (this: Labelled) => string;
  outputLabels?: (this: Labelled, index: number) => string;
}

/** What a node needs to tell its labels. */
interface Labelled {
  _: (key: string) => string;
}

interface Dialog {
  html: string;
  /** What stands between the tags of the template and of the script. */
  template: string;
  script: string;
  types: string[];
  definition: Definition;
}

interface ExampleNode {
  id: string;
  type: string;
  wires?: string[][];
  scope?: string[] | null;
  links?: string[];
  [property: string]: unknown;
}

/** A place in the source that raises an error: which cases, and which details it gives to their words. */
interface Origin {
  cases: string[];
  /** The case is chosen when the error is made. */
  isChosen: boolean;
  details: string[];
}

const manifest = readJson('package.json') as Manifest;
const names = Object.keys(manifest['node-red'].nodes);
const actions = names.filter((name) => name !== 'server');
const LANGUAGE = 'en-US';

/** The selectable fields of each node that has some, as its operation exports them. */
const fields: Record<string, readonly string[]> = {
  studios: studioFields,
  'performer-scrape': performerFields,
  status: [...statusFields, ...furtherFields],
};

/** The checkboxes of each node that has some for what a server can do besides, as its operation exports them. */
const checkboxes: Record<string, readonly string[]> = {
  scan: scanOptions,
  generate: [...generateKinds, ...generateOptions],
};

type Reason = Extract<Scraped, { reason: unknown }>['reason'];

/** How keys go on that a dialog computes; those of errors are looked at for themselves. */
const computedEnds: Record<string, string[]> = {
  'errors.': [],
  'test.state.': ['OK', 'SETUP', 'NEEDS_MIGRATION', 'other'],
};

/** The outcomes, or the parts of one, that a node file does not write as text, by what it writes instead. */
const computedOutcomes: Record<string, string[]> = {
  reason: Object.keys({ NOT_FOUND: true, AMBIGUOUS: true } satisfies Record<Reason, true>),
  end: [...jobEnds],
  how: Object.keys({ started: true, queued: true, accepted: true } satisfies Record<
    ReturnType<typeof startOf>['how'],
    true
  >),
  where: ['', 'InFolders'],
  forWhat: ['', 'ForFolders', 'ForScenes'],
};

/** What words are given that tell of a job, where the source spreads `valuesOf`. */
const valuesOfJob = Object.keys({
  job: true,
  description: true,
  text: true,
  time: true,
} satisfies Record<keyof ReturnType<typeof valuesOf>, true>);

/** What each node tells besides of a job that has ended, or of a backup. */
const details: Record<string, string[]> = {
  scan: [
    'problems',
    'problem',
    'behind',
    'time',
    'done',
    'scenes',
    'images',
    'galleries',
    'nothingNew',
    'newUnknown',
  ],
  generate: ['problems', 'problem', 'behind', 'time', 'done', 'unknownScenes'],
  backup: ['whole', 'zip', 'quickChecked', 'noQuickCheck', 'removed', 'notRemoved'],
  jobs: ['problems', 'problem', 'time', 'done'],
};

/** What stash-jobs tells of: the life of a job, and that it cannot. */
const eventWords = {
  summary: ['started', 'running', 'progress', 'stalled', 'stopping', ...jobEnds, 'restarted', 'away'],
  status: ['running', 'progress', 'stalled', 'stopping'],
  values: [...valuesOfJob, 'server', 'percent', 'details', 'what', 'from', 'to'],
};

const PLURAL = /_(zero|one|two|few|many|other)$/;

for (const name of names) {
  const isAction = name !== 'server';

  describe(`The files of stash-${name}`, () => {
    it('stand where Node-RED looks for them', () => {
      assert.equal(manifest['node-red'].nodes[name], `dist/nodes/${name}.js`);
      assert.ok(exists(`nodes/${name}.ts`), 'what it does');
      assert.ok(exists(`nodes/${name}.html`), 'its dialog');
      assert.ok(exists(`nodes/${name}.editor.ts`), 'the code of its dialog');
      for (const language of languages()) {
        for (const file of [`${name}.json`, `${name}.html`]) {
          assert.ok(exists(`nodes/locales/${language}/${file}`), `${language}/${file}`);
        }
      }
    });

    it('register one type, in a way that the public flow library can read', () => {
      const { html, script, types } = dialogOf(name);
      assert.deepEqual(types, [`stash-${name}`]);
      assert.equal(script.split(`.registerType("stash-${name}", {`).length, 2, 'literally, and once');
      assert.doesNotMatch(html, /<script[^>]*\ssrc=/, 'one script that fails to load hangs the whole editor');
    });

    it('tell looks and ports literally', () => {
      const { script, definition } = dialogOf(name);
      const [, registration = ''] = script.split(`.registerType("stash-${name}", `);
      const wanted = isAction ? ['category', 'color', 'icon', 'inputs', 'outputs'] : ['color', 'icon'];
      for (const property of wanted) {
        const literal = new RegExp(`^ {4}${property}: (.*?),?$`, 'm').exec(registration)?.[1];
        assert.equal(literal, JSON.stringify(definition[property as keyof Definition]), property);
      }
      assert.equal(definition.category, isAction ? 'stash' : 'config');
      assert.match(definition.color, /^#[0-9A-F]{6}$/i);
      assert.equal(definition.icon, `stash-${name}.svg`);
    });

    it('hold an icon of the shape that Node-RED wants', () => {
      const [, width, height] = /viewBox="0 0 (\d+) (\d+)"/.exec(read(`icons/stash-${name}.svg`)) ?? [];
      assert.equal(Number(height) / Number(width), 3 / 2);
    });

    it('have an element in the dialog for each property, and each label leads to one', () => {
      const { template, definition } = dialogOf(name);
      const ids = all(/\bid="([^"]+)"/g, template);
      const prefix = isAction ? 'node-input-' : 'node-config-input-';
      for (const property of Object.keys({ ...definition.defaults, ...definition.credentials })) {
        assert.ok(ids.includes(prefix + property), property);
      }
      for (const target of all(/<label for="([^"]+)"/g, template)) assert.ok(ids.includes(target), target);
      assert.equal(new Set(ids).size, ids.length, 'each id once');
    });

    for (const language of languages()) {
      it(`explain the node as Node-RED's own help does (${language})`, () => {
        const help = read(`nodes/locales/${language}/${name}.html`);
        assert.deepEqual(all(/data-help-name="([^"]+)"/g, help), [`stash-${name}`]);
        const start = help.replace(/^\s*<script[^>]*>\s*/, '');
        const first = /^<p>([\s\S]*?)<\/p>/.exec(start)?.[1] ?? '';
        assert.ok(
          first !== '' && plain(first).length <= 130,
          'the first paragraph is the tooltip in the palette',
        );
        if (language === LANGUAGE) {
          const headings = all(/<h3>(.*?)<\/h3>/g, help);
          const order = ['Inputs', 'Outputs', 'Details', 'References'];
          assert.deepEqual(
            headings,
            order.filter((heading) => headings.includes(heading)),
          );
          const ports = dialogOf(name).definition.inputs === 0 ? ['Outputs'] : ['Inputs', 'Outputs'];
          if (isAction) assert.deepEqual(headings.slice(0, ports.length), ports);
        }
      });
    }

    if (isAction) {
      it('come with an example', () => {
        const types = examples().flatMap(({ nodes }) => nodes.map(({ type }) => type));
        assert.ok(types.includes(`stash-${name}`));
      });
    }
  });
}

describe('The folder of nodes', () => {
  it('holds no dialog, node or icon that is not registered', () => {
    const found = list('nodes').filter((file) => /\.(ts|html)$/.test(file));
    const files = names.flatMap((name) => [`${name}.editor.ts`, `${name}.html`, `${name}.ts`]);
    assert.deepEqual(found.filter((file) => !inputs().includes(`nodes/${file}`)).sort(), files.sort());
    for (const file of inputs()) assert.ok(exists(file.replace('.input.ts', '.html')), file);
    assert.deepEqual(list('icons').sort(), names.map((name) => `stash-${name}.svg`).sort());
  });
});

describe('The words', () => {
  it('are looked up in ways that this test knows', () => {
    const lookups = [...sources(), ...names.map((name) => `nodes/${name}.ts`)]
      .flatMap((file) => all(/\bRED\._\(\s*([^,()]+)/g, read(file)))
      .filter((key) => !key.startsWith("'"));
    assert.deepEqual(lookups.sort(), [
      '`${CATALOGUE}errors.${code}.label`',
      '`${CATALOGUE}field.${property}`',
      '`${CATALOGUE}job.${which}`',
      '`${CATALOGUE}job.checking`',
      '`${CATALOGUE}job.noData`',
      '`${CATALOGUE}job.percent`',
      '`${CATALOGUE}job.percent`',
      '`${CATALOGUE}job.running`',
      '`${CATALOGUE}job.stalled`',
      '`${CATALOGUE}job.stopping`',
      '`${CATALOGUE}paceStore.failed`',
      '`${CATALOGUE}reach.${which}`',
      '`${CATALOGUE}turn.${queue}`',
      '`${words}.remedy`',
      '`${words}.text`',
      '`detail.${key}`',
      '`field.${property}`',
      '`status.${end.status}`',
      '`status.${status}`',
      '`summary.${outcome}`',
    ]);
  });

  it("of Node-RED's own that are used are there", () => {
    const core = createRequire(nodeRedProgram)('@node-red/nodes/locales/en-US/messages.json') as unknown;
    const known = flatten(core).map(([key]) => key);
    for (const key of used().filter((key) => key.startsWith('node-red:'))) {
      assert.ok(known.includes(key.slice('node-red:'.length)), key);
    }
  });

  it('of a dialog are looked up in a catalogue of this package, where the editor would look into its own', () => {
    for (const name of names) {
      const lookups = all(/\bRED\._\(([^,]+),/g, dialogOf(name).script);
      assert.deepEqual(lookups, [`\`${manifest.name}/\${key}\``], name);
    }
  });

  for (const language of languages()) {
    describe(`in ${language}`, () => {
      it('are all there, and none is left over', () => {
        const wanted = used().filter((key) => !key.startsWith('node-red:'));
        const found = [...wordsOf(language).keys()];
        assert.deepEqual(
          {
            missing: wanted.filter((key) => !found.includes(key)),
            left: found.filter((key) => !wanted.includes(key)),
          },
          { missing: [], left: [] },
        );
      });

      it('have all plural forms of the language', () => {
        const { pluralCategories } = new Intl.PluralRules(language).resolvedOptions();
        for (const [key, forms] of wordsOf(language)) {
          const present = Object.keys(forms).filter((form) => form !== '' && form !== 'zero');
          if (present.length === 0) continue;
          assert.deepEqual(present.sort(), [...pluralCategories].sort(), key);
          assert.ok(!('' in forms), `${key} both with and without plural forms`);
        }
      });

      it('name only what they are given', () => {
        for (const [key, forms] of wordsOf(language)) {
          const given = detailsFor(key);
          for (const placeholder of Object.values(forms).flatMap((words) => all(/__(\w+?)__/g, words))) {
            for (const details of given) assert.ok(details.includes(placeholder), `${placeholder} in ${key}`);
            assert.ok(given.length > 0, `${placeholder} in ${key}`);
          }
        }
      });

      it('are short under a node', () => {
        for (const [key, forms] of wordsOf(language)) {
          if (!/\/server:(errors\.\w+\.label|(turn|job)\.\w+)$|:status\.\w+$/.test(key)) continue;
          for (const words of Object.values(forms)) {
            assert.ok(words.replace(/__\w+?__/g, '').length <= 20, `${key}: ${words}`);
          }
        }
      });

      it('are sentences where they stand in a notification', () => {
        for (const [key, forms] of wordsOf(language)) {
          if (!/:summary\.|\.(text|remedy)$/.test(key)) continue;
          for (const words of Object.values(forms)) assert.match(words, /[.。]$/, key);
        }
      });
    });
  }
});

describe('The error codes', () => {
  it('are all raised somewhere, each case of them', () => {
    const raised = new Set(origins().flatMap(({ cases }) => cases));
    assert.deepEqual([...raised].sort(), errorCases().sort());
  });

  it('stand in the README with what to do', () => {
    const readme = read('README.md');
    assert.match(readme, /^#+ Errors$/m, 'the help texts link to it');
    for (const code of Object.keys(cases)) assert.ok(readme.includes(`\`${code}\``), code);
  });
});

describe('The examples', () => {
  for (const { file, nodes } of examples()) {
    describe(path.basename(file, '.json'), () => {
      it('explains itself and needs no nodes but the core ones and ours', () => {
        const types = nodes.map(({ type }) => type);
        assert.ok(types.includes('comment'));
        const known = [...coreTypes(), ...names.map((name) => `stash-${name}`)];
        for (const type of types) assert.ok(known.includes(type), type);
      });

      it('is wired within itself', () => {
        const ids = nodes.map(({ id }) => id);
        assert.equal(new Set(ids).size, ids.length, 'each id once');
        for (const { type, wires = [], scope, links = [], server = '' } of nodes) {
          for (const id of [...wires.flat(), ...(scope ?? []), ...links]) assert.ok(ids.includes(id), id);
          // Without a server the editor marks the node, and the user chooses the one that is there already.
          assert.ok(server === '' || ids.includes(String(server)), type);
        }
      });

      it('reports errors, but not those of a deploy', () => {
        const catching = nodes.filter(({ type }) => type === 'catch');
        for (const { id } of nodes.filter((node) => isAction(node))) {
          assert.ok(
            catching.some(({ scope }) => scope?.includes(id) ?? true),
            'its errors are caught',
          );
        }
        for (const { wires = [] } of catching) {
          assert.ok(wires.flat().length > 0);
          for (const id of wires.flat()) {
            const filter = nodes.find((node) => node.id === id);
            assert.deepEqual(
              [filter?.type, filter?.['property'], filter?.['propertyType']],
              ['switch', 'error.code', 'msg'],
            );
            assert.deepEqual(filter?.['rules'], [{ t: 'neq', v: 'CLOSED', vt: 'str' }]);
          }
        }
      });

      it('holds our nodes as the editor exports them, without credentials', () => {
        for (const node of nodes.filter(({ type }) => type.startsWith('stash-'))) {
          const { defaults } = dialogOf(node.type.replace('stash-', '')).definition;
          const own = isAction(node) ? ['z', 'x', 'y', 'wires'] : [];
          assert.deepEqual(
            Object.keys(node).sort(),
            ['id', 'type', ...own, ...Object.keys(defaults)].sort(),
            node.type,
          );
        }
      });
    });
  }

  it('share nothing but a server, so that all of them can be imported', () => {
    const seen = new Map<string, ExampleNode>();
    for (const node of examples().flatMap(({ nodes }) => nodes)) {
      const before = seen.get(node.id);
      if (node.type === 'stash-server') assert.deepEqual(before ?? node, node);
      else assert.equal(before, undefined, `${node.type} ${node.id}`);
      seen.set(node.id, node);
    }
    const servers = [...seen.values()].filter(({ type }) => type === 'stash-server');
    assert.ok(servers.length <= 1, 'one for all of them, or the choice is left to the user');
  });
});

describe('Dialog and runtime', () => {
  for (const [name, choices] of Object.entries(fields)) {
    it(`offer the same fields in stash-${name}`, () => {
      const { template, definition } = dialogOf(name);
      const select = /<select id="node-input-fields" multiple>([\s\S]*?)<\/select>/.exec(template)?.[1] ?? '';
      assert.deepEqual(all(/<option value="([^"]+)">/g, select), choices);
      assert.deepEqual(all(/<option [^>]*>([^<]+)<\/option>/g, select), choices);
      const preset = definition.defaults['fields']?.value;
      assert.ok(Array.isArray(preset));
      for (const field of preset as string[]) assert.ok(choices.includes(field), field);
    });
  }

  for (const [name, choices] of Object.entries(checkboxes)) {
    it(`offer the same checkboxes in stash-${name}, none of them ticked`, () => {
      const { template, definition } = dialogOf(name);
      const boxes = all(/<input type="checkbox" id="node-input-(\w+)"/g, template);
      // One is about failures, not about what the server does.
      const asked = boxes.filter((box) => box !== 'sendFailed');
      assert.deepEqual(asked.sort(), [...choices].sort());
      for (const choice of choices) assert.equal(definition.defaults[choice]?.value, false, choice);
    });

    it(`name the checkboxes of stash-${name} as the schema does, where the mouse is and in the help`, () => {
      const { template } = dialogOf(name);
      const titled = all(/<label[^>]* title="(\w+)"[^>]*>/g, template);
      const since = Object.fromEntries(releases(name));
      for (const choice of choices) {
        assert.ok(titled.includes(choice), choice);
        const told = `${choice}${since[choice] === undefined ? '' : `, since ${since[choice]}`}`;
        for (const language of languages()) {
          const help = read(`nodes/locales/${language}/${name}.html`);
          if (language === LANGUAGE)
            assert.ok(help.includes(`<span class="property-type">${told}</span>`), told);
          else assert.match(help, new RegExp(`\\b${choice}\\b`));
        }
      }
    });
  }

  it('count the same kinds in stash-generate', () => {
    const counted = /\bkinds = (\[[^\]]*\]);/.exec(dialogOf('generate').script)?.[1] ?? '[]';
    assert.deepEqual(JSON.parse(counted), generateKinds);
  });

  it('have the same defaults in stash-server', () => {
    const source = read('nodes/server.ts');
    for (const [property, { value }] of Object.entries(dialogOf('server').definition.defaults)) {
      if (property === 'name') continue;
      const preset = new RegExp(`\\b${property}: ('[^']*'|[\\d.]+)`).exec(source)?.[1];
      assert.equal(preset?.replaceAll("'", ''), value, property);
    }
  });

  it('a dialog accepts a number in a flow file where it saves text itself', () => {
    for (const name of names) {
      for (const [property, { value, validate }] of Object.entries(dialogOf(name).definition.defaults)) {
        if (typeof value !== 'string' || !/^\d+$/.test(value)) continue;
        assert.equal(validate?.(Number(value), {}), true, `${property} of stash-${name}`);
      }
    }
  });

  describe('have the same defaults', () => {
    afterEach(() => helper.unload());

    /** What a node asks of a server for one message, and how that ends. */
    async function asked(type: string, properties: object) {
      const stash = await FakeStash.start();
      const flow = await Flow.start({ type, properties, server: { url: stash.url, pause: '0' } });
      const payload = type === 'stash-stop' ? '12' : 'Robin Vale';
      const { output, msg } = await flow.ask({ payload });
      await helper.unload();
      await stash.stop();
      return { output, code: msg.error?.code, requests: stash.requests.map(({ body }) => body) };
    }

    /** What a node without an input tells of a job. */
    async function told(properties: object) {
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
      const dialog = await told({
        started: started?.value,
        progress: progress?.value,
        ended: ended?.value,
      });
      assert.deepEqual(dialog, ['started', 'ended']);
      assert.deepEqual(await told({}), dialog);
    });

    for (const name of actions.filter((action) => action !== 'jobs')) {
      it(`in stash-${name}`, async () => {
        const preset = Object.entries(dialogOf(name).definition.defaults)
          .filter(([property]) => !['name', 'server'].includes(property))
          .map(([property, { value }]) => [property, value]);
        const dialog = await asked(`stash-${name}`, Object.fromEntries(preset) as object);
        assert.deepEqual(await asked(`stash-${name}`, {}), dialog);
        // A new generate node has nothing ticked; all others work as they come out of the palette.
        assert.equal(dialog.code, name === 'generate' ? 'BAD_INPUT' : undefined);
      });
    }
  });
});

describe('The package', () => {
  it('contains what it needs, and nothing else', async function () {
    const packed = JSON.parse(await npm(root, 'pack', '--dry-run', '--json')) as {
      files: { path: string }[];
    }[];
    const wanted = [
      ...['package.json', 'README.md', 'LICENSE', 'CHANGELOG.md'],
      ...list('examples').map((file) => `examples/${file}`),
      ...names.flatMap((name) => [
        `dist/nodes/${name}.js`,
        `dist/nodes/${name}.html`,
        `dist/nodes/icons/stash-${name}.svg`,
        ...languages().flatMap((language) =>
          ['json', 'html'].map((ending) => `dist/nodes/locales/${language}/${name}.${ending}`),
        ),
      ]),
      ...[...sources(), ...inputs()].map((file) => `dist/${file.replace(/\.ts$/, '.js')}`),
    ];
    assert.deepEqual(packed[0]?.files.map((file) => file.path).sort(), wanted.sort());
  });

  it('is built from the sources as they are', () => {
    for (const name of names) {
      const template = read(`nodes/${name}.html`);
      const script = `\n<script type="text/javascript">\n${dialogOf(name).script}</script>\n`;
      assert.equal(read(`dist/nodes/${name}.html`), template + script);
      assert.equal(read(`dist/nodes/icons/stash-${name}.svg`), read(`icons/stash-${name}.svg`));
      for (const file of languages().flatMap((language) => [
        `${language}/${name}.json`,
        `${language}/${name}.html`,
      ])) {
        assert.equal(read(`dist/nodes/locales/${file}`), read(`nodes/locales/${file}`));
      }
    }
  });

  it('says what it is and what it needs', () => {
    assert.ok(manifest.keywords.includes('node-red'));
    assert.match(manifest.engines.node ?? '', /^>=\d/);
    assert.match(manifest['node-red'].version ?? '', /^>=\d/);
    assert.ok(Object.keys(manifest.dependencies).length <= 6, 'more than six cost the package its good mark');
  });

  it('has a README that names every node', () => {
    const readme = read('README.md');
    for (const name of actions) assert.ok(readme.includes(name.replace('-', ' ')), name);
  });

  it('loads no other package when Node-RED starts', async () => {
    const script =
      'process.argv.slice(1).forEach((file) => require(file)); console.log(JSON.stringify(Object.keys(require.cache)))';
    const files = names.map((name) => path.join(root, 'dist', 'nodes', `${name}.js`));
    const { stdout } = await promisify(execFile)(process.execPath, ['-e', script, ...files]);
    const loaded = JSON.parse(stdout) as string[];
    assert.ok(loaded.length > names.length);
    assert.deepEqual(
      loaded.filter((file) => file.split(path.sep).includes('node_modules')),
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

/** What an operation says of the release in which the server has something first. */
function releases(name: string): [string, string][] {
  const source = read(`src/operations/${name}.ts`);
  return [...source.matchAll(/^ {2}(\w+): '(v[\d.]+)',$/gm)].map(([, choice = '', since = '']) => [
    choice,
    since,
  ]);
}

/** All first groups that a pattern finds. */
function all(pattern: RegExp, text: string): string[] {
  return [...text.matchAll(pattern)].map(([, group = '']) => group);
}

/** HTML as a reader sees it. */
function plain(html: string): string {
  return html
    .replace(/<[^>]*>/g, '')
    .replace(/\s+/g, ' ')
    .trim();
}

/** Every language that has a folder; what holds for English holds for all. */
function languages(): string[] {
  return list('nodes/locales');
}

/** The files below src that run in Node-RED, as paths from the top folder. */
function sources(): string[] {
  return readdirSync(path.join(root, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => `src/${file.split(path.sep).join('/')}`)
    .filter((file) => !file.startsWith('src/editor/'));
}

/** The files beside a node that read what its dialog alone has. */
function inputs(): string[] {
  return list('nodes')
    .filter((file) => file.endsWith('.input.ts'))
    .map((file) => `nodes/${file}`);
}

/** A dialog as the editor gets to know it: by running its script, which registers the type. */
function dialogOf(name: string): Dialog {
  const file = `dist/nodes/${name}.html`;
  const html = read(file);
  const template = /<script type="text\/html" data-template-name="([^"]+)">([\s\S]*?)<\/script>/.exec(html);
  assert.equal(template?.[1], `stash-${name}`, 'its template');
  const [scripts, more] = [...html.matchAll(/<script type="text\/javascript">\n([\s\S]*?)<\/script>/g)];
  assert.ok(scripts && !more, 'one inline script');

  const [, script = ''] = scripts;
  const registered: [string, Definition][] = [];
  const RED = {
    _: (key: string) => key,
    nodes: { registerType: (...type: [string, Definition]) => registered.push(type) },
  };
  const lineOffset = html.slice(0, scripts.index).split('\n').length - 1;
  (compileFunction(script, ['RED'], { filename: file, lineOffset }) as (red: typeof RED) => void)(RED);
  const [first] = registered;
  assert.ok(first, 'it registers a type');
  return {
    html,
    template: template[2] ?? '',
    script,
    types: registered.map(([type]) => type),
    definition: first[1],
  };
}

/** Every key that is looked up, in the form `<catalogue>:<key>`, each once. */
function used(): string[] {
  const keys = names.flatMap((name) => [...keysOfDialog(name), ...keysOfNode(name)]);
  return [...new Set([...keys, ...keysOfErrors(), ...keysOfQueue(), ...keysOfReach()])];
}

function keysOfDialog(name: string): string[] {
  const { html, script, definition } = dialogOf(name);
  const attributes = all(/\bdata-i18n="([^"]+)"/g, html)
    .flatMap((value) => value.split(';'))
    .map((key) => key.replace(/^\[[^\]]*\]/, ''));
  const shared = [...script.matchAll(/(["`])([\w-]+):([\w.]+)(\$\{)?/g)].flatMap(
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

/** The keys of what the editor shows of a node without its dialog. */
function labelsOf({ paletteLabel, label, outputLabels, outputs = 0 }: Definition): string[] {
  const keys: string[] = [];
  const node = { _: (key: string) => (keys.push(key), key) };
  paletteLabel?.call(node);
  label.call(node);
  for (let index = 0; index < outputs; index += 1) outputLabels?.call(node, index);
  return keys;
}

/** The keys that the runtime looks up for a node, in the catalogue of that node. */
function keysOfNode(name: string): string[] {
  const own = all(/\bRED\._\('([^']+)'/g, read(`nodes/${name}.ts`));
  if (name === 'server') return own.map((key) => inCatalogue(name, key));
  const told = (details[name] ?? []).map((key) => inCatalogue(name, `detail.${key}`));
  if (name === 'jobs') {
    const { summary, status } = eventWords;
    const words = [...summary.map((key) => `summary.${key}`), ...status.map((key) => `status.${key}`)];
    return [...told, ...words.map((key) => inCatalogue(name, key))];
  }
  const shared = sources().flatMap((file) => all(/\bRED\._\('([^']+)'/g, read(file)));
  const outcomes = outcomesOf(name).flatMap((outcome) => [`summary.${outcome}`, `status.${outcome}`]);
  const statuses = all(/\bstatus: '([^']+)'/g, read(`nodes/${name}.ts`)).map((key) => `status.${key}`);
  return [...told, ...[...own, ...shared, ...outcomes, ...statuses].map((key) => inCatalogue(name, key))];
}

/** How a node's answers can come out, as its file says to `reply`: `outcome: x`, or before that `outcome = … ? x : y;`. */
function outcomesOf(name: string): string[] {
  const file = read(`nodes/${name}.ts`);
  const chosen = [...file.matchAll(/\boutcome = [^;?]+\?([^;:]+):([^;]+);/g)].flatMap(
    ([, ...words]) => words,
  );
  const outcomes = [...all(/\boutcome: (`[^`]+`|[^,}]+)/g, file), ...chosen].flatMap((word) => {
    const outcome = word.trim();
    if (outcome.includes("'")) return all(/'(\w+)'/g, outcome);
    const parts = outcome.startsWith('`') ? all(/(\w+)/g, outcome) : [outcome];
    return parts.reduce<string[]>(
      (starts, part) => starts.flatMap((start) => endingsOf(part, outcome).map((end) => start + end)),
      [''],
    );
  });
  assert.ok(outcomes.length > 0);
  return outcomes;
}

/** What a part of an outcome stands for: a text in a template stands for itself. */
function endingsOf(part: string, outcome: string): string[] {
  const isText = outcome.startsWith('`') && !outcome.includes(`\${${part}}`);
  const computed = isText ? [part] : computedOutcomes[part];
  assert.ok(computed, `which outcomes are meant by ${part}`);
  return computed;
}

function keysOfErrors(): string[] {
  const labels = Object.keys(cases).map((code) => `${code}.label`);
  const sentences = errorCases().flatMap((which) => [`${which}.text`, `${which}.remedy`]);
  return [...labels, ...sentences].map((key) => inCatalogue('server', `errors.${key}`));
}

/** Whether a server is there, as all nodes that use it tell. */
function keysOfReach(): string[] {
  return ['there', 'back'].map((which) => inCatalogue('server', `reach.${which}`));
}

/** Where the look-ups and jobs of a node are, and whether the pace of look-ups is kept. */
function keysOfQueue(): string[] {
  const turns = ['turn.waiting', 'turn.refused', 'turn.queued', 'paceStore.failed'];
  const states = ['percent', 'running', 'stalled', 'stopping', 'finishing', 'checking', 'noData'];
  const jobs = states.map((state) => `job.${state}`);
  return [...turns, ...jobs].map((key) => inCatalogue('server', key));
}

function errorCases(): string[] {
  return Object.keys(cases).flatMap(casesOf);
}

function casesOf(code: string): string[] {
  return Object.keys(cases[code as Code]).map((which) => `${code}.${which}`);
}

function inCatalogue(name: string, key: string): string {
  return `${manifest.name}/${name}:${key}`;
}

/** All words of a language: what stands under a key, by plural form ('' for words without one). */
function wordsOf(language: string): Map<string, Record<string, string>> {
  const words = new Map<string, Record<string, string>>();
  for (const name of names) {
    for (const [key, text] of flatten(readJson(`nodes/locales/${language}/${name}.json`))) {
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

/**
 * What the words under a key may name: one list for each place in the source that they are used from, as they must
 * be complete at each of them.
 */
function detailsFor(key: string): string[][] {
  const error = /\/server:errors\.(\w+\.\w+)\.(text|remedy)$/.exec(key)?.[1];
  if (error !== undefined) {
    const all = origins().filter(({ cases }) => cases.includes(error));
    // Where one of several cases is chosen, it is none of those that are named elsewhere.
    const named = all.filter(({ isChosen }) => !isChosen);
    return (named.length > 0 ? named : all).map(({ details }) => details);
  }
  if (key.includes(':test.state.')) return [['version', 'status', 'milliseconds']];
  if (key.includes(':sources.unknown')) return [['id']];
  if (key.includes(':note.unknownWords')) return [['words']];
  if (key.includes(':reach.')) return [['release']];
  if (key.includes(':turn.')) return [['count']];
  if (key.includes('/server:job.')) return [['percent']];
  if (key.includes(':paceStore.')) return [['store', 'reason']];
  if (key.includes(':detail.')) return [['count', 'time', 'because', 'trouble', 'text']];
  if (key.endsWith('/backup:time')) return [['seconds']];
  if (key.includes('/jobs:')) return [eventWords.values];
  const name = /\/([\w-]+):(summary|status)\./.exec(key)?.[1];
  if (name === undefined) return [];
  const given = namesIn(/\bvalues(?::| =) \{([^{}]*)\}/g, read(`nodes/${name}.ts`));
  return [['server', 'details', ...given, ...(given.includes('valuesOf') ? valuesOfJob : [])]];
}

function origins(): Origin[] {
  return [...sources(), ...inputs()].flatMap((file) => originsIn(read(file)));
}

/** Reads each `new StashError(…)` of a source file. */
function originsIn(source: string): Origin[] {
  return [...source.matchAll(/\bnew StashError\(/g)].map(({ index }) => {
    const call = callAt(source, index);
    const before = source.slice(0, index);
    const inline = namesIn(/\bdetails: \{([^{}]*)\}/g, call);
    const declared = /\bdetails\s*[,}]/.test(call) ? declaredDetails(before, source) : [];
    // Details of another error are known only as all that this file gives.
    const inherited = /\bdetails: \w+\.details\b/.test(call)
      ? namesIn(/\bdetails: \{([^{}]*)\}/g, source)
      : [];
    const raised = [...call.matchAll(/['`]([A-Z_]+)\.(\w+|\$\{\w+\})['`]/g)].flatMap(
      ([, code = '', which = '']) => (which.startsWith('$') ? casesOf(code) : [`${code}.${which}`]),
    );
    const isChosen = /['`][A-Z_]+\.\$/.test(call);
    return { cases: raised, isChosen, details: [...inline, ...declared, ...inherited] };
  });
}

/** The details that were declared last before a call, or by a function further down that it got them from. */
function declaredDetails(before: string, source: string): string[] {
  const start = before.lastIndexOf('const details = {');
  const pattern = /\bdetails = \{([^{}]*)\}/g;
  const declared = namesIn(pattern, start === -1 ? source : before.slice(start));
  // What a node reads of a typed input gets them from the one that evaluates it.
  return declared.length > 0 ? declared : namesIn(pattern, read('src/flow/inputs/typed.ts'));
}

/** A call with all its arguments, from its first character to the bracket that closes it. */
function callAt(source: string, start: number): string {
  let depth = 0;
  for (let end = source.indexOf('(', start); end < source.length; end += 1) {
    if (source[end] === '(') depth += 1;
    if (source[end] === ')') depth -= 1;
    if (depth === 0) return source.slice(start, end + 1);
  }
  return source.slice(start);
}

/** The names of the members of an object literal, whose inside is the first group of `pattern`. */
function namesIn(pattern: RegExp, source: string): string[] {
  return all(pattern, source).flatMap((members) => all(/(?:^|,)\s*(?:\.\.\.)?(\w+)/g, members));
}

function examples(): { file: string; nodes: ExampleNode[] }[] {
  return list('examples').map((file) => {
    assert.match(file, /^[A-Z].*\.json$/, 'the name of the file is an entry of the import menu');
    const nodes = readJson(`examples/${file}`);
    assert.ok(Array.isArray(nodes), file);
    return { file, nodes: nodes as ExampleNode[] };
  });
}

function isAction({ type }: ExampleNode): boolean {
  return type.startsWith('stash-') && type !== 'stash-server';
}

/** The types that every Node-RED has. */
function coreTypes(): string[] {
  const folder = path.dirname(createRequire(nodeRedProgram).resolve('@node-red/nodes/package.json'));
  return readdirSync(path.join(folder, 'core'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.html'))
    .flatMap((file) =>
      all(/\bregisterType\(\s*['"]([^'"]+)/g, readFileSync(path.join(folder, 'core', file), 'utf8')),
    );
}
