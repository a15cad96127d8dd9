/** What may stand in braces in the template of a file name. */
export const placeholders = ['date', 'time', 'server', 'schema'] as const;

/** Characters that some system, mostly Windows, does not allow in a name, and those that make a name look different. */
export const NOT_ALLOWED = /[\p{Cc}\p{Cs}\p{Bidi_Control}/\\<>:"|?*]/gu;
/** The names of devices on Windows, with any extension. */
export const DEVICE = /^(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[\d¹²³])(?= *(?:\.|$))/i;
/** The longest name. Systems allow 255 bytes; temp files and shares with another encoding need some of them. */
export const MOST_BYTES = 240;

/** Returns whether every system allows a name, because people copy backups, and it cannot leave its folder. */
export function isFileName(name: string): boolean {
  const isFit = name !== '' && name.search(NOT_ALLOWED) < 0 && !/^\.|[. ]$/.test(name) && !DEVICE.test(name);
  return isFit && new TextEncoder().encode(name).length <= MOST_BYTES;
}
