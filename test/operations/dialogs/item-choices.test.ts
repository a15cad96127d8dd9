import assert from 'node:assert/strict';
import type { ItemChoices } from '../../../src/contract/items';
import { itemChoices } from '../../../src/operations/dialogs/item-choices';
import type { FakeStash } from '../../fake-stash/fake-stash';

import { failure, Message, type TestServer, useServer } from '../../support/connect';

const TIME = '2026-01-11T04:41:59Z';
const KEY = 'a-k3y-that-nobody-may-see';

describe('What a dialog offers of the library', () => {
  let stash: FakeStash;
  let server: TestServer;
  const connect = useServer(
    (...both) => {
      [stash, server] = both;
    },
    { release: 'v0.30.1', apiKey: KEY },
    { auth: 'apiKey', apiKey: KEY },
  );

  const ask = (question: object): Promise<ItemChoices> => itemChoices(server, question, new Message());
  const labels = async (kind: string, text: string): Promise<string[]> =>
    (await ask({ kind, text })).items.map(({ label }) => label);
  const sent = (operation: string) => stash.requests.filter((request) => request.operation === operation);

  for (const release of ['v0.9.0', 'v0.11.0', 'v0.17.2', 'v0.25.1', 'v0.30.1'] as const) {
    describe(`at ${release}`, () => {
      beforeEach(() => connect({ release }));

      it('is sorted by name', async () => {
        for (const name of ['Zoë Lindström', 'amara Osei', 'Bo 10', 'Bo 9']) stash.people.add({ name });
        stash.tags = ['b', 'A', 'ä'].map((name, index) => ({ id: String(index), name }));
        assert.deepEqual(await labels('performer', ''), ['amara Osei', 'Bo 9', 'Bo 10', 'Zoë Lindström']);
        assert.deepEqual(await labels('tag', ''), ['A', 'ä', 'b']);
        assert.deepEqual(
          await labels('studio', ''),
          stash.studios.map(({ name }) => name),
        );
      });

      it('is the beginning of a long list, whose length it tells', async () => {
        stash.tags = Array.from({ length: 130 }, (_, index) => ({
          id: String(index),
          name: `tag ${String(index + 100)}`,
        }));
        for (const text of ['', 'tag']) {
          const { items, count } = await ask({ kind: 'tag', text });
          assert.deepEqual([items.length, items[24]?.label, count], [25, 'tag 124', 130]);
        }
      });

      it('begins with the same name, then those that begin with the text', async () => {
        const names = ['A Tide', 'Tidy', 'Tide', 'Tide Two', 'Low Tide', 'Tide One'];
        stash.tags = names.map((name, index) => ({ id: String(index), name }));
        for (const name of names) stash.people.add({ name });
        stash.studios = names.map((name, index) => ({
          ...{ id: String(index), name, url: null, hasImage: false, sceneCount: 0 },
        }));
        const fitting = ['Tide', 'Tide One', 'Tide Two', 'A Tide', 'Low Tide'];
        for (const kind of ['tag', 'performer', 'studio']) {
          for (const text of ['tide', '  TIDE ']) assert.deepEqual(await labels(kind, text), fitting, kind);
        }
        assert.deepEqual(await labels('scene', 'low tide'), ['Low Tide']);
      });

      it('has all words of the text, in any order', async () => {
        const names = ['Bright Interview', 'Bright', 'Interview', 'An Interview, Bright'];
        stash.tags = names.map((name, index) => ({ id: String(index), name }));
        const { items, count } = await ask({ kind: 'tag', text: 'interview  bright' });
        assert.deepEqual(
          items.map(({ label }) => label),
          ['An Interview, Bright', 'Bright Interview'],
        );
        assert.equal(count, 2);
      });

      it('names a scene by its title, or else by its file', async () => {
        stash.library.add({ path: '/media/videos/New/untitled.mp4' }, TIME);
        const details = { studio: 'Lanterna', performers: ['Robin Vale', 'Amara Osei'], date: '2024-05-01' };
        stash.library.add({ path: '/media/videos/a.mp4', title: 'Titled', details }, TIME);
        const { items } = await ask({ kind: 'scene', text: 'titled' });
        assert.deepEqual(items, [
          {
            ...{ id: '7', label: 'Titled', picture: true },
            detail: '2024-05-01 · Lanterna · Robin Vale · Amara Osei',
          },
          { id: '6', label: 'untitled.mp4', detail: 'New', picture: true },
        ]);
      });

      it('has images and galleries as well, of which images have a picture', async () => {
        const details = { studio: 'Lanterna' };
        stash.library.add({ path: '/media/pictures/Harbour/The quay.jpg', title: 'The quay', details }, TIME);
        stash.library.add({ path: '/media/pictures/Harbour.zip', title: 'Harbour' }, TIME);
        const [image] = (await ask({ kind: 'image', text: 'quay' })).items;
        assert.deepEqual([image?.label, image?.detail, image?.picture], ['The quay', 'Lanterna', true]);
        const [gallery] = (await ask({ kind: 'gallery', text: 'harbour' })).items;
        assert.deepEqual([gallery?.label, gallery?.picture], ['Harbour', undefined]);
        const { chosen } = await ask({ kind: 'image', ids: [image?.id, '99'] });
        assert.deepEqual(chosen, [image]);
      });

      it('names the items that are chosen, without those that are gone', async () => {
        for (const kind of ['scene', 'studio', 'tag'] as const) {
          const { items, count, chosen } = await ask({ kind, ids: ['2', '99', '1', '98', '2'] });
          assert.deepEqual([items, count], [[], 0], kind);
          assert.deepEqual(
            chosen.map(({ id }) => id),
            ['2', '1'],
            kind,
          );
        }
        stash.people.add({ name: 'Robin Vale' });
        const { chosen } = await ask({ kind: 'performer', ids: ['7', '1'] });
        assert.deepEqual(
          chosen.map(({ label }) => label),
          ['Robin Vale'],
        );
      });

      it('is one request for each text', async () => {
        await labels('tag', 'document');
        const before = stash.requests.length;
        await labels('tag', 'doc');
        assert.equal(stash.requests.length, before + 1);
      });
    });
  }

  describe('of a large library', () => {
    it('contains what begins with the text, however many others contain it', async () => {
      const names = Array.from({ length: 300 }, (_, index) => `Abc ${String(index)} Zorro`);
      for (const name of [...names, 'Zorro', 'Zorro Two']) stash.people.add({ name });
      const { items, count } = await ask({ kind: 'performer', text: 'zorro' });
      assert.deepEqual(
        items.slice(0, 3).map(({ label }) => label),
        ['Zorro', 'Zorro Two', 'Abc 0 Zorro'],
      );
      assert.deepEqual([items.length, count], [25, 302]);
    });

    it('needs all words of the text, in any order, whatever else they mean to Stash', async () => {
      const names = ['Vale or Robin', 'Robin -Vale', 'Robin Vale', 'Robin', 'Say "hello"'];
      stash.tags = names.map((name, index) => ({ id: String(index), name }));
      assert.deepEqual(await labels('tag', 'vale or robin'), ['Vale or Robin']);
      assert.deepEqual(await labels('tag', '-vale'), ['Robin -Vale']);
      assert.deepEqual(await labels('tag', 'vale robin'), ['Robin -Vale', 'Robin Vale', 'Vale or Robin']);
      assert.deepEqual(await labels('tag', '"hello"'), ['Say "hello"']);
      assert.deepEqual(await labels('tag', '.*'), []);
    });

    it('tells apart what has the same name', async () => {
      const child = { id: '9', name: 'Child', parent: '1', aliases: ['Kid', 'Bairn'] };
      stash.studios = [...stash.studios, { ...child, url: null, hasImage: false, sceneCount: 0 }];
      stash.people.add({ name: 'Amara Osei', disambiguation: '1990', alias_list: ['Mara'] });
      stash.people.add({ name: 'Amara Osei' });
      const details = async (kind: string, text: string) =>
        (await ask({ kind, text })).items.map(({ detail }) => detail);
      assert.deepEqual(await details('performer', 'mara'), ['1990 · Mara', '']);
      assert.deepEqual(await details('studio', 'kid'), ['Harbour Nine · Kid · Bairn']);
      assert.deepEqual(await details('tag', 'b/w'), ['b/w']);
    });

    it('has short texts without secrets and control characters', async () => {
      stash.tags = [
        { id: '1', name: `${KEY}\u202e\u0007 ${'x'.repeat(98)}😀`, aliases: [KEY, 'y'.repeat(4000)] },
      ];
      const { items } = await ask({ kind: 'tag', text: '' });
      const [{ label, detail }] = items as [ItemChoices['items'][number]];
      assert.match(label, /^••• +x+$/);
      assert.equal(label.length, 100);
      assert.match(detail, /^••• · y+/);
      assert.equal(detail.length, 100);
      // An emoji is not cut in two.
      stash.tags = [{ id: '1', name: `${'x'.repeat(99)}😀` }];
      assert.deepEqual(await labels('tag', ''), ['x'.repeat(99)]);
    });

    it('has the whole name of a performer as well, which is a value, or none that is too long', async () => {
      const names = ['x'.repeat(200), 'y'.repeat(5000), `z ${KEY}`];
      for (const name of names) stash.people.add({ name });
      const { items } = await ask({ kind: 'performer', text: '' });
      assert.deepEqual(
        items.map(({ name }) => name),
        ['x'.repeat(200), undefined, 'z •••'],
      );
      assert.deepEqual(
        items.map(({ label }) => label),
        ['x'.repeat(100), 'y'.repeat(100), 'z •••'],
      );
    });
  });

  describe('for a question that no dialog asks', () => {
    it('is BAD_INPUT if the kind is unknown', async () => {
      for (const kind of [undefined, 'galleries', '__proto__', 'constructor', 5]) {
        assert.equal((await failure(ask({ kind, text: '' }))).case, 'BAD_INPUT.unknownChoice');
      }
      assert.equal((await failure(itemChoices(server, null, new Message()))).code, 'BAD_INPUT');
      assert.deepEqual(stash.requests, []);
    });

    it('leaves out what is no id, and everything above two hundred', async () => {
      const ids = ['1; drop', 1, null, '-1', ...Array.from({ length: 500 }, (_, index) => String(index + 1))];
      await ask({ kind: 'tag', ids });
      const variables = sent('findTag').map((request) => Object.values(request.body?.variables ?? {}));
      assert.deepEqual(variables, [Array.from({ length: 196 }, (_, index) => String(index + 1))]);
    });

    it('sends no more than the beginning of a text', async () => {
      await ask({ kind: 'tag', text: 'x'.repeat(100_000) });
      const size = JSON.stringify(sent('findTags')[0]?.body).length;
      assert.ok(size < 2000, String(size));
    });
  });
});
