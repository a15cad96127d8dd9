import assert from 'node:assert/strict';
import { words } from '../support/words';
import { checkFileName, fillTemplate, safeName, schemaOf, withSuffix } from '../../src/backups/name';
import { StashError } from '../../src/errors';

/** The file name that a server gives to a backup. */
const ofServer = 'stash-go.sqlite.71.20261122_030000';

describe('A file name template', () => {
  const parts = { time: new Date(2026, 10, 22, 3, 0, 9), server: 'NAS', schema: 71 };
  const cases: [template: string, name: string, what: string][] = [
    ['stash-{date}.sqlite', 'stash-2026-11-22.sqlite', 'the date'],
    ['{time}', '03-00-09', 'the time of day'],
    ['{server} {schema}', 'NAS 71', 'the server and the version of its database'],
    ['{date}_{date}', '2026-11-22_2026-11-22', 'the same placeholder twice'],
    ['backup.sqlite', 'backup.sqlite', 'no placeholder'],
    ['{year} {} {DATE} {__proto__}', '{year} {} {DATE} {__proto__}', 'unknown placeholders'],
    ['{{date}}', '{2026-11-22}', 'braces around a placeholder'],
  ];
  for (const [template, name, what] of cases) {
    it(`may contain ${what}`, () => {
      assert.equal(fillTemplate(template, parts), name);
    });
  }

  it('gets date and time of one moment, in local time', () => {
    const midnight = new Date(2027, 0, 1, 0, 0, 0);
    assert.equal(fillTemplate('{date} {time}', { ...parts, time: midnight }), '2027-01-01 00-00-00');
  });

  it('gets "unknown" in the place of an unknown schema version', () => {
    assert.equal(fillTemplate('{schema}', { ...parts, schema: null }), 'unknown');
  });

  it('replaces characters of the server name that a file name cannot contain', () => {
    const server = 'http://nas:9999/../{date}\n';
    assert.equal(fillTemplate('{server}', { ...parts, server }), 'http---nas-9999-..-{date}-');
  });

  it('does not expand placeholders in the server name', () => {
    assert.equal(fillTemplate('{server}', { ...parts, server: '$& $1' }), '$& $1');
  });
});

const bad: [what: string, name: string][] = [
  ['empty', ''],
  ['the folder itself', '.'],
  ['the folder above', '..'],
  ['a path upwards', '../backup'],
  ['a path downwards', 'sub/backup'],
  ['a Windows path downwards', 'sub\\backup'],
  ['an absolute path', '/etc/passwd'],
  ['a path on a drive', 'C:backup'],
  ['an alternate data stream', 'backup:stream'],
  ['a hidden file', '.backup'],
  ['our manifest', '.stash-backups.json'],
  ['a name with an asterisk', 'backup*'],
  ['a name with a question mark', 'backup?'],
  ['a name with quotes', '"backup"'],
  ['a name with a pipe', '<backup|'],
  ['a name with a null character', 'backup\0.sqlite'],
  ['a name with a line break', 'back\nup'],
  ['a name with another control character', 'back\u0085up'],
  ['a name with half a surrogate pair', 'backup \ud800'],
  ['a name that ends with a dot', 'backup.'],
  ['a name that ends with a space', 'backup '],
  ['a space', ' '],
  ['a device', 'CON'],
  ['a device in lower case', 'nul'],
  ['a device with an extension', 'NUL.sqlite'],
  ['a device with two extensions', 'aux.71.20261122_030000'],
  ['a device followed by a space', 'prn .sqlite'],
  ['a numbered device', 'COM1.sqlite'],
  ['a device with a superscript number', 'lpt².txt'],
  ['longer than 240 characters', 'x'.repeat(241)],
  ['longer than 240 bytes', 'ü'.repeat(121)],
];

describe('The name of a backup', () => {
  for (const [what, name] of bad) {
    it(`cannot be ${what}`, () => {
      assert.throws(
        () => checkFileName(name),
        (error) => error instanceof StashError && error.case === 'BAD_INPUT.badName',
      );
    });
  }

  it('is refused with a remedy that lists the forbidden characters, the length and the reserved names', () => {
    const remedy = words('server', 'errors.BAD_INPUT.badName.remedy');
    for (const rule of ['/ \\ < > : " | ? *', 'dots', 'spaces', '240', 'CON'])
      assert.ok(remedy.includes(rule), rule);
  });

  const good: [what: string, name: string][] = [
    ['the name that a server gives', ofServer],
    ['a name with spaces', 'Stash at home 2026.sqlite'],
    ['a name in another script', '備份 😀.sqlite'],
    ['a name with braces', '{year}.sqlite'],
    ['a name with dots', 'a..b...c'],
    ['a name that begins like a device', 'console.sqlite'],
    ['a name that ends like a device', 'my.con'],
    ['a name with the maximum number of bytes', 'ü'.repeat(120)],
  ];
  for (const [what, name] of good) {
    it(`can be ${what}`, () => {
      assert.equal(checkFileName(name), name);
      assert.equal(safeName(name).slice(-100), name.slice(-100));
    });
  }

  it('appears in the error, cut off at 100 characters', () => {
    const error = (name: string) => {
      try {
        return checkFileName(name);
      } catch (thrown) {
        return (thrown as StashError).details['name'];
      }
    };
    assert.equal(error('a/b'), 'a/b');
    assert.equal(error('x'.repeat(1_000_000)), 'x'.repeat(100));
  });
});

describe('A file name from the server', () => {
  const cases: [given: string, name: string, what: string][] = [
    [ofServer, ofServer, 'is kept as it is'],
    [`${ofServer}.zip`, `${ofServer}.zip`, 'of an archive is kept as it is'],
    ['a/b\\c:d*e\n.sqlite', 'a-b-c-d-e-.sqlite', 'gets dashes for forbidden characters'],
    ['../../etc/passwd', '-..-etc-passwd', 'cannot lead out of the folder'],
    ['..hidden', 'hidden', 'loses leading dots'],
    ['backup. .', 'backup', 'loses dots and spaces at its end'],
    ['NUL.71.20261122_030000', '-.71.20261122_030000', 'is not a device name'],
    ['...', 'backup', 'is replaced if nothing is left'],
    ['', 'backup', 'is replaced if it is empty'],
    ['ü'.repeat(200) + ofServer, 'ü'.repeat(98) + ofServer, 'keeps its end if it is too long'],
  ];
  for (const [given, name, what] of cases) {
    it(what, () => {
      assert.equal(safeName(given), name);
    });
  }

  it('always becomes a valid name, with or without a number', () => {
    const characters = ['.', ' ', '/', 'nul', 'COM1', '\0', 'ü', '😀', '\ud800', '\ufffd', 'x', '-'];
    const names = characters.flatMap((one) =>
      characters.flatMap((two) => [one + two, (one + two).repeat(150), one.repeat(239) + two]),
    );
    for (const name of [...names, ...bad.map(([, one]) => one)]) {
      checkFileName(safeName(name));
      checkFileName(withSuffix(safeName(name), 1_000_000));
    }
  });

  it('of 20 MB of dots and spaces is none', () => {
    // Code whose time grows with the square of the length would not end within the time limit of a test.
    assert.equal(safeName(' .'.repeat(10_000_000)), safeName(''));
  });
});

describe('The schema version', () => {
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
    it(`is ${schema ?? 'unknown'} in “${name}”`, () => {
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
