import assert from 'node:assert/strict';
import { redact, redactor } from '../src/redact';

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
      assert.equal(redactor([secret])(`before ${form} after`), 'before ••• after');
      assert.equal(redactor([secret])(`${form},${form}`), '•••,•••');
    });
  }

  it('shows none of several secrets', () => {
    assert.equal(
      redactor(['pw1', 'k3y'])('user me, password pw1, key k3y'),
      'user me, password •••, key •••',
    );
  });

  it('shows no rest of a secret that begins like another', () => {
    assert.equal(redactor(['abc', 'abcdef'])('password abc, key abcdef'), 'password •••, key •••');
  });

  it('stays as it is where there is no secret', () => {
    assert.equal(redact('nothing to hide'), 'nothing to hide');
    assert.equal(redactor([''])('nothing to hide'), 'nothing to hide');
    assert.equal(redactor(['', 'k3y'])('nothing to hide'), 'nothing to hide');
  });

  it('is taken literally, and so is the secret', () => {
    assert.equal(redactor(['a.c'])('a.c abc $& a.c'), '••• abc $& •••');
  });

  it('of more than 300 characters is cut in its middle, as its end may tell most', () => {
    assert.equal(redact('x'.repeat(300)), 'x'.repeat(300));
    assert.equal(redact(`${'x'.repeat(200)}${'y'.repeat(101)}`), `${'x'.repeat(199)}…${'y'.repeat(100)}`);
    assert.equal(redact('x'.repeat(100_000)).length, 300);
    const told = redact(
      `failed to load URL "http://a/?q=${'x'.repeat(400)}": http error 429:Too Many Requests`,
    );
    assert.match(told, /^failed to load URL "http:.*…x+": http error 429:Too Many Requests$/);
  });

  it('is masked before it is cut, so that no half of a secret remains', () => {
    assert.equal(
      redactor(['s3cret'])(`${'x'.repeat(196)}s3cret and more${'y'.repeat(200)}`),
      `${'x'.repeat(196)}•••…${'y'.repeat(100)}`,
    );
  });

  it('shows no half of a secret, however long the text is and wherever the secret stands in it', () => {
    const secret = 's3cret/0123456789';
    for (const before of [0, 150, 190, 200, 4000, 4090, 4096, 4100, 4113]) {
      for (const count of [1, 2, 500, 3000]) {
        const told = redactor([secret])(
          `${'x'.repeat(before)}${secret.repeat(count)}${'y'.repeat(100_000)}${secret.repeat(count)}${'x'.repeat(before)}`,
        );
        assert.doesNotMatch(told, /[s/3]|ret|\d/, `${before} characters, then ${count} times`);
      }
    }
  });

  it('can be cleaned of a secret that holds half a character', () => {
    const half = 'pass\ud800word';
    const sent = Buffer.from(half).toString();
    assert.equal(
      redactor([half])(`before ${half} ${sent} ${encodeURIComponent(sent)} after`),
      'before ••• ••• ••• after',
    );
  });

  const controls: [what: string, text: string, shown: string][] = [
    ['a second line', 'one\r\n22 Nov - [error] forged', 'one 22 Nov - [error] forged'],
    ['line separators', 'one\u2028two\u2029three\u0085four\vfive\fsix', 'one two three four five six'],
    ['an escape sequence', 'x\u001b[2J\u009b31my', 'x [2J 31my'],
    ['a bell, a null and a tab', 'a\u0007b\0c\td\u007fe', 'a b c d e'],
    ['another direction', 'a\u202eb\u2066c\u2069\u200fd\u061ce', 'abcde'],
    ['half a character', 'a\udc00b\ud83d', 'a\ufffdb\ufffd'],
    ['blanks around it', '\n text \n', 'text'],
  ];
  for (const [what, text, shown] of controls) {
    it(`comes without ${what}`, () => {
      assert.equal(redact(text), shown);
    });
  }

  it('is not cut within a character', () => {
    assert.match(redact('😀'.repeat(400)), /^(😀)+\ufffd?…\ufffd?(😀)+$/u);
  });

  it('keeps accents, other scripts and emoji', () => {
    const text = 'Übung “日本語” \u200eעברית 👩‍👧';
    assert.equal(redact(text), text.replace('\u200e', ''));
  });
});
