/** Size of the copied memory [bytes]: larger than every cache of one core. */
const BYTES = 128 * 1024 * 1024;
const ROUNDS = 100;

/** Highest speed of all rounds [amount per microsecond]. */
function best(amount: number, work: () => void): number {
  let fastest = Infinity;
  for (let round = 0; round < ROUNDS; round++) {
    const from = performance.now();
    work();
    fastest = Math.min(fastest, performance.now() - from);
  }
  return amount / fastest / 1000;
}

/** Memory bandwidth of one core [GB/s]; a copy reads and writes every byte. */
export function bandwidth(): number {
  const from = new Uint8Array(BYTES).fill(1);
  const to = new Uint8Array(BYTES).fill(2);
  return best((2 * BYTES) / 1000, () => to.set(from));
}

/**
 * Number of samples that one core can read per second [10^6/s]. One sample of each series is read, at a random scene,
 * so that most reads miss the cache. No update can be faster than this.
 */
export function fetches(series: Int16Array, times: number): number {
  const pixels = series.length / times;
  const scenes = Uint16Array.from({ length: pixels }, (_, p) => 60 + (Math.imul(p, 2654435761) >>> 27));
  let sum = 0;
  const speed = best(pixels, () => {
    for (let p = 0; p < pixels; p++) sum += series[p * times + scenes[p]!]!;
  });
  // The use of the sum keeps the compiler from removing the reads.
  if (Number.isNaN(sum)) throw new Error('a sample is not a number');
  return speed;
}
