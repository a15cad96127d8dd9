import type { FakeStash } from '../fake-stash/fake-stash';
import type { Entry } from '../fake-stash/library';
import { sceneResolvers } from '../fake-stash/scenes';

/** How often the player of Stash saves where it is, in seconds. */
const SAVES_EVERY = 10;

/** Watches scenes of a fake server as the player of Stash does (v0.18 to v0.30). Time passes by calls of `tick`. */
export class Viewer {
  readonly #player: ReturnType<typeof sceneResolvers>;
  readonly #stash: FakeStash;
  #scene: Entry | undefined;
  #isPlaying = false;
  /** What was watched on this page, and what of it is not saved yet, in seconds. */
  #played = 0;
  #unsaved = 0;
  #isCounted = false;
  position = 0;

  constructor(stash: FakeStash) {
    this.#stash = stash;
    this.#player = sceneResolvers(stash);
  }

  /** Opens the page of a scene. */
  open(id: string, position = 0): void {
    this.pause();
    this.#scene = this.#stash.library.all('scene').find((entry) => entry.id === id);
    this.position = position;
    this.#played = this.#unsaved = 0;
    this.#isCounted = false;
  }

  play(): void {
    this.#isPlaying = true;
  }

  /** Stops, at the end of the scene as well. What is not saved yet is saved. */
  pause(): void {
    if (this.#isPlaying && this.#played > 0) this.#save();
    this.#isPlaying = false;
  }

  /** A second passes. */
  tick(): void {
    if (!this.#isPlaying) return;
    this.position = Math.min(this.position + 1, this.#seconds);
    this.#played += 1;
    this.#unsaved += 1;
    if (this.#played % SAVES_EVERY === 0) this.#save();
    if (this.position === this.#seconds) this.pause();
  }

  get isPlaying(): boolean {
    return this.#isPlaying;
  }

  get #seconds(): number {
    return this.#scene?.details.seconds ?? 60;
  }

  #save(): void {
    const id = this.#scene?.id;
    if (id === undefined) return;
    if (!this.#isCounted) this.#player.sceneAddPlay({ id });
    this.#isCounted = true;
    const resume_time = this.position / this.#seconds >= 0.98 ? 0 : this.position;
    this.#player.sceneSaveActivity({ id, resume_time, playDuration: this.#unsaved });
    this.#unsaved = 0;
  }
}
