import assert from 'node:assert/strict';
import { StashError } from '../../../src/errors';
import { checkLibraryIsThere } from '../../../src/operations/tasks/clean-check';
import { html, json, text } from '../../fake-stash/answers';
import type { FakeStash } from '../../fake-stash/fake-stash';
import { type Details, FOLDER } from '../../fake-stash/library';

import { failure, Message, type TestServer, useServer } from '../../support/connect';
import { hasten, TEMPO } from '../../support/tempo';

const PICTURES = '/media/pictures';
const INNER = `${FOLDER}/Lanterna`;
const DRIVE = `${FOLDER}/drive`;
/** The last one before files, the first one with them, and the newest. */
const RELEASES = ['v0.11.0', 'v0.17.2', 'v0.30.1'] as const;

describe('The check before a clean', () => {
  hasten();

  let stash: FakeStash;
  let server: TestServer;
  const connect = useServer(
    (...both) => {
      [stash, server] = both;
    },
    { release: 'v0.30.1', tempo: TEMPO },
  );

  /** Makes these the folders of the library. */
  const have = (...folders: string[]) => {
    const general = { stashes: folders.map((path) => ({ path })) };
    stash.answerWith(json({ data: { configuration: { general } } }), { field: 'configuration' });
  };
  const add = (path: string, details: Details = {}) => {
    stash.library.add({ path, details }, '2026-01-11T04:41:59Z');
  };
  const addMany = (folder: string, count: number, details: Details = {}) => {
    for (let number = 1; number <= count; number++) add(`${folder}/${number}.mp4`, details);
  };
  /** Adds an image in an archive. Before v0.17, its path has a zero in the place of a slash. */
  const addArchived = () => {
    add(`${PICTURES}/set.zip${stash.quirks.minor < 17 ? '\0' : '/'}1.jpg`);
  };
  /** Empties the library. */
  const clear = () => {
    for (const kind of ['scene', 'image'] as const) {
      for (const entry of stash.library.all(kind)) stash.library.remove(entry);
    }
  };
  const vanish = (path: string) => {
    stash.library.vanish(path);
  };
  const unmount = (path: string) => {
    stash.library.unmount(path);
  };
  const scenesIn = (folder: string) =>
    stash.library.all('scene').filter(({ path }) => path.startsWith(`${folder}/`));
  /** Makes the server respond with an error for each scene in a folder, as for a drive that is broken. */
  const breakDrive = (folder: string, status: number) => {
    for (const { id } of scenesIn(folder))
      stash.answerWith(text(status, 'no'), { path: `/scene/${id}/stream` });
  };
  const transcode = (folder: string) => {
    for (const { id } of scenesIn(folder)) stash.library.transcodes.add(id);
  };
  /** Adds shows with three seasons of eight episodes each. */
  const addShows = (count: number) => {
    for (let show = 1; show <= count; show++) {
      for (const season of [1, 2, 3]) addMany(`${FOLDER}/Show ${show}/Season ${season}`, 8);
    }
  };
  /** Adds archives of five images directly in a folder. */
  const addArchives = (count: number) => {
    for (let set = 1; set <= count; set++) {
      for (let number = 1; number <= 5; number++) add(`${PICTURES}/${set}.zip/${number}.jpg`);
    }
  };
  const check = (paths?: readonly string[]) =>
    checkLibraryIsThere(server, paths, () => undefined, new Message());
  const reads = () => stash.requests.filter(({ path }) => /^\/(scene|image)\//.test(path));

  /** Returns the case and the folder of a refusal; undefined if the library may be cleaned. */
  async function refusal(paths?: readonly string[]): Promise<string | undefined> {
    try {
      await check(paths);
      return undefined;
    } catch (error) {
      assert.ok(error instanceof StashError, String(error));
      const { case: found, details, retry } = error;
      assert.equal(retry, true);
      return `${found} ${String(details['folder'])}`;
    }
  }

  const lost = (folder: string) => `SERVER_STATE.folderEmpty ${folder}`;
  const lostDrive = (folder: string) => `SERVER_STATE.subfolderEmpty ${folder}`;

  /** What happens to the files of a library that may be cleaned all the same, on every release. */
  const CLEANED: Readonly<Record<string, () => void>> = {
    'lets a clean run if all is there': () => undefined,
    'lets a clean run if all is there, with a library folder in another one': () => {
      have(FOLDER, INNER, PICTURES);
    },
    'lets a clean run if a library folder is a link to another one': () => {
      have(FOLDER, '/media/link');
      stash.library.disk.link('/media/link', FOLDER);
      add('/media/link/One.mp4');
      stash.library.disk.link('/media/link/One.mp4', `${FOLDER}/Window Seat.mp4`);
    },
    'lets a clean run if the library has nothing in a folder': () => {
      have(FOLDER, '/media/new');
      vanish('/media/new');
    },
    'lets a clean run for a folder that has pictures only': () => {
      have(PICTURES);
    },
    'lets a clean run if a folder has only pictures in an archive': () => {
      clear();
      addArchived();
    },
    'lets a clean run if all scenes of a subfolder have transcodes': () => {
      addMany(DRIVE, 5);
      transcode(DRIVE);
    },
    'lets a clean run if all scenes of a library folder have transcodes': () => {
      have(DRIVE);
      addMany(DRIVE, 5);
      transcode(DRIVE);
    },
    'lets a clean run if the oldest season of a show was deleted, and its other seasons are there': () => {
      clear();
      addShows(20);
      unmount(`${FOLDER}/Show 1/Season 1`);
    },
    'lets a clean run if most archives in a folder were deleted': () => {
      clear();
      addArchives(12);
      for (let set = 1; set <= 7; set++) vanish(`${PICTURES}/${set}.zip`);
    },
    'lets a clean run if the oldest and the newest films were deleted, each with its folder': () => {
      clear();
      for (let film = 1; film <= 100; film++) addMany(`${FOLDER}/film ${film}`, 1);
      for (let film = 1; film <= 10; film++) {
        vanish(`${FOLDER}/film ${film}`);
        vanish(`${FOLDER}/film ${101 - film}`);
      }
    },
    'lets a clean run if the only film directly in a library folder was deleted': () => {
      vanish(`${FOLDER}/Window Seat.mp4`);
    },
    'lets a clean run if a subfolder was deleted': () => {
      addMany(DRIVE, 50);
      vanish(DRIVE);
    },
    'lets a clean run if all subfolders were deleted, but a file beside them is there': () => {
      for (const name of ['Harbour Nine', 'Lanterna', 'Quiet Hill']) vanish(`${FOLDER}/${name}`);
    },
    'lets a clean run if the only film of a subfolder was deleted': () => {
      vanish(`${INNER}/Paper Moon.mp4`);
    },
  };

  /** What happens to the files of a library that may not be cleaned. Each returns the refusal. */
  const REFUSED: Readonly<Record<string, () => string>> = {
    'refuses if other folders are in place of those of the library': () => {
      unmount(FOLDER);
      stash.arrive({ path: `${FOLDER}/lost+found/x.mp4` });
      return lost(FOLDER);
    },
    'refuses if all folders are there, but no file of a library folder': () => {
      for (const { path } of scenesIn(FOLDER)) vanish(path);
      return lost(FOLDER);
    },
    'refuses if a library folder is missing although one inside it is there': () => {
      have(FOLDER, INNER, PICTURES);
      for (const name of ['Harbour Nine', 'Quiet Hill', 'Window Seat.mp4']) vanish(`${FOLDER}/${name}`);
      return lost(FOLDER);
    },
    'refuses if a library folder inside another one is empty': () => {
      have(FOLDER, INNER, PICTURES);
      unmount(INNER);
      return lost(INNER);
    },
    'refuses if both a library folder and the one inside it are empty': () => {
      have(FOLDER, INNER, PICTURES);
      unmount(FOLDER);
      return lost(FOLDER);
    },
    'finds the few files of a library folder beside thousands in the one inside it': () => {
      have(FOLDER, INNER);
      vanish(`${FOLDER}/Harbour Nine`);
      vanish(`${FOLDER}/Quiet Hill`);
      vanish(`${FOLDER}/Window Seat.mp4`);
      addMany(INNER, 1000);
      return lost(FOLDER);
    },
    'refuses if the disk to which a library folder is a link is missing': () => {
      have('/media/link', PICTURES);
      stash.library.disk.link('/media/link', '/mnt/disk');
      add('/media/link/One.mp4');
      vanish('/mnt/disk');
      return lost('/media/link');
    },
    'refuses if a folder of pictures is empty': () => {
      unmount(PICTURES);
      return lost(PICTURES);
    },
    'refuses if a folder that has only an archive is empty': () => {
      clear();
      addArchived();
      unmount(PICTURES);
      return lost(PICTURES);
    },
    'refuses if a drive in a library folder is missing': () => {
      addMany(DRIVE, 3);
      unmount(DRIVE);
      return lostDrive(DRIVE);
    },
    'refuses if a drive in a library folder must not be read': () => {
      addMany(DRIVE, 3);
      breakDrive(DRIVE, 403);
      return lostDrive(DRIVE);
    },
    'refuses if a drive in a library folder is broken': () => {
      addMany(DRIVE, 3);
      breakDrive(DRIVE, 500);
      return lostDrive(DRIVE);
    },
    'refuses if a drive in a library folder is missing whose scenes have transcodes': () => {
      addMany(DRIVE, 5);
      transcode(DRIVE);
      unmount(DRIVE);
      return lostDrive(DRIVE);
    },
    'refuses if a folder of archives is empty': () => {
      clear();
      addArchives(12);
      unmount(PICTURES);
      return lost(PICTURES);
    },
    'refuses if most of a library folder is missing, but not a drive in it': () => {
      add(`${DRIVE}/One.mp4`);
      for (const name of ['Harbour Nine', 'Lanterna', 'Quiet Hill', 'Window Seat.mp4']) {
        vanish(`${FOLDER}/${name}`);
      }
      return lost(FOLDER);
    },
    'refuses if the disk of a library folder is missing, but not a drive in it with more files': () => {
      clear();
      addMany(FOLDER, 3);
      addMany(DRIVE, 30);
      for (let number = 1; number <= 3; number++) vanish(`${FOLDER}/${number}.mp4`);
      return lost(FOLDER);
    },
    'refuses if a subfolder with most files was deleted, because its disk may be missing': () => {
      clear();
      addMany(`${FOLDER}/Films`, 30);
      addMany(DRIVE, 10);
      vanish(`${FOLDER}/Films`);
      return lost(FOLDER);
    },
  };

  for (const release of RELEASES) {
    describe(`on ${release}`, () => {
      for (const [title, arrange] of Object.entries({ ...CLEANED, ...REFUSED })) {
        it(title, async () => {
          await connect({ release });
          const expected = arrange() ?? undefined;
          assert.equal(await refusal(), expected);
        });
      }
    });
  }

  describe('of one file', () => {
    const NOT_FILES = {
      ...Object.fromEntries(
        [204, 302, 400, 403, 404, 405, 410, 416, 429, 500, 502, 503].map((status) => [
          `status ${status}`,
          {
            ...text(status, status === 204 ? '' : 'no'),
            headers: { 'Content-Type': 'text/plain', Location: '/elsewhere' },
          },
        ]),
      ),
      'plain text': text(200, 'x'.repeat(4096)),
      'a web page': html(200, 'x'.repeat(4096)),
      JSON: json({}),
      'a file of another size': { status: 200, headers: { 'Content-Type': 'video/mp4' }, body: 'x' },
      'a drawing': { status: 200, headers: { 'Content-Type': 'image/svg+xml' }, body: '<svg/>' },
    };
    for (const [name, answer] of Object.entries(NOT_FILES)) {
      it(`goes on with another one after ${name}`, async () => {
        have(INNER, PICTURES);
        addMany(INNER, 3);
        add(`${PICTURES}/2.jpg`);
        stash.answerWith(answer, { path: '/scene/3/stream' });
        stash.answerWith(answer, { path: '/image/1/image' });
        assert.equal(await refusal(), undefined);
      });

      it(`refuses if it gets no more than ${name}`, async () => {
        for (const [folder, path] of [
          [INNER, '/scene/3/stream'],
          [PICTURES, '/image/1/image'],
        ] as const) {
          stash.answerNormally();
          have(folder);
          stash.answerWith(text(503, 'no'), { path: '/scene/3/stream.mp4' });
          stash.answerWith(answer, { path });
          assert.equal(await refusal(), lost(folder));
        }
      });
    }

    for (const [name, answer] of Object.entries({
      'status 400': text(400, 'no'),
      'a web page': html(200, 'x'.repeat(4096)),
      'nothing of it': { status: 200, headers: { 'Content-Type': 'video/mp4' }, body: '' },
    })) {
      it(`refuses if the server plays a transcode, and converts the file to ${name}`, async () => {
        have(INNER);
        transcode(INNER);
        stash.answerWith(answer, { path: '/scene/3/stream.mp4' });
        assert.equal(await refusal(), lost(INNER));
      });
    }

    it('raises the error for wrong credentials', async () => {
      stash.answerWith({ status: 401, headers: {}, body: '' }, { path: '/scene/3/stream' });
      have(INNER);
      assert.equal((await failure(check())).code, 'UNAUTHORIZED');
    });

    it('raises the error for a lost connection', async () => {
      stash.answerWith((_request, response) => void response.destroy(), { path: '/scene/3/stream' });
      have(INNER);
      assert.equal((await failure(check())).code, 'UNREACHABLE');
    });

    it('accepts a video of a type that only its content tells', async () => {
      have(`${FOLDER}/Quiet Hill`);
      for (const type of ['application/octet-stream', 'video/x-matroska', 'text/vnd.trolltech.linguist']) {
        const headers = { 'Content-Type': type, 'Content-Range': 'bytes 0-0/4096' };
        stash.answerWith({ status: 206, headers, body: 'x' }, { path: '/scene/4/stream' });
        assert.equal(await refusal(), undefined, type);
      }
    });

    it('does not take it for a proof if the server does not know its size', async () => {
      have(INNER);
      const scenes = [{ id: '3', files: [{ path: `${INNER}/Paper Moon.mp4`, size: null }] }];
      const data = { oldestScenes: { scenes }, newestScenes: { scenes }, randomScenes: { scenes } };
      const images = { images: [] };
      const none = { oldestImages: images, newestImages: images, randomImages: images };
      stash.answerWith(json({ data: { ...data, ...none } }), { field: 'findScenes' });
      assert.equal(await refusal(), lost(INNER));
    });
  });

  describe('of an item with several files', () => {
    it('leaves out one whose first file is elsewhere, because it is not lost', async () => {
      have(FOLDER, '/media/copies');
      add(`${INNER}/Two.mp4`, { copies: ['/media/copies/Two.mp4'] });
      vanish('/media/copies');
      assert.equal(await refusal(), undefined);
    });

    it('does not take a first file that is elsewhere for a proof', async () => {
      have('/media/copies');
      add('/media/copies/One.mp4');
      vanish('/media/copies');
      add(`${INNER}/Two.mp4`, { copies: ['/media/copies/Two.mp4'] });
      assert.equal(await refusal(), lost('/media/copies'));
    });

    it('does not take a first file in an inner folder for a proof of the outer one', async () => {
      have(FOLDER, INNER);
      clear();
      add(`${FOLDER}/One.mp4`);
      add(`${INNER}/Two.mp4`, { copies: [`${FOLDER}/Two.mp4`] });
      vanish(`${FOLDER}/One.mp4`);
      assert.equal(await refusal(), lost(FOLDER));
    });
  });

  describe('of some folders', () => {
    it('does not need the library folder around the one that they are in', async () => {
      have(FOLDER, INNER);
      unmount(FOLDER);
      assert.equal(await refusal([INNER]), lost(INNER));
      stash.library.reappear(FOLDER);
      for (const name of ['Harbour Nine', 'Quiet Hill', 'Window Seat.mp4']) vanish(`${FOLDER}/${name}`);
      assert.equal(await refusal([INNER]), undefined);
      assert.equal(await refusal([INNER, `${FOLDER}/Quiet Hill`]), lost(FOLDER));
    });

    it('does not need the drives beside them', async () => {
      addMany(DRIVE, 3);
      add(`${DRIVE}/deeper/1.mp4`);
      unmount(DRIVE);
      assert.equal(await refusal([INNER]), undefined);
      assert.equal(await refusal([DRIVE]), lostDrive(DRIVE));
      assert.equal(await refusal([`${DRIVE}/deeper`]), lostDrive(DRIVE));
    });
  });

  describe('of a given subfolder', () => {
    it('refuses if it is the place of a missing drive, whatever is around it', async () => {
      for (let number = 1; number <= 40; number++) addMany(`${FOLDER}/${number}`, 50);
      addMany(`${FOLDER}/1/drive`, 2);
      for (const folder of [`${FOLDER}/40`, `${FOLDER}/1/drive`]) {
        unmount(folder);
        assert.equal(await refusal([folder]), lostDrive(folder));
        stash.library.reappear(folder);
        assert.equal(await refusal([folder]), undefined);
      }
    });

    it('refuses if it is in a missing drive', async () => {
      add(`${INNER}/drive/deep/deeper/1.mp4`);
      add(`${INNER}/drive/2.mp4`);
      unmount(`${INNER}/drive`);
      assert.equal(await refusal([`${INNER}/drive/deep/deeper`]), lostDrive(`${INNER}/drive`));
    });

    it('refuses if a drive directly in it is missing', async () => {
      addMany(`${INNER}/drive`, 2);
      unmount(`${INNER}/drive`);
      assert.equal(await refusal([INNER]), lostDrive(`${INNER}/drive`));
    });

    it('lets a clean run if it was deleted, but not if the library folder is missing', async () => {
      addMany(DRIVE, 3);
      vanish(DRIVE);
      assert.equal(await refusal([DRIVE]), undefined);
      unmount(FOLDER);
      assert.equal(await refusal([DRIVE]), lost(FOLDER));
    });

    it('lets a clean run if its only film was deleted, or most of its subfolders', async () => {
      unmount(INNER);
      assert.equal(await refusal([INNER]), undefined);
      for (const number of [1, 2, 3]) addMany(`${FOLDER}/Show/Season ${number}`, 3);
      for (const number of [1, 2]) vanish(`${FOLDER}/Show/Season ${number}`);
      assert.equal(await refusal([`${FOLDER}/Show`]), undefined);
    });

    it('refuses if most of it is missing, and of what is around it', async () => {
      clear();
      addMany(`${FOLDER}/Shows/One`, 10);
      addMany(`${FOLDER}/Shows/drive`, 3);
      addMany(`${FOLDER}/Films`, 20);
      vanish(`${FOLDER}/Shows/One`);
      assert.equal(await refusal([`${FOLDER}/Shows`]), undefined);
      vanish(`${FOLDER}/Films`);
      assert.equal(await refusal([`${FOLDER}/Shows`]), lost(FOLDER));
    });

    it('checks all that the server takes for it: it ignores case, and has wildcards', async () => {
      have(FOLDER, '/media/A_b', '/media/a-B', '/media/a_B');
      for (const folder of ['/media/A_b', '/media/a-B', '/media/a_B']) addMany(folder, 2);
      unmount('/media/a-B');
      assert.equal(await refusal(['/media/A_b']), lost('/media/a-B'));
      assert.equal(await refusal([FOLDER]), undefined);
      stash.answerNormally();
      have(FOLDER, '/media/X', '/media/x');
      addMany('/media/X', 2);
      addMany('/media/x', 2);
      unmount('/media/x');
      assert.equal(await refusal(['/media/X']), lost('/media/x'));
    });

    it('ends if it is no longer in the library', async () => {
      have(PICTURES);
      vanish(FOLDER);
      assert.equal(await refusal([`${FOLDER}/Lanterna`]), lostDrive(INNER));
    });
  });

  describe('of a subfolder', () => {
    it('refuses if the server cannot list it, because it may be a broken drive', async () => {
      addMany(DRIVE, 3);
      vanish(DRIVE);
      const errors = [{ message: `open ${DRIVE}: input/output error` }];
      stash.answerWith(json({ data: null, errors }), { field: 'directory' });
      assert.equal(await refusal(), lostDrive(DRIVE));
    });

    it('lets a clean run if it is an archive that has changed', async () => {
      add(`${PICTURES}/set.zip/1.jpg`);
      add(`${PICTURES}/set.zip/2.jpg`);
      unmount(`${PICTURES}/set.zip`);
      const errors = [{ message: `readdirent ${PICTURES}/set.zip/: not a directory` }];
      stash.answerWith(json({ data: null, errors }), { field: 'directory' });
      assert.equal(await refusal(), undefined);
    });

    it('raises the error if the server does not say whether it exists', async () => {
      addMany(DRIVE, 3);
      unmount(DRIVE);
      stash.answerWith((_request, response) => void response.destroy(), { field: 'directory' });
      assert.equal((await failure(check())).code, 'UNREACHABLE');
    });

    it('finds a missing drive that has a tenth of a large library', async () => {
      for (let number = 1; number <= 90; number++) addMany(`${FOLDER}/film ${number}`, 1);
      addMany(DRIVE, 20);
      for (let number = 91; number <= 180; number++) addMany(`${FOLDER}/film ${number}`, 1);
      unmount(DRIVE);
      assert.equal(await refusal(), lostDrive(DRIVE));
    });
  });

  describe('of many files', () => {
    for (const [which, index] of [
      ['oldest', 0],
      ['twentieth oldest', 19],
      ['twentieth newest', -20],
      ['newest', -1],
    ] as const) {
      it(`is content with the ${which} one`, async () => {
        have(DRIVE);
        addMany(DRIVE, 80);
        const all = stash.library.all('scene').filter(({ path }) => path.startsWith(DRIVE));
        const there = all.at(index);
        for (const entry of all) if (entry !== there) vanish(entry.path);
        assert.equal(await refusal(), undefined);
      });
    }

    it('requests at most sixty', async () => {
      have(FOLDER);
      addMany(FOLDER, 200);
      unmount(FOLDER);
      await failure(check());
      assert.ok(reads().length <= 60, String(reads().length));
    });

    it('requests one of each subfolder, and of twenty at most, if they are there', async () => {
      have(FOLDER);
      for (let number = 1; number <= 50; number++) addMany(`${FOLDER}/film ${number}`, 3);
      await check();
      assert.equal(reads().length, 20);
    });
  });

  it('finds an empty library folder although it is spelled in another way', async () => {
    unmount(FOLDER);
    for (const folder of ['/media//videos/', '/media/./videos', '/media/videos//']) {
      have(folder);
      assert.equal(await refusal(), lost(folder));
      stash.answerNormally();
    }
  });

  it('excludes inner folders of Windows, whatever their case', async () => {
    have(String.raw`D:\Media`, String.raw`d:\media\Inner`);
    add(String.raw`D:\Media\One.mp4`);
    add(String.raw`D:\MEDIA\inner\Two.mp4`);
    vanish(String.raw`D:\Media\One.mp4`);
    assert.equal(await refusal(), lost(String.raw`D:\Media`));
  });
});
