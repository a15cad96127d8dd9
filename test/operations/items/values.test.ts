import assert from 'node:assert/strict';
import { titleOf } from '../../../src/operations/items/values';

describe('The title of an item', () => {
  it('is the name of its file if it has none, also in a zip file before v0.17', () => {
    assert.equal(titleOf({ title: '', path: '/media/Pictures.zip\0one.jpg' }), 'one.jpg');
    assert.equal(titleOf({ title: null, files: [{ path: '/media/two.jpg' }] }), 'two.jpg');
  });
});
