/** Returns a source of random choices, the same for the same seed (mulberry32). */
export function randomFrom(seed) {
  let state = seed;
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  return {
    chance: (share) => next() < share,
    between: (least, most) => least + next() * (most - least),
    pick: (all) => all[Math.floor(next() * all.length)],
    weighted: (all, shares) => {
      let left = next() * shares.reduce((sum, share) => sum + share, 0);
      return all.find((_, index) => (left -= shares[index]) < 0) ?? all.at(-1);
    },
  };
}
