import { send, text } from './answers';
import type { FakeStash } from './fake-stash';
import { type Entry, FOLDER, isFolder, PICTURE_FOLDER, stashOf } from './library';
import { poster } from './poster';
import type { SavedFilter } from './saved-filters';
import { sceneResolvers } from './scenes';
import { scan } from './tasks';

const [FIRST, SECOND] = [
  ['Quiet', 'Blue', 'Northern', 'Little', 'Paper', 'Winter', 'Open', 'Golden'],
  ['Harbour', 'Orchard', 'Lanterns', 'Ferry', 'Kitchen', 'Gardens', 'Windows', 'Canal'],
];

/** The titles of what arrives: each first word with each second one. After the last title, they begin again with a number. */
export const TITLES: readonly string[] = SECOND.flatMap((_, turn) =>
  FIRST.map((first, index) => `${first} ${SECOND[(index + turn * 3) % SECOND.length] ?? ''}`),
);

/** What somebody has saved on the list pages. */
const FILTERS: readonly SavedFilter[] = [
  {
    mode: 'SCENES',
    name: 'Unwatched',
    find_filter: { sort: 'created_at', direction: 'DESC' },
    object_filter: { play_count: { modifier: 'EQUALS', value: { value: 0 } } },
  },
  {
    mode: 'SCENES',
    name: 'Without a studio',
    find_filter: { sort: 'title', direction: 'ASC' },
    object_filter: { is_missing: { modifier: 'EQUALS', value: 'studio' } },
  },
  {
    mode: 'STUDIOS',
    name: 'Most scenes',
    find_filter: { sort: 'scenes_count', direction: 'DESC' },
    object_filter: { scene_count: { modifier: 'GREATER_THAN', value: { value: 0 } } },
  },
];

/** The player of Stash reports every ten seconds what is watched. */
const SECONDS = 10;
/** In such steps. Somebody watches for one of two minutes. */
const [MINUTE, TWO_MINUTES] = [6, 12];
/** In minutes: every so often, what arrives by itself is an image. */
const IMAGE_EVERY = 5;

/**
 * Brings a fake server to life, until the signal is aborted. Each scan finds a new file. Every minute the server itself scans, as a
 * plugin may do. Every two minutes somebody watches the newest scene. Identify has a source, list pages have saved filters, performers have pictures, and the plugin of the nodes is installed. A request to /demo/unmount removes the disk with the videos, and one
 * to /demo/mount brings it back.
 */
export function bringToLife(stash: FakeStash, signal: AbortSignal): void {
  const { library, jobs } = stash;
  const player = sceneResolvers(stash);
  let arrivals = 0;
  let steps = 0;
  let watched: Entry | undefined;

  /** Puts a new file on the disk: in a folder, or just this one. */
  function arrive(path: string): void {
    const folder = stashOf(path);
    if (!folder || library.filesBelow([path]).includes(path)) return;
    const round = Math.floor(arrivals / TITLES.length) + 1;
    const title = `${TITLES[arrivals % TITLES.length] ?? ''}${round > 1 ? ` ${round}` : ''}`;
    arrivals += 1;
    stash.arrive({
      ...(isFolder(path)
        ? { path: `${path}/${title}.${folder.excludeVideo ? 'jpg' : 'mp4'}`, title }
        : { path }),
      details: { seconds: 600 + ((arrivals * 437) % 3600) },
      modified: stash.clock.second(),
    });
  }

  /** Watches the newest scene for ten seconds, or what is watched already. */
  function watch(isFirst: boolean): void {
    const scenes = library.all('scene');
    if (isFirst) watched = scenes.at(-1);
    // A clean may have removed it.
    if (!watched || !scenes.includes(watched)) return;
    const { id, details } = watched;
    const { resumeTime = 0 } = library.changes.get(watched) ?? {};
    const resume_time = (resumeTime + SECONDS) % (details.seconds ?? 60);
    player.sceneSaveActivity({ id, resume_time, playDuration: SECONDS });
    if (isFirst) player.sceneAddPlay({ id });
  }

  function liveOn(): void {
    steps += 1;
    if (steps % MINUTE === 0) {
      const isImage = (steps / MINUTE) % IMAGE_EVERY === 0;
      jobs.add(scan(stash, [isImage ? PICTURE_FOLDER : FOLDER], { covers: true }));
    }
    const step = steps % TWO_MINUTES;
    if (step > 0 && step <= MINUTE) watch(step === 1);
    // Nobody reads them, and a demo may run for days.
    stash.requests.length = 0;
  }

  library.scans.listen((paths) => {
    for (const path of paths.length > 0 ? paths : [FOLDER]) arrive(path);
  }, signal);
  stash.answerWith(
    (request, response) => {
      library.unmount(FOLDER);
      send(request, response, text(200, `Stash does not find ${FOLDER} now.`));
    },
    { path: '/demo/unmount' },
  );
  stash.answerWith(
    (request, response) => {
      library.reappear(FOLDER);
      send(request, response, text(200, `Stash finds ${FOLDER} again.`));
    },
    { path: '/demo/mount' },
  );
  for (const filter of FILTERS) stash.filters.add(filter);
  // Examples need it, and a page with a film that obeys.
  stash.plugins = [...stash.plugins, { id: 'node-red', name: 'Node-RED', version: '1.0.0', tasks: [] }];
  stash.site.performers = stash.site.performers.map((performer, index) => ({
    ...performer,
    images: [`data:image/png;base64,${poster(performer.name, index).toString('base64')}`],
  }));
  stash.players = [{ id: 'demo', name: 'Firefox on Linux', scene: '1', state: 'playing', position: 42 }];
  // As a user has saved them on the page of the tasks.
  stash.defaults = { identify: { sources: [{ source: { scraper_id: 'builtin_autotag' } }] } };
  const timer = setInterval(liveOn, SECONDS * 1000);
  signal.addEventListener('abort', () => {
    clearInterval(timer);
  });
}
