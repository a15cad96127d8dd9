import assert from 'node:assert/strict';
import { GraphQLClient } from 'graphql-request';
import { blockEventLoop } from '../support/block';
import { requestData } from '../../src/http/request-data';

describe('The data of a response', () => {
  let events: string[];

  beforeEach(() => {
    events = [];
  });

  /** Sets a timer, and keeps the event loop busy until it is due. */
  function makeTimerDue(): void {
    setTimeout(() => events.push('timer'), 1);
    blockEventLoop(3);
  }

  /** Reads a response of this length in UTF-16 units. A timer becomes due with the response, and another one while it is parsed. */
  async function read(length: number): Promise<void> {
    const text = '{"data":{"found":1}}'.padEnd(length);
    const exchange = () => {
      makeTimerDue();
      return Promise.resolve({
        status: 200,
        text,
        contentType: 'application/json',
        location: '',
        challenge: '',
        cookies: [],
      });
    };
    const parse = (json: string): unknown => {
      events.push('parsed');
      makeTimerDue();
      return JSON.parse(json);
    };
    const data = await requestData(GraphQLClient, { document: '{ found }' }, exchange, {
      redact: (part) => part,
      parse,
    });
    events.push('data');
    assert.deepEqual(data, { found: 1 });
  }

  it('lets due timers run before and after a long one is parsed', async () => {
    await read(1_000_001);
    assert.deepEqual(events, ['timer', 'parsed', 'timer', 'data']);
  });

  it('is there without a pause for a short one', async () => {
    await read(1_000_000);
    assert.deepEqual(events, ['parsed', 'data']);
  });
});
