// Measuring two things against each other on a machine that does other work too: always in pairs, one right after the
// other, in turns the one or the other first. What counts is the ratio within each pair, and of those the median.

/** Runs `ours` and `theirs` in `count` pairs; each gives a number. */
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

/** The medians of both, and the median of the ratios with the tenth and the ninetieth percentile. */
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

/** The number below which that `part` of the numbers is. */
export function quantile(numbers, part) {
  const sorted = [...numbers].sort((a, b) => a - b);
  const place = (sorted.length - 1) * part;
  const below = Math.floor(place);
  const above = Math.ceil(place);
  return sorted[below] + (sorted[above] - sorted[below]) * (place - below);
}
