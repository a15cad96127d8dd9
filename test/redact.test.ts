import assert from 'node:assert/strict';
import { redact, redactor, secretMasker } from '../src/redact';

describe('Redaction', () => {
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

  it('is tested with a secret that has a different text in each form', () => {
    assert.equal(new Set(forms.map(([, form]) => form)).size, forms.length);
  });

  for (const [what, form] of forms) {
    it(`masks a secret ${what}`, () => {
      assert.equal(redactor([secret])(`before ${form} after`), 'before ••• after');
      assert.equal(redactor([secret])(`${form},${form}`), '•••,•••');
    });
  }

  it('masks several secrets', () => {
    assert.equal(
      redactor(['pw1', 'k3y'])('user me, password pw1, key k3y'),
      'user me, password •••, key •••',
    );
  });

  it('masks the whole secret if it begins with another one', () => {
    assert.equal(redactor(['abc', 'abcdef'])('password abc, key abcdef'), 'password •••, key •••');
  });

  it('leaves a text without secrets unchanged', () => {
    assert.equal(redact('nothing to hide'), 'nothing to hide');
    assert.equal(redactor([''])('nothing to hide'), 'nothing to hide');
    assert.equal(redactor(['', 'k3y'])('nothing to hide'), 'nothing to hide');
  });

  it('treats text and secret literally, and not as patterns', () => {
    assert.equal(redactor(['a.c'])('a.c abc $& a.c'), '••• abc $& •••');
  });

  it('cuts a text of more than 300 characters in the middle, because its end is often important', () => {
    assert.equal(redact('x'.repeat(300)), 'x'.repeat(300));
    assert.equal(redact(`${'x'.repeat(200)}${'y'.repeat(101)}`), `${'x'.repeat(199)}…${'y'.repeat(100)}`);
    assert.equal(redact('x'.repeat(100_000)).length, 300);
    const redacted = redact(
      `failed to load URL "http://a/?q=${'x'.repeat(400)}": http error 429:Too Many Requests`,
    );
    assert.match(redacted, /^failed to load URL "http:.*…x+": http error 429:Too Many Requests$/);
  });

  it('masks before it cuts, so that no part of a secret remains', () => {
    assert.equal(
      redactor(['s3cret'])(`${'x'.repeat(196)}s3cret and more${'y'.repeat(200)}`),
      `${'x'.repeat(196)}•••…${'y'.repeat(100)}`,
    );
  });

  it('leaves no part of a secret, whatever the length of the text or the position of the secret', () => {
    const secret = 's3cret/0123456789';
    for (const before of [0, 150, 190, 200, 4000, 4090, 4096, 4100, 4113]) {
      for (const count of [1, 2, 500, 3000]) {
        const redacted = redactor([secret])(
          `${'x'.repeat(before)}${secret.repeat(count)}${'y'.repeat(100_000)}${secret.repeat(count)}${'x'.repeat(before)}`,
        );
        assert.doesNotMatch(redacted, /[s/3]|ret|\d/, `${before} characters, then ${count} times`);
      }
    }
  });

  it('masks a secret with half a surrogate pair', () => {
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
    ['changes of the writing direction', 'a\u202eb\u2066c\u2069\u200fd\u061ce', 'abcde'],
    ['half of a surrogate pair', 'a\udc00b\ud83d', 'a\ufffdb\ufffd'],
    ['whitespace around it', '\n text \n', 'text'],
  ];
  for (const [what, text, shown] of controls) {
    it(`removes ${what}`, () => {
      assert.equal(redact(text), shown);
    });
  }

  it('does not cut within a character', () => {
    assert.match(redact('😀'.repeat(400)), /^(😀)+\ufffd?…\ufffd?(😀)+$/u);
  });

  it('keeps accents, other scripts and emoji', () => {
    const text = 'Übung “日本語” \u200eעברית 👩‍👧';
    assert.equal(redact(text), text.replace('\u200e', ''));
  });
});

describe('The parser that masks secrets', () => {
  const secret = 'p4ss word/of+some "body"';
  const parse = secretMasker([secret]);

  it('masks them in texts and names', () => {
    const value = { list: [`for ${secret}`, 1, null], [secret]: { inner: encodeURIComponent(secret) } };
    assert.deepEqual(parse(JSON.stringify(value)), {
      list: ['for •••', 1, null],
      '•••': { inner: '•••' },
    });
  });

  it('masks them where the server escapes other characters than necessary', () => {
    const json = JSON.stringify([secret, Buffer.from(secret).toString('base64')]);
    assert.deepEqual(parse(json.replaceAll('/', '\\/').replaceAll('+', '\\u002b')), ['•••', '•••']);
  });

  it('masks them where the server escapes even letters and digits', () => {
    const escape = (one: string) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`;
    const escaped = secret.replace(/./g, escape);
    assert.deepEqual(parse(`["${escaped}"]`), ['•••']);
  });

  it('masks a secret of short words, however the server escapes it', () => {
    const words = 'a-b-c-d-e-f-g-h-i-j';
    for (const json of [`["${words}"]`, `["${words.replaceAll('-', '\\u002d')}"]`]) {
      assert.deepEqual(secretMasker([words])(json), ['•••']);
    }
  });

  it('is made in time, also of a secret that a server has chosen', () => {
    // If the time grew with the square of the length, it would not end within the time limit of a test.
    assert.deepEqual(secretMasker([`${'a'.repeat(2_000_000)} `])('["a"]'), ['a']);
  });

  it('does not break an escape whose last letter begins a secret', () => {
    const json = JSON.stringify(['one\nabcdefghijklmnop']);
    assert.deepEqual(secretMasker(['nabcdefghijklmnop'])(json), ['one\nabcdefghijklmnop']);
  });

  it('leaves all other JSON as it is', () => {
    const value = { p4ss: 'word', list: [{ __proto__: null, x: 'some' }], 'of+some': '"body"' };
    assert.deepEqual(parse(JSON.stringify(value)), JSON.parse(JSON.stringify(value)));
    assert.throws(() => parse('{'), SyntaxError);
  });
});
