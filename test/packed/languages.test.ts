import assert from 'node:assert/strict';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { FakeStash } from '../fake-stash/fake-stash';
import { NodeRed } from '../support/node-red';
import { names } from '../support/nodes';
import { root } from '../support/root';
import { userDirWithPackage } from '../support/user-dir';

const FOLDER = path.join(root, 'nodes', 'locales');
const ENGLISH = 'en-US';
const translations = readdirSync(FOLDER).filter((language) => language !== ENGLISH);

const PLURAL = /_(zero|one|two|few|many|other)$/;

/** Names, and texts that are the same in several languages; without placeholders. */
const SAME = [
  ...[
    'API key',
    'Name',
    'OK',
    'Proxy',
    'Scraper',
    'Server',
    'Status',
    'TLS',
    'Twitter',
    'Instagram',
    'URL',
    'ID',
  ],
  ...[
    'Backups',
    'Job',
    'Jobs',
    'Pause',
    'Piercings',
    'Port',
    'Scan',
    'Test',
    'Transcodes',
    'Format',
    'Image',
    'Images',
    'Performer',
    'Studios',
    'Arguments',
    'Options',
  ],
  ...['GraphQL', 'Document', 'Variables', 'Pages', 'page', 'pages'],
  ...['Documentation', 'image', 'images', 'job', 'plugins', 'studio', 'studios', 'status', 'MiB', 'Stash'],
];

/** Words that are in every English sentence, and in no sentence of another language. */
const ENGLISH_WORDS = /\b(the|of|and|with|from|this|that|which|cannot|should|your|has|have)\b/;

for (const language of translations) {
  describe(`The translation to ${language}`, () => {
    for (const name of names) {
      const english = textsOf(ENGLISH, name);
      const translated = textsOf(language, name);

      it(`of stash-${name} has the same placeholders as the English texts`, () => {
        for (const [key, forms] of english) {
          const expected = placeholders(Object.values(forms));
          for (const [form, text] of Object.entries(translated.get(key) ?? {})) {
            const found = placeholders([text]);
            assert.deepEqual(
              found.filter((one) => !expected.includes(one)),
              [],
              `${key}: ${text}`,
            );
            // A plural form may contain the number as a word.
            const needed = placeholders([forms[form] ?? forms['other'] ?? forms[''] ?? '']);
            const missing = needed.filter((one) => !found.includes(one) && one !== '__count__');
            assert.deepEqual(missing, [], `${key}: ${text}`);
          }
        }
      });

      it(`of stash-${name} contains no English text`, () => {
        for (const [key, forms] of translated) {
          // The documentation uses the names of nodes untranslated in all languages.
          if (['palette', 'node'].includes(key)) continue;
          const originals = Object.values(english.get(key) ?? {});
          for (const text of Object.values(forms)) {
            const words = text.replace(/__\w+?__/g, '').trim();
            const mayBeSame = SAME.includes(words) || !/\p{L}{4}/u.test(words);
            assert.ok(mayBeSame || !originals.includes(text), `${key}: ${text}`);
            assert.doesNotMatch(text, ENGLISH_WORDS, key);
          }
        }
      });

      it(`of stash-${name} has a help text of the same structure`, () => {
        const [original, help] = [ENGLISH, language].map((one) => helpOf(one, name));
        for (const pattern of [/<\/?[a-z]\w*/g, /<code>.*?<\/code>/g, /href="[^"]*"/g]) {
          const sorted = (text = '') => (text.match(pattern) ?? []).sort();
          assert.deepEqual(sorted(help), sorted(original));
        }
        // Properties of messages have English names in all languages.
        assert.doesNotMatch((help ?? '').replace(/<code>.*?<\/code>|<[^>]*>/g, ''), ENGLISH_WORDS);
      });
    }
  });
}

describe('A Node-RED with another language', () => {
  it('writes summaries, errors and statuses in the language of its settings', async function () {
    this.timeout(60_000);
    const stash = await FakeStash.start({ release: 'v0.30.1' });
    const userDir = await userDirWithPackage();
    const settings = path.join(userDir, 'settings.js');
    const base = path.join(root, 'test', 'support', 'node-red-settings.js');
    writeFileSync(settings, `module.exports = { ...require(${JSON.stringify(base)}), lang: 'de' };`);
    writeFileSync(path.join(userDir, 'flows.json'), JSON.stringify(flows(stash.url)));
    const nodeRed = await NodeRed.start(userDir, { settings });
    try {
      assert.match(String(await nodeRed.get('scan')), /^Scan auf nas .*gestartet \(Job 1\)\.$/);
      assert.match(String(await nodeRed.get('error')), /^Es ist kein Stash-Server ausgewählt/);
      assert.match(nodeRed.log.join('\n'), /\[debug:status\] Scan startet/);
    } finally {
      await nodeRed.stop();
      await stash.stop();
      rmSync(userDir, { recursive: true, force: true });
    }
  });
});

/** Logs the status of a scan; responds to `GET /scan` with the summary of a scan, and to `GET /error` with that of a node without a server. */
function flows(url: string): object[] {
  const at = { z: 'tab', x: 0, y: 0 };
  const route = (name: string, server: string) => [
    { id: `in-${name}`, type: 'http in', ...at, url: `/${name}`, method: 'get', wires: [[name]] },
    { id: name, type: 'stash-scan', ...at, server, wires: [['shape']] },
  ];
  return [
    { id: 'tab', type: 'tab', label: 'tab' },
    { id: 'server', type: 'stash-server', name: 'nas', url },
    ...route('scan', 'server'),
    ...route('error', ''),
    { id: 'status', type: 'status', ...at, scope: ['scan'], wires: [['log']] },
    {
      id: 'log',
      type: 'debug',
      ...at,
      name: 'status',
      console: true,
      complete: 'status.text',
      targetType: 'msg',
    },
    { id: 'catch', type: 'catch', ...at, scope: null, wires: [['shape']] },
    {
      id: 'shape',
      type: 'function',
      ...at,
      func: 'msg.payload = JSON.stringify(msg.stash.summary); return msg;',
      wires: [['out']],
    },
    { id: 'out', type: 'http response', ...at, wires: [] },
  ];
}

function helpOf(language: string, name: string): string {
  return readFileSync(path.join(FOLDER, language, `${name}.html`), 'utf8');
}

/** Returns the texts of a catalogue by key, with their plural forms ('' for a text without plural forms). */
function textsOf(language: string, name: string): Map<string, Record<string, string>> {
  const texts = new Map<string, Record<string, string>>();
  const visit = (value: unknown, key: string): void => {
    if (typeof value === 'string') {
      const base = key.replace(PLURAL, '');
      texts.set(base, { ...texts.get(base), [PLURAL.exec(key)?.[1] ?? '']: value });
    } else {
      for (const [part, inner] of Object.entries(value as object))
        visit(inner, key === '' ? part : `${key}.${part}`);
    }
  };
  visit(JSON.parse(readFileSync(path.join(FOLDER, language, `${name}.json`), 'utf8')), '');
  return texts;
}

/** Returns the placeholders of texts, and those that a user may type. */
function placeholders(texts: readonly string[]): string[] {
  return [...new Set(texts.flatMap((text) => text.match(/__\w+?__|\{(?:date|time|server|schema)\}/g) ?? []))];
}
