import assert from 'node:assert/strict';
import { rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { eventually } from '../browser/eventually';
import { type Example, useExamples } from '../support/example';
import { type Performer, PERFORMERS } from '../fake-stash/performers';
import { useUserDir } from '../support/user-dir';
import { FakeStash } from '../fake-stash/fake-stash';
import { until } from '../support/waiting';

const FILE = 'Look up performers from a file';

/** A performer among whom the page lets one choose. */
interface Candidate {
  name: string;
  /** What distinguishes it from others. */
  about: string;
  /** What the browser sends when it is picked. */
  value: string;
}

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
    const { html } = await page();
    assert.match(html, /No names yet/);
    assert.match(html, /name="viewport"/);
  });

  it('finds the performers of a file, whatever its line breaks', async () => {
    write(
      '\uFEFFRobin Vale\r\n\r\nZoë Lindström\r\n   \r\n  Juniper Lake \r\nRobin  Vale\nrobin vale\rAmara Osei',
    );
    await example.press('look up new names');
    assert.equal(await notification(), '4 of 4 performers found');
    const { found } = await page();
    assert.deepEqual(found, [
      ['Robin Vale', '1990-04-12', 'CA'],
      ['Zoë Lindström', '1988-07-01', 'SE'],
      ['Juniper Lake', '', ''],
      ['Amara Osei', '1995-03-22', 'GH'],
    ]);
  });

  it('offers a choice between two of one name, without another list request', async () => {
    stash.site.performers = [
      ...PERFORMERS,
      namesake('Amara Osei', { birthdate: '1970-01-31', country: 'NG' }),
    ];
    write('Amara Osei\n');
    await example.press('look up new names');
    assert.equal(await notification(), '0 of 1 performers found, 1 to choose at /performers');
    const { choices } = await page();
    assert.deepEqual([...choices.keys()], ['Amara Osei']);
    const [first, second] = choices.get('Amara Osei') ?? [];
    assert.ok(first && second);
    assert.deepEqual([first.name, second.name], ['Amara Osei', 'Amara Osei']);

    const before = stash.site.calls.length;
    // A double click.
    await Promise.all([pick('Amara Osei', second.value), pick('Amara Osei', second.value)]);
    await eventually(
      async () => (await page()).found,
      (found) => {
        assert.deepEqual(found, [['Amara Osei', '1970-01-31', 'NG']]);
      },
    );
    assert.deepEqual(
      stash.site.calls.slice(before).map(({ name }) => name),
      ['https://performers.example/namesake-amara-osei'],
    );
    assert.equal((await page()).choices.size, 0);
  });

  it('offers the other candidates again if the page of the chosen one is gone', async () => {
    stash.site.performers = [...PERFORMERS, namesake('Amara Osei', {})];
    write('Amara Osei\n');
    await example.press('look up new names');
    await notification();
    const [first, second] = (await page()).choices.get('Amara Osei') ?? [];
    assert.ok(first && second);
    stash.site.performers = PERFORMERS;
    await pick('Amara Osei', second.value);
    await eventually(
      async () => (await page()).html,
      (html) => {
        assert.match(html, /http error 404/);
      },
    );
    await pick('Amara Osei', first.value);
    await eventually(
      async () => (await page()).found,
      (found) => {
        assert.deepEqual(found, [['Amara Osei', '1995-03-22', 'GH']]);
      },
    );
    assert.equal(notifications().length, 1);
  });

  it('offers similar names, and accepts "none of these"', async () => {
    write('Robin\nVal\n');
    await example.press('look up new names');
    assert.equal(await notification(), '0 of 2 performers found, 2 to choose at /performers');
    const offered = (await page()).choices.get('Robin')?.map(({ name }) => name);
    assert.deepEqual(offered?.sort(), ['Robin Vale', 'Robin Valentine']);
    await pick('Robin', 'none');
    const { choices, nobody } = await page();
    assert.deepEqual([...choices.keys()], ['Val']);
    assert.deepEqual(nobody, ['Robin']);
  });

  it('escapes every name, and accepts nothing that the page did not offer', async () => {
    const odd = `Anna "Nan" <b>O'Söhne</b> & {{payload}}`;
    const pages = ['https://performers.example/1', 'https://performers.example/2', 'javascript:alert(1)'];
    stash.site.performers = pages.map((url, index) => ({
      ...namesake('Robin Vale', { url }),
      name: `${odd} ${index + 1}`,
    }));
    write(`${odd}\n${odd} 1\nNobody <script>\n`);
    await example.press('look up new names');
    await notification();
    const { html, choices, found, nobody } = await page();
    assert.deepEqual([...choices.keys()], [odd]);
    assert.deepEqual(
      found.map(([name]) => name),
      [`${odd} 1`],
    );
    assert.deepEqual(nobody, ['Nobody <script>']);
    assert.doesNotMatch(html, /<script|<b>O|href="javascript/);

    const before = stash.site.calls.length;
    await pick(odd, JSON.stringify({ name: 'Somebody else', url: 'https://performers.example/else' }));
    await pick('Somebody else', 'none');
    assert.equal((await page()).choices.size, 1);
    const offered = choices.get(odd)?.find(({ name }) => name.endsWith('2'));
    assert.ok(offered);
    await pick(odd, offered.value);
    await eventually(
      async () => (await page()).found,
      (rows) => {
        assert.equal(rows.length, 2);
      },
    );
    assert.deepEqual(
      stash.site.calls.slice(before).map(({ name }) => name),
      ['https://performers.example/2'],
    );
  });

  it('requests only new and failed names when the button is pressed again', async () => {
    stash.site.failure = 'http error 500:Internal Server Error';
    write('Robin Vale\nAmara Osei\n');
    await example.press('look up new names');
    assert.match(await notification(), /^0 of 2 performers found, 2 failed: .*http error 500/);
    assert.deepEqual(
      (await page()).failed.map(([name]) => name),
      ['Robin Vale', 'Amara Osei'],
    );
    stash.site.failure = undefined;
    await example.press('look up new names');
    assert.equal(await notification(), '2 of 2 performers found');

    stash.site.calls.splice(0);
    write('Robin Vale\nAmara Osei\nHana Mori\n');
    await example.press('look up new names');
    assert.equal(await notification(), '3 of 3 performers found');
    assert.ok(!stash.site.calls.some(({ name }) => /robin|amara/i.test(name)));

    await example.press('look up all again');
    assert.equal(await notification(), '3 of 3 performers found');
    assert.ok(stash.site.calls.some(({ name }) => /robin/i.test(name)));
  });

  it('says so if there is nothing to look up', async () => {
    write('Robin Vale\nAmara Osei\n');
    await example.press('look up new names');
    assert.equal(await notification(), '2 of 2 performers found');
    stash.site.calls.splice(0);
    await example.press('look up new names');
    assert.equal(await notification(), 'Nothing to look up: every name of the file has its answer.');
    write('\n');
    await example.press('look up new names');
    assert.equal(await notification(), 'Nothing to look up: the file holds no names.');
    assert.deepEqual(stash.site.calls, []);
  });

  it('requests no queued name twice when the button is pressed again', async () => {
    stash.site.delay = 100;
    write('Robin Vale\nAmara Osei\nHana Mori\n');
    await example.press('look up new names');
    await example.press('look up new names');
    assert.equal(await notification(), '3 of 3 performers found');
    for (const name of ['amara-osei', 'hana-mori']) {
      assert.equal(stash.site.calls.filter((call) => call.name.endsWith(name)).length, 1, name);
    }
    assert.equal(notifications().length, 1);
  });

  it('continues after a deploy, without a notification about it', async () => {
    // The list and the page of the first one.
    stash.site.mostAnswered = 2;
    write('Robin Vale\nAmara Osei\nHana Mori\n');
    await example.press('look up new names');
    await eventually(
      async () => (await page()).found.length,
      (count) => {
        assert.equal(count, 1);
      },
    );
    await example.deploy();
    assert.match((await page()).html, /1 of 3 found, 2 being looked up/);
    stash.site.mostAnswered = Infinity;
    await example.press('look up new names');
    assert.equal(await notification(), '3 of 3 performers found');
    assert.equal(notifications().length, 1);
  });

  it('shows two hundred names', async () => {
    stash.site.delay = 0;
    const names = Array.from({ length: 200 }, (_, index) => `Nobody No. ${index + 1}`);
    write(names.join('\n'));
    await example.press('look up new names');
    await until(() => notifications().length === 1);
    assert.equal(notifications()[0], '0 of 200 performers found, 200 not on the site');
    assert.deepEqual((await page()).nobody, names);
  });

  it('says that the file is missing', async () => {
    await example.press('look up new names');
    assert.match(await notification(), /^The names could not be read: .*ENOENT.*performers\.txt/);
  });

  function write(names: string): void {
    writeFileSync(path.join(userDir(), 'performers.txt'), names);
  }

  /** Everything that the place of the notification got. */
  function notifications(): string[] {
    return example.outputs('your notification');
  }

  function notification(): Promise<string> {
    return example.next('your notification');
  }

  /** Fetches the page and reads what it shows. */
  async function page() {
    const response = await fetch(`${example.nodeRed.url}/performers`);
    assert.equal(response.status, 200);
    assert.equal(response.headers.get('content-type'), 'text/html; charset=utf-8');
    return readPage(await response.text());
  }

  /** Sends a form of the page as a browser does, and comes back to the page. */
  async function pick(name: string, value: string): Promise<void> {
    const response = await fetch(`${example.nodeRed.url}/performers`, {
      method: 'POST',
      body: new URLSearchParams({ name, pick: value }),
      redirect: 'manual',
    });
    assert.deepEqual([response.status, response.headers.get('location')], [303, 'performers']);
  }
});

