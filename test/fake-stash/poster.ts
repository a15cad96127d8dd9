import { crc32, deflateSync } from 'node:zlib';

const [WIDTH, HEIGHT] = [320, 180];

type Colour = readonly number[];

const drawn = new Map<string, Buffer>();

/** Returns a small picture of hills below a moon, as a PNG file. The title and the number decide what it looks like. */
export function poster(title: string, number: number): Buffer {
  const name = `${number} ${title}`;
  const file = drawn.get(name) ?? draw(title, number);
  drawn.set(name, file);
  return file;
}

function draw(title: string, number: number): Buffer {
  const picture = new Picture();
  const seed = crc32(title);
  const hue = (number * 47) % 360;
  const [zenith, horizon, moon] = [colour(hue, 0.42), colour(hue + 40, 0.7), colour(hue + 20, 0.82)];
  for (let y = 0; y < HEIGHT; y++) {
    const sky = zenith.map((value, index) => value + (((horizon[index] ?? 0) - value) * y) / HEIGHT);
    for (let x = 0; x < WIDTH; x++) picture.paint(x, y, sky);
  }
  const radius = 16 + (seed % 14);
  const [middle, height] = [50 + ((number * 53 + seed) % 220), 40 + ((number * 31) % 30)];
  for (let y = -radius; y <= radius; y++) {
    for (let x = -radius; x <= radius; x++)
      picture.paint(middle + x, height + y, moon, radius - Math.hypot(x, y));
  }
  // From the farthest hills to the nearest.
  for (let hills = 0; hills < 3; hills++) {
    const paint = colour(hue + 40 - hills * 15, 0.5 - hills * 0.15);
    const phase = seed / (100 * (hills + 1));
    for (let x = 0; x < WIDTH; x++) {
      const wave = Math.sin(x / (34 + hills * 12) + phase) + Math.sin(x / 19 + 2 * phase) / 3;
      const ridge = 92 + hills * 28 + wave * (15 - hills * 3);
      for (let y = Math.floor(ridge); y < HEIGHT; y++) picture.paint(x, y, paint, y + 1 - ridge);
    }
  }
  return picture.png();
}

/** Returns a soft colour by its hue in degrees and its lightness. */
function colour(hue: number, lightness: number): Colour {
  const strength = 0.4 * Math.min(lightness, 1 - lightness);
  return [0, 8, 4].map((offset) => {
    const place = (offset + hue / 30) % 12;
    return 255 * (lightness - strength * Math.max(-1, Math.min(place - 3, 9 - place, 1)));
  });
}

class Picture {
  // Each row begins with its filter: none.
  readonly #bytes = Buffer.alloc(HEIGHT * (1 + WIDTH * 3));

  /** Paints a pixel. @param cover how much of what is there is covered, from 0 to 1. */
  paint(x: number, y: number, paint: Colour, cover = 1): void {
    if (cover <= 0) return;
    const at = y * (1 + WIDTH * 3) + 1 + x * 3;
    for (let index = 0; index < 3; index++) {
      const before = this.#bytes[at + index] ?? 0;
      this.#bytes[at + index] = before + ((paint[index] ?? 0) - before) * Math.min(cover, 1);
    }
  }

  png(): Buffer {
    const header = Buffer.alloc(13);
    header.writeUInt32BE(WIDTH, 0);
    header.writeUInt32BE(HEIGHT, 4);
    header.set([8, 2], 8); // eight bits for each of three colours
    return Buffer.concat([
      Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
      chunk('IHDR', header),
      chunk('IDAT', deflateSync(this.#bytes)),
      chunk('IEND', Buffer.alloc(0)),
    ]);
  }
}

function chunk(type: string, data: Buffer): Buffer {
  const content = Buffer.concat([Buffer.from(type), data]);
  const [length, checksum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  checksum.writeUInt32BE(crc32(content));
  return Buffer.concat([length, content, checksum]);
}
