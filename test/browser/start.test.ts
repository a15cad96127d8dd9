import assert from 'node:assert/strict';
import { chromiumPath } from './chromium';
import { describeSignIn } from './sign-in';
import { describeStart } from './start';

describe('In an editor with users', describeSignIn);

describe('In the editor of npm start', describeStart);

describe('A machine without a browser', () => {
  const nothing: string[] = [];

  it('is told how to get one', () => {
    assert.throws(
      () => chromiumPath({ PATH: '' }, nothing),
      /none was found\. Install one, or set CHROMIUM_PATH/,
    );
  });

  it('is told when what it names is no program', () => {
    assert.throws(
      () => chromiumPath({ CHROMIUM_PATH: __dirname }, nothing),
      /CHROMIUM_PATH names no program/,
    );
  });
});
