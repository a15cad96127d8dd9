/** The patterns of programs that many people use. The last one is of rsync. */
export const usualTemporaryNames =
  '*.part *.partial *.filepart *.crdownload *.opdownload *.download *.!qB *.!ut *.aria2 *.tmp *.temp ' +
  '_UNPACK_* .syncthing.*.tmp .*.??????';

/** The names that programs give to files until they are complete. */
export class TemporaryNames {
  readonly patterns: string;
  readonly #expressions: readonly RegExp[];

  /**
   * @param patterns such as `*.part _UNPACK_*`, separated by white space or commas. `*` stands for the final name and `?` for
   * any character; a pattern without `*` is the end of a name. Letter case does not matter.
   */
  constructor(patterns: string) {
    this.patterns = patterns;
    this.#expressions = patterns
      .split(/[\s,]+/u)
      .flatMap((pattern) => (pattern ? [expressionOf(pattern)] : []));
  }

  /** Returns the name that a temporary file gets once it is complete; undefined for any other name. */
  finalName(name: string): string | undefined {
    let shortest: string | undefined;
    for (const expression of this.#expressions) {
      const final = expression.exec(name)?.[1];
      if (final === '.' || final === '..') continue;
      // `.syncthing.a.mp4.tmp` also fits `*.tmp`, which is less exact.
      if (final !== undefined && final.length < (shortest?.length ?? Infinity)) shortest = final;
    }
    return shortest;
  }
}

function expressionOf(pattern: string): RegExp {
  const at = pattern.indexOf('*');
  const [before, after] = at < 0 ? ['', pattern] : [pattern.slice(0, at), pattern.slice(at + 1)];
  return new RegExp(`^${literal(before)}(.+)${literal(after)}$`, 'isu');
}

function literal(text: string): string {
  return text.replace(/[$()*+./[\\\]^{|}]/g, '\\$&').replaceAll('?', '.');
}
