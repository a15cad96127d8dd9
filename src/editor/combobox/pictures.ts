import type { LoadPicture } from './entries';

/** How many pictures load at a time: a browser opens six connections to Node-RED, which other requests need, too. */
const AT_A_TIME = 2;

/** A place that waits for its picture. */
interface Waiting {
  place: Element;
  load: LoadPicture;
}

/** Loads the pictures of a list, only for the entries that people see. */
export class Pictures {
  readonly #observer: IntersectionObserver;
  readonly #loads = new Map<Element, LoadPicture>();
  /** The addresses of the loaded pictures, which stay in memory until they are revoked. */
  readonly #addresses = new Map<LoadPicture, string>();
  readonly #ending = new AbortController();
  #waiting: Waiting[] = [];
  #running = 0;

  /** @param list the element that scrolls. */
  constructor(list: Element) {
    this.#observer = new IntersectionObserver(
      (seen) => {
        for (const { target, isIntersecting } of seen) this.#see(target, isIntersecting);
      },
      { root: list },
    );
  }

  /** Loads a picture and puts it into its place, as soon as that is visible. */
  add(place: Element, load: LoadPicture): void {
    this.#loads.set(place, load);
    this.#observer.observe(place);
  }

  /** Forgets the places, because the list has new ones. */
  reset(): void {
    this.#observer.disconnect();
    this.#loads.clear();
    this.#waiting = [];
  }

  /** Ends all loading, and frees the memory of all pictures. */
  end(): void {
    this.reset();
    this.#ending.abort();
    for (const address of this.#addresses.values()) URL.revokeObjectURL(address);
    this.#addresses.clear();
  }

  #see(place: Element, isVisible: boolean): void {
    this.#waiting = this.#waiting.filter((one) => one.place !== place);
    const load = this.#loads.get(place);
    if (!isVisible || !load) return;
    this.#waiting.push({ place, load });
    this.#next();
  }

  #next(): void {
    const next = this.#running < AT_A_TIME ? this.#waiting.shift() : undefined;
    if (!next) return;
    const { place, load } = next;
    this.#running += 1;
    this.#observer.unobserve(place);
    void this.#addressOf(load).then((address) => {
      this.#running -= 1;
      if (address !== undefined) place.append(imageOf(address));
      this.#next();
    });
    this.#next();
  }

  async #addressOf(load: LoadPicture): Promise<string | undefined> {
    const known = this.#addresses.get(load);
    if (known !== undefined) return known;
    const picture = await load(this.#ending.signal);
    if (!picture || this.#ending.signal.aborted) return undefined;
    const address = URL.createObjectURL(picture);
    this.#addresses.set(load, address);
    return address;
  }
}

function imageOf(address: string): HTMLImageElement {
  const image = new Image();
  image.alt = '';
  image.src = address;
  // The place stays empty for what the browser cannot read.
  image.addEventListener('error', () => {
    image.remove();
  });
  return image;
}
