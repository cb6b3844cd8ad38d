/** Run-length encodes ascending indices: start, length, start, length, ... of the runs of consecutive indices. */
export function runsOf(pixels: Uint32Array): number[] {
  const runs: number[] = [];
  for (let i = 0; i < pixels.length;) {
    let length = 1;
    while (i + length < pixels.length && pixels[i + length] === pixels[i]! + length) length++;
    runs.push(pixels[i]!, length);
    i += length;
  }
  return runs;
}

/** Number of ascending indices that lie in the runs that `runsOf` returns. */
export function pixelsInRuns(pixels: Uint32Array, runs: readonly number[]): number {
  let count = 0;
  for (let i = 0, r = 0; i < pixels.length && r + 1 < runs.length;) {
    const end = runs[r]! + runs[r + 1]!;
    if (pixels[i]! >= end) r += 2;
    else if (pixels[i++]! >= runs[r]!) count++;
  }
  return count;
}
