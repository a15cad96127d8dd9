import assert from 'node:assert/strict';
import { chromiumPath } from './chromium';
import { describeSignIn } from './sign-in';
import { describeStart } from './start';

describe('In an editor with users', describeSignIn);

describe('In the editor of npm start', describeStart);

describe('The search for a browser', () => {
  const nothing: string[] = [];

  it('tells you how to install one if there is none', () => {
    assert.throws(
      () => chromiumPath({ PATH: '' }, nothing),
      /none was found\. Install one, or set CHROMIUM_PATH/,
    );
  });

  it('reports it if CHROMIUM_PATH names no program', () => {
    assert.throws(
      () => chromiumPath({ CHROMIUM_PATH: __dirname }, nothing),
      /CHROMIUM_PATH names no program/,
    );
  });
});
