import assert from 'node:assert/strict';
import { words } from '../flow/words';
import { checkName, fillTemplate, safeName, schemaOf, withSuffix } from '../../src/backups/name';
import { StashError } from '../../src/errors';

/** What servers call their backups. */
const ofServer = 'stash-go.sqlite.71.20261122_030000';

describe('The template of a name', () => {
  const parts = { time: new Date(2026, 10, 22, 3, 0, 9), server: 'NAS', schema: 71 };
  const cases: [template: string, name: string, what: string][] = [
    ['stash-{date}.sqlite', 'stash-2026-11-22.sqlite', 'the date'],
    ['{time}', '03-00-09', 'the time of day'],
    ['{server} {schema}', 'NAS 71', 'the server and the version of its database'],
    ['{date}_{date}', '2026-11-22_2026-11-22', 'the same twice'],
    ['backup.sqlite', 'backup.sqlite', 'nothing'],
    ['{year} {} {DATE} {__proto__}', '{year} {} {DATE} {__proto__}', 'words that it does not know'],
    ['{{date}}', '{2026-11-22}', 'braces around a word'],
  ];
  for (const [template, name, what] of cases) {
    it(`may hold ${what}`, () => {
      assert.equal(fillTemplate(template, parts), name);
    });
  }

  it('gets local time, with the date of the same moment', () => {
    const midnight = new Date(2027, 0, 1, 0, 0, 0);
    assert.equal(fillTemplate('{date} {time}', { ...parts, time: midnight }), '2027-01-01 00-00-00');
  });

  it('says so where the version is not known', () => {
    assert.equal(fillTemplate('{schema}', { ...parts, schema: null }), 'unknown');
  });

  it('gets no character from the name of a server that a file cannot have', () => {
    const server = 'http://nas:9999/../{date}\n';
    assert.equal(fillTemplate('{server}', { ...parts, server }), 'http---nas-9999-..-{date}-');
  });

  it('takes nothing in the name of a server for a pattern', () => {
    assert.equal(fillTemplate('{server}', { ...parts, server: '$& $1' }), '$& $1');
  });
});

const bad: [what: string, name: string][] = [
  ['nothing', ''],
  ['the folder itself', '.'],
  ['the folder above', '..'],
  ['a way up', '../backup'],
  ['a way down', 'sub/backup'],
  ['a way down on Windows', 'sub\\backup'],
  ['a whole path', '/etc/passwd'],
  ['a drive', 'C:backup'],
  ['a stream of a file', 'backup:stream'],
  ['a hidden file', '.backup'],
  ['our ledger', '.stash-backups.json'],
  ['a pattern', 'backup*'],
  ['a question', 'backup?'],
  ['quotes', '"backup"'],
  ['a pipe', '<backup|'],
  ['a zero', 'backup\0.sqlite'],
  ['a line break', 'back\nup'],
  ['a control character of another kind', 'back\u0085up'],
  ['half a character', 'backup \ud800'],
  ['a dot at the end', 'backup.'],
  ['a blank at the end', 'backup '],
  ['a blank alone', ' '],
  ['a device', 'CON'],
  ['a device in small letters', 'nul'],
  ['a device with an extension', 'NUL.sqlite'],
  ['a device with two', 'aux.71.20261122_030000'],
  ['a device with a blank behind it', 'prn .sqlite'],
  ['a numbered device', 'COM1.sqlite'],
  ['a device with a raised number', 'lpt².txt'],
  ['more than fits', 'x'.repeat(241)],
  ['more than fits in bytes', 'ü'.repeat(121)],
];

