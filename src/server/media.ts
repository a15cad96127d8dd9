import type { Call } from '../call';
import { Chunks } from '../chunks';
import { type Pictured, picturePath } from '../contract/pictures';
import { StashError } from '../errors';
import type { StashClientOptions } from '../graphql';
import type { Address, Receive, RequestTrace } from '../http';
import { timing } from '../timing';

/** The items with a file that the server serves. */
type MediaKind = 'scene' | 'image';

/** The largest picture to read, in bytes. */
const LARGEST_PICTURE = 10 * 1024 * 1024;

/**
 * The types of their files. The server derives a type from the ending of the name, by tables of its system, some of which take
 * `.ts` for a translation, `.mts` for a model and `.rm` for sound. It reads the content if they do not have the ending.
 */
const FILE_TYPES = {
  scene: /^(audio|model|video)\/|^application\/(octet-stream|mxf|ogg|vnd\.|x-)|linguist$/,
  image: /^(image|video)\/|^application\/octet-stream$/,
} as const;

export interface Picture {
  content: Buffer;
  /** Its media type in lower case, without parameters. */
  type: string;
}

interface MediaRequest {
  /** Below the configured address, at which all releases serve it. */
  path: string;
  /** How many bytes to request; all by default. */
  length?: number;
  /** Takes the response. It may call `stop`, which ends the request when it returns, because the rest need not be read. */
  receive: (stop: () => void) => Receive;
  /** In seconds. */
  timeout: number;
  call: Call;
}

/** Reads the files of scenes and images, only from the configured address. */
export class Media {
  readonly #address: Address;
  readonly #connection: Readonly<StashClientOptions>;

  constructor(address: Address, connection: Readonly<StashClientOptions>) {
    this.#address = address;
    this.#connection = connection;
  }

  /**
   * Returns whether the server has the file of a scene or an image. It provides all its bytes, of which this requests the first,
   * as a type that such files have. Or it can convert a scene's file: it plays a transcode instead of some scenes, also when
   * their files are missing (seen on v0.11 to v0.30). Any other response is no proof.
   * @param size the size of the file in bytes.
   * @throws {StashError} if there is no response, or one that requires other credentials.
   * @throws the reason of the call's signal, once it is aborted.
   */
  async findFile(kind: MediaKind, id: string, size: number, call: Call): Promise<boolean> {
    let length = 0;
    let isMedia = false as boolean;
    const path = `/${kind}/${id}/${kind === 'scene' ? 'stream' : 'image'}`;
    await this.#probe(kind, path, call, (stop) => ({ status, header }) => {
      if (status !== 200 && status !== 206) return undefined;
      isMedia = FILE_TYPES[kind].test(mediaType(header('content-type')));
      const [, total] = /\/(\d+)$/.exec(header('content-range')) ?? [];
      length = Number(total ?? header('content-length'));
      // A proxy may ignore the range and send the whole file.
      if (!isMedia || length > 0 || size > LARGEST_PICTURE) stop();
      // Before v0.21, the length of an image in an archive is unknown until all of it has arrived.
      return {
        take: (chunk) => {
          length += chunk.length;
          if (length > size) stop();
          return undefined;
        },
      };
    });
    if (!isMedia || length === size || kind === 'image') return isMedia && length === size;
    return await this.#canConvert(id, call);
  }

  /** Returns whether the server can convert the file of a scene. It begins a response before it opens the file. */
  async #canConvert(id: string, call: Call): Promise<boolean> {
    let isConverted = false as boolean;
    await this.#probe('scene', `/scene/${id}/stream.mp4`, call, (stop) => ({ status, header }) => {
      if (status !== 200 || mediaType(header('content-type')) !== 'video/mp4') return undefined;
      return {
        take: () => {
          isConverted = true;
          stop();
          return undefined;
        },
      };
    });
    return isConverted;
  }

  /** Requests the first byte of a file. @throws {StashError} as `findFile`. */
  async #probe(kind: MediaKind, path: string, call: Call, receive: MediaRequest['receive']): Promise<void> {
    try {
      await this.#read(kind, { path, length: 1, receive, timeout: this.#connection.timeouts.query, call });
    } catch (error) {
      call.signal.throwIfAborted();
      const isResponse = error instanceof StashError && error.status !== null;
      if (!isResponse || error.code === 'UNAUTHORIZED') throw error;
    }
  }

  /**
   * Returns the picture of an item, such as the cover of a scene. Null if there is none: the server has no file, sends
   * its own drawing instead (an SVG, since v0.17), sends a video, or the picture is too large or takes too long.
   * @param largest its largest size in bytes: 10 MiB by default.
   * @param accepts returns by its type whether it is a picture of the item.
   * @throws {StashError} UNREACHABLE if the connection failed, CLOSED.
   * @throws the reason of the call's signal, once it is aborted.
   */
  async picture(
    pictured: Pictured,
    call: Call,
    largest = LARGEST_PICTURE,
    accepts = isPicture,
  ): Promise<Picture | null> {
    const chunks = new Chunks();
    let type = '';
    const receive: MediaRequest['receive'] =
      (stop) =>
      ({ status, header }) => {
        if (status !== 200) return undefined;
        type = mediaType(header('content-type'));
        if (!accepts(type)) stop();
        return {
          take: (chunk) => {
            if (chunks.length + chunk.length > largest) stop();
            chunks.append(chunk);
            return undefined;
          },
        };
      };
    const path = picturePath(pictured);
    const timeout = Math.min(this.#connection.timeouts.query, timing.picture / 1000);
    try {
      const isComplete = await this.#read(pictured.kind, { path, receive, timeout, call });
      return isComplete && chunks.length > 0 ? { content: chunks.drainWhole(), type } : null;
    } catch (error) {
      call.signal.throwIfAborted();
      const isBroken = !(error instanceof StashError) || ['UNREACHABLE', 'CLOSED'].includes(error.code);
      if (isBroken) throw error;
      return null;
    }
  }

  /** Sends a GET. @returns whether the whole response was read. @throws {StashError} */
  async #read(
    kind: Pictured['kind'],
    { path, length, receive, timeout, call }: MediaRequest,
  ): Promise<boolean> {
    const { transport, tasks, log } = this.#connection;
    const start = performance.now();
    const trace: RequestTrace = { sent: false };
    const stopping = new AbortController();
    try {
      await tasks.run(
        call.signal,
        (signal) =>
          transport.get({
            path: this.#address.pathOf(path),
            offset: 0,
            ...(length !== undefined && { length }),
            receive: receive(() => stopping.abort()),
            signal: AbortSignal.any([signal, stopping.signal]),
            trace,
          }),
        timeout,
      );
      return true;
    } catch (error) {
      if (stopping.signal.aborted) return false;
      throw error;
    } finally {
      log.write(`read ${kind}`, trace, start);
    }
  }
}

function mediaType(contentType: string): string {
  return contentType.replace(/;.*/, '').trim().toLowerCase();
}

function isPicture(type: string): boolean {
  // A flow may put the type into a web page.
  return /^image\/(?!svg)[\w.+-]+$/.test(type);
}
