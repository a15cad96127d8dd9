import assert from 'node:assert/strict';
import { fileName, folder, onlyIf } from '../../../nodes/backup/inputs';
import { count } from '../../../src/flow';
import type { ErrorCase } from '../../../src/errors';
import { type Config, type Evaluate, readInput } from '../../../src/flow/inputs';

const unused: Evaluate = () => assert.fail('the input evaluates nothing');

describe('The folder of stash-backup', () => {
  const properties = { target: folder('folder') };
  const given =
    (value: unknown): Evaluate =>
    () =>
      Promise.resolve(value);
  const read = async (config: Config, evaluate: Evaluate = (value) => Promise.resolve(value)) =>
    (await readInput(properties, config, evaluate)).target;

  it('is an absolute path, typed in the dialog or from the environment or a context', async () => {
    assert.equal(await read({ folder: ' /backups/stash ' }), '/backups/stash');
    for (const folderType of ['str', 'env', 'flow', 'global']) {
      assert.equal(await read({ folder: 'NAME', folderType }, given('/backups')), '/backups', folderType);
    }
  });

  it('is null if the backup goes into the message', async () => {
    assert.equal(await read({ folder: 'left over', folderType: 'message' }, unused), null);
  });

  it('never comes from a message', async () => {
    for (const folderType of ['msg', 'jsonata', 'json', 'num', 'bin', '']) {
      await assert.rejects(read({ folder: '/backups', folderType }, unused), {
        case: 'BAD_INPUT.unknownChoice',
      });
    }
  });

  it('leads to BAD_INPUT if it is missing, not text or not absolute', async () => {
    const wrong: [value: unknown, error: ErrorCase][] = [
      ['', 'BAD_INPUT.notEntered'],
      ['  ', 'BAD_INPUT.notEntered'],
      [undefined, 'BAD_INPUT.notEntered'],
      [null, 'BAD_INPUT.notEntered'],
      [7, 'BAD_INPUT.notText'],
      [['/backups'], 'BAD_INPUT.notText'],
      ['backups', 'BAD_INPUT.notAbsolute'],
      ['./backups', 'BAD_INPUT.notAbsolute'],
      ['~/backups', 'BAD_INPUT.notAbsolute'],
      ['/backups\n/stash', 'BAD_INPUT.notAbsolute'],
    ];
    for (const [value, error] of wrong) {
      await assert.rejects(read({}, given(value)), { case: error }, JSON.stringify(value));
    }
  });
});

describe('The file name of stash-backup', () => {
  const properties = { filename: fileName('filename') };
  const read = async (config: Config, value: unknown) =>
    (await readInput(properties, config, () => Promise.resolve(value))).filename;

  it('is the name that the server gives by default', async () => {
    assert.equal(await readInput(properties, {}, unused).then(({ filename }) => filename), null);
    assert.equal(await read({ filename: 'x', filenameType: 'server' }, 'x'), null);
  });

  it('is a template only if the user typed it in the dialog', async () => {
    assert.deepEqual(await read({ filenameType: 'str' }, '{date}'), { text: '{date}', isTemplate: true });
    for (const filenameType of ['msg', 'flow', 'global', 'env', 'jsonata']) {
      assert.deepEqual(await read({ filenameType }, '{date}'), { text: '{date}', isTemplate: false });
    }
  });

  it('leads to BAD_INPUT if it evaluates to an empty text', async () => {
    for (const value of ['', ' ', undefined, null]) {
      await assert.rejects(read({ filenameType: 'msg' }, value), { case: 'BAD_INPUT.empty' });
    }
  });
});

describe('A property that depends on a checkbox', () => {
  const properties = {
    target: onlyIf('download', folder('folder')),
    count: onlyIf('download', count('keep', 0)),
  };

  it('is not read while the checkbox is not ticked', async () => {
    assert.deepEqual(await readInput(properties, { folder: '', keep: 'x' }, unused), {
      target: null,
      count: null,
    });
  });

  it('is read while the checkbox is ticked', async () => {
    const config = { download: true, folder: '/backups', keep: '3' };
    const evaluate: Evaluate = (value) => Promise.resolve(value);
    assert.deepEqual(await readInput(properties, config, evaluate), { target: '/backups', count: 3 });
  });
});

describe('A whole number', () => {
  it('is 0 or more, or the default if the flow file has none', () => {
    assert.equal(count('keep', 2).read({ keep: '7' }), 7);
    assert.equal(count('keep', 2).read({ keep: 0 }), 0);
    assert.equal(count('keep', 2).read({}), 2);
  });

  it('leads to BAD_INPUT if it has a fraction or is not a number', () => {
    assert.throws(() => count('keep', 0).read({ keep: '1.5' }), {
      case: 'BAD_INPUT.notWhole',
      details: { property: 'keep' },
    });
    for (const keep of ['', 'x', -1, Infinity]) {
      assert.throws(() => count('keep', 0).read({ keep }), { case: 'BAD_INPUT.notNumber' });
    }
  });
});
