import assert from 'node:assert/strict';
import { StashError } from '../../src/errors';
import { siteRefusal } from '../../src/lookups/sites';

const NAME = 'error while name scraping with scraper localtest: ';
const PAGE = 'failed to load URL "http://performers.example/search?q=Ann": ';

function classified(text: string): StashError {
  const error = siteRefusal(new StashError('GRAPHQL.failed', { status: 200, details: { text } }));
  assert.ok(error instanceof StashError);
  return error;
}

describe('An error of a look-up', () => {
  for (const text of [
    'http error 429:Too Many Requests',
    `${NAME}http error 429:Too Many Requests`,
    `${NAME}${PAGE}http error 429:Too Many Requests`,
    `${NAME}${PAGE}http error 403:Forbidden`,
    'error while fragment scraping with scraper localtest: http error 503:Service Unavailable',
    'script: 429 Client Error: Too Many Requests for url',
    'RateLimitExceeded: wait a minute',
    'Just a moment...',
    'Attention Required! | Cloudflare',
    'Please verify you are a human',
    'Verifying you are human. This may take a few seconds.',
    'solve the captcha first',
  ]) {
    it(`is a refusal by the site: ${text}`, () => {
      const error = classified(text);
      assert.equal(error.case, 'SITE_REFUSED.refused');
      assert.deepEqual([error.details, error.status, error.retry], [{ text }, 200, true]);
    });
  }

  for (const text of [
    `${NAME}${PAGE}http error 404:Not Found`,
    `${NAME}http error 500:Internal Server Error`,
    `${NAME}http error 502:Bad Gateway`,
    `${NAME}Get "http://performers.example/search?q=403": EOF`,
    `${NAME}Get "http://performers.example/search?q=Ann": context deadline exceeded (Client.Timeout exceeded while awaiting headers)`,
    `${NAME}failed to load URL "http://performers.example/search?q=Captcha+Cloudflare": http error 500:Internal Server Error`,
    `${NAME}failed to load URL "http://performers.example/search?q=http error 429": http error 404:Not Found`,
    'scraper not found: id nope',
    'scraper operation not supported',
    'Internal system error. Error <runtime error: index out of range [0] with length 0>',
  ]) {
    it(`is not a refusal: ${text}`, () => {
      assert.equal(classified(text).case, 'GRAPHQL.failed');
    });
  }

  for (const [text, seconds] of [
    ['http error 429:Too Many Requests, Retry-After: 120', 120],
    ['http error 429:Too Many Requests {"retry-after":"90"}', 90],
    ['http error 503 (Retry-After=7)', 7],
    ['http error 503 (Retry-After=0)', 0],
    ['rate limit: retry after 15 seconds', 15],
    ['rate limit: retry after 15s', 15],
  ] as const) {
    it(`contains the seconds to wait: ${text}`, () => {
      assert.deepEqual(classified(text).details, { text, seconds });
    });
  }

  it('contains the seconds until a date', () => {
    const date = new Date(Date.now() + 60_000).toUTCString();
    const { seconds } = classified(`http error 429: Retry-After: ${date}`).details;
    assert.ok(Number(seconds) > 50 && Number(seconds) <= 60, String(seconds));
  });

  for (const after of ['soon', new Date(0).toUTCString(), '-5', '15 minutes', '1h', '5 more requests']) {
    it(`ignores an unusable Retry-After: ${after}`, () => {
      assert.equal(classified(`http error 429: Retry-After: ${after}`).details['seconds'], undefined);
    });
  }

  it('of another kind is returned unchanged', () => {
    for (const error of [
      new StashError('HTTP.status', { status: 429, details: { status: 429 } }),
      new StashError('GRAPHQL.refused', { status: 422, details: { text: 'http error 429' } }),
      new Error('http error 429'),
    ]) {
      assert.equal(siteRefusal(error), error);
    }
  });
});
