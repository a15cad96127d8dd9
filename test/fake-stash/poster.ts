import { crc32, deflateSync } from 'node:zlib';

const [WIDTH, HEIGHT] = [320, 180];
/** In pixels: the margin of the title, and the size of a dot of its letters. */
const [MARGIN, DOT] = [20, 4];
/** In dots: the height of a line. In letters: the longest line. */
const [LINE, LONGEST, MOST_LINES] = [9, 12, 3];
/** The columns of what is no letter here. */
const SPACE = [0, 0];
const WHITE = [255, 255, 255];

/** Each letter, followed by its columns of seven dots, the upper one in the lowest bit. Empty columns are left out. */
const LETTERS = new Map(
  `!5f &3649552250 '07 (1c2241 )41221c ,5030 -080808 .6060 :3636 ?0201590906
  03e5149453e 1427f40 27249494946 32141494d33 41814127f10 52745454539 63c4a494931 74121110907 83649494936 9464949291e
  A7c1211127c B7f49494936 C3e41414122 D7f4141413e E7f49494941 F7f09090901 G3e41415172 H7f0808087f I417f41
  J2040413f01 K7f08142241 L7f40404040 M7f020c027f N7f0408107f O3e4141413e P7f09090906 Q3e4151215e R7f09192946
  S4649494931 T01017f0101 U3f4040403f V1f2040201f W3f4038403f X6314081463 Y0708700807 Z6151494543`
    .split(/\s+/)
    .map((word) => [word.slice(0, 1), Array.from(Buffer.from(word.slice(1), 'hex'))]),
);

type Colour = readonly number[];

const drawn = new Map<string, Buffer>();

/** Returns a small picture with a title on it, as a PNG file. The number decides its colours. */
export function poster(title: string, number: number): Buffer {
  const name = `${number} ${title}`;
  const file = drawn.get(name) ?? draw(title, number);
  drawn.set(name, file);
  return file;
}

function draw(title: string, number: number): Buffer {
  const picture = new Picture();
  const hue = (number * 47) % 360;
  const [sky, ground, moon] = [colour(hue, 0.5), colour(hue + 40, 0.22), colour(hue + 20, 0.68)];
  for (let y = 0; y < HEIGHT; y++) {
    const background = sky.map((value, index) => value + (((ground[index] ?? 0) - value) * y) / HEIGHT);
    for (let x = 0; x < WIDTH; x++) picture.paint(x, y, background);
  }
  const radius = 34;
  const [middle, height] = [190 + ((number * 53) % 90), 50 + ((number * 31) % 30)];
  for (let y = -radius; y <= radius; y++) {
    for (let x = -radius; x <= radius; x++)
      picture.paint(middle + x, height + y, moon, radius - Math.hypot(x, y));
  }
  letter(picture, title);
  return picture.png();
}

/** Writes a title at the lower edge of a picture. */
function letter(picture: Picture, title: string): void {
  const lines = linesOf(title).map((line) =>
    Array.from(line).flatMap((each) => [...(LETTERS.get(each) ?? SPACE), 0]),
  );
  const dot = (x: number, y: number) => ((lines[Math.floor(y / LINE)]?.[x] ?? 0) >> (y % LINE)) & 1;
  const tall = lines.length * LINE * DOT;
  for (let row = -DOT; row < tall; row++) {
    for (let column = -DOT; column < WIDTH - MARGIN; column++) {
      // What is between the middles of four dots makes letters without steps.
      const [left, upper] = [Math.floor(column / DOT), Math.floor(row / DOT)];
      const [right, lower] = [column / DOT - left, row / DOT - upper];
      const above = dot(left, upper) * (1 - right) + dot(left + 1, upper) * right;
      const below = dot(left, upper + 1) * (1 - right) + dot(left + 1, upper + 1) * right;
      const cover = (above * (1 - lower) + below * lower - 0.4) * DOT + 0.5;
      picture.paint(MARGIN + column, HEIGHT - MARGIN - tall + row, WHITE, cover);
    }
  }
}

/** Breaks a title into lines of capital letters. */
function linesOf(title: string): string[] {
  const lines: string[] = [];
  for (const word of title.normalize('NFD').replace(/\p{M}/gu, '').toUpperCase().split(/\s+/)) {
    const longer = `${lines.at(-1) ?? ''} ${word}`;
    if (lines.length > 0 && longer.length <= LONGEST) lines[lines.length - 1] = longer;
    else lines.push(word);
  }
  return lines.slice(0, MOST_LINES);
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
