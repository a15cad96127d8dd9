import assert from 'node:assert/strict';
import { JobOrigins } from '../../src/jobs/job-origins';
import type { ServerJob } from '../../src/jobs/server-job';
import { TrackedJob } from '../../src/jobs/tracked-job';

let count = 0;

/** Returns a job that the server queued so many minutes ago. */
function job(id: string, minutes = 0): TrackedJob {
  const addTime = new Date(Date.now() - minutes * 60_000).toISOString();
  const unknown = { progress: null, subTasks: null, startTime: null, endTime: null, error: null };
  const known: ServerJob = { id, addTime, status: 'READY', description: 'Scanning...', ...unknown };
  return new TrackedJob(known, ++count, undefined);
}

/** Returns the origins of a server that no other test uses. @param clockSkew in milliseconds. */
function origins(clockSkew = 0): JobOrigins {
  return new JobOrigins(`http://origins-${++count}`, () => clockSkew);
}

/** A node has started a job. It took so many minutes until the server named it. */
function started(known: JobOrigins, node: string, id: string, minutes = 3): void {
  known.add(node, { id, began: Date.now() - minutes * 60_000 });
}

describe('The origin of a job', () => {
  it('is the node that has started it', () => {
    const url = `http://origins-${++count}`;
    started(new JobOrigins(url), 'scan', '7');
    const known = new JobOrigins(url);
    assert.equal(known.of(job('7')), 'scan', 'also after a deploy');
    assert.equal(known.of(job('8')), null);
    assert.equal(origins().of(job('7')), null, 'another server');
  });

  it('is somebody else for a job of the same ID after a restart of the server', () => {
    const known = origins();
    started(known, 'scan', '1');
    const first = job('1', 2);
    assert.equal(known.of(first), 'scan');
    assert.equal(known.of(job('1', 1)), null);
    assert.equal(known.of(first), 'scan');
    started(known, 'generate', '1');
    assert.equal(known.of(job('1')), 'generate');
  });

  it('is somebody else for a job that the server queued after the job of a later start', () => {
    const known = origins();
    started(known, 'scan', '1');
    started(known, 'generate', '2');
    assert.equal(known.of(job('2', 1)), 'generate');
    assert.equal(known.of(job('1')), null, 'the server has restarted');
    assert.equal(known.of(job('1', 2)), 'scan');
  });

  it('is unknown if the server may have restarted since the start, unless somebody has looked at the job', () => {
    const known = origins();
    for (const id of ['1', '2']) started(known, 'scan', id);
    const seen = job('1');
    assert.equal(known.of(seen), 'scan');
    known.doubt();
    assert.equal(known.of(seen), 'scan');
    assert.equal(known.of(job('2')), undefined);
    started(known, 'scan', '2');
    assert.equal(known.of(job('2')), 'scan');
  });

  it('is somebody else for a job that the server queued at quite another time', () => {
    const known = origins();
    started(known, 'scan', '1', 0);
    for (const minutes of [60, -60]) assert.equal(known.of(job('1', minutes)), null, String(minutes));
  });

  it('is unknown for a job that the server queued minutes before or after the start', () => {
    const known = origins();
    started(known, 'scan', '1', 0);
    // The server may have restarted while nobody watched, or its time may be that of a proxy.
    for (const minutes of [5, -5, 0.1, -0.1]) assert.equal(known.of(job('1', minutes)), undefined);
    assert.equal(known.of(job('1')), 'scan');
  });

  it('is the node also if the clock of the server is wrong', () => {
    for (const minutes of [120, -120]) {
      const known = origins(minutes * 60_000);
      started(known, 'scan', '1', 0);
      assert.equal(known.of(job('1')), null);
      assert.equal(known.of(job('1', -minutes - 5)), undefined);
      assert.equal(known.of(job('1', -minutes)), 'scan');
    }
  });

  it('is unknown for a new job while a start is in flight', () => {
    const known = origins();
    const before = job('1');
    const settle = known.expect(before.sequence + 1);
    const appeared = job('2');
    assert.equal(known.of(before), null);
    assert.equal(known.of(appeared), undefined);
    started(known, 'scan', '2');
    settle();
    assert.equal(known.of(appeared), 'scan');
    assert.equal(known.of(job('3')), null);
  });

  it('is forgotten for the oldest of very many jobs', () => {
    const known = origins();
    for (let id = 1; id <= 1001; id++) started(known, 'scan', String(id));
    assert.equal(known.of(job('1')), null);
    assert.equal(known.of(job('2')), 'scan');
  });
});
