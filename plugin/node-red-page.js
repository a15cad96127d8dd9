// Runs in each page of Stash. Tells what its player does: a film plays, is paused, or is gone. While there is a film, obeys commands.
(function () {
  'use strict';

  /** Stash's player. Other videos of its pages are previews. */
  const PLAYER = '.VideoPlayer';
  /** A click on the time line pauses a film and lets it go on. In milliseconds. */
  const SETTLED = 300;
  /** To seek in a film that is transcoded, the player loads it once more. In milliseconds. */
  const RELOADED = 2000;
  /** As often as Stash's player saves where it is. In milliseconds. */
  const INTERVAL = 10_000;
  /** A page that stands still for longer has not played meanwhile. In seconds. */
  const STANDSTILL = 5;
  /** Between two polls for commands. In milliseconds. */
  const POLL = 2000;
  /** How long a message stands over the film. In milliseconds. */
  const SHOWN = 10_000;
  const EVENTS = ['pause', 'waiting', 'timeupdate', 'ended', 'emptied'];

  const id = Math.random().toString(36).slice(2, 12);
  const followed = new WeakSet();
  /** What is played: `{ video, scene, position, seconds, runsSince, emitted, emittedAt }`; undefined without a film. */
  let film;
  let count = 0;
  let timer;
  let isPolling = false;

  document.addEventListener('playing', ({ target }) => begin(target), true);
  window.addEventListener('pagehide', end);

  function begin(video) {
    const scene = sceneOfPage();
    if (!scene || !video.closest(PLAYER)) return;
    if (film && (film.scene !== scene || film.video !== video)) end();
    film ??= { video, scene, seconds: 0 };
    // A video that was taken out of the page is heard only there.
    if (!followed.has(video)) for (const type of EVENTS) video.addEventListener(type, onEvent);
    followed.add(video);
    onEvent({ type: 'playing', target: video });
    if (!isPolling) void poll();
  }

  function sceneOfPage() {
    return /\/scenes\/(\d+)/.exec(location.pathname)?.[1];
  }

  function onEvent({ type, target }) {
    if (target !== film?.video) return;
    if (type !== 'emptied' && target.isConnected) measure();
    if (target.ended || !target.isConnected || film.scene !== sceneOfPage()) end();
    else if (type !== 'timeupdate') {
      clearTimeout(timer);
      timer = setTimeout(emitIfNew, type === 'emptied' ? RELOADED : SETTLED);
    } else if (film.emitted && film.emittedAt + INTERVAL < performance.now()) emit(stateOf(film));
  }

  /** Takes where the film is, and adds to how long it has run. */
  function measure() {
    const { video, runsSince } = film;
    // A film that is transcoded from the middle on begins at 0 for the browser, but not for Stash's player.
    film.position = playerOf(video)?.currentTime() ?? video.currentTime;
    // The clock of the machine may be set.
    const now = performance.now() / 1000;
    if (runsSince !== undefined) film.seconds += Math.min(now - runsSince, STANDSTILL);
    film.runsSince = video.paused || video.ended || video.readyState < 3 ? undefined : now;
  }

  /** The player of video.js, which Stash's pages use. */
  function playerOf(video) {
    return video.closest('.video-js')?.player;
  }

  function emitIfNew() {
    if (film.emitted !== stateOf(film)) emit(stateOf(film));
  }

  function stateOf({ video }) {
    return video.paused ? 'paused' : 'playing';
  }

  function end() {
    clearTimeout(timer);
    if (film?.emitted) emit('gone');
    film = undefined;
  }

  /** @param command the ID of the command that it obeys, if it does. */
  function emit(state, command) {
    const { scene, position, seconds } = film;
    film.emitted = state;
    film.emittedAt = performance.now();
    const player = { id, count: ++count, name: name(), scene, state, position, seconds, command };
    request('mutation ($args: Map) { runPluginOperation(plugin_id: "node-red", args: $args) }', {
      args: { player },
    }).catch(() => undefined);
  }

  /** Obeys the commands that come into the plugin's settings while there is a film. What stands there at first is for an earlier one. */
  async function poll() {
    isPolling = true;
    for (let known; film; await new Promise((resolve) => setTimeout(resolve, POLL))) {
      const commands = await standing().catch(() => undefined);
      for (const command of commands ?? []) {
        // Not awaited: a film whose data do not come neither plays nor refuses to.
        if (film && known && !known.includes(command.id)) obey(command).catch(() => undefined);
      }
      known = commands?.map((command) => command.id) ?? known;
    }
    isPolling = false;
  }

  async function standing() {
    const { data } = await request('{ configuration { plugins(include: ["node-red"]) } }');
    const commands = JSON.parse(data.configuration.plugins['node-red']?.commands ?? '[]');
    // Whoever may use Stash can have set anything.
    return commands.filter((command) => command?.id);
  }

  async function obey({ id: command, player, action, value }) {
    const { video, scene } = film;
    if (player && player !== id) return;
    // A browser may refuse it in a page in which nobody has clicked.
    if (action === 'play') await video.play();
    else if (action === 'seek') playerOf(video).currentTime(Number(value));
    else if (action === 'message') show(String(value));
    else if (action === 'pause' || action === 'stop') video.pause();
    else return;
    if (film?.scene !== scene) return;
    measure();
    emit(stateOf(film), command);
    if (action === 'stop') location.assign(new URL('scenes', document.baseURI));
  }

  /** Shows a text over the film, also in full screen. */
  function show(text) {
    const box = document.createElement('div');
    box.textContent = text;
    box.style.cssText =
      'position: absolute; z-index: 9; top: 5%; left: 10%; right: 10%; padding: 0.6em; border-radius: 0.4em; pointer-events: none; background: rgba(0, 0, 0, 0.75); color: #fff; font: 24px sans-serif; text-align: center; overflow-wrap: anywhere';
    film.video.parentElement.append(box);
    setTimeout(() => box.remove(), SHOWN);
  }

  async function request(query, variables) {
    const response = await fetch(new URL('graphql', document.baseURI), {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ query, variables }),
      keepalive: true,
    });
    return await response.json();
  }

  /** "Firefox on Linux". */
  function name() {
    const first = (names) => names.find(([, pattern]) => pattern.test(navigator.userAgent))?.[0];
    const browser = first([
      ['Edge', /Edg/],
      ['Opera', /OPR/],
      ['Samsung Internet', /SamsungBrowser/],
      ['Firefox', /Firefox|FxiOS/],
      ['Chrome', /Chrome|CriOS/],
      ['Safari', /Safari/],
    ]);
    const system = first([
      ['Android', /Android/],
      ['iOS', /iPhone|iPad/],
      ['Windows', /Windows/],
      ['macOS', /Mac OS/],
      ['Linux', /Linux/],
    ]);
    return [browser ?? 'a browser', system].filter(Boolean).join(' on ');
  }
})();
