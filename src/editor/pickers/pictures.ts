import { postOf } from '../request';
import type { ServerReference } from '../server';
import type { LoadPicture } from './entries';

/** How many pictures load at a time: a browser opens six connections to Node-RED, which other requests need, too. */
const AT_A_TIME = 2;

/** Loads the pictures of a list, only for the entries that people see. */
export class Pictures {
  readonly #observer: IntersectionObserver;
  readonly #loads = new Map<Element, LoadPicture>();
  /** The addresses of the loaded pictures, which stay in memory until they are revoked. */
  #addresses: string[] = [];
  /** Ends the loading for the places that the list has now. */
  #ending = new AbortController();
  /** The places that wait for their picture. */
  #waiting: { place: Element; load: LoadPicture }[] = [];
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

  /** Ends all loading, frees the memory of all pictures, and discards the places, because the list has new ones or none. */
  reset(): void {
    this.#observer.disconnect();
    this.#loads.clear();
    this.#waiting = [];
    this.#ending.abort();
    this.#ending = new AbortController();
    for (const address of this.#addresses) URL.revokeObjectURL(address);
    this.#addresses = [];
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
    const { signal } = this.#ending;
    void load(signal).then((picture) => {
      this.#running -= 1;
      if (picture && !signal.aborted) {
        const address = URL.createObjectURL(picture);
        this.#addresses.push(address);
        place.append(imageOf(address));
      }
      this.#next();
    });
    this.#next();
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

/** Returns what loads the picture at an address of the server. An image with an address could not send the editor's token. */
export function pictureAt({ id, content }: ServerReference, path: string): LoadPicture {
  const question = { id, path };
  // A browser keeps only what it gets, and an address must have no credentials.
  const method = content ? postOf({ ...question, content }) : { data: question };
  return (signal) =>
    new Promise((resolve) => {
      const request = $.ajax({
        url: 'stash-server/picture',
        ...method,
        xhrFields: { responseType: 'blob' },
      });
      signal.addEventListener('abort', () => {
        request.abort();
      });
      void request.then(
        // Nothing, if there is none.
        (picture: unknown) => {
          resolve(picture instanceof Blob ? picture : undefined);
        },
        () => {
          resolve(undefined);
        },
      );
    });
}
