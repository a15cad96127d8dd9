import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { loseAnswer } from '../../fake-stash/faults';
import type { FakeStash } from '../../fake-stash/fake-stash';
import { poster } from '../../fake-stash/poster';
import { askedWords, Flow, useFakeStash } from '../../support/flow';
import { timing } from '../../../src/timing';

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
    let content: Buffer;
    let fetched: number;
    /** Whether it answers nothing. */
    let hang: boolean;
    /** The address of a picture on the site. */
    let address: string;

    beforeEach((done) => {
      [status, fetched] = [200, 0];
      timing.lostSave = { first: 5, checks: 4 };
      hang = false;
      content = PICTURE;
      site = createServer((_request, response) => {
        fetched += 1;
        if (!hang) response.writeHead(status).end(content);
      });
      site.listen(0, '127.0.0.1', () => {
        address = `http://127.0.0.1:${(site.address() as AddressInfo).port}/robin.png`;
        done();
      });
    });
    afterEach((done) => {
      timing.lostSave = usual;
      site.closeAllConnections();
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

    const base64 = PICTURE.toString('base64');
    for (const [form, picture] of [
      ['data URL', dataUrl(PICTURE)],
      [
        'data URL with the type that the site has sent',
        `data:binary/octet-stream;charset=x;base64,${base64}`,
      ],
      ['data URL in lines', `DATA:image/png;base64,${base64.replace(/.{76}/g, '$&\r\n')}`],
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
      const drawing = Buffer.from('<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg"/>');
      for (const picture of [PICTURE, drawing]) {
        for (const changed of [['picture'], []]) {
          const { msg } = await flow.ask({ payload: { name: 'Robin Vale', picture } });
          assert.deepEqual(msg.payload, { id: '1', created: false, changed });
        }
        assert.deepEqual(held(), picture);
      }
      assert.deepEqual(mutations(stash()), ['performerUpdate', 'performerUpdate']);
    });

    for (const [reason, wrong] of [
      [
        'noPicture',
        [
          'tall',
          'ftp://a.example/1.png',
          'http://',
          '/pictures/robin.png',
          base64,
          'data:image/svg+xml,%3Csvg/%3E',
        ],
      ],
      [
        'notImage',
        [
          ...['data:image/png;base64,aGVsbG8=', 'data:text/html;base64,PGI+'],
          ...['data:image/png;base64,', 'data:image/png;base64,#A'],
          ...['Not Found', '{"error": "no such picture"}', '<!doctype html><title>Sign in</title>'].map(
            (text) => Buffer.from(text),
          ),
          Buffer.from('<!doctype html><html><body><svg xmlns="http://www.w3.org/2000/svg"/></body></html>'),
        ],
      ],
    ] as const) {
      it(`is unusable if it is none, with the reason, and all other fields are written: ${reason}`, async () => {
        const flow = await start('replace');
        for (const picture of wrong) {
          const country = String(picture).slice(0, 100);
          const { msg } = await flow.ask({ payload: { name: 'Robin Vale', country, picture } });
          assert.deepEqual(msg.stash?.['unusable'], ['picture']);
          assert.equal(stash().people.all[0]?.['country'], country);
        }
        assert.deepEqual(
          askedWords.filter(({ key }) => key.startsWith('detail.')).map(({ key }) => key),
          [`detail.${reason}`],
        );
        assert.equal(held(), undefined);
      });
    }

    for (const [existing, before] of [
      ['fill', undefined],
      ['replace', OTHER],
    ] as const) {
      it(`is as it was before if the site gives no image to the server, and the reason is told: ${existing}`, async () => {
        content = Buffer.from('<html><body>Sign in</body></html>');
        add(before);
        const { payload, stash: about } = await save(address, existing, { country: 'CA' });
        assert.deepEqual(payload, { id: '1', created: false, changed: ['country'] });
        assert.deepEqual(about?.['unusable'], ['picture']);
        assert.ok(askedWords.some(({ key }) => key === 'detail.otherFetched'));
        assert.deepEqual(held() ?? undefined, before);
      });
    }

    for (const refused of [404, 403]) {
      it(`is unusable if the site answers ${refused} to the server, and all other fields are written`, async () => {
        status = refused;
        const { payload, stash: about } = await save(address);
        assert.deepEqual(payload, { id: '1', created: true, changed: ['name'] });
        assert.deepEqual(about?.['unusable'], ['picture']);
        assert.ok(askedWords.some(({ key }) => key === 'detail.notFetched'));
      });
    }

    it('ends the message with SITE_REFUSED if the site blocks the server, after all else was written', async () => {
      status = 429;
      const { error, stash: about } = await save(address);
      assert.deepEqual([error?.code, about?.error?.retry], ['SITE_REFUSED', true]);
      assert.deepEqual([stash().people.all.length, held()], [1, undefined]);
    });

    for (const [what, answer] of [
      ['blocks the server', 429],
      ['is slow', 'nothing'],
    ] as const) {
      it(`holds up no other message while the site ${what}`, async () => {
        if (answer === 'nothing') hang = true;
        else status = answer;
        const flow = await Flow.start({
          type: 'stash-performer-save',
          server: { url: stash().url, pause: 0, retryFor: 3600 },
        });
        const first = flow.send({ payload: { name: 'Robin Vale', picture: address } });
        await flow.until(() => fetched === 1);
        const { msg } = await flow.ask({ payload: 'Wren' });

        assert.deepEqual(msg.payload, { id: '2', created: true, changed: ['name'] });
        assert.ok(!flow.hasEnded(first));
        // The server ends once it has its answer.
        site.closeAllConnections();
      });
    }

    it('is fetched once for two messages about the same new performer', async () => {
      const flow = await Flow.start({
        type: 'stash-performer-save',
        server: { url: stash().url, pause: 0 },
      });
      const ids = [1, 2].map(() => flow.send({ payload: { name: 'Robin Vale', picture: address } }));
      await flow.until(() => ids.every((id) => flow.hasEnded(id)));

      assert.deepEqual([mutations(stash()), fetched], [['performerCreate', 'performerUpdate'], 1]);
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

      it('is not taken for written because somebody else has added another one', async () => {
        add();
        stash().answerWith(
          (_request, response) => {
            stash().people.change('1', { name: 'Robin Vale', image: OTHER });
            response.destroy();
          },
          { field: 'performerUpdate', times: 1 },
        );
        const { error } = await save(dataUrl(PICTURE));
        assert.equal(error?.code, 'OUTCOME_UNKNOWN');
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
