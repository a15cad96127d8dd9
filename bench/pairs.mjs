// Compares two measurements on a busy machine: in pairs, one right after the other, with alternating order. The result is the
// median of the ratios within each pair.

/** Runs `ours` and `theirs` in `count` pairs; each resolves with a number. */
export async function measurePairs(count, ours, theirs) {
  const pairs = [];
  for (let index = 0; index < count; index += 1) {
    if (index % 2 === 0) {
      const first = await ours();
      pairs.push({ ours: first, theirs: await theirs() });
    } else {
      const first = await theirs();
      pairs.push({ ours: await ours(), theirs: first });
    }
  }
  return pairs;
}

/** Returns the medians of both, and the median, 10th and 90th percentile of the ratios. */
export function summarize(pairs) {
  const ratios = pairs.map(({ ours, theirs }) => ours / theirs);
  return {
    count: pairs.length,
    ours: quantile(
      pairs.map(({ ours }) => ours),
      0.5,
    ),
    theirs: quantile(
      pairs.map(({ theirs }) => theirs),
      0.5,
    ),
    ratio: quantile(ratios, 0.5),
    low: quantile(ratios, 0.1),
    high: quantile(ratios, 0.9),
  };
}

/** Returns the quantile `part` of the numbers. */
export function quantile(numbers, part) {
  const sorted = [...numbers].sort((a, b) => a - b);
  const place = (sorted.length - 1) * part;
  const below = Math.floor(place);
  const above = Math.ceil(place);
  return sorted[below] + (sorted[above] - sorted[below]) * (place - below);
}