describe('The name of a backup', () => {
  for (const [what, name] of bad) {
    it(`cannot be ${what}`, () => {
      assert.throws(
        () => checkName(name),
        (error) => error instanceof StashError && error.case === 'BAD_INPUT.badName',
      );
    });
  }

  it('is refused with what may not be in it, how long it may be, and whose names are taken', () => {
    const remedy = words('server', 'errors.BAD_INPUT.badName.remedy');
    for (const rule of ['/ \\ < > : " | ? *', 'dot', 'blank', '240', 'CON'])
      assert.ok(remedy.includes(rule), rule);
  });

  const good: [what: string, name: string][] = [
    ['what a server calls it', ofServer],
    ['a name with blanks', 'Stash at home 2026.sqlite'],
    ['a name in another script', '備份 😀.sqlite'],
    ['one with braces', '{year}.sqlite'],
    ['one with dots', 'a..b...c'],
    ['one that begins like a device', 'console.sqlite'],
    ['one that ends like one', 'my.con'],
    ['one with as many bytes as there may be', 'ü'.repeat(120)],
  ];
  for (const [what, name] of good) {
    it(`can be ${what}`, () => {
      assert.equal(checkName(name), name);
      assert.equal(safeName(name).slice(-100), name.slice(-100));
    });
  }

  it('is told when it is refused, but no book', () => {
    const error = (name: string) => {
      try {
        return checkName(name);
      } catch (thrown) {
        return (thrown as StashError).details['name'];
      }
    };
    assert.equal(error('a/b'), 'a/b');
    assert.equal(error('x'.repeat(1_000_000)), 'x'.repeat(100));
  });
});

describe('A name that a server gave', () => {
  const cases: [given: string, name: string, what: string][] = [
    [ofServer, ofServer, 'is taken as it is'],
    [`${ofServer}.zip`, `${ofServer}.zip`, 'is taken as it is, of an archive too'],
    ['a/b\\c:d*e\n.sqlite', 'a-b-c-d-e-.sqlite', 'gets other characters where it has bad ones'],
    ['../../etc/passwd', '-..-etc-passwd', 'leads nowhere'],
    ['..hidden', 'hidden', 'is not hidden'],
    ['backup. .', 'backup', 'ends with neither dot nor blank'],
    ['NUL.71.20261122_030000', '-.71.20261122_030000', 'is no device'],
    ['...', 'backup', 'is replaced where nothing is left'],
    ['', 'backup', 'is replaced where there is none'],
    ['ü'.repeat(200) + ofServer, 'ü'.repeat(98) + ofServer, 'keeps its end where it is too long'],
  ];
  for (const [given, name, what] of cases) {
    it(what, () => {
      assert.equal(safeName(given), name);
    });
  }

  it('is always one that a backup can have, numbered too', () => {
    const characters = ['.', ' ', '/', 'nul', 'COM1', '\0', 'ü', '😀', '\ud800', '\ufffd', 'x', '-'];
    const names = characters.flatMap((one) =>
      characters.flatMap((two) => [one + two, (one + two).repeat(150), one.repeat(239) + two]),
    );
    for (const name of [...names, ...bad.map(([, one]) => one)]) {
      checkName(safeName(name));
      checkName(withSuffix(safeName(name), 1_000_000));
    }
  });

  it('may be as long as an answer', () => {
    const start = performance.now();
    safeName(' .'.repeat(10_000_000));
    assert.ok(performance.now() - start < 1000);
  });
});

describe('The version of a database', () => {
  const cases: [name: string, schema: number | null][] = [
    [ofServer, 71],
    [`${ofServer}.zip`, 71],
    ['my.own.name.8.20211122_030000', 8],
    ['stash-go.sqlite', null],
    ['stash-go.sqlite.20261122_030000', null],
    ['stash-go.sqlite.71.20261122_030000.gz', null],
    ['stash-go.sqlite.x71.20261122_030000', null],
    ['', null],
  ];
  for (const [name, schema] of cases) {
    it(`is ${schema ?? 'not told'} in “${name}”`, () => {
      assert.equal(schemaOf(name), schema);
    });
  }
});

describe('A name that is taken', () => {
  const cases: [name: string, second: string][] = [
    ['backup.sqlite', 'backup-2.sqlite'],
    ['backup.sqlite3', 'backup-2.sqlite3'],
    [`${ofServer}.zip`, `${ofServer}-2.zip`],
    [ofServer, `${ofServer}-2`],
    ['backup', 'backup-2'],
    ['backup of my.longest-extension', 'backup of my.longest-extension-2'],
  ];
  for (const [name, second] of cases) {
    it(`becomes “${second}”`, () => {
      assert.equal(withSuffix(name, 1), name);
      assert.equal(withSuffix(name, 2), second);
      assert.equal(withSuffix(name, 10), second.replace(/-2(?!\d)/, '-10'));
    });
  }
});
