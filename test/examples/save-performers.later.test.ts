import assert from 'node:assert/strict';
import { rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { eventually } from '../browser/eventually';
import { type Example, useExamples } from '../support/example';
import { LOCAL_PERFORMERS, PERFORMERS } from '../fake-stash/performers';
import { useUserDir } from '../support/user-dir';
import { FakeStash } from '../fake-stash/fake-stash';

const FILE = 'Save performers from a file';

describe(`The example "${FILE}" in a real Node-RED`, () => {
  const userDir = useUserDir();
  const runExample = useExamples(userDir);
  let stash: FakeStash;
  let example: Example;

  beforeEach(async () => {
    stash = await FakeStash.start({ release: 'v0.30.1' });
    rmSync(path.join(userDir(), 'performers.txt'), { force: true });
    example = await runExample(FILE, stash.url);
  });

  afterEach(async () => {
    await example.stop();
    await stash.stop();
  });

  it('says on its page what to do while there are no names', async () => {
    assert.match(await page(), /No names yet/);
  });

  it('looks up the names of a file and saves who is found', async () => {
    stash.people.add({ name: 'Amara Osei', country: 'US' });
    write('\uFEFFRobin Vale\r\n\r\nAmara Osei\nrobin  vale\nNobody at all\n');
    await example.press('save names');

    assert.equal(await notification(), '2 of 3 performers saved, 1 not on the site');
    assert.deepEqual(
      stash.people.all.map(({ name, country, birthdate }) => [name, country, birthdate]),
      [
        ['Amara Osei', 'US', '1995-03-22'],
        ['Robin Vale', 'CA', '1990-04-12'],
      ],
    );
    const html = await page();
    assert.match(html, /Robin Vale added to nas \(without a picture\)\./);
    assert.match(html, /Amara Osei on nas: \d+ fields filled in \(kept: country\)\./);
    assert.match(html, /2 of 3 saved/);
  });

  it('saves the picture and all else that the site knows', async () => {
    const [noor] = LOCAL_PERFORMERS.filter(({ name }) => name === 'Noor Haddad');
    assert.ok(noor);
    const url = 'https://performers.example/noor-haddad';
    stash.site.performers = [{ ...noor, url }];
    write('Noor Haddad\n');
    await example.press('save names');

    assert.equal(await notification(), '1 of 1 performers saved');
    const [person] = stash.people.all;
    assert.ok(person);
    const { image, ...saved } = person;
    assert.ok(Buffer.isBuffer(image));
    assert.deepEqual(saved, {
      ...{ id: '1', name: 'Noor Haddad', gender: 'MALE', birthdate: '1985-07-02', death_date: '2019-01-30' },
      ...{ ethnicity: 'Middle Eastern', country: 'LB', eye_color: 'Brown', hair_color: 'Black' },
      ...{ height_cm: 181, weight: 78, measurements: '102-81-96', fake_tits: 'No' },
      ...{ career_length: '2005 - 2018', penis_length: 17, circumcised: 'CUT', tattoos: 'An anchor' },
      ...{ piercings: 'None', alias_list: ['N. Haddad'], details: 'Sang in three languages.' },
      urls: ['https://noor.example', 'https://twitter.com/noor', 'https://instagram.com/noor'],
    });
  });

  it('looks up nobody again who is saved', async () => {
    write('Robin Vale\n');
    await example.press('save names');
    await notification();
    stash.site.calls.splice(0);
    await example.press('save names');

    assert.equal(await notification(), 'Nothing to look up: every name of the file has its answer.');
    assert.deepEqual(stash.site.calls, []);
  });

  it('lets somebody choose among performers of the site, and saves the chosen one', async () => {
    write('Robin\n');
    await example.press('save names');
    assert.equal(await notification(), '0 of 1 performers saved, 1 to choose at /save-performers');
    assert.match(await page(), /Who is it on the site\?/);
    await pick('Robin', indexOf(await page(), 'Robin Vale'));

    assert.equal(await notification(), '1 of 1 performers saved');
    assert.deepEqual(
      stash.people.all.map(({ name, country }) => [name, country]),
      [['Robin Vale', 'CA']],
    );
  });

  it('lets somebody choose among performers of the library, without another look-up', async () => {
    stash.people.add({ name: 'Robin Vale' });
    stash.people.add({ name: 'Robin Vale', disambiguation: 'the <singer>' });
    write('Robin Vale\n');
    await example.press('save names');
    assert.equal(await notification(), '0 of 1 performers saved, 1 to choose at /save-performers');
    const html = await page();
    assert.match(html, /Who is it in your Stash\?/);
    assert.match(html, /the &lt;singer&gt;/);

    stash.site.calls.splice(0);
    // A double click.
    await Promise.all([pick('Robin Vale', 1), pick('Robin Vale', 1)]);
    assert.equal(await notification(), '1 of 1 performers saved');
    assert.deepEqual(
      stash.people.all.map(({ country }) => country),
      [undefined, 'CA'],
    );
    assert.deepEqual(stash.site.calls, []);
  });

  it('accepts no choice that the page did not offer', async () => {
    write('Robin\n');
    await example.press('save names');
    await notification();
    await pick('Robin', 99);
    await pick('Somebody else', 0);

    assert.match(await page(), /Who is it on the site\?/);
    assert.deepEqual(stash.people.all, []);
  });

  it('tries failed names again when the button is pressed again', async () => {
    stash.site.failure = 'http error 500:Internal Server Error';
    write('Robin Vale\nAmara Osei\n');
    await example.press('save names');
    assert.equal(await notification(), '0 of 2 performers saved, 2 failed');
    assert.match(await page(), /http error 500/);
    stash.site.failure = undefined;
    await example.press('save names');
    assert.equal(await notification(), '2 of 2 performers saved');
  });

  it('says that the file is missing', async () => {
    await example.press('save names');
    assert.match(await notification(), /^The names could not be read: .*ENOENT.*performers\.txt/);
  });

  it('shows on the page what it still looks up', async () => {
    stash.site.delay = 200;
    stash.site.performers = PERFORMERS;
    write('Robin Vale\nAmara Osei\n');
    await example.press('save names');
    await eventually(page, (html) => {
      assert.match(html, /being looked up/);
    });
    assert.equal(await notification(), '2 of 2 performers saved');
  });

  function write(names: string): void {
    writeFileSync(path.join(userDir(), 'performers.txt'), names);
  }

  function notification(): Promise<string> {
    return example.next('your notification');
  }

  async function page(): Promise<string> {
    const response = await fetch(`${example.nodeRed.url}/save-performers`);
    assert.equal(response.status, 200);
    return await response.text();
  }

  /** Returns the number of the button with this name. */
  function indexOf(html: string, name: string): number {
    const buttons = [...html.matchAll(/name="pick" value="(\d+)">([^<]*)</g)];
    const [, index] = buttons.find(([, , text]) => text === name) ?? [];
    assert.ok(index !== undefined, name);
    return Number(index);
  }

  /** Sends a form of the page as a browser does, and comes back to the page. */
  async function pick(name: string, index: number): Promise<void> {
    const response = await fetch(`${example.nodeRed.url}/save-performers`, {
      method: 'POST',
      body: new URLSearchParams({ name, pick: String(index) }),
      redirect: 'manual',
    });
    assert.deepEqual([response.status, response.headers.get('location')], [303, 'save-performers']);
  }
});

describe('The example "Look up and save a performer" in a real Node-RED', () => {
  const runExample = useExamples(useUserDir());
  let stash: FakeStash;
  let example: Example;

  beforeEach(async () => {
    stash = await FakeStash.start({ release: 'v0.30.1' });
    example = await runExample('Look up and save a performer', stash.url);
  });

  afterEach(async () => {
    await example.stop();
    await stash.stop();
  });

  it('saves the performer who has the whole name', async () => {
    await example.press('a whole name');
    assert.match(await example.next('your notification'), /^Robin Vale added to nas/);
    assert.deepEqual(
      stash.people.all.map(({ name, country }) => [name, country]),
      [['Robin Vale', 'CA']],
    );
  });

  it('saves nobody for a part of a name, and then the best candidate', async () => {
    await example.press('a part of a name');
    assert.match(await example.next('your notification'), /2 similar names/);
    assert.deepEqual(stash.people.all, []);
    await example.press('the best candidate');
    assert.match(await example.next('your notification'), /^Robin Vale added to nas/);
    assert.equal(stash.people.all.length, 1);
  });
});
