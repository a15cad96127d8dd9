import assert from 'node:assert/strict';
import { rememberStarter, starterOf } from '../../src/jobs/started-by';

const URL = 'http://started-by';
const SCAN = { origin: 'scan' };

/** Returns a job that the server added at this second. */
const job = (id: string, second = 0) => ({ id, addTime: `2026-07-01T12:00:0${second}Z` });

describe('The node that started a job', () => {
  it('is known for a job of the same server with the same ID that was added at the same time', () => {
    rememberStarter(URL, job('7'), SCAN);
    assert.equal(starterOf(URL, job('7')), 'scan');
    assert.equal(starterOf(URL, job('8')), null);
    assert.equal(starterOf(URL, job('7', 1)), null, 'after a restart of the server');
    assert.equal(starterOf('http://another', job('7')), null);
  });

  it('is discarded for the oldest of very many jobs', () => {
    for (let id = 2001; id <= 3001; id++) rememberStarter(URL, job(String(id)), SCAN);
    assert.equal(starterOf(URL, job('2001')), null);
    assert.equal(starterOf(URL, job('2002')), 'scan');
  });
});