/** Returns a performer of the same name with a page of its own. */
function namesake(name: string, attributes: Partial<Performer>): Performer {
  const same = PERFORMERS.find((performer) => performer.name === name);
  assert.ok(same);
  const url = `https://performers.example/namesake-${name.toLowerCase().replaceAll(' ', '-')}`;
  return { ...same, url, ...attributes };
}

function readPage(html: string) {
  const choices = new Map(
    all(/<form [\s\S]*?<\/form>/g, html).map((form) => {
      const [name = ''] = all(/name="name" value="([^"]*)"/g, form);
      return [
        decoded(name),
        all(/<button name="pick" value="[^"]*">[\s\S]*?<\/button>/g, form).map(candidate),
      ];
    }),
  );
  const [table = ''] = all(/<tbody>([\s\S]*?)<\/tbody>/g, html);
  return {
    html,
    choices,
    found: all(/<tr>([\s\S]*?)<\/tr>/g, table).map((row) =>
      all(/<td>([\s\S]*?)<\/td>/g, row).map((cell) => textOf(cell.replace(/<(details|small)>[\s\S]*/, ''))),
    ),
    nobody: listBelow('Not on the site', html).map(textOf),
    failed: listBelow('Failed', html).map((item) => item.split('<small>').map(textOf)),
  };
}

