/** The items with a picture, by the names in their addresses, and the name of that picture (all releases). */
const pictureNames = {
  scene: 'screenshot',
  image: 'thumbnail',
  studio: 'image',
  performer: 'image',
  tag: 'image',
  group: 'frontimage',
  movie: 'frontimage',
} as const;

/** An item whose picture the server serves. */
export interface Pictured {
  kind: keyof typeof pictureNames;
  id: string;
}

/** Returns the address of the picture of an item, below that of the server. */
export function picturePath({ kind, id }: Pictured): string {
  return `/${kind}/${id}/${pictureNames[kind]}`;
}

/** Returns the item whose picture has this address; undefined for any other text. */
export function picturedIn(address: string): Pictured | undefined {
  const [, kind = '', id = '', name] = /\/([a-z]+)\/(\d{1,18})\/([a-z]+)(?:\?.*)?$/.exec(address) ?? [];
  const isKind = (text: string): text is Pictured['kind'] => text in pictureNames;
  return isKind(kind) && pictureNames[kind] === name ? { kind, id } : undefined;
}
