import assert from 'node:assert/strict';
import { mask } from '../../src/server/mask';

describe('Text of the server', () => {
  const secret = `>>>???~ "é"!`;
  const forms: [what: string, form: string][] = [
    ['as it is', secret],
    ['URL-encoded', encodeURIComponent(secret)],
    ['URL-encoded as in a form', new URLSearchParams([['', secret]]).toString().slice(1)],
    ['as in JSON', JSON.stringify(secret).slice(1, -1)],
    ['in base64', Buffer.from(secret).toString('base64')],
    ['in base64 without padding', Buffer.from(secret).toString('base64').replace(/=+$/, '')],
    ['in base64 for addresses', Buffer.from(secret).toString('base64url')],
  ];

  it('is tried with a secret that looks different in every form', () => {
    assert.equal(new Set(forms.map(([, form]) => form)).size, forms.length);
  });

  for (const [what, form] of forms) {
    it(`shows no secret ${what}`, () => {
      assert.equal(mask(`before ${form} after`, [secret]), 'before ••• after');
      assert.equal(mask(`${form},${form}`, [secret]), '•••,•••');
    });
  }

  it('shows none of several secrets', () => {
    assert.equal(mask('user me, password pw1, key k3y', ['pw1', 'k3y']), 'user me, password •••, key •••');
  });

  it('shows no rest of a secret that begins like another', () => {
    assert.equal(mask('password abc, key abcdef', ['abc', 'abcdef']), 'password •••, key •••');
  });

  it('stays as it is where there is no secret', () => {
    assert.equal(mask('nothing to hide', []), 'nothing to hide');
    assert.equal(mask('nothing to hide', ['']), 'nothing to hide');
    assert.equal(mask('nothing to hide', ['', 'k3y']), 'nothing to hide');
  });

  it('is taken literally, and so is the secret', () => {
    assert.equal(mask('a.c abc $& a.c', ['a.c']), '••• abc $& •••');
  });

  it('of more than 300 characters is cut in its middle, as its end may tell most', () => {
    assert.equal(mask('x'.repeat(300), []), 'x'.repeat(300));
    assert.equal(mask(`${'x'.repeat(200)}${'y'.repeat(101)}`, []), `${'x'.repeat(199)}…${'y'.repeat(100)}`);
    assert.equal(mask('x'.repeat(100_000), []).length, 300);
    const told = mask(
      `failed to load URL "http://a/?q=${'x'.repeat(400)}": http error 429:Too Many Requests`,
      [],
    );
    assert.match(told, /^failed to load URL "http:.*…x+": http error 429:Too Many Requests$/);
  });

  it('is masked before it is cut, so that no half of a secret remains', () => {
    assert.equal(
      mask(`${'x'.repeat(196)}s3cret and more${'y'.repeat(200)}`, ['s3cret']),
      `${'x'.repeat(196)}•••…${'y'.repeat(100)}`,
    );
  });
});
