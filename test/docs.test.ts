import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { type ExampleNode, exampleFiles } from './support/examples';
import { root } from './support/root';

const OURS = /^https:\/\/github\.com\/stash-flows\/node-red-stash(?:\/blob\/main\/(?<file>[^#]+))?(?=#|$)/;

describe('The documentation', () => {
  it('docs/architecture.md shows the actual imports between folders of src/ (update: npm run diagram)', async () => {
    await promisify(execFile)(process.execPath, [path.join(root, 'scripts', 'diagram.mjs'), '--check']);
  });

  it('docs/architecture.md describes each folder of src/', () => {
    const text = read('docs/architecture.md');
    const rooms = readdirSync(path.join(root, 'src'), { withFileTypes: true }).filter((entry) =>
      entry.isDirectory(),
    );

    assert.deepEqual(
      rooms.map(({ name }) => name).filter((name) => !text.includes(`| \`${name}\``)),
      [],
    );
  });

  it('docs/decisions/README.md lists each decision by its title', () => {
    const list = read('docs/decisions/README.md');
    const titles = readdirSync(path.join(root, 'docs', 'decisions'))
      .filter((name) => /^\d{4}-/.test(name))
      .map((name) => {
        const [, title] = /^# (\d+\. .+)$/m.exec(read(`docs/decisions/${name}`)) ?? [];
        return `[${title ?? 'without a title'}](${name})`;
      });

    assert.ok(titles.length > 0);
    assert.deepEqual(
      titles.filter((link) => !list.includes(link)),
      [],
    );
  });

  it('docs/README.md links each page once, by a name that its title has', () => {
    const links = [...read('docs/README.md').matchAll(/\[([^\]]+)\]\(([^)#]+)\)/g)];
    const pages = documents('docs').filter(
      (file) => file !== 'docs/README.md' && !/^docs\/decisions\/\d/.test(file),
    );

    assert.deepEqual(links.map(([, , link = '']) => path.posix.join('docs', link)).sort(), pages.sort());
    for (const [, name = '', link = ''] of links) {
      const [, title = ''] = /^# (.+)$/m.exec(read(`docs/${link}`)) ?? [];
      assert.ok(title.toLowerCase().includes(name.toLowerCase()), `${name}: ${title}`);
    }
  });

  it('every page of the documentation begins with its only title', () => {
    const titles = documents('docs').map((file) => withoutCode(read(file)).match(/^# .+$/gm)?.length);
    assert.deepEqual(new Set(titles), new Set([1]));
    for (const file of documents('docs')) assert.match(read(file), /^# /, file);
  });

  it('every link to a file or a heading in this repository works, also in help texts and examples', () => {
    const examples = exampleFiles().map((file) => `examples/${file}`);
    const dead = [...documents(), ...examples].flatMap((file) =>
      linksOf(file)
        .filter((link) => !leads(file, link))
        .map((link) => `${file}: ${link}`),
    );

    assert.deepEqual(dead, []);
  });

  it('every file of this repository that a document names exists', () => {
    const missing = documents().flatMap((file) =>
      named(file, /`((?:bench|docs|examples|nodes|scripts|src|test)\/[^`\s<>*]*)`/g)
        .filter((place) => !existsSync(path.join(root, place)))
        .map((place) => `${file}: ${place}`),
    );

    assert.deepEqual(missing, []);
  });

  it('every npm script that a document names exists', () => {
    const { scripts } = JSON.parse(read('package.json')) as { scripts: object };
    const missing = documents().flatMap((file) =>
      named(file, /npm run ([\w:-]+)/g)
        .filter((script) => !Object.hasOwn(scripts, script))
        .map((script) => `${file}: npm run ${script}`),
    );

    assert.deepEqual(missing, []);
  });
});

/** Returns what the group of a pattern matches in a document. */
function named(file: string, pattern: RegExp): string[] {
  return [...read(file).matchAll(pattern)].map(([, name = '']) => name);
}

function read(file: string): string {
  return readFileSync(path.join(root, file), 'utf8');
}

/** Returns the files that people read, as paths from the root: Markdown, and the help texts of the nodes. */
function documents(folder = ''): string[] {
  return readdirSync(path.join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const file = path.posix.join(folder, entry.name);
    if (entry.isDirectory()) {
      const isOurs = !entry.name.startsWith('.') || entry.name === '.github';
      return isOurs && !['node_modules', 'dist', 'coverage'].includes(entry.name) ? documents(file) : [];
    }
    return /\.md$|^nodes\/[^/]+\/help\/.*\.html$/.test(file) ? [file] : [];
  });
}

/** Returns the links and pictures of a document, in Markdown and HTML, or those in the comments of an example. */
function linksOf(file: string): string[] {
  const text = file.endsWith('.json') ? commentsOf(file) : withoutCode(read(file));
  return [...text.matchAll(/\]\(<?([^()\s>]+)>?\)|(?:href|src)="([^"]+)"|^\[[^\]]+\]: (\S+)/gm)].map(
    ([, ...link]) => link.find(Boolean) ?? '',
  );
}

function commentsOf(file: string): string {
  const nodes = JSON.parse(read(file)) as ExampleNode[];
  return nodes.map(({ info = '' }) => String(info)).join('\n');
}

function leads(file: string, link: string): boolean {
  const ours = OURS.exec(link);
  if (!ours && /^[a-z]+:/.test(link)) return true;
  const [, heading] = link.split('#');
  const [target = ''] = link.split('#');
  const place = ours
    ? (ours.groups?.['file'] ?? 'README.md')
    : target === ''
      ? file
      : path.posix.join(path.posix.dirname(file), decodeURIComponent(target));
  if (!existsSync(path.join(root, place))) return false;
  if (heading === undefined) return true;
  return statSync(path.join(root, place)).isFile() && anchorsOf(place).includes(heading);
}

/** Returns the anchors that GitHub creates for the headings of a page. */
function anchorsOf(file: string): string[] {
  return [...withoutCode(read(file)).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replace(/ /g, '-'),
  );
}

function withoutCode(text: string): string {
  return text.replace(/^```.*?^```/gms, '').replace(/`[^`\n]*`/g, (code) => code.replace(/[[\]()"]/g, ''));
}
