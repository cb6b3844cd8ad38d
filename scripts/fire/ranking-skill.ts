/** A score, with the number of fires and the amount of land that have it. */
export interface Scored {
  readonly score: number;
  readonly fires: number;
  readonly land: number;
  /** Name of the block; the bootstrap draws the land of one block together. */
  readonly block: string;
}

/**
 * Probability that the land of a random fire has a higher score than random land; ties count half. NaN without fires.
 */
export function areaUnderCurve(
  scored: readonly Scored[],
  weight: (item: Scored) => number = () => 1,
): number {
  const sorted = [...scored].sort((a, b) => a.score - b.score);
  let below = 0;
  let fires = 0;
  let won = 0;
  for (let i = 0; i < sorted.length;) {
    let tiedLand = 0;
    let tiedFires = 0;
    const { score } = sorted[i]!;
    for (; i < sorted.length && sorted[i]!.score === score; i++) {
      tiedLand += sorted[i]!.land * weight(sorted[i]!);
      tiedFires += sorted[i]!.fires * weight(sorted[i]!);
    }
    won += tiedFires * (below + tiedLand / 2);
    below += tiedLand;
    fires += tiedFires;
  }
  return won / (fires * below);
}

/** Area under the curve, with its 5th and 95th percentile over bootstrap draws of whole blocks. */
export function areaUnderCurveInterval(
  scored: readonly Scored[],
  draws = 1000,
): { readonly auc: number; readonly low: number; readonly high: number } {
  const blocks = [...new Set(scored.map((item) => item.block))];
  const random = generator(20261121);
  const found: number[] = [];
  for (let d = 0; d < draws; d++) {
    const drawn = new Map<string, number>();
    for (let i = 0; i < blocks.length; i++) {
      const block = blocks[Math.floor(random() * blocks.length)]!;
      drawn.set(block, (drawn.get(block) ?? 0) + 1);
    }
    found.push(areaUnderCurve(scored, (item) => drawn.get(item.block) ?? 0));
  }
  found.sort((a, b) => a - b);
  return {
    auc: areaUnderCurve(scored),
    low: found[Math.floor(0.05 * draws)]!,
    high: found[Math.floor(0.95 * draws)]!,
  };
}

/** Uniform numbers in [0, 1) from a seed (mulberry32). */
export function generator(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
