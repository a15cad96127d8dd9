import assert from 'node:assert/strict';
import { json } from '../fake-stash/answers';
import { FakeStash } from '../fake-stash/fake-stash';
import { Flow, type FlowOptions, useFakeStash } from '../support/flow';
import { hasPolled, obeyingSoon, openFilm, pollingOften, tell, watch } from '../support/playback';
import { helper } from '../support/runtime';
import { hasten, sleep, TEMPO } from '../support/tempo';
import { until } from '../support/waiting';
import { RecentErrors } from '../../src/flow/recent-errors';
import { timing } from '../../src/timing';
import { Viewer } from './viewer';

const KEY = 'eyJhbGciOiJIUzI1NiJ9.e30.c2lkZWJhcg';
const JSON_TYPE = 'application/json';

/** Starts a job as another client of the server does. */
async function startElsewhere({ url }: FakeStash): Promise<void> {
  await fetch(`${url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': JSON_TYPE },
    body: JSON.stringify({ query: 'mutation { metadataScan(input: {}) }' }),
  });
}

describe('The tab in the sidebar', () => {
  hasten();
  const stash = useFakeStash({ release: 'v0.30.1', tempo: TEMPO, jobSeconds: 20 });
  const viewers: Viewer[] = [];

  before(() => helper.startServer());
  after(() => helper.stopServer());
  beforeEach(() => {
    // Each test has a server with this ID.
    RecentErrors.drop('server1');
  });
  afterEach(async () => {
    for (const viewer of viewers.splice(0)) await viewer.close();
  });

  const scan = (changes: Partial<FlowOptions> = {}): FlowOptions => ({
    type: 'stash-scan',
    ...changes,
    server: { url: stash().url, pause: 0, ...changes.server },
  });

  function look(): Viewer {
    const viewer = new Viewer();
    viewers.push(viewer);
    return viewer;
  }

  async function post(route: string, body: object): Promise<unknown> {
    return (await helper.request().post(`/stash-server/${route}`).send(body).expect(200)).body;
  }

  describe('gets', () => {
    it('the servers and their state at once', async () => {
      const flow = await Flow.start({ ...scan(), type: 'stash-studios' });
      // The first request loads libraries.
      await flow.ask();
      const viewer = look();
      const view = await viewer.until(({ jobs }) => jobs !== null);

      assert.deepEqual(view, {
        id: 'server1',
        name: 'nas',
        url: stash().url,
        reach: { state: 'reachable', release: 'v0.30.1' },
        watched: [],
        jobs: [],
        jobsError: null,
        moreJobs: 0,
        pause: null,
        sites: [],
        errors: [],
      });
      // It did not have to say first that the server has not responded yet.
      const [first] = viewer.answers;
      // Those of an earlier test are listed for two seconds more.
      assert.deepEqual(
        first?.servers.find(({ id }) => id === 'server1'),
        view,
      );
      assert.ok(Math.abs(first.now - Date.now()) < 60_000);
    });

    it('the jobs, with their progress and who started them', async () => {
      const flow = await Flow.start(scan());
      const viewer = look();
      await viewer.until(({ jobs }) => jobs !== null);
      await flow.ask();
      await startElsewhere(stash());
      const { jobs } = await viewer.until(({ jobs }) => jobs?.length === 2 && (jobs[0]?.percent ?? 0) >= 40);
      const [first, second] = jobs ?? [];

      assert.match(first?.task ?? '', /^Scanning \/media/);
      assert.deepEqual(
        [first?.id, first?.title, first?.status, first?.node],
        ['1', 'Scanning', 'RUNNING', 'tested'],
      );
      assert.deepEqual([second?.id, second?.status, second?.node], ['2', 'READY', null]);
      const { jobs: later } = await viewer.until(({ jobs }) => typeof jobs?.[0]?.endsAt === 'number');
      assert.ok((later?.[0]?.endsAt ?? 0) > Date.now());
    });

    it('how many jobs go on after a pause, and how many messages wait', async () => {
      const pause = { id: 'pause', type: 'stash-pause', paused: 'true', pausedType: 'bool' };
      const flow = await Flow.start({
        ...scan({ configs: [{ ...pause, server: 'server1', z: 'tab', x: 10, y: 20, wires: [] }] }),
      });
      const viewer = look();
      await flow.ask();
      await viewer.until(({ jobs }) => jobs?.[0]?.status === 'RUNNING');
      helper.getNode('pause').receive({});
      await viewer.until(({ pause }) => pause?.interrupted === 1 && pause.waiting === 0);
      flow.send();
      await viewer.until(({ jobs, pause }) => jobs?.length === 0 && pause?.waiting === 1);
    });

    it('what is being watched, while a playback node finds out', async () => {
      await pollingOften(async () => {
        const flow = await Flow.start({ ...scan(), type: 'stash-playback' });
        const viewer = look();
        await until(() => hasPolled(stash()));
        watch(stash(), '2', 42);
        const { watched } = await viewer.until((view) => view.watched.length === 1);
        const url = `${stash().url}/scenes/2`;
        const scene = { id: '2', title: 'Morning Ferry', url, seconds: 60 };
        assert.deepEqual(watched, [{ ...scene, position: 42, player: null, isPaused: false }]);
        for (const state of ['playing', 'paused']) tell(stash(), state, { scene: '2', seconds: 60 });
        const { watched: told } = await viewer.until((view) => view.watched[0]?.isPaused === true);
        const player = { id: 'a1', name: 'Firefox on Linux' };
        assert.deepEqual(told, [{ ...scene, position: 12, player, isPaused: true }]);
        await flow.redeploy(scan());
        await viewer.until((view) => view.watched.length === 0);
      });
    });

    it('who waits for an external site, and what the site does', async () => {
      const flow = await Flow.start({
        ...scan({ server: { pause: 2 } }),
        type: 'stash-performer-search',
      });
      const viewer = look();
      await viewer.until(({ jobs }) => jobs !== null);
      for (const payload of ['Hana', 'Robin', 'Amara']) flow.send({ payload });
      const { sites } = await viewer.until(({ sites }) => sites[0]?.state === 'waiting');
      const [site] = sites;
      assert.deepEqual([site?.source, site?.waiting, site?.nodes], ['', 2, [{ id: 'tested', count: 2 }]]);

      stash().site.failure = 'http error 429:Too Many Requests, Retry-After: 100';
      const blocked = await viewer.until(({ sites }) => sites[0]?.state === 'refused');
      const left = (blocked.sites[0]?.nextAt ?? 0) - Date.now();
      assert.ok(left > 80_000 && left <= 100_000, String(left));
      flow.send({ reset: true });
      await viewer.until(({ sites }) => sites[0]?.waiting === 0);
    });

    it('the errors of nodes, newest first, and equal ones once', async () => {
      const flow = await Flow.start(
        scan({ properties: { paths: 'payload', pathsType: 'msg' }, idle: 'stash-jobs' }),
      );
      const viewer = look();
      for (const payload of ['', '/elsewhere', '', '']) await flow.ask({ payload });
      const { errors } = await viewer.until(({ errors }) => errors.some(({ count }) => count === 3));

      assert.deepEqual(
        errors.map(({ node, type, count, error }) => ({ node, type, count, error })),
        [
          {
            node: 'tested',
            type: 'stash-scan',
            count: 3,
            error: { case: 'BAD_INPUT.empty', details: { property: 'paths', source: 'msg.payload' } },
          },
          {
            node: 'tested',
            type: 'stash-scan',
            count: 1,
            error: {
              case: 'PATH_NOT_IN_LIBRARY.outside',
              details: { path: '/elsewhere', folders: '/media/videos, /media/pictures' },
            },
          },
        ],
      );
      assert.ok(errors.every(({ at }) => Math.abs(at - Date.now()) < 60_000));
      assert.deepEqual(await post('clear-errors', { id: 'server1' }), {});
      await viewer.until(({ errors }) => errors.length === 0);
    });

    it('the error of a trigger node, and why there are no jobs', async () => {
      const { url } = stash();
      stash().apiKey = KEY;
      await Flow.start({ type: 'stash-jobs', server: { url } });
      const viewer = look();
      const { errors, jobsError } = await viewer.until((view) => view.errors.length > 0);
      assert.equal(errors[0]?.error?.case, 'UNAUTHORIZED.keyNeeded');
      assert.equal(jobsError?.case, 'UNAUTHORIZED.keyNeeded');
      stash().apiKey = '';
    });

    it('after a deploy still who started a job', async () => {
      const flow = await Flow.start(scan({ properties: { reply: 'finished' } }));
      flow.send();
      const viewer = look();
      await viewer.until(({ jobs }) => jobs?.[0]?.node === 'tested');
      await flow.redeploy(scan({ properties: { reply: 'finished', name: 'changed' } }));
      await viewer.close();
      const view = await look().until(({ jobs }) => jobs?.length === 1);
      assert.deepEqual(view.errors, []);
      assert.equal(view.jobs?.[0]?.node, 'tested');
    });

    it('no error of a node from the time when its server was not deployed', async () => {
      const flow = await Flow.start({ ...scan({ properties: { server: 'server1' } }), server: null });
      await flow.ask();
      await flow.redeploy(scan());
      const view = await look().until(({ jobs }) => jobs !== null);
      assert.deepEqual(view.errors, []);
    });

    it('since when a server is unreachable and why, and that it is back', async () => {
      await Flow.start(scan());
      const viewer = look();
      await viewer.until(({ jobs }) => jobs !== null);
      const { port } = stash();
      await stash().stop();
      const { reach, jobs } = await viewer.until(({ reach }) => reach.state === 'unreachable');
      assert.ok(reach.state === 'unreachable');
      assert.ok(reach.since <= Date.now() && reach.since > Date.now() - 60_000);
      assert.deepEqual(
        [reach.reason.case, reach.reason.details['url'], jobs],
        ['UNREACHABLE.refusedHere', stash().url, null],
      );

      const other = await FakeStash.start({ release: 'v0.28.1', port });
      await viewer.until(
        (view) => view.reach.state === 'reachable' && view.reach.release === 'v0.28.1' && view.jobs !== null,
      );
      await helper.unload();
      await other.stop();
    });

    it('why a server cannot be used, without an address that may contain a password', async () => {
      await Flow.start(scan({ server: { url: 'http://amy:s3cret@nas:9999' } }));
      const viewer = look();
      const view = await viewer.until(({ reach }) => reach.state === 'unusable');
      assert.ok(view.reach.state === 'unusable');
      assert.deepEqual(view.reach.reason, { case: 'NO_SERVER.credentialsInAddress', details: {} });
      assert.deepEqual([view.name, view.url, view.jobs], ['nas', '', null]);
      assert.ok(!viewer.text.includes('s3cret'));
    });

    it('the newest of many jobs and errors, and the number of the others', async () => {
      const flow = await Flow.start(scan({ properties: { paths: 'payload', pathsType: 'msg' } }));
      stash().jobs.hold();
      for (let count = 0; count < 60; count++) await startElsewhere(stash());
      for (let count = 1; count <= 25; count++) await flow.ask({ payload: `relative ${count}` });
      const viewer = look();
      const { jobs, moreJobs, errors } = await viewer.until((view) => view.jobs !== null);
      assert.deepEqual([jobs?.length, moreJobs], [50, 10]);
      assert.equal(jobs?.[0]?.id, '1');
      assert.equal(errors.length, 20);
      assert.equal(errors[0]?.error?.details['path'], 'relative 25');
      assert.ok(viewer.text.length < 50_000, String(viewer.text.length));
      stash().jobs.release();
    });

    it('no secret', async () => {
      stash().apiKey = KEY;
      const server = { url: stash().url, auth: 'apiKey', pause: 0 };
      const document = { document: '{ findScenes { count } }', documentType: 'graphql' };
      const flow = await Flow.start({
        type: 'stash-query',
        properties: document,
        server,
        credentials: { apiKey: KEY },
      });
      for (const field of ['findScenes', 'jobQueue']) {
        const message = `no ${field}, ${encodeURIComponent(KEY)}`;
        stash().answerWith(json({ errors: [{ message }], data: null }), { field });
      }
      await flow.ask();
      const viewer = look();
      const { errors, jobsError } = await viewer.until((view) => view.jobsError !== null);
      assert.deepEqual(
        [errors[0]?.error, jobsError].map((error) => error?.details['text']),
        ['no findScenes, •••', 'no jobQueue, •••'],
      );
      assert.ok(!viewer.text.includes(KEY));
    });
  });

  describe('requests nothing of Stash', () => {
    it('while it is closed', async () => {
      await Flow.start(scan());
      await sleep(5_000);
      assert.deepEqual(stash().requests, []);
    });

    it('after the last one was closed, although a job runs', async () => {
      await Flow.start(scan());
      const [one, other] = [look(), look()];
      await one.until(({ jobs }) => jobs !== null);
      await until(() => stash().sockets.subscribed.length === 2);
      await startElsewhere(stash());
      await one.until(({ jobs }) => jobs?.length === 1);
      assert.equal(stash().sockets.subscribed.length, 2, 'all share one socket');
      await one.close();
      await sleep(timing.activity.expiry * TEMPO * 2);
      assert.equal(stash().sockets.subscribed.length, 2, 'one is still open');
      await other.close();
      await until(() => stash().sockets.subscribed.length === 0);
      const { length: requests } = stash().requests;
      await sleep(5_000);
      assert.equal(stash().requests.length, requests);
    });
  });

  describe('stays up to date', () => {
    it('during a deploy, after which it has the new servers', async () => {
      const flow = await Flow.start(scan());
      const viewer = look();
      await viewer.until(({ jobs, name }) => jobs !== null && name === 'nas');
      await flow.redeploy(scan({ server: { name: 'attic' } }));
      await viewer.until(({ jobs, name }) => jobs !== null && name === 'attic');
      assert.deepEqual(viewer.servers, ['server1']);

      await flow.redeploy(scan({ server: { name: 'attic' }, idle: 'stash-jobs' }));
      const { length } = stash().requests;
      await flow.redeploy({ ...scan(), server: null });
      await until(() => viewer.servers?.length === 0);
      await flow.redeploy(scan({ server: { name: 'cellar' } }));
      await viewer.until(({ jobs, name }) => jobs !== null && name === 'cellar');
      assert.ok(stash().requests.length > length);
    });

    it('when the flows are stopped, and then has no server', async () => {
      await Flow.start(scan());
      const viewer = look();
      await viewer.until(({ jobs }) => jobs !== null);
      await helper.unload();
      await until(() => viewer.servers?.length === 0);
    });
  });

  describe('pauses a film in a page of Stash', () => {
    it('and lets it go on, and says whether the page has obeyed', async () => {
      await obeyingSoon(stash(), async () => {
        openFilm(stash(), { id: 'b2' });
        await Flow.start(scan());
        const press = (player: unknown, isPaused: boolean) =>
          post('player', { id: 'server1', player, isPaused });
        assert.deepEqual(await press('b2', false), { hasObeyed: true });
        assert.equal(stash().players[0]?.state, 'paused');
        assert.deepEqual(await press('b2', true), { hasObeyed: true });
        assert.equal(stash().players[0]?.state, 'playing');
        assert.deepEqual(await press('c3', false), { hasObeyed: false });
        for (const wrong of [undefined, null, '', 'a b', 7, {}]) {
          const { case: which } = (await press(wrong, false)) as { case?: string };
          assert.equal(which, 'BAD_INPUT.notPlayer', JSON.stringify(wrong));
        }
        const refused = { case: 'NO_SERVER.none', details: {} };
        assert.deepEqual(await post('player', { id: 'gone', player: 'b2' }), refused);
      });
    });

    it('and reports that Stash lacks the plugin', async () => {
      await Flow.start(scan());
      const { case: which } = (await post('player', { id: 'server1', player: 'b2' })) as { case?: string };
      assert.equal(which, 'UNSUPPORTED.noPlugin');
    });
  });

  describe('stops a job', () => {
    it('that runs or waits, and no other', async () => {
      await Flow.start(scan());
      for (let count = 0; count < 3; count++) await startElsewhere(stash());
      const viewer = look();
      const { jobs } = await viewer.until((view) => view.jobs?.length === 3);
      const [running, waiting] = jobs ?? [];
      const stop = (job: unknown) => post('stop', { id: 'server1', job });
      assert.deepEqual(await stop(waiting), { stopped: true });
      await viewer.until((view) => view.jobs?.map(({ id }) => id).join() === '1,3');
      assert.deepEqual(await stop(waiting), { stopped: false });
      assert.deepEqual(await stop({ ...running, added: '2020-01-01T00:00:00Z' }), { stopped: false });
      assert.equal(viewer.view()?.jobs?.[0]?.status, 'RUNNING');
      assert.deepEqual(await stop(running), { stopped: true });
      await viewer.until((view) => view.jobs?.map(({ id }) => id).join() === '3');
    });

    it('only of a deployed server, and only one that the browser names', async () => {
      await Flow.start(scan());
      const job = { id: '1', added: null };
      assert.deepEqual(await post('stop', { id: 'gone', job }), { case: 'NO_SERVER.none', details: {} });
      for (const wrong of [undefined, null, {}, [], 'all', { ...job, id: 1 }, { ...job, added: 1 }]) {
        const { case: which } = (await post('stop', { id: 'server1', job: wrong })) as { case?: string };
        assert.equal(which, 'BAD_INPUT.notJob', JSON.stringify(wrong));
      }
      const form = helper.request().post('/stash-server/stop');
      await form
        .set('content-type', 'text/plain')
        .send(JSON.stringify({ id: 'server1', job }))
        .expect(415);
      assert.ok(!stash().requests.some(({ operation }) => operation === 'stopJob'));
    });

    it('and reports what went wrong, with the text of the server but no secret', async () => {
      await startElsewhere(stash());
      stash().apiKey = KEY;
      const server = { url: stash().url, auth: 'apiKey' };
      await Flow.start({ ...scan({ server }), credentials: { apiKey: KEY } });
      const message = `no job, ${KEY}`;
      stash().answerWith(json({ errors: [{ message }], data: null }), { field: 'stopJob' });
      const job = { id: '1', added: null };
      assert.deepEqual(await post('stop', { id: 'server1', job }), {
        case: 'GRAPHQL.failed',
        details: { text: 'no job, •••' },
      });
      stash().apiKey = '';
    });
  });
});
