import assert from 'node:assert/strict';
import { inspect } from 'node:util';
import { Flow, useFakeStash } from '../support/flow';
import { helper } from '../support/runtime';
import { cut, silence } from '../fake-stash/faults';
import { html, json, text } from '../fake-stash/answers';

/** A key with characters that change when they are URL-encoded. */
const KEY = 'canary+key/with=signs.0123456789';

const forms = [
  KEY,
  encodeURIComponent(KEY),
  Buffer.from(KEY).toString('base64'),
  Buffer.from(KEY).toString('base64url'),
];

describe('the API key', () => {
  const stash = useFakeStash({ apiKey: KEY });
  const start = (type: string, more: object = {}) =>
    Flow.start({
      type,
      server: { url: stash().url, auth: 'apiKey', pause: 0, ...more },
      credentials: { apiKey: KEY },
    });

  it('is sent with every request to the server, look-ups included', async () => {
    const flow = await start('stash-performer-scrape');
    assert.equal((await flow.ask({ payload: 'Robin Vale' })).output, 1);

    for (const { headers } of stash().requests) assert.equal(headers['apikey'], KEY);
  });

  it('is masked in the data, however the server encodes it', async () => {
    const addresses = forms.map((form) => `http://nas/stream?apikey=${form}`);
    const [first = ''] = addresses;
    // As writers of JSON escape it that leave no character but letters and digits.
    const escaped = KEY.replace(/\W/g, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`);
    const studios = addresses.map((image_path, id) => ({
      id,
      name: '',
      url: '',
      image_path,
      scene_count: 1,
    }));
    const body = JSON.stringify({ data: { allStudios: studios } }).replace(first, `http://nas/${escaped}`);
    stash().answerWith({ ...json({}), body }, { field: 'allStudios' });
    const flow = await start('stash-studios');
    const { msg } = await flow.ask();

    const shown = (msg.payload as typeof studios).map(({ image_path }) => image_path);
    assert.deepEqual(shown, [
      'http://nas/•••',
      ...addresses.slice(1).map(() => 'http://nas/stream?apikey=•••'),
    ]);
  });

  it('is in no message, error, status or log line, whatever the server responds', async () => {
    const echo = forms.join(' ');
    const answers = [
      silence,
      cut,
      html(200, echo),
      text(500, echo),
      text(500, 'unauthorized'),
      text(403, echo),
      json({ errors: [{ message: echo }], data: null }),
      json({ errors: [{ message: `x ${KEY}` }], data: null }, 422),
      json({ echo }),
    ];
    const seen: unknown[] = [];
    for (const type of ['stash-scan', 'stash-status', 'stash-performer-search']) {
      const flow = await start(type, { timeout: 0.2, lookupTimeout: 0.2 });
      for (const answer of answers) {
        stash().answerWith(answer);
        const { msg } = await flow.ask({ payload: 'Robin' });
        assert.ok(msg.error?.code, 'an error');
        seen.push(msg);
        stash().answerNormally();
      }
      seen.push(await flow.ask({ payload: 'Robin' }), flow.statuses);
      seen.push(helper.log().args);
      await helper.unload();
    }
    const everything = inspect(seen, { depth: 20, maxArrayLength: null, maxStringLength: null });
    for (const form of forms) assert.ok(!everything.includes(form), `not ${form}`);
  });
});
