import assert from 'node:assert/strict';
import { rememberStarter, starterOf } from '../../src/jobs/started-by';
import { TrackedJob } from '../../src/jobs/tracked-job';

const URL = 'http://started-by';

/** Returns a job that the server added at this second. */
function job(id: string, second = 0): TrackedJob {
  const addTime = `2026-07-01T12:00:0${second}Z`;
  const unknown = { progress: null, subTasks: null, startTime: null, endTime: null, error: null };
  return new TrackedJob(
    { id, addTime, status: 'READY', description: 'Scanning...', ...unknown },
    1,
    undefined,
  );
}

describe('The node that started a job', () => {
  it('is known for a job of the same server with the same ID that was added at the same time', () => {
    rememberStarter(URL, job('7'), 'scan');
    assert.equal(starterOf(URL, job('7')), 'scan');
    assert.equal(starterOf(URL, job('8')), null);
    assert.equal(starterOf(URL, job('7', 1)), null, 'after a restart of the server');
    assert.equal(starterOf('http://another', job('7')), null);
  });

  it('is forgotten for the oldest of very many jobs, and never known for one without an ID', () => {
    rememberStarter(URL, job(''), 'scan');
    assert.equal(starterOf(URL, job('')), null);
    for (let id = 2001; id <= 3001; id++) rememberStarter(URL, job(String(id)), 'scan');
    assert.equal(starterOf(URL, job('2001')), null);
    assert.equal(starterOf(URL, job('2002')), 'scan');
  });
});