function candidate(button: string): Candidate {
  const [value = ''] = all(/value="([^"]*)"/g, button);
  const [name = '', about = ''] = button.split('<small>').map(textOf);
  return { name, about, value: decoded(value) };
}

function listBelow(heading: string, html: string): string[] {
  const [list = ''] = all(new RegExp(`<h2>${heading} [\\s\\S]*?<ul>([\\s\\S]*?)</ul>`, 'g'), html);
  return all(/<li>([\s\S]*?)<\/li>/g, list);
}

/** All first groups that a pattern finds, or what it finds where it has none. */
function all(pattern: RegExp, text: string): string[] {
  return [...text.matchAll(pattern)].map(([whole, group]) => group ?? whole);
}

/** A piece of the page as a reader sees it. */
function textOf(html: string): string {
  return decoded(html.replace(/<[^>]*>/g, '')).trim();
}

function decoded(html: string): string {
  const named: Record<string, string> = { lt: '<', gt: '>', quot: '"', amp: '&' };
  return html
    .replace(/&#(x?)([\da-fA-F]+);/g, (_, hex: string, code: string) =>
      String.fromCharCode(parseInt(code, hex === '' ? 10 : 16)),
    )
    .replace(/&(lt|gt|quot|amp);/g, (_, name: string) => named[name] ?? '');
}
