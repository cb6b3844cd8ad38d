/** Bytes that outgrow every cache of one core. */
const BYTES = 128 * 1024 * 1024;
const ROUNDS = 100;

/** The most of something done in a microsecond, over a few rounds. */
function best(amount: number, work: () => void): number {
  let fastest = Infinity;
  for (let round = 0; round < ROUNDS; round++) {
    const from = performance.now();
    work();
    fastest = Math.min(fastest, performance.now() - from);
  }
  return amount / fastest / 1000;
}

/** What one core moves [GB/s]: a copy reads and writes every byte. */
export function bandwidth(): number {
  const from = new Uint8Array(BYTES).fill(1);
  const to = new Uint8Array(BYTES).fill(2);
  return best((2 * BYTES) / 1000, () => to.set(from));
}

/**
 * How many series one core can fetch one sample of [10^6/s], each of a scene of its own: a wait for memory that no
 * arithmetic spares.
 */
export function fetches(series: Int16Array, times: number): number {
  const pixels = series.length / times;
  const scenes = Uint16Array.from({ length: pixels }, (_, p) => 60 + (Math.imul(p, 2654435761) >>> 27));
  let sum = 0;
  const speed = best(pixels, () => {
    for (let p = 0; p < pixels; p++) sum += series[p * times + scenes[p]!]!;
  });
  if (Number.isNaN(sum)) throw new Error('a sample is not a number'); // the sum must be used, or nothing is fetched
  return speed;
}
