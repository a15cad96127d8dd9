import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { loseAnswer } from '../fake-stash/faults';
import type { FakeStash } from '../fake-stash/fake-stash';
import { poster } from '../fake-stash/poster';
import { askedWords, Flow, useFakeStash } from '../support/flow';
import { timing } from '../../src/timing';

const PICTURE = poster('Robin', 1);
const OTHER = poster('Wren', 2);

function dataUrl(content: Buffer): string {
  return `data:image/png;base64,${content.toString('base64')}`;
}

function mutations({ requests }: FakeStash): (string | undefined)[] {
  return requests
    .map(({ operation }) => operation)
    .filter((name) => name === 'performerCreate' || name === 'performerUpdate');
}

for (const release of ['v0.17.2', 'v0.25.1', 'v0.30.1'] as const) {
  describe(`The picture of a performer that is saved on ${release}`, () => {
    const stash = useFakeStash({ release });
    const usual = structuredClone(timing.lostSave);
    let site: Server;
    /** What the site answers. */
    let status: number;
    let fetched: number;
    /** The address of a picture on the site. */
    let address: string;

    beforeEach((done) => {
      [status, fetched] = [200, 0];
      timing.lostSave = { first: 5, looks: 4 };
      site = createServer((_request, response) => {
        fetched += 1;
        response.writeHead(status).end(PICTURE);
      });
      site.listen(0, '127.0.0.1', () => {
        address = `http://127.0.0.1:${(site.address() as AddressInfo).port}/robin.png`;
        done();
      });
    });
    afterEach((done) => {
      timing.lostSave = usual;
      site.close(() => {
        done();
      });
    });

    const start = (existing: 'fill' | 'replace' = 'fill') =>
      Flow.start({
        type: 'stash-performer-save',
        properties: { existing },
        server: { url: stash().url, pause: 0, retryFor: 0 },
      });
    const save = async (picture: unknown, existing?: 'fill' | 'replace', further: object = {}) => {
      const flow = await start(existing);
      return (await flow.ask({ payload: { name: 'Robin Vale', picture, ...further } })).msg;
    };
    const held = () => stash().people.all[0]?.['image'];
    const add = (image?: Buffer) => stash().people.add({ name: 'Robin Vale', ...(image && { image }) });

    for (const [form, picture] of [
      ['data URL', dataUrl(PICTURE)],
      ['Buffer', PICTURE],
    ]) {
      it(`comes with the message as a ${form as string}`, async () => {
        const { payload } = await save(picture);
        assert.deepEqual(payload, { id: '1', created: true, changed: ['name', 'picture'] });
        assert.deepEqual(held(), PICTURE);
      });
    }

    it('is fetched by the server if the message has its address', async () => {
      const { payload } = await save(address);
      assert.deepEqual(payload, { id: '1', created: true, changed: ['name', 'picture'] });
      assert.deepEqual([held(), fetched], [PICTURE, 1]);
    });

    it('fills the place of a missing one only', async () => {
      add();
      const flow = await start();
      const changes: unknown[] = [];
      for (const picture of [dataUrl(PICTURE), dataUrl(OTHER), address]) {
        const { msg } = await flow.ask({ payload: { name: 'Robin Vale', picture } });
        changes.push((msg.payload as { changed: string[] }).changed);
      }
      assert.deepEqual(changes, [['picture'], [], []]);
      assert.deepEqual([held(), fetched], [PICTURE, 0]);
    });

    it('replaces another one, and is not written again', async () => {
      add(OTHER);
      const flow = await start('replace');
      for (const changed of [['picture'], []]) {
        const { msg } = await flow.ask({ payload: { name: 'Robin Vale', picture: dataUrl(PICTURE) } });
        assert.deepEqual(msg.payload, { id: '1', created: false, changed });
      }
      assert.deepEqual([held(), mutations(stash())], [PICTURE, ['performerUpdate']]);
    });

    it('is unusable if it is no picture and no address, and all other fields are written', async () => {
      const flow = await start('replace');
      const wrong = ['tall', 'ftp://a.example/1.png', 'http://', 'data:text/html;base64,PGI+'];
      for (const picture of [...wrong, 'data:image/png;base64,', 'data:image/png;base64,#']) {
        const { msg } = await flow.ask({ payload: { name: 'Robin Vale', country: picture, picture } });
        assert.deepEqual(msg.stash?.['unusable'], ['picture']);
        assert.equal(stash().people.all[0]?.['country'], picture);
      }
      assert.equal(held(), undefined);
    });

    it('ends the message with the reason of the server if it cannot be fetched, and nothing is written', async () => {
      status = 404;
      const { error } = await save(address);
      assert.equal(error?.code, 'GRAPHQL');
      assert.match(JSON.stringify(askedWords.map(({ values }) => values)), /http error 404/);
      assert.deepEqual(stash().people.all, []);
    });

    it('ends the message with SITE_REFUSED if the site blocks the server, and nothing is written', async () => {
      status = 429;
      const { error, stash: about } = await save(address);
      assert.equal(error?.code, 'SITE_REFUSED');
      assert.equal(about?.error?.retry, true);
      assert.deepEqual(stash().people.all, []);
    });

    it('holds up no other message while the site blocks the server', async () => {
      status = 429;
      const flow = await Flow.start({
        type: 'stash-performer-save',
        server: { url: stash().url, pause: 0, retryFor: 3600 },
      });
      const blocked = flow.send({ payload: { name: 'Robin Vale', picture: address } });
      await flow.until(() => fetched === 1);
      const { msg } = await flow.ask({ payload: 'Wren' });

      assert.deepEqual(msg.payload, { id: '1', created: true, changed: ['name'] });
      assert.ok(!flow.hasEnded(blocked));
      flow.send({ reset: true });
      await flow.until(() => flow.isDropped(blocked));
    });

    it('is saved for the performer that is there when its turn comes', async () => {
      const flow = await Flow.start({
        type: 'stash-performer-save',
        server: { url: stash().url, pause: 0 },
      });
      const ids = [1, 2].map(() => flow.send({ payload: { name: 'Robin Vale', picture: address } }));
      await flow.until(() => ids.every((id) => flow.hasEnded(id)));

      assert.deepEqual(mutations(stash()), ['performerCreate']);
      assert.equal(stash().people.all.length, 1);
    });

    describe('after a lost response', () => {
      const lose = () => {
        stash().answerWith(loseAnswer, { field: 'performerUpdate', times: 1 });
      };

      it('is found in the place of a missing one', async () => {
        add();
        lose();
        const { payload, stash: about } = await save(address);
        assert.deepEqual(payload, { id: '1', created: false, changed: ['picture'] });
        assert.equal(about?.['adopted'], true);
      });

      it('is found in the place of another one if it came with the message', async () => {
        add(OTHER);
        lose();
        const { stash: about } = await save(dataUrl(PICTURE), 'replace');
        assert.deepEqual([about?.['adopted'], mutations(stash())], [true, ['performerUpdate']]);
      });

      it('is proved by another field that was written with it', async () => {
        add(OTHER);
        lose();
        const { stash: about } = await save(address, 'replace', { country: 'CA' });
        assert.equal(about?.['adopted'], true);
      });

      it('is OUTCOME_UNKNOWN if the server was to replace another one by itself', async () => {
        add(OTHER);
        lose();
        const { error } = await save(address, 'replace');
        assert.equal(error?.code, 'OUTCOME_UNKNOWN');
        assert.deepEqual(mutations(stash()), ['performerUpdate']);
      });
    });
  });
}
